use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::Date;

/// A moment, in milliseconds since 1970, UTC. It prints as the clients of a hub insist:
/// `2026-02-14T10:30:00.000Z`.
///
/// ```
/// # use assay_model::Timestamp;
/// assert_eq!(Timestamp::from_millis(1_771_065_000_000).to_string(), "2026-02-14T10:30:00.000Z");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The first moment that is told: the year 0001. A commit may claim any time; what no calendar
    /// has is cut to this.
    pub const MIN: Self = Self(-62_135_596_800_000);
    /// The last moment that is told: the end of the year 9999, less the largest offset from UTC.
    pub const MAX: Self = Self(253_402_207_200_000);

    /// The moment so many milliseconds after 1970, cut to what a calendar has.
    pub const fn from_millis(millis: i64) -> Self {
        if millis < Self::MIN.0 {
            Self::MIN
        } else if millis > Self::MAX.0 {
            Self::MAX
        } else {
            Self(millis)
        }
    }

    /// The moment so many seconds after 1970.
    pub const fn from_seconds(seconds: i64) -> Self {
        Self::from_millis(seconds.saturating_mul(1000))
    }

    /// Milliseconds since 1970.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Seconds since 1970.
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// The moment that a date names: its midnight when it has no time, UTC when it has no offset.
    pub fn of_date(date: &Date) -> Option<Self> {
        let text = date.as_str();
        let stamp = match text.parse::<jiff::Timestamp>() {
            Ok(stamp) => stamp,
            Err(_) => text
                .parse::<jiff::civil::DateTime>()
                .or_else(|_| {
                    text.parse::<jiff::civil::Date>()
                        .map(|date| date.at(0, 0, 0, 0))
                })
                .ok()?
                .to_zoned(jiff::tz::TimeZone::UTC)
                .ok()?
                .timestamp(),
        };
        Some(Self::from_millis(stamp.as_millisecond()))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stamp = jiff::Timestamp::from_millisecond(self.0).map_err(|_| fmt::Error)?;
        write!(f, "{stamp:.3}")
    }
}

/// The text is not a moment such as `2026-02-14T10:30:00.000Z`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a moment; moments look like `2026-02-14T10:30:00.000Z`")]
pub struct TimestampError(String);

impl FromStr for Timestamp {
    type Err = TimestampError;

    fn from_str(text: &str) -> Result<Self, TimestampError> {
        let stamp = text.parse::<jiff::Timestamp>();
        let stamp = stamp.map_err(|_| TimestampError(text.to_owned()))?;
        Ok(Self::from_millis(stamp.as_millisecond()))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A source of the current time; tests fix it.
pub trait Clock: Send + Sync {
    /// The moment it is.
    fn now(&self) -> Timestamp;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_with_and_without_time_or_offset_are_moments() {
        for (text, shown) in [
            ("2026-02-14", "2026-02-14T00:00:00.000Z"),
            ("2026-02-14T10:30", "2026-02-14T10:30:00.000Z"),
            ("2026-02-14T10:30:00.25+02:00", "2026-02-14T08:30:00.250Z"),
        ] {
            let date: Date = text.parse().unwrap();

            let moment = Timestamp::of_date(&date).unwrap();

            assert_eq!(moment.to_string(), shown);
        }
    }

    #[test]
    fn the_ends_of_time_print_and_are_dates() {
        for millis in [i64::MIN, i64::MAX, 0, -1] {
            let moment = Timestamp::from_millis(millis);

            let date: Date = moment.to_string().parse().unwrap();
            assert_eq!(Timestamp::of_date(&date), Some(moment));
        }
    }
}
