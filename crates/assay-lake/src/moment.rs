//! Moments, however records spell them.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

/// A number of seconds since 1970 that is larger than this counts milliseconds.
const LARGEST_SECONDS: f64 = 1e11;

/// The microseconds from 1970 to a moment in UTC; `None` when nobody can tell which moment is
/// meant.
///
/// Records have seconds since 1970 as text, or one of the forms of ISO 8601. A moment without a
/// zone is taken for UTC.
pub(crate) fn microseconds(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(number) = text.parse::<f64>() {
        return of_number(number);
    }
    if let Ok(timestamp) = text.parse::<Timestamp>() {
        return Some(timestamp.as_microsecond());
    }
    let civil = text
        .parse::<DateTime>()
        .or_else(|_| text.parse::<Date>().map(DateTime::from))
        .ok()?;
    let zoned = civil.to_zoned(TimeZone::UTC).ok()?;
    Some(zoned.timestamp().as_microsecond())
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the range is checked by the timestamp"
)]
fn of_number(number: f64) -> Option<i64> {
    let seconds = if number.abs() > LARGEST_SECONDS {
        number / 1e3
    } else {
        number
    };
    // A double counts microseconds of our century exactly enough, and one beyond all moments is
    // refused.
    let microseconds = (seconds * 1e6).round();
    if !microseconds.is_finite() || microseconds.abs() > 9.2e18 {
        return None;
    }
    let timestamp = Timestamp::from_microsecond(microseconds as i64).ok()?;
    Some(timestamp.as_microsecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_one_moment_is_the_same() {
        for text in [
            "1700000000",
            "1700000000.0",
            "1700000000000",
            "2023-11-14T22:13:20Z",
            "2023-11-14T23:13:20+01:00",
            "2023-11-14T22:13:20",
            "2023-11-14 22:13:20",
        ] {
            assert_eq!(microseconds(text), Some(1_700_000_000_000_000), "{text}");
        }
        assert_eq!(microseconds("2023-11-14"), Some(1_699_920_000_000_000));
    }

    #[test]
    fn what_is_no_moment_is_unknown() {
        for text in ["", "yesterday", "NaN", "1e300", "-inf", "2023-13-40"] {
            assert_eq!(microseconds(text), None, "{text}");
        }
    }
}
