use crate::forensics::{Claim, Family, plain, sampling_error};
use crate::rule::rule;
use crate::sink::{Draft, Sink};

/// The coarsest last digit of a score that shows, without the number of samples, that 0 is not a
/// rounded error.
const FINE: f64 = 0.0001;
/// Nor can it be told so near to the ends of the scale, where errors are small.
const NEAR_ENDS: f64 = 0.01;
/// With fewer samples that can be partly right it happens that all of them score the same.
const FEW_SAMPLES: u64 = 10;

rule! {
    /// A standard error of 0 beside a score that is neither all wrong nor all right
    ///
    /// A standard error of 0 says that every sample scored the same. A score between the ends of
    /// the scale, from right and wrong answers, says that they did not: with 50 of 100 right the
    /// standard error is √(0.5 × 0.5 / 100) = 0.05. Harnesses write 0 when they had nothing to
    /// compute, and groups inherit it from their parts; whoever compares two models by it finds
    /// every difference significant.
    ///
    /// ## Example
    ///
    /// ```json
    /// { "score": 0.5, "uncertainty": { "standard_error": { "value": 0.0 }, "num_samples": 25 } }
    /// ```
    ///
    /// ## What to do
    ///
    /// Leave `standard_error` out when it was not computed, or recompute it from the samples.
    ZERO_STANDARD_ERROR = (603, "zero-standard-error", Warning)
}

pub(crate) fn check(claim: &Claim<'_>, sink: &mut Sink<'_>) {
    let Some(error) = claim.standard_error.filter(|error| error.value == 0.0) else {
        return;
    };
    let Some(range) = claim.range().filter(|range| claim.is_interior(*range)) else {
        return;
    };
    let share = (claim.score.value - range.min) / range.width();
    let unit = claim.share_unit(range);
    let is_counted = claim
        .known
        .is_some_and(|known| known.family == Family::Count);
    let tells = match claim.samples() {
        None => is_counted && unit <= FINE * 1.01 && share * (1.0 - share) > NEAR_ENDS,
        Some(n) if is_counted => n > 1 && !rounds_to_nothing(share, unit, n),
        Some(n) => n >= FEW_SAMPLES && !rounds_to_nothing(share, unit, n),
    };
    if !tells {
        return;
    }
    sink.report(&ZERO_STANDARD_ERROR, error.at, || {
        let draft = Draft::new(format!(
            "the standard error is 0, but the score {} lies between {}",
            claim.score.text(),
            range.words().replace(" to ", " and ")
        ))
        .note("0 would mean that every sample scored the same")
        .help("leave the standard error out when it was not computed");
        match claim.samples() {
            Some(n) if is_counted => draft.note(format!(
                "for right and wrong answers it is √({p} × {q} / {n}) = {}",
                plain(sampling_error(share, n) * range.width()),
                p = plain(share),
                q = plain(1.0 - share),
            )),
            Some(_) | None => draft,
        }
    });
}

/// Returns whether the error of right and wrong answers may be printed as 0 by one who prints the
/// score as it stands.
fn rounds_to_nothing(share: f64, unit: f64, n: u64) -> bool {
    let least = [share - unit, share, share + unit]
        .map(|share| sampling_error(share.clamp(0.0, 1.0), n))
        .into_iter()
        .fold(f64::INFINITY, f64::min);
    least <= unit / 2.0
}
