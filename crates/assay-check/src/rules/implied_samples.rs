use crate::forensics::{Claim, as_float, plain};
use crate::rule::rule;
use crate::sink::{Draft, Sink};

/// The largest distance of the implied number from a whole one. At most one in 50,000 numbers is so
/// near by chance.
const WHOLE: f64 = 1e-5;
/// The noise of doubles in a quotient, relative to it.
const NOISE: f64 = 1e-10;

rule! {
    /// A standard error is that of another number of samples
    ///
    /// For right and wrong answers the standard error is √(p(1-p)/m), so a score and its error tell
    /// m, the number of samples. When both are written with all their digits, m is a whole number
    /// to many decimals, and nothing else than a count gives that. Here it is a whole number, and
    /// not the number of samples that is stated.
    ///
    /// The rule keeps silent when rounding leaves m open, when one number is a multiple of the
    /// other (questions that were asked several times), when n-1 stands in place of n, and when a
    /// sample can be partly right: several judges whose marks are averaged, epochs that were
    /// reduced by something else than their mean.
    ///
    /// ## Example
    ///
    /// ```json
    /// {
    ///   "score": 0.4066666666666667,
    ///   "uncertainty": { "standard_error": { "value": 0.040107263588938506 }, "num_samples": 190 }
    /// }
    /// ```
    ///
    /// The error is that of 150 samples.
    ///
    /// ## What to do
    ///
    /// Correct the number of samples, or compute the error from the samples that the score is of.
    IMPLIED_SAMPLES = (619, "implied-samples", Warning)
}

pub(crate) fn check(claim: &Claim<'_>, sink: &mut Sink<'_>) {
    if claim.compound {
        return;
    }
    let (Some(error), Some(n), Some(range)) = (claim.standard_error, claim.n, claim.share_range())
    else {
        return;
    };
    let (share, own) = (claim.score.value / range.max, error.value / range.max);
    let variance = share * (1.0 - share);
    if variance <= 0.0 || own <= 0.0 {
        return;
    }
    let implied = variance / (own * own);
    let digits = 2.0 * error.unit / error.value
        + (1.0 - 2.0 * share).abs() * (claim.score.unit / range.max) / variance;
    let slack = implied * (digits + NOISE);
    let whole = implied.round();
    if whole < 2.0 || slack > WHOLE || (implied - whole).abs() > slack {
        return;
    }
    let stated = as_float(n.value);
    let divides = |one: f64, other: f64| one % other == 0.0 || other % one == 0.0;
    if divides(whole, stated) || divides(whole + 1.0, stated) {
        return;
    }
    sink.report(&IMPLIED_SAMPLES, error.at, || {
        Draft::new(format!(
            "the standard error {} is that of {whole} samples, not of {}",
            error.text(),
            n.value
        ))
        .note(format!(
            "√({} × {} / {whole}) = {}",
            plain(share),
            plain(1.0 - share),
            plain(error.value)
        ))
        .help("correct the number of samples, or compute the error from these samples")
    });
}
