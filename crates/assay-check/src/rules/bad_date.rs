use assay_formats::Value;
use assay_model::Date;

use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A date is not one
    ///
    /// A date is an ISO 8601 date, or a date and time, in quotes: `"2026-02-14"`,
    /// `"2026-02-14T10:30:00Z"`. Anything else is read differently in different countries, or not
    /// at all.
    ///
    /// ## What to do
    ///
    /// Write year, month and day in this order. Without `date`, the time at which the file was
    /// first committed counts.
    BAD_DATE = (310, "bad-date", Error)
}

/// Reports a date that is not one; returns whether it did.
pub(crate) fn check(entry: Value<'_>, sink: &mut Sink<'_>) -> bool {
    let Some((date, text)) = entry
        .get("date")
        .and_then(|date| Some((date, date.text()?)))
    else {
        return false;
    };
    let Err(error) = text.parse::<Date>() else {
        return false;
    };
    sink.report(&BAD_DATE, date, || {
        Draft::new(format!("{} is not a date", quote(&text))).help(error.to_string())
    });
    true
}
