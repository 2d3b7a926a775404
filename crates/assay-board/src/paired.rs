//! Models on the same samples: what one got right and the other did not, and whether that may be
//! chance.
//!
//! Two models are compared by [`Agreement`] or [`bootstrap()`], all models of a board at once by
//! [`joint_ranks()`].
//!
//! Samples that both models answered are compared one by one, so what makes a sample hard cancels.
//! A comparison of two separate means throws that away: two intervals that overlap do not mean that
//! the models are equal.
//!
//! ```
//! # use assay_board::paired::Agreement;
//! let agreement = Agreement { both: 900, only_a: 60, only_b: 30, neither: 10 };
//!
//! let test = agreement.mcnemar();
//! let difference = agreement.difference().unwrap();
//!
//! assert!(test.p_value < 0.01);
//! assert_eq!(difference.value, 0.03);
//! assert!(difference.interval.low > 0.0);
//! ```

mod agreement;
mod bootstrap;
mod joint_ranks;
mod power;
mod shared_scores;

pub use agreement::Agreement;
pub use bootstrap::{MOST_RESAMPLED, RESAMPLES, SEED, bootstrap};
pub use joint_ranks::{DRAWS, JointRank, JointRanks, joint_ranks};
pub use power::{Power, detectable_difference, detectable_paired, detectable_unpaired};
pub use shared_scores::{LEAST_QUESTIONS, MOST_MODELS, SharedScores};
