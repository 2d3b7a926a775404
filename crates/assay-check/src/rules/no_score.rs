use assay_formats::Value;

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// An entry has no score
    ///
    /// An entry reports its scores in `metrics`, a list, or its single score in `value`. This one
    /// has neither, so there is nothing to show.
    ///
    /// ## Example
    ///
    /// ```yaml
    /// - dataset: {id: cais/hle, task_id: hle}
    ///   metrics:
    ///     - metric_id: accuracy
    ///       value: 20.9
    /// ```
    ///
    /// ## What to do
    ///
    /// Add `metrics` with at least one item.
    NO_SCORE = (302, "no-score", Error)
}

pub(crate) fn check(entry: Value<'_>, sink: &mut Sink<'_>) {
    if entry.present("metrics").is_some() || entry.present("value").is_some() {
        return;
    }
    sink.report(&NO_SCORE, entry.head(), || {
        Draft::new("the entry has neither `metrics` nor `value`")
            .help("add `metrics` with a `metric_id` and a `value`")
            .path_of(entry)
    });
}
