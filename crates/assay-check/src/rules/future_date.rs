use assay_formats::Value;
use assay_model::{Date, Timestamp};

use super::timestamp_out_of_form::moment;
use crate::rule::{Rule, rule};
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A result is dated in the future
    ///
    /// The `date` of an entry is more than a day ahead of the clock of whoever validates the file.
    /// No evaluation has run then. Of several results for one model the newest may count, so a date
    /// in the future would hide every honest result until it has passed.
    ///
    /// One day is allowed, because a date without a time says nothing of the time zone.
    ///
    /// ## What to do
    ///
    /// Write the day on which the evaluation ran. Without `date`, the time at which the file was
    /// first committed counts.
    FUTURE_DATE = (329, "future-date", Error)
}

rule! {
    /// A timestamp lies in the future
    ///
    /// `evaluation_timestamp` or `retrieved_timestamp` is more than a day ahead of the clock of
    /// whoever validates the record. Readers that take the newest of several results would take
    /// this one for ever.
    ///
    /// ## What to do
    ///
    /// Write the time at which the evaluation ran, or at which the record was made, in seconds
    /// since 1970 or as an ISO 8601 date.
    FUTURE_TIMESTAMP = (437, "future-timestamp", Error)
}

/// The furthest a date may lie ahead, in milliseconds: one day, for time zones and for clocks that
/// go wrong.
pub(super) const DAY: i64 = 24 * 60 * 60 * 1000;

/// Validates the date of an entry.
pub(crate) fn entry(entry: Value<'_>, now: Timestamp, sink: &mut Sink<'_>) {
    let Some(at) = entry.get("date") else { return };
    let date = at.text().and_then(|text| text.parse::<Date>().ok());
    if let Some(moment) = date.as_ref().and_then(Timestamp::of_date) {
        check(&FUTURE_DATE, at, moment, now, sink);
    }
}

/// Validates a timestamp of a record.
pub(crate) fn timestamp(at: Value<'_>, now: Timestamp, sink: &mut Sink<'_>) {
    if let Some(moment) = moment(at) {
        check(&FUTURE_TIMESTAMP, at, moment, now, sink);
    }
}

fn check(
    rule: &'static Rule,
    at: Value<'_>,
    moment: Timestamp,
    now: Timestamp,
    sink: &mut Sink<'_>,
) {
    if moment.millis().saturating_sub(now.millis()) <= DAY {
        return;
    }
    sink.report(rule, at, || {
        let text = at.text().unwrap_or_default();
        Draft::new(format!("{} lies in the future", quote(&text)))
            .note(format!("it is {moment}, and now it is {now}"))
            .help("write when the evaluation ran")
    });
}
