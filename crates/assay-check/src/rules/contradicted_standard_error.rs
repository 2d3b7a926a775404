use assay_model::Severity;

use crate::forensics::{Claim, Figure, Tolerance, as_float, plain, sampling_error};
use crate::rule::rule;
use crate::sink::{Draft, Sink};

/// The largest distance from the ratio of a known mistake for the mistake to be named.
const NEAR: f64 = 0.15;

rule! {
    /// A standard error does not go with the score and the number of samples
    ///
    /// When k of n answers are right, the score p = k/n settles the standard error: √(p(1-p)/n), or
    /// with n-1 in place of n. With 367 of 500 right it is √(0.734 × 0.266 / 500) = 0.0198. The
    /// rule allows for samples that hang together and for partial credit: it speaks up when the
    /// error is more than three times too large or five times too small.
    ///
    /// Repeated answers to one question hang together more than that, so it matters how often each
    /// sample was asked:
    ///
    /// - When that is said (AY607 tells where), the error may be as large as that of one answer for
    ///   each question, √(p(1-p)/(m-1)) with m = n divided by the repeats, and smaller by the root
    ///   of the repeats. Beyond that it is a warning.
    /// - When it is not said, up to 256 repeats of at least five questions are allowed for: the
    ///   error must be some 11 times too large for 500 samples, 16 times for very many, or 16 times
    ///   too small to be a warning. Between that and the limits above it is a note.
    ///
    /// For every other score on a scale with two ends, whatever it is made of, one limit is left:
    /// nothing between 0 and 1 with a mean of p varies by more than √(p(1-p)). A standard error of
    /// 1.78 on a scale from 0 to 1 is always wrong.
    ///
    /// The usual reasons: the standard deviation was written in place of the standard error (too
    /// large by √n), per cent stand beside a share (by 100), or the error was divided by √n twice.
    ///
    /// ## Example
    ///
    /// ```json
    /// { "score": 0.734, "uncertainty": { "standard_error": { "value": 0.442 }, "num_samples": 500 } }
    /// ```
    ///
    /// ## What to do
    ///
    /// Recompute the standard error, or correct `num_samples`. If the samples are clustered, say so
    /// in `standard_error.method`.
    CONTRADICTED_STANDARD_ERROR = (604, "contradicted-standard-error", Warning)
}

pub(crate) fn check(claim: &Claim<'_>, sink: &mut Sink<'_>) {
    let Some(error) = claim.standard_error.filter(|error| error.value > 0.0) else {
        return;
    };
    if !against_count(claim, error, sink) {
        against_scale(claim, error, sink);
    }
}

/// Holds the error of counted answers against their number; returns whether it was found wrong.
fn against_count(claim: &Claim<'_>, error: Figure<'_>, sink: &mut Sink<'_>) -> bool {
    let Some(n) = claim.n.filter(|n| n.value >= 2) else {
        return false;
    };
    let Some((share, unit, range)) = claim.counted() else {
        return false;
    };
    let own = error.value / range.width();
    let slack = claim.step(error.unit) / range.width();
    let limits = Limits::of(share, unit, n.value);
    let exceeds = |tolerance: Tolerance| own - slack > limits.most * tolerance.large;
    let is_beyond =
        |tolerance: Tolerance| exceeds(tolerance) || (own + slack) * tolerance.small < limits.least;
    let usual = Tolerance::usual(n.value, claim.repeats);
    if !is_beyond(usual) {
        return false;
    }
    let is_large = exceeds(usual);
    let severity = if is_beyond(Tolerance::widest(n.value, claim.repeats)) {
        CONTRADICTED_STANDARD_ERROR.severity
    } else {
        Severity::Note
    };
    let expected = sampling_error(share, n.value);
    sink.report_as(severity, &CONTRADICTED_STANDARD_ERROR, error.at, || {
        let draft = Draft::new(format!(
            "the standard error {} is too {} for a score of {} from {} samples",
            error.text(),
            if is_large { "large" } else { "small" },
            claim.score.text(),
            n.value
        ))
        .note(format!(
            "√({} × {} / {}) = {}",
            plain(share),
            plain(1.0 - share),
            n.value,
            plain(expected * range.width())
        ))
        .help(match severity {
            Severity::Note => {
                "say how often each sample was asked, in `epochs`, or recompute the standard error"
            }
            Severity::Warning | Severity::Error => {
                "recompute the standard error, or correct the number of samples"
            }
        });
        match likely_mistake(own / expected, n.value, error) {
            Some(mistake) => draft.note(mistake),
            None => draft,
        }
    });
    true
}

/// Holds the error of any score against its scale.
fn against_scale(claim: &Claim<'_>, error: Figure<'_>, sink: &mut Sink<'_>) {
    let Some(range) = claim.range() else {
        return;
    };
    let share = (claim.score.value - range.min) / range.width();
    let most = match claim.samples() {
        Some(n) if n >= 2 => Limits::of(share, claim.share_unit(range), n).scale,
        Some(_) | None => 0.5,
    };
    let own = (error.value - claim.step(error.unit)) / range.width();
    if own <= most * (1.0 + 1e-6) {
        return;
    }
    sink.report(&CONTRADICTED_STANDARD_ERROR, error.at, || {
        Draft::new(format!(
            "the standard error {} is larger than a scale from {} allows",
            error.text(),
            range.words()
        ))
        .note(format!(
            "a score of {} on this scale varies by at most {}",
            claim.score.text(),
            plain(most * range.width())
        ))
        .help("write the standard error in the scale of the score, or correct the bounds")
    });
}

/// The least and the most that a standard error can be, for every share that rounds to the one
/// written.
struct Limits {
    least: f64,
    most: f64,
    /// The most for whatever lies on the scale, however it was made.
    scale: f64,
}

impl Limits {
    fn of(share: f64, unit: f64, n: u64) -> Self {
        let at = |share: f64| sampling_error(share.clamp(0.0, 1.0), n);
        let ends = [at(share - unit), at(share), at(share + unit)];
        let holds_half = (share - 0.5).abs() <= unit;
        let n = as_float(n);
        // A careful error at the ends of the scale adds two right and two wrong answers, so that it
        // is never 0.
        let careful = (share * n + 2.0) / (n + 4.0);
        let most = ends
            .into_iter()
            .chain(holds_half.then(|| at(0.5)))
            .chain([at(careful)])
            .fold(0.0, f64::max);
        Self {
            least: ends.into_iter().fold(f64::INFINITY, f64::min),
            most: most * (n / (n - 1.0)).sqrt(),
            scale: most * n.sqrt(),
        }
    }
}

/// The mistake that gives just this ratio of the written error to the expected one.
fn likely_mistake(ratio: f64, n: u64, error: Figure<'_>) -> Option<String> {
    let root = as_float(n).sqrt();
    let is = |wanted: f64| (ratio / wanted - 1.0).abs() < NEAR;
    let text = error.text();
    if is(root) {
        Some(format!("{text} is the standard deviation: divide by √{n}"))
    } else if is(100.0) {
        Some(format!("{text} is per cent, where the score is a share"))
    } else if is(0.01) {
        Some(format!("{text} is a share, where the score is per cent"))
    } else if is(1.0 / root) {
        Some(format!("{text} was divided by √{n} twice"))
    } else {
        None
    }
}
