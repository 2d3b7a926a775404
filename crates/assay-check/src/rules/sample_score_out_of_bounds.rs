use crate::bounds::is_unknown_level;
use crate::record::ResultFacts;
use crate::row::Row;
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A sample's score is outside the bounds of its metric
    ///
    /// The metric of the result that the row counts for says which scores are possible, and this is
    /// none of them.
    ///
    /// ## What to do
    ///
    /// Write the score on the scale of the metric, or correct the bounds in the record.
    SAMPLE_SCORE_OUT_OF_BOUNDS = (511, "sample-score-out-of-bounds", Error)
}

pub(crate) fn check(row: &Row<'_>, result: &ResultFacts, sink: &mut Sink<'_>) {
    let Some(score) = row.score else { return };
    let is_unknown = result.unknown_level && is_unknown_level(score);
    if result.bounds.outside(score).is_some() && !is_unknown {
        let at = row.evaluated("score");
        sink.report(&SAMPLE_SCORE_OUT_OF_BOUNDS, at, || {
            Draft::new(format!(
                "the score {} is outside the bounds of {}, {}",
                at.raw(),
                quote(result.title()),
                result.bounds.words()
            ))
            .help(result.bounds.advice(score))
        });
    }
}
