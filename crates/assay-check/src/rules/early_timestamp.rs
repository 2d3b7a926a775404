use assay_formats::Value;
use assay_model::Timestamp;

use super::timestamp_out_of_form::moment;
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A timestamp lies before the year 2018
    ///
    /// The models that records are about are younger. `"0"` and other small numbers are what
    /// programs write when they do not know the time, and readers take them for dates of 1970.
    ///
    /// ## What to do
    ///
    /// Write when the evaluation ran, or leave `evaluation_timestamp` out when that is not known.
    EARLY_TIMESTAMP = (438, "early-timestamp", Warning)
}

/// The beginning of the year 2018.
const EARLIEST: Timestamp = Timestamp::from_seconds(1_514_764_800);

pub(crate) fn check(at: Value<'_>, sink: &mut Sink<'_>) {
    let Some(moment) = moment(at).filter(|moment| *moment < EARLIEST) else {
        return;
    };
    sink.report(&EARLY_TIMESTAMP, at, || {
        let text = at.text().unwrap_or_default();
        Draft::new(format!("{} lies before the year 2018", quote(&text)))
            .note(format!("it is {moment}"))
            .help("write when it was, in seconds since 1970 or as an ISO 8601 date")
    });
}
