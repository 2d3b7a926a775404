use assay_formats::{Kind, Value};

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// Rows cannot be joined to a result without an id
    ///
    /// The record has several results and a samples file, but this result has no
    /// `evaluation_result_id`, so no row can say that it counts for it.
    ///
    /// ## What to do
    ///
    /// Give every result an id, and write it into the rows that count for it.
    RESULT_WITHOUT_ID = (413, "result-without-id", Warning)
}

pub(crate) fn check(root: Value<'_>, results: Value<'_>, sink: &mut Sink<'_>) {
    let has_samples = root
        .get("detailed_evaluation_results")
        .is_some_and(|declared| declared.kind() == Kind::Map);
    if !has_samples || results.items().nth(1).is_none() {
        return;
    }
    for result in results.items() {
        if result.kind() == Kind::Map && result.get("evaluation_result_id").is_none() {
            sink.report(&RESULT_WITHOUT_ID, result.head(), || {
                Draft::new("the record has samples and several results, but this one has no `evaluation_result_id`")
                    .help("give every result an id, and write it into its rows")
                    .path_of(result)
            });
        }
    }
}
