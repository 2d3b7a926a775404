use std::cmp::Ordering;

use crate::estimate::{CONFIDENCE, of_ends};
use crate::special::{normal_cdf, student_quantile};
use crate::{Estimate, Method, SplitMix64, mean_of};

/// The number of resamples. The ends of the interval then move by about a thirtieth of its half
/// width from one seed to another.
pub const RESAMPLES: usize = 2_000;
/// The seed. It is fixed, so that equal scores have equal intervals on every machine.
pub const SEED: u64 = 0x0a55_a9e0_0b00_7575;
/// From more pairs than this a mean is normal to all digits that are shown, and Student's interval
/// takes over.
pub const MOST_RESAMPLED: usize = 1 << 15;

/// The mean of the differences of two models on the same samples, with a 95 % interval by paired
/// bootstrap; none when there are fewer than two, when one is not finite, or when all are zero, of
/// which drawing anew learns nothing.
///
/// There is one difference a sample: the score of the first model less that of the second. Where a
/// sample was asked in several epochs, that is the difference of its means, because epochs of one
/// sample are not independent.
///
/// Percentiles of the resampled means are too narrow for few samples, and for many that are mostly
/// zero. So two imaginary differences are added, as large as the largest, one either way (what
/// Bonett and Price do for right and wrong), and the percentiles are those that make the interval
/// as wide as Student's (Hesterberg 2015). The order of the differences changes nothing, and the
/// models exchanged give the same interval with its sign turned.
pub fn bootstrap(differences: &[f64], seed: u64) -> Option<Estimate> {
    let is_usable = differences.len() >= 2
        && differences.iter().all(|value| value.is_finite())
        && differences.iter().any(|value| *value != 0.0);
    if !is_usable {
        return None;
    }
    if differences.len() > MOST_RESAMPLED {
        return mean_of(differences);
    }
    let (sign, sorted) = canonical(differences);
    let value = mean(&sorted);
    let means = resampled(&with_two_more(sorted), seed);
    let (low, high) = percentiles(&means, differences.len() + 2);
    let ends = (sign * low.min(value), sign * high.max(value));
    let estimate = Estimate {
        value: sign * value,
        interval: of_ends(ends.0.min(ends.1), ends.0.max(ends.1)),
        method: Method::PairedBootstrap,
    };
    (estimate.interval.low.is_finite() && estimate.interval.high.is_finite()).then_some(estimate)
}

/// The differences in one order and with one of the two signs they could have, so that neither the
/// order of the samples nor that of the models matters.
fn canonical(differences: &[f64]) -> (f64, Vec<f64>) {
    let mut plain = differences.to_vec();
    plain.sort_unstable_by(f64::total_cmp);
    let turned: Vec<f64> = plain.iter().rev().map(|value| 0.0 - value).collect();
    let order = plain
        .iter()
        .zip(&turned)
        .map(|(left, right)| left.partial_cmp(right).unwrap_or(Ordering::Equal))
        .find(|order| order.is_ne());
    match order {
        Some(Ordering::Less) => (-1.0, turned),
        Some(Ordering::Equal | Ordering::Greater) | None => (1.0, plain),
    }
}

fn with_two_more(mut sorted: Vec<f64>) -> Vec<f64> {
    let largest = sorted
        .iter()
        .fold(0.0_f64, |most, value| most.max(value.abs()));
    sorted.extend([largest, -largest]);
    sorted
}

/// The means of as many values, drawn with replacement, time after time; in order.
fn resampled(values: &[f64], seed: u64) -> Vec<f64> {
    let mut random = SplitMix64::new(seed);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let drawn = (0..values.len()).map(|_| values[random.below(values.len())]);
            drawn.sum::<f64>() / count(values.len())
        })
        .collect();
    means.sort_unstable_by(f64::total_cmp);
    means
}

/// The two percentiles between which the interval lies, for means of so many values.
fn percentiles(sorted: &[f64], values: usize) -> (f64, f64) {
    let n = count(values);
    let tail = (1.0 - CONFIDENCE) / 2.0;
    let reach = student_quantile(1.0 - tail, n - 1.0) * (n / (n - 1.0)).sqrt();
    let level = normal_cdf(-reach);
    (quantile(sorted, level), quantile(sorted, 1.0 - level))
}

/// A quantile of sorted values, between neighbours where it falls between two.
fn quantile(sorted: &[f64], level: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    let place = level * count(last);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a level is from 0 to 1, so the place is within the values"
    )]
    let below = (place.floor() as usize).min(last);
    let above = (below + 1).min(last);
    let part = place - count(below);
    sorted[below] * (1.0 - part) + sorted[above] * part
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / count(values.len())
}

fn count(values: usize) -> f64 {
    crate::special::as_float(values as u64)
}
