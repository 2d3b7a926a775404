use assay_formats::eee::Version;
use assay_model::Severity;

use crate::record::RecordFacts;
use crate::row::Row;
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A row belongs to another evaluation than its record
    ///
    /// Every row repeats the `evaluation_id` of its record; this one has another. Either the row is
    /// from another run, or the record was given a new id without its rows.
    ///
    /// Converters of the 0.2 era put the name of the samples file there, `{uuid}_samples`. In rows
    /// of those versions that is only a warning.
    ///
    /// ## What to do
    ///
    /// Write the id of the record into its rows. `assay upgrade PATHS --out DIR` does so for old
    /// records.
    EVALUATION_ID_DIFFERS = (504, "evaluation-id-differs", Error)
}

pub(crate) fn check(row: &Row<'_>, facts: &RecordFacts, sink: &mut Sink<'_>) {
    let (Some(own), Some(expected)) = (row.evaluation_id, &facts.evaluation_id) else {
        return;
    };
    // What is no text is a matter of shape.
    let Some(text) = own.text().filter(|text| *text != expected.as_str()) else {
        return;
    };
    let is_old = facts
        .version
        .is_some_and(|version| version < Version::V0_3_0);
    if is_old && text.ends_with("_samples") {
        sink.report_as(Severity::Warning, &EVALUATION_ID_DIFFERS, own, || {
            Draft::new(format!(
                "`evaluation_id` is {}, the name of the file, as old converters wrote it; the record's is {}",
                quote(&text),
                quote(expected)
            ))
            .help("`assay upgrade PATHS --out DIR` writes the id of the record")
        });
        return;
    }
    sink.report(&EVALUATION_ID_DIFFERS, own, || {
        Draft::new(format!(
            "`evaluation_id` is {}, but that of the record is {}",
            quote(&text),
            quote(expected)
        ))
        .help("write the id of the record, or remove the row if it is of another run")
    });
}
