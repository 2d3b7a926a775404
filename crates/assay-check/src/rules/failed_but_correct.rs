use assay_formats::Kind;

use crate::row::Row;
use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A row failed and is correct all the same
    ///
    /// The row says in `error` that something went wrong, and in `is_correct` that the answer is
    /// right. A known cause is a converter that compares an empty answer with an empty reference.
    ///
    /// ## What to do
    ///
    /// A sample that failed is not correct. If the error did not matter for the answer, put it into
    /// `metadata`.
    FAILED_BUT_CORRECT = (520, "failed-but-correct", Warning)
}

pub(crate) fn check(row: &Row<'_>, sink: &mut Sink<'_>) {
    let Some(error) = row.error.filter(|error| error.kind() == Kind::String) else {
        return;
    };
    if row.is_correct == Some(true) && !super::blank_name::is_blank(error) {
        sink.report(&FAILED_BUT_CORRECT, row.evaluated("is_correct"), || {
            Draft::new("the sample failed, but its answer is called correct")
                .note(format!(
                    "the error is {}",
                    crate::suggest::quote(&error.text().unwrap_or_default())
                ))
                .help("set `is_correct` to false, or move a harmless error to `metadata`")
        });
    }
}
