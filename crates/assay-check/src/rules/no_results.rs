use assay_formats::{Kind, Value};

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A record has no results
    ///
    /// The list `evaluation_results` is empty, so the record says nothing about the model.
    ///
    /// ## What to do
    ///
    /// Add the results, or do not submit the record. When an evaluation failed, there is no record
    /// of it.
    NO_RESULTS = (411, "no-results", Warning)
}

pub(crate) fn check(results: Value<'_>, sink: &mut Sink<'_>) {
    if results.kind() == Kind::List && results.is_empty() {
        sink.report(&NO_RESULTS, results, || {
            Draft::new("`evaluation_results` is empty")
                .help("add the results, or do not submit the record")
        });
    }
}
