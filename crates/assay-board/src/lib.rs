//! Ranking: which result of a model counts, who comes before whom, and what changed.
//!
//! A board is a pure function of the results and the question: no clock, no hash order, no order of
//! input. Whoever may not see a result is simply not given it.

mod aggregate;
mod changes;
pub mod chart;
mod clustered;
mod difference;
mod error;
mod estimate;
mod expected_win_rate;
mod leaderboard;
mod level;
mod mean;
mod method;
pub mod paired;
mod policy;
mod question;
mod random;
mod rank;
mod rank_interval;
mod rankable_result;
mod share;
mod special;
mod tier;

pub use aggregate::{Aggregate, AggregateRule, aggregate_rows, quintiles, win_shares};
pub use changes::{Change, Movement, changes};
pub use clustered::{Cluster, clustered_mean, clustered_share, mean_of};
pub use difference::{Verdict, difference};
pub use error::Error;
pub use estimate::{Basis, ReportedValues, Uncertainty, interval_of, uncertainty_of, wilson};
pub use expected_win_rate::{ColumnScale, expected_win_rates};
pub use leaderboard::{Group, Leaderboard, Row, Setups, percentile};
pub use level::Level;
pub use mean::{Mean, TaskScore, mean_over_tasks};
pub use method::{Estimate, Method, Test};
pub use policy::{Policy, PolicyError};
pub use question::Question;
pub use random::SplitMix64;
pub use rank::rank;
pub use rank_interval::{Contender, RankInterval, rank_intervals};
pub use rankable_result::{Fingerprint, Interval, Origin, RankableResult};
