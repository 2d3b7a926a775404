use assay_model::Direction;

use crate::estimate::CONFIDENCE;
use crate::special::{as_float, normal_cdf, normal_quantile, student_quantile};
use crate::tier::tiers;
use crate::{Method, RankInterval};

use self::centred::Centred;
use self::draws::Draws;
use self::pairs::Pairs;
use super::SharedScores;

mod centred;
mod draws;
mod pairs;
mod parallel;

/// The number of random weightings of the questions. The chance that any pair is separated wrongly
/// is then 5 % give or take 0.7.
pub const DRAWS: usize = 1_000;
/// The most steps of the step-down. Each is valid by itself; boards of real scores need two to
/// four.
const MOST_STEPS: usize = 8;

/// The ranks of models on the same questions, with what chance leaves open of them.
#[derive(Debug, Clone, PartialEq)]
pub struct JointRanks {
    /// One for each model, in the order of the scores.
    pub models: Vec<JointRank>,
    /// Number of pairs that are separated: one of them is better, at 95 % for all pairs together.
    pub separated: usize,
    /// By how many standard errors of their difference two models differ from which they are
    /// separated.
    pub critical: f64,
}

/// The rank of one model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointRank {
    /// The mean of its scores.
    pub mean: f64,
    /// Between which ranks it lies, and its tier.
    pub interval: RankInterval,
}

/// Compares all pairs of models on the same questions at once: with 95 % confidence no pair is
/// separated wrongly anywhere, so that all rank intervals hold together.
///
/// It is the procedure of Mogstad, Romano, Shaikh and Wilhelm (2024): each pair has the mean of its
/// differences over the error of that mean, the bootstrap tells how large the largest of all these
/// is by chance, and what is separated makes way for a smaller bound in the next step (Romano and
/// Wolf 2005). The hypothesis of a pair is one-sided in either direction, so that directions hold
/// too. Since models find the same questions hard, the error of a difference is smaller than for
/// independent rows, and fewer independent comparisons have to hold.
///
/// - Questions are weighted by normal numbers from a fixed seed, so that equal scores have equal
///   ranks on every machine.
/// - The bound is turned into one of Student's distribution, and each pair has two imaginary
///   questions more on which it differs as much as on any, one either way (what Bonett and Price do
///   for right and wrong). Without these, coverage falls below 95 % for few questions, and for
///   scores that are skewed.
/// - A pair with equal scores on all questions is never separated.
///
/// The order of models changes nothing. It takes O(models² · (questions + draws)) time on all
/// cores, and 8 bytes a pair.
///
/// ```
/// # use assay_board::paired::{SEED, SharedScores, joint_ranks};
/// # use assay_model::Direction;
/// // One model knows all, two know every other or every third, and one knows nothing.
/// let right = |row: u32, question: u32| match row {
///     0 => true,
///     1 | 2 => question.is_multiple_of(row + 1),
///     _ => false,
/// };
/// let answers = (0..4).flat_map(|row| (0..40).map(move |question| right(row, question)));
/// let scores = answers.map(|right| if right { 1.0 } else { 0.0 }).collect();
///
/// let found = joint_ranks(&SharedScores::new(4, 40, scores)?, Direction::HigherIsBetter, SEED);
///
/// let tiers: Vec<usize> = found.models.iter().map(|model| model.interval.tier).collect();
/// assert_eq!(found.separated, 5);
/// assert_eq!(tiers, [1, 2, 2, 3]);
/// # Ok::<(), assay_board::Error>(())
/// ```
pub fn joint_ranks(scores: &SharedScores, direction: Direction, seed: u64) -> JointRanks {
    let centred = Centred::new(scores, direction);
    let pairs = Pairs::new(&centred);
    let draws = Draws::new(&centred, seed);
    // Two imaginary questions more, and one degree of freedom less for the mean.
    let freedom = as_float(scores.questions() as u64) + 1.0;
    let least = bound_of_constant(pairs.constant());
    let (mut critical, mut separated) = (f64::INFINITY, 0);
    for _ in 0..MOST_STEPS {
        let bound = draws.bound_of_largest(&pairs, critical).max(least);
        critical = -student_quantile(normal_cdf(-bound), freedom);
        let now = pairs.count_beyond(critical);
        if now == separated {
            break;
        }
        separated = now;
    }
    JointRanks {
        models: ranks(&centred, &pairs, critical, direction),
        separated,
        critical,
    }
}

/// Returns the bound that so many pairs with the same difference on all questions need. The
/// bootstrap learns nothing of them, so they are taken to be independent (Bonferroni).
fn bound_of_constant(pairs: usize) -> f64 {
    match pairs {
        0 => 0.0,
        _ => -normal_quantile((1.0 - CONFIDENCE) / 2.0 / as_float(pairs as u64)),
    }
}

fn ranks(centred: &Centred, pairs: &Pairs, critical: f64, direction: Direction) -> Vec<JointRank> {
    let (above, below) = pairs.counts_beyond(critical);
    let tiers = tiers(centred.merits(), |one, other| {
        pairs.difference(one, other).abs() > critical
    });
    let rank = |(model, merit): (usize, &f64)| JointRank {
        mean: turned(*merit, direction),
        interval: RankInterval {
            best: 1 + above[model],
            worst: centred.models() - below[model],
            confidence: CONFIDENCE,
            method: Method::JointBootstrap,
            tier: tiers[model],
        },
    };
    centred.merits().iter().enumerate().map(rank).collect()
}

/// Turns a value so that more is better, and back.
fn turned(value: f64, direction: Direction) -> f64 {
    match direction {
        Direction::HigherIsBetter => value,
        Direction::LowerIsBetter => 0.0 - value,
    }
}
