use assay_formats::Value;

use crate::bounds::{Bounds, plain};
use crate::pairing::Pairing;
use crate::record::ResultFacts;
use crate::rule::rule;
use crate::samples::Tally;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A score is not what its samples score
    ///
    /// The metric is one whose score is a mean over samples (an accuracy, an exact match, a rate,
    /// or any binary metric between 0 and 1 or 0 and 100), but it is neither the mean of the rows'
    /// scores nor the share of rows that are correct. The allowed difference is half a sample, and
    /// half of the last digit that the score is written with.
    ///
    /// Rows that failed may be left out or count as wrong; either is accepted. A metric whose
    /// epochs were reduced by something else than their mean (`additional_details.reducer`) is not
    /// looked at.
    ///
    /// ## What to do
    ///
    /// Find out whether rows are missing, whether the samples are those of another run, or whether
    /// the score is weighted. In the last case say so in `evaluation_description`.
    SCORE_NOT_MEAN = (435, "score-not-mean", Warning)
}

/// The tolerance of a mean because doubles are not exact, as a share of the scale.
const ROUNDING: f64 = 1e-6;
/// The coarsest that scores are taken to be rounded, as a share of the scale: 1 is exact, 0.9 is no
/// rounded 0.86.
const COARSEST: f64 = 0.005;

pub(crate) fn check(pairing: &Pairing<'_>, sink: &mut Sink<'_>) {
    let Some(summary) = pairing.summary else {
        return;
    };
    // Rows that name no result could belong to any.
    if summary.unassigned() > 0 {
        return;
    }
    for ((position, tally), facts) in summary
        .tallies
        .iter()
        .enumerate()
        .zip(&pairing.facts.results)
    {
        let Some(scale) = scale_of(facts).filter(|_| tally.rows > 0 && tally.scored == tally.rows)
        else {
            continue;
        };
        let score = pairing
            .result(position)
            .and_then(|result| result.get("score_details")?.get("score"));
        if let Some(score) = score {
            compare(score, tally, facts, scale, sink);
        }
    }
}

/// 1 or 100, when the score of a result ought to be a mean on that scale.
fn scale_of(facts: &ResultFacts) -> Option<f64> {
    let Bounds {
        min: Some(min),
        max: Some(max),
    } = facts.bounds
    else {
        return None;
    };
    #[expect(clippy::float_cmp, reason = "bounds are written, not computed")]
    let is_scale = min == 0.0 && (max == 1.0 || max == 100.0);
    (facts.is_mean && is_scale).then_some(max)
}

fn compare(at: Value<'_>, tally: &Tally, facts: &ResultFacts, scale: f64, sink: &mut Sink<'_>) {
    let Some(score) = at.number() else { return };
    let rows = count(tally.rows);
    let mean = tally.score / rows;
    let correct = count(tally.correct) / rows * scale;
    let mut possible = vec![mean, mean * scale, correct];
    if tally.failed > 0 && tally.failed < tally.rows {
        let kept = rows - count(tally.failed);
        possible.extend(
            possible
                .clone()
                .into_iter()
                .map(|value| value * rows / kept),
        );
    }
    let allowed = (ROUNDING * scale)
        .max(0.5 / rows * scale)
        .max((last_digit(at.raw()) / 2.0 * 1.0001).min(COARSEST * scale));
    if possible
        .iter()
        .any(|value| (value - score).abs() <= allowed)
    {
        return;
    }
    sink.report(&SCORE_NOT_MEAN, at, || {
        Draft::new(format!(
            "the score of {} is {}, but its rows score {} on average",
            quote(facts.title()),
            at.raw(),
            plain(mean)
        ))
        .note(format!(
            "{} of {} rows are correct, which is {}",
            tally.correct,
            tally.rows,
            plain(correct)
        ))
        .help("look for missing rows, rows of another run, or weights that are not mentioned")
    });
}

#[expect(clippy::cast_precision_loss, reason = "no file has 2^53 rows")]
fn count(rows: u64) -> f64 {
    rows as f64
}

/// Returns the value of the last digit of a literal: 0.01 for `87.25`. Exponents are taken for
/// exact.
fn last_digit(literal: &str) -> f64 {
    let Some((_, fraction)) = literal.split_once('.') else {
        return 1.0;
    };
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return 0.0;
    }
    let digits = i32::try_from(fraction.len()).unwrap_or(i32::MAX);
    0.1_f64.powi(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_digit_is_read_from_the_literal() {
        assert!((last_digit("87.25") - 0.01).abs() < 1e-12);
        assert!((last_digit("87") - 1.0).abs() < 1e-12);
        assert!(last_digit("8.7e1").abs() < 1e-12);
    }
}
