use crate::record::RecordFacts;
use crate::row::Row;
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A row is about another model than its record
    ///
    /// Every row repeats the `model_info.id` of its record as `model_id`; this one has another.
    ///
    /// ## What to do
    ///
    /// Write the id of the record's model into its rows, or move the row to where it belongs.
    MODEL_ID_DIFFERS = (505, "model-id-differs", Error)
}

pub(crate) fn check(row: &Row<'_>, facts: &RecordFacts, sink: &mut Sink<'_>) {
    let (Some(own), Some(expected)) = (row.model_id, &facts.model_id) else {
        return;
    };
    let Some(text) = own.text().filter(|text| *text != expected.as_str()) else {
        return;
    };
    sink.report(&MODEL_ID_DIFFERS, own, || {
        Draft::new(format!(
            "`model_id` is {}, but the `model_info.id` of the record is {}",
            quote(&text),
            quote(expected)
        ))
        .help("write the id of the record's model, or move the row to its own record")
    });
}
