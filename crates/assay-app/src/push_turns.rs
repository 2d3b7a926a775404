use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use assay_store::AccountId;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::Error;

/// The time that a push waits for the end of another one of the same account.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
/// The number of accounts that are remembered before those that push nothing are forgotten.
const REMEMBERED: usize = 1024;

/// Limits how many pushes of one account are received at once, in this process: each of them may
/// keep a processor busy.
#[derive(Default)]
pub(crate) struct PushTurns {
    accounts: Mutex<HashMap<AccountId, Arc<Semaphore>>>,
}

impl PushTurns {
    /// Waits for a turn, which lasts until what is returned is dropped.
    pub(crate) async fn take(
        &self,
        account: AccountId,
        at_once: usize,
        patience: Duration,
    ) -> Result<OwnedSemaphorePermit, Error> {
        let too_many = || Error::RateLimited {
            after_seconds: PATIENCE.as_secs(),
        };
        if at_once == 0 {
            return Err(too_many());
        }
        let turns = self.of(account, at_once);
        match tokio::time::timeout(patience, turns.acquire_owned()).await {
            Ok(turn) => turn.map_err(Error::internal),
            Err(_) => Err(too_many()),
        }
    }

    fn of(&self, account: AccountId, at_once: usize) -> Arc<Semaphore> {
        let mut accounts = self.accounts.lock();
        if accounts.len() >= REMEMBERED {
            // Whoever has a turn or waits for one holds on to the semaphore.
            accounts.retain(|_, turns| Arc::strong_count(turns) > 1);
        }
        let turns = accounts
            .entry(account)
            .or_insert_with(|| Arc::new(Semaphore::new(at_once)));
        Arc::clone(turns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_account_has_so_many_turns_and_another_one_its_own() {
        let turns = PushTurns::default();
        let take = |account| turns.take(AccountId(account), 2, Duration::ZERO);
        let first = take(1).await.unwrap();
        let _second = take(1).await.unwrap();

        let third = take(1).await;
        let other = take(2).await;
        drop(first);
        let later = take(1).await;

        assert!(matches!(third, Err(Error::RateLimited { .. })));
        assert!(other.is_ok() && later.is_ok());
    }

    #[tokio::test]
    async fn accounts_that_push_nothing_are_forgotten_and_turns_are_kept() {
        let turns = PushTurns::default();
        let _held = turns.take(AccountId(0), 1, Duration::ZERO).await.unwrap();
        for account in 1..=i64::try_from(REMEMBERED).unwrap() {
            turns.of(AccountId(account), 1);
        }

        let again = turns.take(AccountId(0), 1, Duration::ZERO).await;

        assert!(again.is_err());
        assert!(turns.accounts.lock().len() < 3);
    }
}
