use assay_formats::Value;

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A sample has a blank id
    ///
    /// `sample_id` is there but has nothing in it. It tells samples apart, and joins the answers of
    /// two models to one question.
    ///
    /// ## What to do
    ///
    /// Write the id that the data gives the sample, or its position in the data.
    BLANK_SAMPLE_ID = (523, "blank-sample-id", Error)
}

pub(crate) fn check(id: Value<'_>, sink: &mut Sink<'_>) {
    if super::blank_name::is_blank(id) {
        sink.report(&BLANK_SAMPLE_ID, id, || {
            Draft::new("`sample_id` is blank")
                .help("write the id of the sample, or its position in the data")
        });
    }
}
