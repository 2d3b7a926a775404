//! Times of logs, as Unix seconds.

/// The Unix seconds of a time such as `2025-10-21T01:12:04+02:00`. A time without a zone is taken
/// as UTC: the zone of the machine that converts says nothing about the one that ran the
/// evaluation.
pub(super) fn unix_seconds(text: &str) -> Option<f64> {
    let (date, time) = text.trim().split_once(['T', ' '])?;
    let mut date = date.splitn(3, '-').map(str::parse::<i64>);
    let (year, month, day) = (date.next()?.ok()?, date.next()?.ok()?, date.next()?.ok()?);
    if !(1..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let zone = time.find(['Z', '+', '-']).unwrap_or(time.len());
    let offset = match time.get(zone..)? {
        "" | "Z" => 0,
        text => zone_seconds(text)?,
    };
    let mut clock = time.get(..zone)?.splitn(3, ':');
    let hours: i64 = clock.next()?.parse().ok()?;
    let minutes: i64 = clock.next()?.parse().ok()?;
    let seconds: f64 = clock.next().unwrap_or("0").parse().ok()?;
    if !(0..24).contains(&hours) || !(0..60).contains(&minutes) || !(0.0..=60.0).contains(&seconds)
    {
        return None;
    }
    let whole = days_from_civil(year, month, day) * 86_400 + hours * 3600 + minutes * 60 - offset;
    #[expect(clippy::cast_precision_loss, reason = "years have four digits")]
    Some(whole as f64 + seconds)
}

/// The time as records write it: seconds with a fraction, however small.
pub(super) fn stamp(seconds: f64) -> String {
    format!("{seconds:?}")
}

/// The seconds that a zone such as `+02:00` or `-0730` is ahead.
fn zone_seconds(text: &str) -> Option<i64> {
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let digits: String = text.get(1..)?.chars().filter(|c| *c != ':').collect();
    let number: i64 = digits.get(..4)?.parse().ok()?;
    Some(sign * (number / 100 * 3600 + number % 100 * 60))
}

/// The days from 1970-01-01 to a date of the Gregorian calendar, counted from March so that leap
/// days come last.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_their_own_zone_and_as_utc_without_one() {
        for (text, expected) in [
            ("2025-10-21T01:12:04+02:00", Some(1_761_001_924.0)),
            ("1970-01-01T00:00:00Z", Some(0.0)),
            ("2024-02-29 12:00:00.5", Some(1_709_208_000.5)),
            ("2026-03-24T23:12:14-0100", Some(1_774_397_534.0)),
            ("", None),
            ("2026-13-01T00:00:00", None),
            ("2026-01-01T25:00:00", None),
            ("2026-01-01T00:00:00+é:0", None),
        ] {
            assert_eq!(unix_seconds(text), expected, "{text}");
        }
    }

    #[test]
    fn a_stamp_always_has_a_fraction() {
        assert_eq!(stamp(1_761_001_924.0), "1761001924.0");
        assert_eq!(stamp(1.25), "1.25");
    }
}
