use assay_formats::Value;

use super::future_date::DAY;
use super::timestamp_out_of_form::moment;
use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// An evaluation ran after its record was made
    ///
    /// `retrieved_timestamp` says when the record was made. An `evaluation_timestamp` more than a
    /// day later contradicts it: a score cannot be read before it was computed. Usually the two
    /// were swapped, or one was copied from another record.
    ///
    /// ## What to do
    ///
    /// Correct one of the two.
    EVALUATED_AFTER_RETRIEVAL = (439, "evaluated-after-retrieval", Warning)
}

pub(crate) fn check(evaluated: Value<'_>, retrieved: Option<Value<'_>>, sink: &mut Sink<'_>) {
    let (Some(ran), Some(read)) = (moment(evaluated), retrieved.and_then(moment)) else {
        return;
    };
    if ran.millis().saturating_sub(read.millis()) <= DAY {
        return;
    }
    sink.report(&EVALUATED_AFTER_RETRIEVAL, evaluated, || {
        Draft::new("the evaluation ran after its record was made")
            .note(format!(
                "it ran at {ran}, and `retrieved_timestamp` is {read}"
            ))
            .help("correct `evaluation_timestamp` or `retrieved_timestamp`")
    });
}
