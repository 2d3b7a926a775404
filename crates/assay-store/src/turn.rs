use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, OwnedMutexGuard};

/// The time to wait for a turn. A writer that takes longer is stuck.
const PATIENCE: Duration = Duration::from_mins(1);

/// The queue of writers, in this process and in others.
///
/// `SQLite` has those who wait look again every now and then, and a server that writes all the time
/// would keep another process from ever finding the database free. So writers line up here: whoever
/// is next waits at the door, holding `next`, until `turn` is given back; who has just written
/// finds `next` taken and waits behind them. The system gives both back when a process ends,
/// however it ends.
#[derive(Debug)]
pub(crate) struct WriteQueue {
    files: Arc<Mutex<Files>>,
}

#[derive(Debug)]
struct Files {
    next: File,
    turn: File,
}

/// The turn to write, until this is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    files: OwnedMutexGuard<Files>,
}

/// The place in the queue that was reached without waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Behind somebody who is next.
    Outside,
    /// Next.
    AtTheDoor,
    /// In turn.
    Inside,
}

impl WriteQueue {
    /// The turns of a database, which are kept in two empty files beside it.
    pub(crate) fn of(database: &Path) -> io::Result<Self> {
        let files = Files {
            next: open(database, "-next")?,
            turn: open(database, "-turn")?,
        };
        Ok(Self {
            files: Arc::new(Mutex::new(files)),
        })
    }

    /// Waits for one's turn.
    pub(crate) async fn wait(&self) -> io::Result<Turn> {
        let waited = tokio::time::timeout(PATIENCE, self.take()).await;
        waited.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?
    }

    async fn take(&self) -> io::Result<Turn> {
        let turn = Turn {
            files: Arc::clone(&self.files).lock_owned().await,
        };
        let place = turn.try_enter()?;
        if place == Place::Inside {
            return Ok(turn);
        }
        // Whoever gives up meanwhile leaves the line when the thread has got so far: it takes the
        // turn along.
        let entered = tokio::task::spawn_blocking(move || {
            turn.enter(place)?;
            Ok(turn)
        });
        entered.await.map_err(io::Error::other)?
    }
}

impl Turn {
    fn try_enter(&self) -> io::Result<Place> {
        if !try_lock(&self.files.next)? {
            return Ok(Place::Outside);
        }
        if !try_lock(&self.files.turn)? {
            return Ok(Place::AtTheDoor);
        }
        self.files.next.unlock()?;
        Ok(Place::Inside)
    }

    fn enter(&self, place: Place) -> io::Result<()> {
        match place {
            Place::Outside => self.files.next.lock()?,
            Place::AtTheDoor => {}
            Place::Inside => return Ok(()),
        }
        self.files.turn.lock()?;
        self.files.next.unlock()
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        for file in [&self.files.turn, &self.files.next] {
            if let Err(error) = file.unlock() {
                tracing::warn!(%error, "the turn to write is given back when the process ends");
            }
        }
    }
}

fn try_lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn open(database: &Path, suffix: &str) -> io::Result<File> {
    let mut path = database.as_os_str().to_owned();
    path.push(suffix);
    File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::*;

    /// The number of times that the others have to get their turn.
    const ROUNDS: usize = 20;

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn one_who_writes_all_the_time_lets_others_have_their_turn() {
        let directory = tempfile::tempdir().unwrap();
        let database = directory.path().join("hub.db");
        let busy = WriteQueue::of(&database).unwrap();
        let other = WriteQueue::of(&database).unwrap();
        let is_over = Arc::new(AtomicBool::new(false));
        let inside = Arc::new(AtomicUsize::new(0));
        let (over, counted) = (Arc::clone(&is_over), Arc::clone(&inside));
        let writing = tokio::spawn(async move {
            while !over.load(Ordering::SeqCst) {
                let turn = busy.wait().await.unwrap();
                assert_eq!(counted.fetch_add(1, Ordering::SeqCst), 0);
                tokio::time::sleep(Duration::from_millis(2)).await;
                counted.fetch_sub(1, Ordering::SeqCst);
                drop(turn);
            }
        });

        for _ in 0..ROUNDS {
            let turn = other.wait().await.unwrap();
            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
            inside.fetch_sub(1, Ordering::SeqCst);
            drop(turn);
        }

        is_over.store(true, Ordering::SeqCst);
        writing.await.unwrap();
    }

    #[tokio::test]
    async fn one_who_gives_up_does_not_keep_the_turn() {
        let directory = tempfile::tempdir().unwrap();
        let database = directory.path().join("hub.db");
        let (first, second) = (
            WriteQueue::of(&database).unwrap(),
            WriteQueue::of(&database).unwrap(),
        );
        let turn = first.wait().await.unwrap();

        let gave_up = tokio::time::timeout(Duration::from_millis(20), second.wait()).await;
        drop(turn);

        assert!(gave_up.is_err());
        drop(second.wait().await.unwrap());
        drop(first.wait().await.unwrap());
    }
}
