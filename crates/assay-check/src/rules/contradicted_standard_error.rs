use crate::forensics::{Claim, Figure, as_float, plain, sampling_error};
use crate::rule::rule;
use crate::sink::{Draft, Sink};

/// How many times too large a standard error may be: samples that hang together tell less than their number.
const TOO_LARGE: f64 = 3.0;
/// How many times too small it may be: answers that are partly right, or asked repeatedly, spread less.
const TOO_SMALL: f64 = 5.0;
/// How near a ratio must be to a known mistake for the mistake to be named.
const NEAR: f64 = 0.15;

rule! {
    /// A standard error does not go with the score and the number of samples
    ///
    /// When k of n answers are right, the score p = k/n settles the standard error: √(p(1-p)/n), or with n-1 in place of
    /// n. With 367 of 500 right it is √(0.734 × 0.266 / 500) = 0.0198. The rule allows for samples that hang together and
    /// for partial credit: it speaks up when the error is more than three times too large or five times too small.
    ///
    /// The usual reasons: the standard deviation was written in place of the standard error (too large by √n), per cent
    /// stand beside a share (by 100), or the error was divided by √n twice.
    ///
    /// ## Example
    ///
    /// ```json
    /// { "score": 0.734, "uncertainty": { "standard_error": { "value": 0.442 }, "num_samples": 500 } }
    /// ```
    ///
    /// ## What to do
    ///
    /// Recompute the standard error, or correct `num_samples`. If the samples are clustered, say so in
    /// `standard_error.method`.
    CONTRADICTED_STANDARD_ERROR = (604, "contradicted-standard-error", Warning)
}

pub(crate) fn check(claim: &Claim<'_>, sink: &mut Sink<'_>) {
    let (Some(error), Some(n)) = (claim.standard_error, claim.n) else {
        return;
    };
    let Some((share, unit, range)) = claim.counted() else {
        return;
    };
    if n.value < 2 || error.value <= 0.0 {
        return;
    }
    let own = error.value / range.width();
    let slack = claim.step(error.unit) / range.width();
    let limits = Limits::of(share, unit, n.value);
    let is_large = own - slack > limits.most * TOO_LARGE;
    let is_small = (own + slack) * TOO_SMALL < limits.least;
    if !is_large && !is_small {
        return;
    }
    let expected = sampling_error(share, n.value);
    sink.report(&CONTRADICTED_STANDARD_ERROR, error.at, || {
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
        .help("recompute the standard error, or correct the number of samples");
        match likely_mistake(own / expected, n.value, error) {
            Some(mistake) => draft.note(mistake),
            None => draft,
        }
    });
}

/// The least and the most that a standard error can be, for every share that rounds to the one written.
struct Limits {
    least: f64,
    most: f64,
}

impl Limits {
    fn of(share: f64, unit: f64, n: u64) -> Self {
        let at = |share: f64| sampling_error(share.clamp(0.0, 1.0), n);
        let ends = [at(share - unit), at(share), at(share + unit)];
        let holds_half = (share - 0.5).abs() <= unit;
        let n = as_float(n);
        // A careful error at the ends of the scale adds two right and two wrong answers, so that it is never 0.
        let careful = (share * n + 2.0) / (n + 4.0);
        let most = ends
            .into_iter()
            .chain(holds_half.then(|| at(0.5)))
            .chain([at(careful)])
            .fold(0.0, f64::max);
        Self {
            least: ends.into_iter().fold(f64::INFINITY, f64::min),
            most: most * (n / (n - 1.0)).sqrt(),
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
