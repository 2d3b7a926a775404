//! Wrong passwords, counted by account and by address. The counts are in the database, so all
//! servers of a hub share them.
//!
//! An attempt is counted before the password is looked at, or attempts side by side would not see
//! each other. Names that no account has are counted as well, so a refusal tells nobody which
//! accounts there are.

use assay_model::Timestamp;
use assay_store::SignInFailures;

use crate::error::Error;
use crate::services::AccountService;

/// The time that a wrong password counts, in milliseconds: a quarter of an hour.
const WINDOW_MILLIS: i64 = 15 * 60 * 1_000;
/// The most wrong passwords for one account within a window.
const BY_ACCOUNT: u64 = 10;
/// The most wrong passwords from one address within a window: many people may share an address.
const BY_ADDRESS: u64 = 50;
/// So many wrong passwords cost no wait. Each one after them doubles the time until the next
/// attempt.
const WITHOUT_WAIT: u64 = 3;
/// The longest account name that is counted by itself, in bytes; no account has a longer one.
const NAME_BYTES: usize = 96;

/// The key by which wrong passwords are counted together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Guesser {
    /// The account that is to be signed in to, as the count spells it.
    account: String,
    /// The address or network that asks, when it is known.
    address: Option<String>,
}

impl Guesser {
    /// Names who guesses. The account need not exist.
    pub(crate) fn new(account: &str, address: Option<&str>) -> Self {
        let name: String = account.chars().take(NAME_BYTES).collect();
        Self {
            account: format!("account {}", name.to_ascii_lowercase()),
            address: address.map(|address| format!("address {address}")),
        }
    }

    fn subjects(&self) -> Vec<String> {
        let mut subjects = vec![self.account.clone()];
        subjects.extend(self.address.clone());
        subjects
    }
}

impl AccountService<'_> {
    /// Counts an attempt as a wrong one, or refuses it: there were too many of late.
    pub(crate) async fn count_guess(self, guesser: &Guesser) -> Result<(), Error> {
        let now = self.hub.now();
        let since = Timestamp::from_millis(now.millis().saturating_sub(WINDOW_MILLIS));
        // Most refusals need no turn to write.
        let held = self
            .hub
            .store
            .sign_in_failures(&guesser.account, since)
            .await?;
        check(held, BY_ACCOUNT, now)?;
        let mut tx = self.hub.store.begin().await?;
        let by_account = tx.sign_in_failures(&guesser.account, since).await?;
        check(by_account, BY_ACCOUNT, now)?;
        if let Some(address) = &guesser.address {
            let by_address = tx.sign_in_failures(address, since).await?;
            check_number(by_address, BY_ADDRESS, now)?;
        }
        tx.add_sign_in_failure(&guesser.subjects(), now, since)
            .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Forgets the wrong passwords of an account, because the right one came, and takes back the
    /// one that was counted for its address.
    pub(crate) async fn forgive_guesses(self, guesser: &Guesser) -> Result<(), Error> {
        let mut tx = self.hub.store.begin().await?;
        tx.clear_sign_in_failures(&guesser.account).await?;
        if let Some(address) = &guesser.address {
            tx.take_back_sign_in_failure(address).await?;
        }
        tx.commit().await?;
        Ok(())
    }
}

/// Refuses an attempt that comes too soon after the last one, or after too many.
fn check(held: Option<SignInFailures>, most: u64, now: Timestamp) -> Result<(), Error> {
    check_number(held, most, now)?;
    let Some(held) = held else { return Ok(()) };
    let wait = 1000 * wait_seconds(held.failures);
    refuse_until(held.last.millis().saturating_add(wait), now)
}

/// Refuses an attempt after too many within the window.
fn check_number(held: Option<SignInFailures>, most: u64, now: Timestamp) -> Result<(), Error> {
    match held {
        Some(held) if held.failures >= most => {
            refuse_until(held.first.millis().saturating_add(WINDOW_MILLIS), now)
        }
        Some(_) | None => Ok(()),
    }
}

/// Returns the time to wait after so many wrong passwords, in seconds.
fn wait_seconds(failures: u64) -> i64 {
    match failures.checked_sub(WITHOUT_WAIT) {
        Some(beyond) => 1 << beyond.min(BY_ACCOUNT),
        None => 0,
    }
}

fn refuse_until(moment: i64, now: Timestamp) -> Result<(), Error> {
    let left = moment.saturating_sub(now.millis());
    match u64::try_from(left) {
        Ok(left) if left > 0 => Err(Error::RateLimited {
            after_seconds: left.div_ceil(1000),
        }),
        Ok(_) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(failures: u64, last: i64) -> SignInFailures {
        SignInFailures {
            failures,
            first: Timestamp::from_seconds(0),
            last: Timestamp::from_seconds(last),
        }
    }

    fn wait(held: impl Into<Option<SignInFailures>>, now: i64) -> u64 {
        match check(held.into(), BY_ACCOUNT, Timestamp::from_seconds(now)) {
            Err(Error::RateLimited { after_seconds }) => after_seconds,
            _ => 0,
        }
    }

    #[test]
    fn every_wrong_password_after_the_third_doubles_the_wait() {
        let waits: Vec<u64> = (1..BY_ACCOUNT)
            .map(|number| wait(failed(number, 100), 100))
            .collect();

        assert_eq!(waits, [0, 0, 1, 2, 4, 8, 16, 32, 64]);
        assert_eq!(wait(failed(5, 100), 104), 0);
    }

    #[test]
    fn after_the_last_attempt_the_window_has_to_pass() {
        assert_eq!(wait(failed(BY_ACCOUNT, 600), 600), 300);
        assert_eq!(wait(failed(BY_ACCOUNT, 600), 900), 0);
    }

    #[test]
    fn an_account_is_counted_in_any_case_and_a_long_name_once() {
        assert_eq!(Guesser::new("Ada", None), Guesser::new("ada", None));
        let long = "x".repeat(5000);
        assert!(Guesser::new(&long, None).account.len() < 2 * NAME_BYTES);
    }
}
