use assay_model::{Entry, Metric, Score, ValueType};

use crate::Interval;
use crate::special::as_float;

/// How many standard errors a 95 % interval reaches to each side.
pub(crate) const Z95: f64 = 1.959_963_984_540_054;
/// The confidence of every interval here.
pub(crate) const CONFIDENCE: f64 = 0.95;
/// Metrics that count right answers: for these, and no others, a number of samples tells the uncertainty.
const COUNTED: [&str; 8] = [
    "accuracy",
    "acc",
    "exact_match",
    "pass@1",
    "pass_at_1",
    "pass_rate",
    "success_rate",
    "resolved",
];

/// What an interval rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// The entry gives half its width.
    HalfWidth,
    /// The entry gives its ends.
    Ends,
    /// The entry gives the standard error.
    StandardError,
    /// It is computed from how many samples there were (Wilson's score interval).
    Samples(u64),
}

/// The 95 % interval round a value of an entry, and what it rests on; none when the entry does not tell. Nothing is
/// guessed: a percentage that is no share of right answers has no interval for its number of samples.
pub fn interval_of(entry: &Entry, metric: &Metric, value: f64) -> Option<(Interval, Basis)> {
    let beside = |suffix: &str| companion(&entry.scores, metric, suffix);
    if let Some(half) = beside("ci95_half_width").or_else(|| beside("ci95")) {
        return Some((around(value, half)?, Basis::HalfWidth));
    }
    let low = beside("ci95_low").or_else(|| beside("ci_low"));
    let high = beside("ci95_high").or_else(|| beside("ci_high"));
    if let (Some(low), Some(high)) = (low, high) {
        let is_round_value = low <= value && value <= high;
        return is_round_value.then_some((of_ends(low, high), Basis::Ends));
    }
    if let Some(error) = beside("stderr").or_else(|| beside("standard_error")) {
        return Some((around(value, Z95 * error)?, Basis::StandardError));
    }
    let samples = samples(entry, metric)?;
    let scale = scale(metric)?;
    let interval = wilson(value / scale, samples)?;
    let scaled = of_ends(interval.low * scale, interval.high * scale);
    Some((scaled, Basis::Samples(samples)))
}

/// Wilson's score interval of a share: it stays within 0 and 1, and has a width even at the ends.
pub fn wilson(share: f64, samples: u64) -> Option<Interval> {
    wilson_at(share, as_float(samples), Z95)
}

/// The same for a number of samples that need not be whole, and as many standard errors to each side as are asked for.
pub(crate) fn wilson_at(share: f64, n: f64, z: f64) -> Option<Interval> {
    if n <= 0.0 || !(0.0..=1.0).contains(&share) {
        return None;
    }
    let z2 = z * z;
    let middle = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = z * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt() / (1.0 + z2 / n);
    // At the ends of what a share can be, arithmetic misses them by a hair.
    let (low, high) = (middle - half, middle + half);
    Some(of_ends(low.clamp(0.0, share), high.clamp(share, 1.0)))
}

/// A score of the same entry that tells of the metric's uncertainty: `accuracy_stderr`, or `stderr` for the primary one.
fn companion(scores: &[Score], metric: &Metric, suffix: &str) -> Option<f64> {
    let own = format!("{}_{suffix}", metric.id);
    let named = |name: &str| {
        let found = scores.iter().find(|score| {
            let is_named = score.metric.as_ref().is_some_and(|id| id.as_str() == name);
            is_named && score.slice.is_none()
        });
        found.map(|score| score.value.get())
    };
    named(&own).or_else(|| metric.primary.then(|| named(suffix)).flatten())
}

fn samples(entry: &Entry, metric: &Metric) -> Option<u64> {
    if !COUNTED.contains(&metric.id.as_str()) {
        return None;
    }
    let own = entry
        .scores
        .iter()
        .find(|score| score.metric.as_ref().is_none_or(|id| *id == metric.id));
    own.and_then(|score| score.sample_size)
        .or(entry.sample_size)
        .filter(|samples| *samples > 0)
}

/// What a share of one is in the metric's unit; none when that is not known.
fn scale(metric: &Metric) -> Option<f64> {
    match (metric.value_type, metric.unit.as_deref()) {
        (Some(ValueType::Percentage), _) | (_, Some("percentage" | "percent" | "%")) => Some(100.0),
        (_, Some("proportion" | "fraction" | "share" | "ratio")) => Some(1.0),
        (_, _) => None,
    }
}

fn around(value: f64, half: f64) -> Option<Interval> {
    (half.is_finite() && half >= 0.0).then(|| of_ends(value - half, value + half))
}

pub(crate) fn of_ends(low: f64, high: f64) -> Interval {
    Interval {
        low,
        high,
        confidence: CONFIDENCE,
    }
}
