use assay_formats::Value;
use assay_model::{Date, Timestamp};

use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A timestamp is neither Unix seconds nor a date
    ///
    /// `retrieved_timestamp` and `evaluation_timestamp` are texts; by custom they hold seconds
    /// since 1970, such as `"1767225600"` or `"1767225600.5"`, or an ISO 8601 date. Readers that
    /// sort by time fail on anything else, and read milliseconds as a date in the far future.
    ///
    /// ## What to do
    ///
    /// Write seconds, as a string, or a date like `2026-02-14T10:30:00Z`.
    TIMESTAMP_OUT_OF_FORM = (420, "timestamp-out-of-form", Warning)
}

/// More seconds than this are no date that anyone means: they lead to the year 5138. As
/// milliseconds they are 1973.
const MOST_SECONDS: f64 = 1e11;

pub(crate) fn check(stamp: Value<'_>, sink: &mut Sink<'_>) {
    let Some(text) = stamp.text() else { return };
    match read(&text) {
        Reading::Time(_) => {}
        Reading::TooLate => sink.report(&TIMESTAMP_OUT_OF_FORM, stamp, || {
            Draft::new(format!(
                "{} is not in seconds, it seems: as such it is a date beyond the year 5000",
                quote(&text)
            ))
            .help("write seconds since 1970; divide milliseconds by 1000")
        }),
        Reading::Neither => sink.report(&TIMESTAMP_OUT_OF_FORM, stamp, || {
            Draft::new(format!(
                "{} is neither seconds since 1970 nor an ISO 8601 date",
                quote(&text)
            ))
            .help("write it like `1767225600` or `2026-02-14T10:30:00Z`, as a string")
        }),
    }
}

/// The moment that a timestamp names; nothing when it is none.
pub(super) fn moment(stamp: Value<'_>) -> Option<Timestamp> {
    match read(&stamp.text()?) {
        Reading::Time(moment) => Some(moment),
        Reading::TooLate | Reading::Neither => None,
    }
}

enum Reading {
    Time(Timestamp),
    TooLate,
    Neither,
}

fn read(text: &str) -> Reading {
    let is_number = text.starts_with(|c: char| c.is_ascii_digit())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
    match text.parse::<f64>() {
        Ok(seconds) if is_number && seconds < MOST_SECONDS => {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "it is far below what the integer holds, and nobody asks for less than a second"
            )]
            let seconds = seconds as i64;
            Reading::Time(Timestamp::from_seconds(seconds))
        }
        Ok(_) if is_number => Reading::TooLate,
        Ok(_) | Err(_) => text
            .parse::<Date>()
            .ok()
            .and_then(|date| Timestamp::of_date(&date))
            .map_or(Reading::Neither, Reading::Time),
    }
}
