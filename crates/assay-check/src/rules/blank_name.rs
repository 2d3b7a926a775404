use assay_formats::Value;
use assay_model::Severity;

use crate::parts::ResultParts;
use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A name is blank
    ///
    /// An id or a name is there but has nothing in it. Records are found, joined and shown by
    /// these: the evaluation by `evaluation_id`, the model by `model_info.id`, results by
    /// `evaluation_result_id`. A blank id is an error, a blank name for people only a warning.
    ///
    /// ## What to do
    ///
    /// Write the name. Where it is not known, `unknown` says so; an optional one may be left out.
    BLANK_NAME = (410, "blank-name", Error)
}

/// Reports the blank names of a record outside of its results.
pub(crate) fn record(root: Value<'_>, sink: &mut Sink<'_>) {
    blank(root, "evaluation_id", Severity::Error, sink);
    if let Some(model) = root.get("model_info") {
        blank(model, "id", Severity::Error, sink);
        blank(model, "name", Severity::Warning, sink);
    }
    if let Some(library) = root.get("eval_library") {
        blank(library, "name", Severity::Warning, sink);
        blank(library, "version", Severity::Warning, sink);
    }
    if let Some(source) = root.get("source_metadata") {
        blank(source, "source_organization_name", Severity::Warning, sink);
    }
}

/// Reports the blank names of one result.
pub(crate) fn result(result: &ResultParts<'_>, sink: &mut Sink<'_>) {
    for (name, key, severity) in [
        (result.id, "evaluation_result_id", Severity::Error),
        (result.name, "evaluation_name", Severity::Warning),
        (result.data.dataset_name, "dataset_name", Severity::Warning),
    ] {
        report_if_blank(name, key, severity, sink);
    }
}

/// Returns whether a value is a text with nothing in it.
pub(crate) fn is_blank(value: Value<'_>) -> bool {
    // Nearly all names begin with a letter, and the first one tells.
    value
        .text()
        .is_some_and(|text| text.chars().all(char::is_whitespace))
}

fn blank(map: Value<'_>, key: &str, severity: Severity, sink: &mut Sink<'_>) {
    report_if_blank(map.get(key), key, severity, sink);
}

fn report_if_blank(value: Option<Value<'_>>, key: &str, severity: Severity, sink: &mut Sink<'_>) {
    if let Some(value) = value.filter(|value| is_blank(*value)) {
        sink.report_as(severity, &BLANK_NAME, value, || {
            Draft::new(format!("`{}` is blank", value.path()))
                .help(format!("write what `{key}` is"))
        });
    }
}
