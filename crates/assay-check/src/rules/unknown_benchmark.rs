use assay_formats::Value;
use assay_model::RepoId;

use crate::context::Context;
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A result names a benchmark that does not exist
    ///
    /// `dataset.id` must be the id of a dataset that is a benchmark: one with a valid `eval.yaml`.
    /// Without it the result stands on no board. A hub keeps such a result as pending, so there it
    /// is a warning.
    ///
    /// ## What to do
    ///
    /// Correct the id; it is case-sensitive. If the dataset should be a benchmark, it needs an
    /// `eval.yaml` first.
    UNKNOWN_BENCHMARK = (322, "unknown-benchmark", Error)
}

rule! {
    /// A result names a benchmark whose definition is broken
    ///
    /// The dataset has an `eval.yaml`, but it is not valid, so it is not known which tasks and
    /// metrics exist.
    ///
    /// ## What to do
    ///
    /// Run `assay validate` on that `eval.yaml` and have its owner correct it.
    BROKEN_BENCHMARK = (323, "broken-benchmark", Error)
}

pub(crate) fn unknown(
    at: Value<'_>,
    id: &RepoId,
    similar: &[String],
    context: &Context<'_>,
    sink: &mut Sink<'_>,
) {
    sink.report_as(context.unknown_benchmark, &UNKNOWN_BENCHMARK, at, || {
        Draft::new(format!("there is no benchmark {}", quote(id.as_str())))
            .help("check the id; the dataset needs a valid `eval.yaml` to be a benchmark")
            .help_if(
                similar
                    .first()
                    .map(|name| format!("did you mean {}?", quote(name))),
            )
    });
}

pub(crate) fn broken(at: Value<'_>, id: &RepoId, context: &Context<'_>, sink: &mut Sink<'_>) {
    sink.report_as(context.unknown_benchmark, &BROKEN_BENCHMARK, at, || {
        Draft::new(format!(
            "the `eval.yaml` of {} is not valid, so its tasks and metrics are not known",
            quote(id.as_str())
        ))
        .help("run `assay validate` on it, and have its owner correct it")
    });
}
