use assay_formats::Value;
use assay_model::Benchmark;

use super::listed;
use crate::context::Context;
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::{did_you_mean, quote};

rule! {
    /// A result names a metric that its benchmark does not define
    ///
    /// `metric_id` must be the id of a metric in the benchmark's `eval.yaml`. A score under another
    /// name stands on no board.
    ///
    /// ## What to do
    ///
    /// Write the id as `eval.yaml` has it; it is case-sensitive. A metric that the benchmark lacks
    /// is for its owner to add.
    UNKNOWN_METRIC = (325, "unknown-metric", Error)
}

rule! {
    /// An entry lacks the primary metric of its benchmark
    ///
    /// Boards rank by the primary metric. An entry without it is kept and shown on the model page,
    /// but it has no place on the board.
    ///
    /// ## What to do
    ///
    /// Add the score of the primary metric if the run has one.
    LACKS_PRIMARY = (326, "lacks-primary", Warning)
}

pub(crate) fn check(
    entry: Value<'_>,
    benchmark: &Benchmark,
    context: &Context<'_>,
    sink: &mut Sink<'_>,
) {
    let Some(metrics) = entry.present("metrics").filter(|list| !list.is_empty()) else {
        return;
    };
    let mut has_unread = false;
    for item in metrics.items() {
        let Some((at, text)) = item.get("metric_id").and_then(|id| Some((id, id.text()?))) else {
            has_unread = true;
            continue;
        };
        if benchmark.metric(&text).is_some() {
            continue;
        }
        has_unread = true;
        let known = || benchmark.metrics.iter().map(|metric| metric.id.as_str());
        sink.report_as(context.unknown_benchmark, &UNKNOWN_METRIC, at, || {
            Draft::new(format!(
                "metric {} is not defined by the benchmark",
                quote(&text)
            ))
            .help(if declares_none(benchmark) {
                "the benchmark declares no metrics; give its one score as `value`".to_owned()
            } else {
                format!("its metrics are {}", listed(known()))
            })
            .help_if(did_you_mean(&text, known()))
        });
    }
    // A metric that has a finding of its own may be the primary one, misspelt; and a single `value`
    // stands for it.
    if has_unread || entry.present("value").is_some() {
        return;
    }
    let Some(primary) = benchmark.primary() else {
        return;
    };
    let id = primary.id.as_str();
    let is_primary = |item: Value<'_>| item.get("metric_id").is_some_and(|own| own.is_text(id));
    if !metrics.items().any(is_primary) {
        sink.report(&LACKS_PRIMARY, metrics.head(), || {
            Draft::new(format!(
                "the entry lacks the primary metric {}, so it has no place on the board",
                quote(id)
            ))
            .help("add its score if the run has one")
            .path_of(metrics)
        });
    }
}

/// Returns whether the only metric is the one that was made up because the benchmark declares none.
fn declares_none(benchmark: &Benchmark) -> bool {
    matches!(benchmark.metrics.as_slice(), [only] if only.id.as_str() == Benchmark::ANONYMOUS_METRIC)
}
