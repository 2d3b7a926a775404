use crate::pairing::Pairing;
use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A samples file is declared as one JSON document
    ///
    /// Before 0.2.3 the `format` of a samples file could be `json`. Samples are read row by row
    /// from `jsonl` files only, and the datastore takes no others.
    ///
    /// ## What to do
    ///
    /// Write the samples as one JSON object a line, and declare them as `jsonl`.
    SAMPLES_NOT_ROWS = (426, "samples-not-rows", Warning)
}

pub(crate) fn check(pairing: &Pairing<'_>, sink: &mut Sink<'_>) {
    let format = pairing
        .declared()
        .and_then(|declared| declared.get("format"))
        .filter(|format| format.is_text("json"));
    // Since 0.2.3 the shape refuses it.
    if let (Some(format), false) = (format, pairing.facts.is_strict()) {
        sink.report(&SAMPLES_NOT_ROWS, format, || {
            Draft::new("`format` is `json`, which is not read row by row")
                .help("write one JSON object a line, and declare the file as `jsonl`")
        });
    }
}
