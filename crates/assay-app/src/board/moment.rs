//! The moment whose board is asked for.

use assay_model::{Date, Timestamp};

/// Number of milliseconds that a day has.
const DAY: i64 = 24 * 60 * 60 * 1000;

/// The moment that a text means: the end of a day for a date, else the very moment. None when it is
/// neither.
pub(super) fn moment(text: &str) -> Option<Timestamp> {
    let date: Date = text.parse().ok()?;
    let at = Timestamp::of_date(&date)?;
    let is_day = !text.contains(['T', 't', ' ']);
    Some(if is_day {
        Timestamp::from_millis(at.millis() + DAY - 1)
    } else {
        at
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_means_the_end_of_its_day_and_a_time_means_itself() {
        let shown = |text: &str| moment(text).map(|moment| moment.to_string());

        assert_eq!(
            shown("2026-02-14").as_deref(),
            Some("2026-02-14T23:59:59.999Z")
        );
        assert_eq!(
            shown("2026-02-14T10:30:00+02:00").as_deref(),
            Some("2026-02-14T08:30:00.000Z")
        );
        assert_eq!(shown("main"), None);
        assert!(shown("9999-12-29").is_some());
    }
}
