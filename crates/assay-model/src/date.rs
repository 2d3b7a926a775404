use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// An ISO 8601 date, or a date and time with or without an offset. The text is kept as written.
///
/// ```
/// # use assay_model::Date;
/// assert!("2026-02-14".parse::<Date>().is_ok());
/// assert!("2026-02-14T10:30:00+02:00".parse::<Date>().is_ok());
/// assert!("14/02/2026".parse::<Date>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Date(String);

/// The error of a text that is not a date.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a date is written like `2026-02-14` or `2026-02-14T10:30:00Z`")]
pub struct DateError;

impl Date {
    /// The longest date that is read: nanoseconds, offset and zone name included.
    pub const MAX: usize = 64;

    /// The moment so many seconds after 1970, in UTC; none when no calendar has it.
    ///
    /// ```
    /// # use assay_model::Date;
    /// let date = Date::of_unix_seconds(1_767_225_600);
    /// assert_eq!(date.as_ref().map(Date::as_str), Some("2026-01-01T00:00:00Z"));
    /// ```
    pub fn of_unix_seconds(seconds: i64) -> Option<Self> {
        let timestamp = jiff::Timestamp::from_second(seconds).ok()?;
        timestamp.to_string().parse().ok()
    }

    /// The date as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Date {
    type Err = DateError;

    fn from_str(text: &str) -> Result<Self, DateError> {
        // The calendar library also reads `20260214` and week dates; people and other tools would
        // not.
        let dashed = text.len() >= 10 && text.as_bytes()[4] == b'-' && text.as_bytes()[7] == b'-';
        if !dashed || text.len() > Self::MAX {
            return Err(DateError);
        }
        let plain = text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok();
        let timed = || {
            text.parse::<jiff::civil::DateTime>().is_ok() || text.parse::<jiff::Timestamp>().is_ok()
        };
        if plain || (text.len() > 10 && timed()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(DateError)
        }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_that_do_not_exist_are_refused() {
        for text in [
            "2026-02-30",
            "2026-13-01",
            "2026-02-14T25:00:00Z",
            "yesterday",
            "2026-2-1",
            "20260214",
            "",
        ] {
            assert!(text.parse::<Date>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_moment_that_no_calendar_has_is_no_date() {
        for seconds in [i64::MIN, i64::MAX, -62_135_596_801_000] {
            assert_eq!(Date::of_unix_seconds(seconds), None);
        }
        assert!(Date::of_unix_seconds(-1).is_some());
    }

    #[test]
    fn times_with_fraction_offset_or_neither_are_read() {
        for text in [
            "2026-02-14 10:30:00",
            "2026-02-14T10:30",
            "2026-02-14T10:30:00.123456Z",
            "2026-02-14T10:30:00-05:30",
        ] {
            assert!(text.parse::<Date>().is_ok(), "{text}");
        }
    }
}
