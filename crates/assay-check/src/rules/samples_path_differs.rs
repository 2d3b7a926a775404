use assay_formats::eee::is_companion_path;
use assay_model::Severity;

use crate::pairing::{Pairing, name_of, quote_path};
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A record points at samples that are not beside it
    ///
    /// The samples of a record lie in the same directory and have the same UUID: `{uuid}.json` and
    /// `{uuid}_samples.jsonl`. The `file_path` of this record says otherwise, so readers that
    /// follow it find nothing, or the samples of another record.
    ///
    /// Before 0.2.3 `file_path` could be a path on the machine that made the record; there only the
    /// file's name is compared, and a difference is only a warning.
    ///
    /// ## What to do
    ///
    /// Write the path that the samples have in the datastore.
    SAMPLES_PATH_DIFFERS = (425, "samples-path-differs", Error)
}

pub(crate) fn check(pairing: &Pairing<'_>, sink: &mut Sink<'_>) {
    let Some(at) = pairing
        .declared()
        .and_then(|declared| declared.get("file_path"))
    else {
        return;
    };
    let Some(text) = at.text() else { return };
    let path = text.trim();
    if !pairing.facts.is_strict() {
        check_name(pairing, path, at, sink);
        return;
    }
    // A path that has not the form is reported as such.
    if !is_companion_path(path) {
        return;
    }
    let name = pairing.samples_name();
    // Outside of a datastore only the name is known for sure.
    let (expected, fits) = if pairing.location.in_datastore {
        let expected = pairing.location.sibling(&name);
        let fits = path == expected;
        (expected, fits)
    } else {
        let fits = name_of(path) == name;
        (name, fits)
    };
    if !fits {
        sink.report(&SAMPLES_PATH_DIFFERS, at, || {
            Draft::new(format!(
                "`file_path` is {}, which is not the samples file of this record",
                quote_path(path)
            ))
            .help(format!("write {}", quote_path(&expected)))
        });
    }
}

/// Before 0.2.3: the name of the samples that were found, or one of the two that they may have.
fn check_name(
    pairing: &Pairing<'_>,
    path: &str,
    at: assay_formats::Value<'_>,
    sink: &mut Sink<'_>,
) {
    let name = pairing.samples_name();
    let old = name.replace("_samples.jsonl", ".jsonl");
    let own = name_of(path);
    if own.is_empty() || own == name || own == old {
        return;
    }
    sink.report_as(Severity::Warning, &SAMPLES_PATH_DIFFERS, at, || {
        Draft::new(format!(
            "`file_path` names {}, but the samples of this record are {}",
            quote(own),
            quote(&name)
        ))
        .help("`assay upgrade PATHS --out DIR` writes the path that the datastore wants")
    });
}
