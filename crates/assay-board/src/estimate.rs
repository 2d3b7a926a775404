use assay_model::{Entry, Metric, Number, Score, StatedUncertainty, ValueType};

use crate::share::{Share, TailBound};
use crate::special::{as_float, normal_quantile};
use crate::{Interval, Method};

/// The half width of a 95 % interval, in standard errors.
pub(crate) const Z95: f64 = 1.959_963_984_540_054;
/// The confidence of every interval here.
pub(crate) const CONFIDENCE: f64 = 0.95;
/// Metrics that count right answers: for these, and no others, a number of samples tells the
/// uncertainty.
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

/// The source of an interval.
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
    /// Returns the method of the interval.
    pub fn method(self) -> Method {
        match self {
            Self::HalfWidth | Self::Ends => Method::Stated,
            Self::StandardError => Method::Normal,
            Self::Samples(_) => Method::Wilson,
        }
    }
}

/// The uncertainty of a value, from which intervals of any confidence follow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Uncertainty {
    shape: Shape,
    basis: Basis,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Shape {
    /// Standard errors, downwards and upwards.
    Errors { down: f64, up: f64 },
    /// A share of so many samples.
    Share(Share),
    /// Standard errors of a share, and the number of samples that they are worth.
    ErrorsOfShare { down: f64, up: f64, share: Share },
}

impl Uncertainty {
    /// That of a value with a normal error; none when there is no error, because nothing is known
    /// for certain.
    pub fn of_error(stderr: f64) -> Option<Self> {
        Self::of_errors(stderr, stderr, Basis::StandardError)
    }

    /// That of a share of samples, on a scale that ends at one, or at a hundred.
    pub fn of_share(samples: u64, scale: f64) -> Option<Self> {
        Some(Self {
            shape: Shape::Share(Share::new(as_float(samples), scale)?),
            basis: Basis::Samples(samples),
        })
    }

    /// That of the mean of several values; none of no values. The values are taken to be
    /// independent of each other.
    pub fn of_mean(parts: &[(f64, Self)]) -> Option<Self> {
        if let [(_, only)] = parts {
            return Some(*only);
        }
        let count = as_float(u64::try_from(parts.len()).ok()?);
        let arms = parts.iter().map(|(value, own)| {
            let interval = own.interval(*value);
            ((value - interval.low) / Z95, (interval.high - value) / Z95)
        });
        let (down, up) = arms.fold((0.0, 0.0), |(down, up), (low, high)| {
            (down + low * low, up + high * high)
        });
        let (_, first) = parts.first()?;
        Self::of_errors(down.sqrt() / count, up.sqrt() / count, first.basis)
    }

    /// That of a share with a standard error, on a scale that ends at one, or at a hundred; none
    /// when there is no error.
    ///
    /// The interval of the value is the normal one. Ranks use the number of samples that the error
    /// is worth, p(1 − p)/s², because a normal error of few misses is far too small in the tails.
    /// An error that no share can have is taken to be normal.
    pub fn of_share_error(value: f64, stderr: f64, scale: f64) -> Option<Self> {
        let uncertainty = Self::of_error(stderr)?;
        Some(uncertainty.with_share(Share::from_errors(value, (stderr, stderr), scale)))
    }

    fn of_errors(down: f64, up: f64, basis: Basis) -> Option<Self> {
        let is_usable = |error: f64| error.is_finite() && error >= 0.0;
        (is_usable(down) && is_usable(up) && down + up > 0.0).then_some(Self {
            shape: Shape::Errors { down, up },
            basis,
        })
    }

    /// Returns the same errors as those of a share, where they are.
    fn with_share(mut self, share: Option<Share>) -> Self {
        if let Shape::Errors { down, up } | Shape::ErrorsOfShare { down, up, .. } = self.shape
            && let Some(share) = share
        {
            self.shape = Shape::ErrorsOfShare { down, up, share };
        }
        self
    }

    /// Returns the source of the interval.
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// The 95 % interval round a value.
    pub fn interval(&self, value: f64) -> Interval {
        let (down, up) = match self.shape {
            Shape::Errors { down, up } | Shape::ErrorsOfShare { down, up, .. } => {
                (down * Z95, up * Z95)
            }
            Shape::Share(share) => share.wilson_arms(value),
        };
        of_ends(value - down, value + up)
    }

    /// Returns how far the true value may lie below and above one, at the confidence of a
    /// comparison of all pairs of a board.
    pub(crate) fn reach(&self, value: f64, bound: &TailBound) -> (f64, f64) {
        match self.shape {
            Shape::Errors { down, up } => (down * bound.errors(), up * bound.errors()),
            Shape::Share(share) | Shape::ErrorsOfShare { share, .. } => {
                share.clopper_pearson_arms(value, bound)
            }
        }
    }
}

/// The fields of an entry that bear on the uncertainty of its values.
#[derive(Debug, Clone, Copy)]
pub struct ReportedValues<'e> {
    /// Its scores.
    pub scores: &'e [Score],
    /// Number of samples that it says were evaluated.
    pub sample_size: Option<u64>,
}

impl<'e> From<&'e Entry> for ReportedValues<'e> {
    fn from(entry: &'e Entry) -> Self {
        Self {
            scores: &entry.scores,
            sample_size: entry.sample_size,
        }
    }
}

/// Returns the uncertainty of a value of an entry; none when the entry does not report it. Nothing
/// is guessed: a percentage that is no share of right answers has no interval for its number of
/// samples, and an error of zero is no error.
pub fn uncertainty_of<'e>(
    told: impl Into<ReportedValues<'e>>,
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

/// The 95 % interval round a value of an entry, and what it rests on; none when the entry does not
/// tell.
pub fn interval_of<'e>(
    told: impl Into<ReportedValues<'e>>,
    metric: &Metric,
    value: f64,
) -> Option<(Interval, Basis)> {
    let uncertainty = uncertainty_of(told, metric, value)?;
    Some((uncertainty.interval(value), uncertainty.basis))
}

/// The uncertainty that an entry itself states.
enum Stated {
    Nothing,
    Nonsense,
    Known(Uncertainty),
}

fn stated(told: ReportedValues<'_>, metric: &Metric, value: f64) -> Stated {
    if let Some(score) = own_score(told, metric) {
        let given = given(&score.uncertainty, metric, value);
        if !matches!(given, Stated::Nothing) {
            return given;
        }
    }
    // A score that is alone has nothing beside it.
    if told.scores.len() < 2 {
        return Stated::Nothing;
    }
    let beside = |suffix: &str| companion(told.scores, metric, suffix);
    let errors = |down: f64, up: f64, basis| errors(metric, value, (down, up), basis);
    let half_width = beside("ci95_half_width").or_else(|| beside("ci95"));
    if let Some(half) = half_width.map(|score| score.value.get() / Z95) {
        return errors(half, half, Basis::HalfWidth);
    }
    let low = beside("ci95_low").or_else(|| beside("ci_low"));
    let high = beside("ci95_high").or_else(|| beside("ci_high"));
    if let (Some(low), Some(high)) = (low, high) {
        let (down, up) = (value - low.value.get(), high.value.get() - value);
        return errors(down / Z95, up / Z95, Basis::Ends);
    }
    let Some(score) = beside("stderr").or_else(|| beside("standard_error")) else {
        return Stated::Nothing;
    };
    let error = score.value.get();
    match errors(error, error, Basis::StandardError) {
        Stated::Known(uncertainty) => {
            Stated::Known(uncertainty.with_share(counted_share(told, metric, value, score)))
        }
        other => other,
    }
}

/// Returns the counted share whose plain error is the stated one, up to the rounding of what is
/// written.
fn counted_share(
    told: ReportedValues<'_>,
    metric: &Metric,
    value: f64,
    error: &Score,
) -> Option<Share> {
    let (samples, scale) = (as_float(samples(told, metric)?), scale(metric)?);
    let rounding = own_score(told, metric).map_or(0.0, half_a_unit);
    let plain = |value: f64, samples: f64| {
        let share = (value / scale).clamp(0.0, 1.0);
        scale * (share * (1.0 - share) / samples).sqrt()
    };
    let [(low, high), (low_less, high_less)] = [samples, samples - 1.0].map(|samples| {
        let ends = (
            plain(value - rounding, samples),
            plain(value + rounding, samples),
        );
        (ends.0.min(ends.1), ends.0.max(ends.1))
    });
    // Programs divide by n or by n − 1, and write some digits of the result.
    let slack = half_a_unit(error) + f64::EPSILON * scale;
    let is_plain = |low: f64, high: f64| (low - slack..=high + slack).contains(&error.value.get());
    (is_plain(low, high) || is_plain(low_less, high_less))
        .then(|| Share::new(samples, scale))
        .flatten()
}

/// Returns half a unit of the last digit that is written.
fn half_a_unit(score: &Score) -> f64 {
    let shortest = || score.value.get().to_string();
    let written = Some(&score.literal).filter(|literal| !literal.is_empty());
    let written = written.cloned().unwrap_or_else(shortest);
    let is_plain = written
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    match written.split_once('.') {
        Some((_, decimals)) if is_plain => {
            let decimals = i32::try_from(decimals.len()).unwrap_or(i32::MAX);
            0.5 * 10.0_f64.powi(-decimals)
        }
        Some(_) | None => 0.0,
    }
}

/// Returns the uncertainty of stated errors downwards and upwards. On the scale of a share, ranks
/// use the number of samples they are worth.
fn errors(metric: &Metric, value: f64, (down, up): (f64, f64), basis: Basis) -> Stated {
    match Uncertainty::of_errors(down, up, basis) {
        Some(uncertainty) => {
            let share = scale(metric).and_then(|one| Share::from_errors(value, (down, up), one));
            Stated::Known(uncertainty.with_share(share))
        }
        // Where all answers are right, or all wrong, programs write an error of zero.
        None if down == 0.0 && up == 0.0 => Stated::Nothing,
        None => Stated::Nonsense,
    }
}

/// Returns the uncertainty that a score states itself.
fn given(own: &StatedUncertainty, metric: &Metric, value: f64) -> Stated {
    let errors = |down: f64, up: f64, basis| errors(metric, value, (down, up), basis);
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
fn own_score<'s>(told: ReportedValues<'s>, metric: &Metric) -> Option<&'s Score> {
    let whole = || {
        told.scores
            .iter()
            .filter(|score| score.slice == metric.slice)
    };
    whole()
        .find(|score| score.metric.as_ref() == Some(&metric.id))
        .or_else(|| whole().find(|score| score.metric.is_none() && metric.primary))
}

/// Returns the uncertainty that follows from the number of samples.
fn counted(told: ReportedValues<'_>, metric: &Metric, value: f64) -> Option<Uncertainty> {
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

/// The same for a number of samples that need not be whole, and as many standard errors to each
/// side as are asked for.
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

/// A score of the same entry that tells of the metric's uncertainty: `accuracy_stderr`, or `stderr`
/// for the primary one.
fn companion<'s>(scores: &'s [Score], metric: &Metric, suffix: &str) -> Option<&'s Score> {
    let own = format!("{}_{suffix}", metric.id);
    let named = |name: &str| {
        scores.iter().find(|score| {
            let is_named = score.metric.as_ref().is_some_and(|id| id.as_str() == name);
            is_named && score.slice.is_none()
        })
    };
    named(&own).or_else(|| metric.primary.then(|| named(suffix)).flatten())
}

fn samples(told: ReportedValues<'_>, metric: &Metric) -> Option<u64> {
    if !COUNTED.contains(&metric.id.as_str()) {
        return None;
    }
    own_score(told, metric)
        .and_then(|score| score.sample_size)
        .or(told.sample_size)
        .filter(|samples| *samples > 0)
}

/// Returns a share of one in the metric's unit; none when the unit is not known.
fn scale(metric: &Metric) -> Option<f64> {
    match (metric.value_type, metric.unit.as_deref()) {
        (Some(ValueType::Percentage), _) | (_, Some("percentage" | "percent" | "%")) => Some(100.0),
        (_, Some("proportion" | "fraction" | "share")) => Some(1.0),
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

#[cfg(test)]
mod tests {
    use assay_model::Direction;

    use super::*;

    /// The share that ranks use for 0.9 of fifty samples with a stated error.
    fn share(stderr: &str, sample_size: Option<u64>) -> Share {
        let metric = Metric {
            id: "accuracy".parse().unwrap(),
            display_name: String::new(),
            direction: Direction::HigherIsBetter,
            primary: true,
            unit: Some("proportion".to_owned()),
            aggregation: None,
            slice: None,
            value_type: None,
            min: None,
            max: None,
        };
        let score = |id: &str, literal: &str| Score {
            metric: Some(id.parse().unwrap()),
            value: literal.parse().unwrap(),
            literal: literal.to_owned(),
            slice: None,
            value_type: None,
            sample_size: None,
            uncertainty: StatedUncertainty::default(),
            context: None,
        };
        let scores = [score("accuracy", "0.900"), score("accuracy_stderr", stderr)];
        let told = ReportedValues {
            scores: &scores,
            sample_size,
        };
        match uncertainty_of(told, &metric, 0.9).unwrap().shape {
            Shape::Share(share) | Shape::ErrorsOfShare { share, .. } => share,
            Shape::Errors { .. } => panic!("no share"),
        }
    }

    #[test]
    fn a_stated_error_that_is_that_of_the_count_up_to_rounding_is_the_count() {
        let counted = Share::new(50.0, 1.0).unwrap();

        // √(0.09/50) is 0.042426, and √(0.09/49) is 0.042857.
        for stderr in ["0.04", "0.042", "0.0424264", "0.04286", "0.043"] {
            assert_eq!(share(stderr, Some(50)), counted, "{stderr}");
        }
        // The error of samples that are not independent counts as its own.
        let clustered = Share::from_errors(0.9, (0.08, 0.08), 1.0).unwrap();
        assert_eq!(share("0.08", Some(50)), clustered);
        assert_eq!(share("0.08", None), clustered);
    }
}
