use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use assay_model::Durability;
use sqlx::pool::PoolConnection;
use tokio::sync::Mutex;

use crate::migrate::migrate;
use crate::sqlite::{self, Connection, Db, Pool, Watch};
use crate::turn::Turns;
use crate::{Error, Tx};

/// The database of a hub. It is cheap to clone, and every clone is the same database.
///
/// Questions are answered by a pool of readers, each on the last committed state; changes go through [`Store::begin`],
/// one transaction at a time.
///
/// ```
/// # use assay_store::{AccountKind, NewAccount, Store};
/// # use assay_model::Timestamp;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// let store = Store::open(&directory.path().join("hub.db")).await?;
///
/// let mut tx = store.begin().await?;
/// let alice = NewAccount {
///     name: "Alice".to_owned(),
///     kind: AccountKind::User,
///     fullname: None,
///     email: None,
///     operator: false,
///     created: Timestamp::from_millis(0),
/// };
/// let id = tx.add_account(&alice).await?;
/// tx.commit().await?;
///
/// let found = store.account_named("alice").await?;
/// assert_eq!(found.map(|account| account.id), Some(id));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Store {
    shared: Arc<Shared>,
}

/// What the clones of a store share.
#[derive(Debug)]
pub(crate) struct Shared {
    path: PathBuf,
    turns: Turns,
    writer: Pool,
    readers: Pool,
    watch: Mutex<Watch>,
    seen: AtomicU64,
}

impl Store {
    /// Opens the database at a path, makes it when it is not there, and brings it to the version that this program knows.
    /// What is committed outlasts the process.
    pub async fn open(path: &Path) -> Result<Self, Error> {
        Self::open_lasting(path, Durability::Fast).await
    }

    /// The same, whose changes outlast what this says.
    pub async fn open_lasting(path: &Path, durability: Durability) -> Result<Self, Error> {
        let failed = |error: sqlx::Error| Error::Open {
            path: path.to_owned(),
            source: error.into(),
        };
        let turns = Turns::of(path).map_err(|error| failed(error.into()))?;
        let turn = turns.wait().await.map_err(|error| failed(error.into()))?;
        let writer = sqlite::writer(path, durability).await.map_err(failed)?;
        let mut connection = writer.acquire().await.map_err(failed)?;
        migrate(&mut connection, sqlite::MIGRATIONS).await?;
        drop((connection, turn));
        let shared = Shared {
            path: path.to_owned(),
            turns,
            writer,
            readers: sqlite::readers(path).await.map_err(failed)?,
            watch: Mutex::new(Watch::begin(path).await.map_err(failed)?),
            seen: AtomicU64::new(0),
        };
        let store = Self {
            shared: Arc::new(shared),
        };
        store.generation().await?;
        Ok(store)
    }

    /// Begins a change. It waits until the one before has ended, here or in another process; what is not committed is
    /// undone when the transaction is dropped.
    pub async fn begin(&self) -> Result<Tx, Error> {
        let turn = self.shared.turns.wait().await;
        let turn = turn.map_err(|error| Error::of("begin", error.into()))?;
        let begun = self.shared.writer.begin_with(sqlite::BEGIN).await;
        let transaction = begun.map_err(|error| Error::of("begin", error))?;
        Ok(Tx::new(transaction, turn, Arc::clone(&self.shared)))
    }

    /// The number that grows with every committed change of anything visible, by any process: what was made of an older
    /// generation may be out of date. It costs one small question to a connection that does nothing else.
    pub async fn generation(&self) -> Result<u64, Error> {
        let failed = |error| Error::of("generation", error);
        let mut watch = self.shared.watch.lock().await;
        if watch.changed().await.map_err(failed)? {
            let read = read_generation(watch.connection()).await;
            self.shared.see(read.map_err(failed)?);
        }
        Ok(self.seen_generation())
    }

    /// The newest generation that this process has made or seen. It costs nothing and does not notice another process.
    pub fn seen_generation(&self) -> u64 {
        self.shared.seen.load(Ordering::Acquire)
    }

    /// Writes a copy of the database, as it is at one moment, to a path where nothing is yet.
    pub async fn copy_to(&self, path: &Path) -> Result<(), Error> {
        let copied = sqlite::copy(&self.shared.path, path).await;
        copied.map_err(|error| Error::of("copy_to", error))
    }

    /// Waits for what is under way and closes every connection of the pools. Later calls fail.
    pub async fn close(&self) {
        self.shared.readers.close().await;
        self.shared.writer.close().await;
    }

    pub(crate) async fn reader(&self, doing: &'static str) -> Result<PoolConnection<Db>, Error> {
        let reader = self.shared.readers.acquire().await;
        reader.map_err(|error| Error::of(doing, error))
    }

    pub(crate) fn readers(&self) -> &Pool {
        &self.shared.readers
    }
}

impl Shared {
    /// Notes a generation that is committed.
    pub(crate) fn see(&self, generation: u64) {
        self.seen.fetch_max(generation, Ordering::AcqRel);
    }
}

async fn read_generation(connection: &mut Connection) -> sqlx::Result<u64> {
    let value: i64 = sqlx::query_scalar("SELECT value FROM generation")
        .fetch_one(connection)
        .await?;
    Ok(value.unsigned_abs())
}
