use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};

use assay_model::Timestamp;
use parking_lot::Mutex;

use super::SignInMethod;

/// The window in which equal failures are counted together, in milliseconds.
const WINDOW_MILLIS: i64 = 60_000;
/// The most accounts and addresses that are told apart within a window. Those beyond are counted as
/// one, so a window leaves at most two rows for each and one more.
const MAX_KINDS: usize = 10;

/// A failed sign-in; equal ones are counted together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Attempt {
    /// The name of the account, when there is one.
    pub(crate) account: Option<String>,
    /// The address of the client.
    pub(crate) address: Option<IpAddr>,
    /// The credential that was refused.
    pub(crate) method: SignInMethod,
}

/// A row for the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Report {
    /// The account.
    pub(crate) account: Option<String>,
    /// The address of the client.
    pub(crate) address: Option<IpAddr>,
    /// The credential, and how many more there were.
    pub(crate) detail: String,
    /// True if this is the attempt itself and not a count of later ones.
    pub(crate) is_first: bool,
}

/// Counts failed sign-ins by minute: the first of its kind is reported at once, the others as a
/// number when the minute is over.
#[derive(Debug, Default)]
pub(crate) struct FailedSignIns {
    window: Mutex<Window>,
    total: AtomicU64,
}

#[derive(Debug, Default)]
struct Window {
    number: i64,
    repeated: BTreeMap<Attempt, u64>,
    others: u64,
}

impl FailedSignIns {
    /// Counts a failure and returns what is to be recorded now.
    pub(crate) fn note(&self, attempt: Attempt, now: Timestamp) -> Vec<Report> {
        self.total.fetch_add(1, Ordering::Relaxed);
        let mut window = self.window.lock();
        let mut reports = window.close(now);
        if let Some(count) = window.repeated.get_mut(&attempt) {
            *count += 1;
        } else if window.repeated.len() < MAX_KINDS {
            reports.push(Report {
                account: attempt.account.clone(),
                address: attempt.address,
                detail: attempt.method.as_str().to_owned(),
                is_first: true,
            });
            window.repeated.insert(attempt, 0);
        } else {
            window.others += 1;
        }
        reports
    }

    /// Returns the counts of a window that is over.
    pub(crate) fn close(&self, now: Timestamp) -> Vec<Report> {
        let mut window = self.window.lock();
        window.close(now)
    }

    /// The number of failures so far.
    pub(crate) fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }
}

impl Window {
    fn close(&mut self, now: Timestamp) -> Vec<Report> {
        let number = now.millis().div_euclid(WINDOW_MILLIS);
        if number == self.number {
            return Vec::new();
        }
        let ended = std::mem::take(self);
        self.number = number;
        let repeated = ended.repeated.into_iter().filter(|(_, count)| *count > 0);
        let mut reports: Vec<Report> = repeated
            .map(|(attempt, count)| Report {
                account: attempt.account,
                address: attempt.address,
                detail: format!("{}, {count} more within a minute", attempt.method.as_str()),
                is_first: false,
            })
            .collect();
        if ended.others > 0 {
            reports.push(Report {
                account: None,
                address: None,
                detail: format!(
                    "{} more within a minute, of other accounts or addresses",
                    ended.others
                ),
                is_first: false,
            });
        }
        reports
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(account: &str) -> Attempt {
        Attempt {
            account: Some(account.to_owned()),
            address: None,
            method: SignInMethod::Password,
        }
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(1_771_065_000_000 + seconds * 1_000)
    }

    #[test]
    fn the_first_failure_is_reported_at_once_and_the_others_as_a_number() {
        let failed = FailedSignIns::default();

        let first = failed.note(attempt("ada"), at(0));
        let second = failed.note(attempt("ada"), at(1));
        let third = failed.note(attempt("ada"), at(2));
        let later = failed.close(at(60));

        assert_eq!(first.len(), 1);
        assert!(first[0].is_first && first[0].detail == "by password");
        assert!(second.is_empty() && third.is_empty());
        assert_eq!(later.len(), 1);
        assert_eq!(later[0].detail, "by password, 2 more within a minute");
        assert!(failed.close(at(120)).is_empty());
        assert_eq!(failed.total(), 3);
    }

    #[test]
    fn a_minute_of_guessing_leaves_a_bounded_number_of_rows() {
        let failed = FailedSignIns::default();

        let mut rows = 0;
        for number in 0..10_000 {
            rows += failed
                .note(attempt(&format!("user{}", number % 500)), at(0))
                .len();
        }
        rows += failed.close(at(60)).len();

        assert_eq!(rows, 2 * MAX_KINDS + 1);
        assert_eq!(failed.total(), 10_000);
    }
}
