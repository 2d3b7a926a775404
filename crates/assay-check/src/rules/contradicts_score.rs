use crate::record::ResultFacts;
use crate::row::Row;
use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A row is right with the worst score, or wrong with the best
    ///
    /// `is_correct` says the opposite of `score`: the answer is called right although its score is
    /// the worst that the metric can give, or wrong although it is the best. `lower_is_better` of
    /// the metric says which end is which.
    ///
    /// ## What to do
    ///
    /// Correct one of them. If the metric is better when lower, see that `is_correct` was not
    /// computed as `score > 0`.
    CONTRADICTS_SCORE = (519, "contradicts-score", Warning)
}

pub(crate) fn check(row: &Row<'_>, result: &ResultFacts, sink: &mut Sink<'_>) {
    let (Some(score), Some(is_correct)) = (row.score, row.is_correct) else {
        return;
    };
    // A score beyond the bounds is reported as such.
    if result.bounds.width().is_none() || result.bounds.outside(score).is_some() {
        return;
    }
    let (Some(min), Some(max), Some(lower_is_better)) =
        (result.bounds.min, result.bounds.max, result.lower_is_better)
    else {
        return;
    };
    let (worst, best) = if lower_is_better {
        (max, min)
    } else {
        (min, max)
    };
    #[expect(
        clippy::float_cmp,
        reason = "bounds and scores are written, not computed"
    )]
    let (is_worst, is_best) = (score == worst, score == best);
    let at = |key: &str| row.evaluated(key);
    if is_correct && is_worst {
        sink.report(&CONTRADICTS_SCORE, at("is_correct"), || {
            Draft::new(format!(
                "the answer is called correct, but its score {} is the worst possible",
                at("score").raw()
            ))
            .help("correct `is_correct` or `score`")
        });
    } else if !is_correct && is_best {
        sink.report(&CONTRADICTS_SCORE, at("is_correct"), || {
            Draft::new(format!(
                "the answer is called wrong, but its score {} is the best possible",
                at("score").raw()
            ))
            .help("correct `is_correct` or `score`")
        });
    }
}
