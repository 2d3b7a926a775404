use crate::layout::Location;
use crate::pairing::name_of;
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A samples file has no record
    ///
    /// The record `{uuid}.json` is not beside its samples. Without it the rows do not say which
    /// metric they score, nor by whom and how they were made.
    ///
    /// ## What to do
    ///
    /// Submit the record together with its samples, in the same directory and with the same UUID.
    RECORD_MISSING = (506, "record-missing", Error)
}

rule! {
    /// The record of a samples file cannot be read
    ///
    /// The record `{uuid}.json` is there, but it is not a JSON document, so the rows could only be
    /// validated by themselves.
    ///
    /// ## What to do
    ///
    /// Mend the record; `assay validate` on it says what is wrong.
    RECORD_UNREADABLE = (507, "record-unreadable", Error)
}

pub(crate) fn check(
    location: &Location<'_>,
    record_exists: bool,
    record_was_read: bool,
    sink: &mut Sink<'_>,
) {
    let name = || {
        let own = name_of(location.path);
        let stem = own
            .strip_suffix("_samples.jsonl")
            .or_else(|| own.strip_suffix(".jsonl"))
            .unwrap_or(own);
        quote(&format!("{stem}.json"))
    };
    if !record_exists {
        sink.report_whole(&RECORD_MISSING, || {
            Draft::new(format!("the record {} is not beside its samples", name()))
                .help("submit it together with the samples, in the same directory")
        });
    } else if !record_was_read {
        sink.report_whole(&RECORD_UNREADABLE, || {
            Draft::new(format!("the record {} cannot be read", name()))
                .help("mend it; `assay validate` on the record says what is wrong")
        });
    }
}
