use assay_formats::Value;

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A score is far from what the model's other scores predict
    ///
    /// The rank of the score on its evaluation is held against the ranks of the other scores of the
    /// record. The rule reports scores whose distance is more than six times as large as is usual
    /// on that evaluation. It needs 20 results of the evaluation and three other scores.
    ///
    /// Models that were tuned to one evaluation look so, and so do slips of the pen. It is a note:
    /// the score may be right.
    ///
    /// ## What to do
    ///
    /// Check the score against its source. If it is right, leave it.
    UNUSUAL_SCORE = (616, "unusual-score", Note)
}

pub(crate) fn report(
    score: Value<'_>,
    rank: usize,
    others: usize,
    expected: usize,
    sink: &mut Sink<'_>,
) {
    sink.report(&UNUSUAL_SCORE, score, || {
        Draft::new(format!(
            "{} is unusual for this model: rank {rank} of {others}",
            score.raw()
        ))
        .note(format!("its other scores predict about rank {expected}"))
        .help("check the score against its source")
    });
}
