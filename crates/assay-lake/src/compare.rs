//! Models on the samples that they share: two of them, or all.

mod flips;
mod pairs;
mod ranks;

use assay_board::paired::{Agreement, SEED, bootstrap};
use assay_board::{Estimate, Method, Test};
use serde::Serialize;

pub use self::flips::{Flip, Side};
use self::pairs::{Pair, Scope, pairs};
pub use self::ranks::{LeftOut, RankScope, RankedModel, Ranking, rank_all};
use crate::engine::Engine;
use crate::error::{Error, Result};

/// Which samples are compared.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The one model.
    pub model_a: String,
    /// The other model.
    pub model_b: String,
    /// Only samples of this task, or of the benchmark of this name.
    pub task: Option<String>,
    /// Only samples of this benchmark.
    pub benchmark: Option<String>,
    /// Only scores of this metric.
    pub metric: Option<String>,
    /// How many samples that differ are told with question and answers.
    pub flips: usize,
}

/// How two models did on the same samples.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The one model.
    pub model_a: String,
    /// The other model.
    pub model_b: String,
    /// The metric whose scores of the one are compared; none when its results name none.
    pub metric_a: Option<String>,
    /// That of the other, which differs only when two harnesses have two names.
    pub metric_b: Option<String>,
    /// Other metrics that both have, by which they could be compared as well.
    pub other_metrics: Vec<String>,
    /// Number of samples that the one has answered.
    pub samples_a: u64,
    /// Number of samples that the other has answered.
    pub samples_b: u64,
    /// Number of both that have.
    pub shared: u64,
    /// Both are right.
    pub both_right: u64,
    /// Only the one is.
    pub only_a_right: u64,
    /// Only the other is.
    pub only_b_right: u64,
    /// Both are wrong.
    pub both_wrong: u64,
    /// The mean score of the one on the shared samples.
    pub mean_a: f64,
    /// The mean score of the other on them.
    pub mean_b: f64,
    /// Which model scores higher, by the interval of the difference and nothing else.
    pub verdict: Verdict,
    /// `McNemar`'s test of the samples that only one got right; none when scores lie between right
    /// and wrong, because it would test other numbers than those that are compared.
    pub mcnemar: Option<PValue>,
    /// By how much the one scores higher; none when nothing can be said of it.
    pub difference: Option<Difference>,
    /// Samples on which one is right and the other wrong.
    pub flips: Vec<Flip>,
}

/// Which of two models scores higher on the samples that they share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The whole interval of the difference lies above zero.
    AHigher,
    /// The whole interval of the difference lies below zero.
    BHigher,
    /// The interval of the difference has zero in it, or there is none.
    NotSeparated,
}

/// The outcome of a test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PValue {
    /// How often chance alone gives as much, or more.
    pub p_value: f64,
    /// How it was computed.
    pub method: &'static str,
}

/// A difference with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Difference {
    /// The difference.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// How the interval was computed.
    pub method: &'static str,
}

/// Compares two models.
pub async fn compare(engine: &Engine, question: &Question) -> Result<Comparison> {
    let scope = Scope::find(engine, question).await?;
    let pairs = pairs(engine, question, &scope).await?;
    if pairs.is_empty() {
        return Err(Error::Compare(format!(
            "`{}` and `{}` share no sample: none of their questions is the same, word for word",
            question.model_a, question.model_b
        )));
    }
    let agreement = Agreement::of(pairs.iter().map(|pair| (pair.a.right, pair.b.right)));
    let flips = flips::flips(engine, question, &pairs).await?;
    let is_right_or_wrong = pairs.iter().all(Pair::is_right_or_wrong);
    let difference = if is_right_or_wrong {
        agreement.difference()
    } else {
        bootstrapped(&pairs)
    };
    let difference = difference.map(Difference::of);
    Ok(Comparison {
        model_a: question.model_a.clone(),
        model_b: question.model_b.clone(),
        metric_a: scope.metric_a,
        metric_b: scope.metric_b,
        other_metrics: scope.others,
        samples_a: scope.samples_a,
        samples_b: scope.samples_b,
        shared: agreement.total(),
        both_right: agreement.both,
        only_a_right: agreement.only_a,
        only_b_right: agreement.only_b,
        both_wrong: agreement.neither,
        mean_a: mean(pairs.iter().map(|pair| pair.a.score)),
        mean_b: mean(pairs.iter().map(|pair| pair.b.score)),
        verdict: Verdict::from_difference(difference.as_ref()),
        mcnemar: is_right_or_wrong.then(|| PValue::of(agreement.mcnemar())),
        difference,
        flips,
    })
}

/// Estimates the difference of scores between right and wrong by resampling, always with the same
/// seed.
fn bootstrapped(pairs: &[Pair]) -> Option<Estimate> {
    let differences: Vec<f64> = pairs
        .iter()
        .map(|pair| pair.a.score - pair.b.score)
        .collect();
    bootstrap(&differences, SEED)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "no lake has so many samples that their number is not exact"
)]
fn mean(scores: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = scores.len() as f64;
    scores.sum::<f64>() / count
}

impl Verdict {
    fn from_difference(difference: Option<&Difference>) -> Self {
        match difference {
            Some(Difference { low, .. }) if *low > 0.0 => Self::AHigher,
            Some(Difference { high, .. }) if *high < 0.0 => Self::BHigher,
            Some(_) | None => Self::NotSeparated,
        }
    }
}

impl PValue {
    fn of(test: Test) -> Self {
        Self {
            p_value: test.p_value,
            method: name(test.method),
        }
    }
}

impl Difference {
    fn of(estimate: Estimate) -> Self {
        Self {
            value: estimate.value,
            low: estimate.interval.low,
            high: estimate.interval.high,
            method: name(estimate.method),
        }
    }
}

fn name(method: Method) -> &'static str {
    method.as_str()
}
