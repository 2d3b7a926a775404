use crate::forensics::{Claim, Figure, as_float, plain, spread_limit};
use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A standard deviation is larger than the scale allows
    ///
    /// Values between two limits cannot spread more than when half of them lie at one limit and
    /// half at the other: the standard deviation is then half of the scale, times √(n/(n-1)) for n
    /// samples. When the score is the mean of right and wrong answers it is even settled: √(p(1-p)
    /// × n/(n-1)). With a score of 0.9 from 100 samples it cannot exceed 0.3015.
    ///
    /// The usual reason is another scale: per cent beside shares. A deviation that equals the
    /// standard error of two or more samples is reported too: the error is the deviation divided by
    /// √n.
    ///
    /// ## Example
    ///
    /// ```json
    /// { "score": 0.9, "uncertainty": { "standard_deviation": 30.15, "num_samples": 100 } }
    /// ```
    ///
    /// ## What to do
    ///
    /// Write the deviation in the scale of the score, or correct the bounds.
    IMPOSSIBLE_DEVIATION = (609, "impossible-deviation", Warning)
}

pub(crate) fn check(claim: &Claim<'_>, sink: &mut Sink<'_>) {
    let (Some(deviation), Some(range)) = (claim.standard_deviation, claim.range()) else {
        return;
    };
    let n = claim.samples().filter(|n| *n > 1);
    if equals_error(claim, deviation, n, sink) {
        return;
    }
    // What the digits of the score leave open widens the limit.
    let mean = claim.counted().map(|(share, unit, _)| {
        let towards_half = if share < 0.5 { unit } else { -unit };
        if (share - 0.5).abs() <= unit {
            0.5
        } else {
            share + towards_half
        }
    });
    let most = spread_limit(mean, n) * range.width();
    if deviation.value - deviation.unit <= most * (1.0 + 1e-6) {
        return;
    }
    sink.report(&IMPOSSIBLE_DEVIATION, deviation.at, || {
        let samples = n.map_or_else(
            || "any number of samples".to_owned(),
            |n| format!("{n} samples"),
        );
        let draft = Draft::new(format!(
            "a standard deviation of {} is impossible on a scale from {}",
            deviation.text(),
            range.words()
        ));
        let draft = match mean {
            Some(_) => draft.note(format!(
                "{samples} with a mean of {} spread by at most {}",
                claim.score.text(),
                plain(most)
            )),
            None => draft.note(format!(
                "{samples} spread by at most {}: half of them at each end",
                plain(most)
            )),
        };
        draft.help("write the deviation in the scale of the score, or correct the bounds")
    });
}

/// Reports a deviation that is written as the error too; returns whether it was.
fn equals_error(
    claim: &Claim<'_>,
    deviation: Figure<'_>,
    n: Option<u64>,
    sink: &mut Sink<'_>,
) -> bool {
    let (Some(error), Some(n)) = (claim.standard_error, n) else {
        return false;
    };
    let is_same = error.value > 0.0 && error.value.to_bits() == deviation.value.to_bits();
    // Rounded to one digit, the two may be equal.
    if !is_same || deviation.value < 10.0 * deviation.unit {
        return false;
    }
    sink.report(&IMPOSSIBLE_DEVIATION, deviation.at, || {
        Draft::new(format!(
            "the standard deviation of {n} samples equals their standard error"
        ))
        .note(format!(
            "{} × √{n} = {}",
            error.text(),
            plain(error.value * as_float(n).sqrt())
        ))
        .help("multiply by the root of n for the deviation, or divide for the error")
    });
    true
}
