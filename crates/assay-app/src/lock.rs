use std::collections::HashMap;
use std::sync::{Arc, Weak};

use assay_model::RepoKey;
use assay_store::RepositoryTurn;
use parking_lot::Mutex;
use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

/// The number of locks that are remembered before those that nobody holds are forgotten.
const REMEMBERED: usize = 1024;

/// One lock for each repository that something is happening to.
#[derive(Default)]
pub(crate) struct Locks {
    turns: Mutex<HashMap<RepoKey, Weak<Turn<()>>>>,
}

/// The right to change a repository, until the last copy of it is dropped.
#[derive(Clone)]
#[must_use]
pub(crate) struct Locked {
    /// Given back before that of this process, so that the next one here does not wait for itself.
    _of_all: Option<Arc<RepositoryTurn>>,
    _turn: Arc<OwnedMutexGuard<()>>,
}

impl Locked {
    /// The same, in turn among all processes too.
    pub(crate) fn in_turn(self, turn: RepositoryTurn) -> Self {
        Self {
            _of_all: Some(Arc::new(turn)),
            ..self
        }
    }
}

impl Locks {
    /// Waits until nobody else in this process changes the repository.
    pub(crate) async fn lock(&self, key: RepoKey) -> Locked {
        let turn = self.turn(key);
        Locked {
            _of_all: None,
            _turn: Arc::new(turn.lock_owned().await),
        }
    }

    fn turn(&self, key: RepoKey) -> Arc<Turn<()>> {
        let mut turns = self.turns.lock();
        if let Some(turn) = turns.get(&key).and_then(Weak::upgrade) {
            return turn;
        }
        if turns.len() >= REMEMBERED {
            turns.retain(|_, turn| turn.strong_count() > 0);
        }
        let turn = Arc::new(Turn::new(()));
        turns.insert(key, Arc::downgrade(&turn));
        turn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_repository_is_changed_by_one_at_a_time_and_others_go_on() {
        let locks = Locks::default();
        let held = locks.lock(RepoKey(1)).await;

        let same = locks.turn(RepoKey(1)).try_lock_owned();
        let other = locks.turn(RepoKey(2)).try_lock_owned();

        assert!(same.is_err());
        assert!(other.is_ok());
        drop(held);
        assert!(locks.turn(RepoKey(1)).try_lock_owned().is_ok());
    }

    #[tokio::test]
    async fn locks_that_nobody_holds_are_forgotten() {
        let locks = Locks::default();
        for key in 0..3 * REMEMBERED {
            let key = RepoKey(i64::try_from(key).unwrap());
            drop(locks.lock(key).await);
        }

        let remembered = locks.turns.lock().len();

        assert!(remembered <= REMEMBERED, "{remembered}");
    }
}
