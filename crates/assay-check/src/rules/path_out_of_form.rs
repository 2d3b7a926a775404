use assay_formats::Value;
use assay_formats::shape::Pattern;

use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// The path of a samples file does not have its form
    ///
    /// `detailed_evaluation_results.file_path` is the path from the root of the datastore, not a
    /// path on the machine that made the record:
    /// `data/{benchmark}/{developer}/{model}/{uuid}_samples.jsonl`, with a version 4 UUID.
    ///
    /// ## What to do
    ///
    /// Write the path that the samples file has in the datastore; it lies beside its record and
    /// shares its UUID.
    PATH_OUT_OF_FORM = (109, "path-out-of-form", Error)
}

pub(crate) fn report(at: Value<'_>, pattern: &Pattern, sink: &mut Sink<'_>) {
    sink.report(&PATH_OUT_OF_FORM, at, || {
        let text = at.text().unwrap_or_default();
        Draft::new(format!(
            "`{}` is {}, not {}",
            at.path(),
            quote(&text),
            pattern.words
        ))
        .help("give the path from the root of the datastore, beside the record and with its UUID")
    });
}
