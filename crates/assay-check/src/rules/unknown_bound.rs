use assay_formats::Kind;

use crate::parts::MetricParts;
use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A continuous metric has a bound that is null
    ///
    /// With `score_type: continuous`, scores can only be compared when it is known between which
    /// bounds they lie. The schema lets a bound be null, which means "not provided"; the datastore
    /// refuses that here as if it were missing.
    ///
    /// ## What to do
    ///
    /// Write the number. When a metric has no bound on that side, write `"Infinity"` or
    /// `"-Infinity"`, as a string. When the bound is not known, leave `score_type` out rather than
    /// guess; the largest score seen so far is not a bound.
    UNKNOWN_BOUND = (414, "unknown-bound", Error)
}

pub(crate) fn check(metric: &MetricParts<'_>, sink: &mut Sink<'_>) {
    for (bound, key, word) in [
        (metric.min_score, "min_score", "-Infinity"),
        (metric.max_score, "max_score", "Infinity"),
    ] {
        if let Some(bound) = bound.filter(|bound| bound.kind() == Kind::Null)
            && metric.is_scored_as("continuous")
        {
            sink.report(&UNKNOWN_BOUND, bound, || {
                Draft::new(format!("`{key}` is null, but `score_type` is `continuous`")).help(
                    format!("write the number, or `\"{word}\"` when there is no such bound"),
                )
            });
        }
    }
}
