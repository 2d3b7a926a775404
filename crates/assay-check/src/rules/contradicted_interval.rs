use assay_model::Severity;

use crate::forensics::{
    Claim, Figure, Interval, Tolerance, as_float, interval_factor, plain, sampling_error,
};
use crate::rule::rule;
use crate::sink::{Draft, Sink};

/// The factor by which an interval may be off its own standard error.
const OFF_ERROR: f64 = 2.0;
/// The levels that an interval may have when it does not say.
const LEVELS: (f64, f64) = (0.68, 0.99);
/// Number of samples that are assumed for the quantile when their number is not given: few, which
/// widens an interval.
const ASSUMED_SAMPLES: u64 = 5;
/// With at least so many samples no way to make an interval reaches beyond the whole scale.
const MANY_SAMPLES: u64 = 10;
/// The factor by which an interval must be wider than the scale when the number of samples is not
/// known.
const BEYOND_SCALE: f64 = 3.0;

rule! {
    /// A confidence interval is far too wide or too narrow
    ///
    /// Half of a 95 % interval is about 1.96 standard errors. The rule holds an interval against
    /// its own standard error, from which it may differ by a factor of two. Without one it takes
    /// the number of samples: k of n right answers have a standard error of √(p(1-p)/n), and the
    /// interval may be three times wider or five times narrower than that. Beyond that it is a note
    /// as long as repeated answers could explain it, and a warning otherwise; AY604 tells how far
    /// that is and how to say that answers were repeated. And no interval is wider than the scale
    /// of the score.
    ///
    /// Few samples, intervals that are cut at the ends of the scale, and methods that differ from
    /// the plain one near 0 and 1 are all allowed for.
    ///
    /// ## Example
    ///
    /// ```json
    /// { "score": 0.734, "uncertainty": {
    ///     "standard_error": { "value": 0.0198 },
    ///     "confidence_interval": { "lower": 0.714, "upper": 0.754, "confidence_level": 0.99 } } }
    /// ```
    ///
    /// Half of this interval is 0.02, but 2.576 × 0.0198 = 0.051: it is one standard error wide,
    /// not a 99 % interval.
    ///
    /// ## What to do
    ///
    /// Recompute the interval, or correct its level, the standard error or the number of samples.
    CONTRADICTED_INTERVAL = (606, "contradicted-interval", Warning)
}

pub(crate) fn check(claim: &Claim<'_>, sink: &mut Sink<'_>) {
    let Some(interval) = claim.interval.filter(|own| own.lower <= own.upper) else {
        return;
    };
    if exceeds_scale(claim, interval, sink) {
        return;
    }
    match claim.standard_error.filter(|error| error.value > 0.0) {
        Some(error) => against_error(claim, interval, error, sink),
        None => against_count(claim, interval, sink),
    }
}

fn exceeds_scale(claim: &Claim<'_>, interval: Interval<'_>, sink: &mut Sink<'_>) -> bool {
    let Some(range) = claim.range() else {
        return false;
    };
    let most = match claim.samples() {
        Some(n) if n >= MANY_SAMPLES => 1.0,
        Some(_) => return false,
        None => BEYOND_SCALE,
    };
    let width = interval.upper - interval.lower;
    if width - 2.0 * claim.step(interval.unit) <= most * range.width() {
        return false;
    }
    sink.report(&CONTRADICTED_INTERVAL, interval.at, || {
        Draft::new(format!(
            "the confidence interval {} to {} is wider than the whole scale",
            interval.lower, interval.upper
        ))
        .note(format!(
            "it is {} wide, and the scale from {} is {}",
            plain(width),
            range.words(),
            plain(range.width())
        ))
        .help("write the interval in the scale of the score, or leave it out")
    });
    true
}

fn against_error(
    claim: &Claim<'_>,
    interval: Interval<'_>,
    error: Figure<'_>,
    sink: &mut Sink<'_>,
) {
    let factors = Factors::of(interval, claim.samples());
    let half = interval.half_width();
    let (slack, error_slack) = (claim.step(interval.unit), claim.step(error.unit));
    let least = (error.value - error_slack).max(0.0) * factors.least;
    let most = error.value.max(smoothed_error(claim, factors.most)) + error_slack;
    let is_wide = half - slack > OFF_ERROR * most * factors.most;
    let is_narrow = (half + slack) * OFF_ERROR < cut_half_width(claim, least);
    if !is_wide && !is_narrow {
        return;
    }
    sink.report(&CONTRADICTED_INTERVAL, interval.at, || {
        wrong_width(interval, is_wide, "its standard error")
            .note(format!(
                "half of it is {}, and {} × {} = {}",
                plain(half),
                plain(factors.shown),
                error.text(),
                plain(factors.shown * error.value)
            ))
            .help("recompute the interval, or correct its level or the standard error")
    });
}

fn against_count(claim: &Claim<'_>, interval: Interval<'_>, sink: &mut Sink<'_>) {
    let (Some((share, unit, range)), Some(n)) = (claim.counted(), claim.samples()) else {
        return;
    };
    if n < 2 {
        return;
    }
    let factors = Factors::of(interval, Some(n));
    let half = interval.half_width();
    let at = |share: f64| sampling_error(share.clamp(0.0, 1.0), n) * range.width();
    let shares = [share - unit, share, share + unit];
    let least = shares.map(at).into_iter().fold(f64::INFINITY, f64::min) * factors.least;
    let most = shares
        .map(at)
        .into_iter()
        .fold(smoothed_error(claim, factors.most), f64::max);
    let slack = claim.step(interval.unit);
    let exceeds = |tolerance: Tolerance| half - slack > tolerance.large * most * factors.most;
    let is_beyond = |tolerance: Tolerance| {
        exceeds(tolerance) || (half + slack) * tolerance.small < cut_half_width(claim, least)
    };
    let usual = Tolerance::usual(n, claim.repeats);
    if !is_beyond(usual) {
        return;
    }
    let is_wide = exceeds(usual);
    let severity = if is_beyond(Tolerance::widest(n, claim.repeats)) {
        CONTRADICTED_INTERVAL.severity
    } else {
        Severity::Note
    };
    sink.report_as(severity, &CONTRADICTED_INTERVAL, interval.at, || {
        wrong_width(interval, is_wide, &format!("{n} samples"))
            .note(format!(
                "half of it is {}, and {} × √({} × {} / {n}) = {}",
                plain(half),
                plain(factors.shown),
                plain(share),
                plain(1.0 - share),
                plain(factors.shown * at(share))
            ))
            .help("recompute the interval, or correct its level or the number of samples")
    });
}

fn wrong_width(interval: Interval<'_>, is_wide: bool, held_against: &str) -> Draft {
    Draft::new(format!(
        "the confidence interval {} to {} is too {} for {held_against}",
        plain(interval.lower),
        plain(interval.upper),
        if is_wide { "wide" } else { "narrow" },
    ))
}

/// The least and the greatest reach of an interval to either side, in standard errors.
struct Factors {
    least: f64,
    most: f64,
    /// The one to show the arithmetic with.
    shown: f64,
}

impl Factors {
    fn of(interval: Interval<'_>, n: Option<u64>) -> Self {
        let (low, high) = interval.level.map_or(LEVELS, |level| (level, level));
        let n = n.unwrap_or(ASSUMED_SAMPLES);
        Self {
            least: interval_factor(low, n).0,
            most: interval_factor(high, n).1,
            shown: interval_factor(interval.level.unwrap_or(0.95), n).0,
        }
    }
}

/// The standard error that methods for small counts use, which is not 0 at the ends of the scale; 0
/// when unknown.
fn smoothed_error(claim: &Claim<'_>, factor: f64) -> f64 {
    let (Some((share, _, range)), Some(n)) = (claim.counted(), claim.samples()) else {
        return 0.0;
    };
    let n = as_float(n);
    let extra = factor * factor;
    let smoothed = (share * n + extra / 2.0) / (n + extra);
    (smoothed * (1.0 - smoothed) / n).sqrt() * range.width()
}

/// Half the width of an interval about the score, cut at the ends of the scale.
fn cut_half_width(claim: &Claim<'_>, half: f64) -> f64 {
    let score = claim.score.value;
    let (mut lower, mut upper) = (score - half, score + half);
    if let Some(range) = claim.range() {
        lower = lower.max(range.min);
        upper = upper.min(range.max);
    }
    ((upper - lower) / 2.0).max(0.0)
}
