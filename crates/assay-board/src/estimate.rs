use assay_model::{Entry, Metric, Number, Score, StatedUncertainty, ValueType};

use crate::special::{as_float, normal_quantile};
use crate::{Interval, Method};

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

impl Basis {
    /// How the interval was made.
    pub fn method(self) -> Method {
        match self {
            Self::HalfWidth | Self::Ends => Method::Stated,
            Self::StandardError => Method::Normal,
            Self::Samples(_) => Method::Wilson,
        }
    }
}

/// How uncertain a value is, from which intervals of any confidence follow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Uncertainty {
    shape: Shape,
    basis: Basis,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Shape {
    /// What a standard error comes to, downwards and upwards.
    Errors { down: f64, up: f64 },
    /// A share of so many samples, with what a share of one is in the metric's unit.
    Share { samples: u64, scale: f64 },
}

impl Uncertainty {
    /// That of a value with a normal error; none when there is no error, because nothing is known for certain.
    pub fn of_error(stderr: f64) -> Option<Self> {
        Self::of_errors(stderr, stderr, Basis::StandardError)
    }

    /// That of a share of samples, on a scale that ends at one, or at a hundred.
    pub fn of_share(samples: u64, scale: f64) -> Option<Self> {
        let is_usable = samples > 0 && scale.is_finite() && scale > 0.0;
        is_usable.then_some(Self {
            shape: Shape::Share { samples, scale },
            basis: Basis::Samples(samples),
        })
    }

    /// That of the mean of several values; none of no values. The values are taken to be independent of each other.
    pub fn of_mean(parts: &[(f64, Self)]) -> Option<Self> {
        if let [(_, only)] = parts {
            return Some(*only);
        }
        let count = as_float(u64::try_from(parts.len()).ok()?);
        let squares = parts.iter().map(|(value, own)| own.reach(*value, 1.0));
        let (down, up) = squares.fold((0.0, 0.0), |(down, up), (low, high)| {
            (down + low * low, up + high * high)
        });
        let (_, first) = parts.first()?;
        Self::of_errors(down.sqrt() / count, up.sqrt() / count, first.basis)
    }

    fn of_errors(down: f64, up: f64, basis: Basis) -> Option<Self> {
        let is_usable = |error: f64| error.is_finite() && error >= 0.0;
        (is_usable(down) && is_usable(up) && down + up > 0.0).then_some(Self {
            shape: Shape::Errors { down, up },
            basis,
        })
    }

    /// What it rests on.
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// The 95 % interval round a value.
    pub fn interval(&self, value: f64) -> Interval {
        let (down, up) = self.reach(value, Z95);
        of_ends(value - down, value + up)
    }

    /// How far the true value may lie below and above one, within so many standard errors.
    pub(crate) fn reach(&self, value: f64, errors: f64) -> (f64, f64) {
        match self.shape {
            Shape::Errors { down, up } => (down * errors, up * errors),
            Shape::Share { samples, scale } => {
                let share = (value / scale).clamp(0.0, 1.0);
                wilson_at(share, as_float(samples), errors).map_or((0.0, 0.0), |interval| {
                    let (down, up) = (share - interval.low, interval.high - share);
                    (down * scale, up * scale)
                })
            }
        }
    }
}

/// What an entry tells that bears on how uncertain its values are.
#[derive(Debug, Clone, Copy)]
pub struct Told<'e> {
    /// Its scores.
    pub scores: &'e [Score],
    /// How many samples it says were evaluated.
    pub sample_size: Option<u64>,
}

impl<'e> From<&'e Entry> for Told<'e> {
    fn from(entry: &'e Entry) -> Self {
        Self {
            scores: &entry.scores,
            sample_size: entry.sample_size,
        }
    }
}

/// How uncertain a value of an entry is; none when the entry does not tell. Nothing is guessed: a percentage that is no
/// share of right answers has no interval for its number of samples, and an error of zero is no error.
pub fn uncertainty_of<'e>(
    told: impl Into<Told<'e>>,
    metric: &Metric,
    value: f64,
) -> Option<Uncertainty> {
    let told = told.into();
    match stated(told, metric, value) {
        Stated::Nothing => counted(told, metric, value),
        Stated::Nonsense => None,
        Stated::Known(uncertainty) => Some(uncertainty),
    }
}

/// The 95 % interval round a value of an entry, and what it rests on; none when the entry does not tell.
pub fn interval_of<'e>(
    told: impl Into<Told<'e>>,
    metric: &Metric,
    value: f64,
) -> Option<(Interval, Basis)> {
    let uncertainty = uncertainty_of(told, metric, value)?;
    Some((uncertainty.interval(value), uncertainty.basis))
}

/// What an entry itself says of its uncertainty.
enum Stated {
    Nothing,
    Nonsense,
    Known(Uncertainty),
}

fn stated(told: Told<'_>, metric: &Metric, value: f64) -> Stated {
    if let Some(score) = own_score(told, metric) {
        let given = given(&score.uncertainty, value);
        if !matches!(given, Stated::Nothing) {
            return given;
        }
    }
    // A score that is alone has nothing beside it.
    if told.scores.len() < 2 {
        return Stated::Nothing;
    }
    let beside = |suffix: &str| companion(told.scores, metric, suffix);
    if let Some(half) = beside("ci95_half_width").or_else(|| beside("ci95")) {
        return errors(half / Z95, half / Z95, Basis::HalfWidth);
    }
    let low = beside("ci95_low").or_else(|| beside("ci_low"));
    let high = beside("ci95_high").or_else(|| beside("ci_high"));
    if let (Some(low), Some(high)) = (low, high) {
        return errors((value - low) / Z95, (high - value) / Z95, Basis::Ends);
    }
    match beside("stderr").or_else(|| beside("standard_error")) {
        Some(error) => errors(error, error, Basis::StandardError),
        None => Stated::Nothing,
    }
}

fn errors(down: f64, up: f64, basis: Basis) -> Stated {
    match Uncertainty::of_errors(down, up, basis) {
        Some(uncertainty) => Stated::Known(uncertainty),
        // Where all answers are right, or all wrong, programs write an error of zero.
        None if down == 0.0 && up == 0.0 => Stated::Nothing,
        None => Stated::Nonsense,
    }
}

/// What a score says of itself.
fn given(own: &StatedUncertainty, value: f64) -> Stated {
    if let Some(interval) = &own.interval {
        let level = interval.level.map_or(CONFIDENCE, Number::get);
        let reach = if level == CONFIDENCE {
            Z95
        } else {
            normal_quantile(f64::midpoint(1.0, level))
        };
        let (down, up) = (value - interval.low.get(), interval.high.get() - value);
        return errors(down / reach, up / reach, Basis::Ends);
    }
    match own.standard_error {
        Some(error) => errors(error.get(), error.get(), Basis::StandardError),
        None => Stated::Nothing,
    }
}

/// The score of a metric: that of its name, or the one without a name for the primary one.
fn own_score<'s>(told: Told<'s>, metric: &Metric) -> Option<&'s Score> {
    let whole = || {
        told.scores
            .iter()
            .filter(|score| score.slice == metric.slice)
    };
    whole()
        .find(|score| score.metric.as_ref() == Some(&metric.id))
        .or_else(|| whole().find(|score| score.metric.is_none() && metric.primary))
}

/// What the number of samples tells.
fn counted(told: Told<'_>, metric: &Metric, value: f64) -> Option<Uncertainty> {
    let samples = samples(told, metric)?;
    let scale = scale(metric)?;
    let is_share = (0.0..=1.0).contains(&(value / scale));
    is_share
        .then(|| Uncertainty::of_share(samples, scale))
        .flatten()
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

fn samples(told: Told<'_>, metric: &Metric) -> Option<u64> {
    if !COUNTED.contains(&metric.id.as_str()) {
        return None;
    }
    let own = told
        .scores
        .iter()
        .find(|score| score.metric.as_ref().is_none_or(|id| *id == metric.id));
    own.and_then(|score| score.sample_size)
        .or(told.sample_size)
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

pub(crate) fn of_ends(low: f64, high: f64) -> Interval {
    Interval {
        low,
        high,
        confidence: CONFIDENCE,
    }
}
