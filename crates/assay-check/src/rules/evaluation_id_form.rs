use assay_formats::Value;

use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

/// The fewest parts of an evaluation id: benchmark, model and time.
const PARTS: usize = 3;

rule! {
    /// An evaluation id is out of form
    ///
    /// The schema describes `evaluation_id` as `{benchmark}/{model}/{time}`. Readers take the
    /// benchmark from its first part and expect that no other run has the id. An id with fewer than
    /// three parts, with an empty part or with blanks is reported. It is a note, because the id may
    /// be unique all the same.
    ///
    /// ## Example
    ///
    /// ```json
    /// { "evaluation_id": "run-1" }
    /// ```
    ///
    /// ## What to do
    ///
    /// Write the id as `{benchmark}/{model}/{time}`, the `/` of the model as `_`.
    EVALUATION_ID_FORM = (443, "evaluation-id-form", Note)
}

pub(crate) fn check(record: Value<'_>, sink: &mut Sink<'_>) {
    let Some(at) = record.get("evaluation_id") else {
        return;
    };
    // A blank id is another rule's finding.
    let Some(id) = at.text().filter(|id| !id.trim().is_empty()) else {
        return;
    };
    let fault = if id.contains(char::is_whitespace) {
        "has blanks"
    } else if id.split('/').any(str::is_empty) {
        "has an empty part"
    } else if id.split('/').count() < PARTS {
        "has fewer than three parts"
    } else {
        return;
    };
    sink.report(&EVALUATION_ID_FORM, at, || {
        Draft::new(format!("the evaluation id {} {fault}", quote(&id)))
            .help("write it as `{benchmark}/{model}/{time}`")
    });
}
