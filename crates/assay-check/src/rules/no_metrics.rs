use assay_formats::Value;

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A benchmark declares no metrics
    ///
    /// The benchmark is read as one with a single score, `value`, of which more is better. That is
    /// how benchmarks that were written before `metrics` existed are meant. A benchmark whose score
    /// is an error rate or a cost would be ranked the wrong way round.
    ///
    /// ## Example
    ///
    /// ```yaml
    /// metrics:
    ///   - id: accuracy
    ///     display_name: Accuracy
    ///     higher_is_better: true
    /// ```
    ///
    /// ## What to do
    ///
    /// Add `metrics`. Files without it stay valid.
    NO_METRICS = (211, "no-metrics", Note)
}

pub(crate) fn check(root: Value<'_>, sink: &mut Sink<'_>) {
    if root.present("metrics").is_some() {
        return;
    }
    sink.report(&NO_METRICS, root.head(), || {
        Draft::new("no metrics are declared; the board ranks by one score, and higher is better")
            .help("add `metrics` to name the score and its direction")
    });
}
