use assay_formats::{Kind, Value};

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A continuous metric has a bound that is null
    ///
    /// With `score_type: continuous`, scores can only be compared when it is known between which bounds they lie. The schema
    /// lets a bound be null, which means "not provided"; the datastore refuses that here as if it were missing.
    ///
    /// ## What to do
    ///
    /// Write the number. When a metric has no bound on that side, write `"Infinity"` or `"-Infinity"`, as a string. When the
    /// bound is not known, leave `score_type` out rather than guess; the largest score seen so far is not a bound.
    UNKNOWN_BOUND = (414, "unknown-bound", Error)
}

pub(crate) fn check(metric: Value<'_>, sink: &mut Sink<'_>) {
    let is_continuous = metric
        .get("score_type")
        .is_some_and(|kind| kind.is_text("continuous"));
    if !is_continuous {
        return;
    }
    for (key, word) in [("min_score", "-Infinity"), ("max_score", "Infinity")] {
        if let Some(bound) = metric.get(key).filter(|bound| bound.kind() == Kind::Null) {
            sink.report(&UNKNOWN_BOUND, bound, || {
                Draft::new(format!("`{key}` is null, but `score_type` is `continuous`")).help(
                    format!("write the number, or `\"{word}\"` when there is no such bound"),
                )
            });
        }
    }
}
