use assay_model::Diagnostic;

use crate::pairing::quote_path;
use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// The record of a samples file says something else about it
    ///
    /// Only the samples file was named to be validated, and its record was read for comparison.
    /// What the record says of its samples (that there are any, where they are, their checksum, how
    /// many rows they have) does not fit. When the record is validated too, the finding stands
    /// there instead.
    ///
    /// ## What to do
    ///
    /// Validate the record and its samples together: `assay validate` on their directory shows the
    /// place in the record.
    RECORD_DISAGREES = (508, "record-disagrees", Error)
}

pub(crate) fn report(found: &Diagnostic, sink: &mut Sink<'_>) {
    sink.report_whole(&RECORD_DISAGREES, || {
        let mut draft = Draft::new(format!("the record says otherwise: {}", found.message));
        for note in &found.notes {
            draft = draft.note(note.clone());
        }
        draft
            .note(format!(
                "{} in line {} of {}",
                found.code,
                found.place.line,
                quote_path(&found.place.file)
            ))
            .help(found.help.clone().unwrap_or_default())
    });
}
