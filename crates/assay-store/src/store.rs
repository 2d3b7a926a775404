use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use assay_model::{Durability, RepoKey};
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::backend::Connection;
use crate::postgres::OpenError;
use crate::seen::Seen;
use crate::waits::WaitCounter;
use crate::{Database, Error, Tx, WriterWaits, postgres, sqlite, turn};

/// The database of a hub. It is cheap to clone, and every clone is the same database.
///
/// Questions are answered by a pool of readers, each on the last committed state; changes go
/// through [`Store::begin`], one transaction at a time.
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
///     founder: None,
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

/// The state that the clones of a store share.
#[derive(Debug)]
pub(crate) struct Shared {
    backend: Backend,
    pub(crate) seen: Seen,
    waits: WaitCounter,
}

/// The database that carries out queries and changes.
#[derive(Debug)]
enum Backend {
    /// A file, which several processes of one machine may open.
    Sqlite {
        pools: sqlite::Pools,
        watch: Mutex<sqlite::Watch>,
    },
    /// A database of a server.
    Postgres {
        pools: postgres::Pools,
        watch: postgres::Watch,
        presence: postgres::Presence,
        /// The lock of the writer in this process: others wait here and not on the server, where
        /// each would take a connection.
        turn: Arc<Mutex<()>>,
    },
}

/// A change of a few rows by who works off a queue. It is undone when it is dropped before its end.
pub(crate) struct Worker {
    connection: Connection,
    _turn: Option<Turn>,
}

impl Worker {
    pub(crate) fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }

    pub(crate) async fn end(self, doing: &'static str) -> Result<(), Error> {
        let ended = self.connection.commit().await;
        ended.map_err(|error| Error::of(doing, error))
    }
}

/// The turn to publish to a repository, until this is dropped.
#[derive(Debug)]
#[must_use]
pub struct RepositoryTurn {
    /// A transaction that does nothing but hold a lock, which goes with it.
    _held: Option<Connection>,
}

/// The turn to write, until this is dropped.
#[derive(Debug)]
#[expect(
    dead_code,
    reason = "they are held, and given back when they are dropped"
)]
pub(crate) enum Turn {
    /// In a file.
    Sqlite(turn::Turn),
    /// Of this process; that of all processes goes with the transaction.
    Postgres(OwnedMutexGuard<()>),
}

impl Store {
    /// Opens the database in a file, makes it when it is not there, and brings it to the version
    /// that this program knows. What is committed outlasts the process.
    pub async fn open(path: &Path) -> Result<Self, Error> {
        let file = Database::File(path.to_owned());
        Self::connect(&file, Durability::Fast).await
    }

    /// Opens a database, in a file or of a server, whose changes outlast what this says.
    pub async fn connect(database: &Database, durability: Durability) -> Result<Self, Error> {
        let backend = match database {
            Database::File(path) => open_file(path, durability).await?,
            Database::Server(server) => {
                let opened = open_server(server.options(), durability).await;
                opened.map_err(|error| match error {
                    OpenError::Migrate(error) => error,
                    OpenError::Reach(error) => Error::Reach {
                        database: database.clone(),
                        source: error.into(),
                    },
                })?
            }
        };
        let shared = Shared {
            backend,
            seen: Seen::default(),
            waits: WaitCounter::default(),
        };
        let store = Self {
            shared: Arc::new(shared),
        };
        store.generation().await?;
        Ok(store)
    }

    /// Begins a change. It waits until the one before has ended, here or in another process; what
    /// is not committed is undone when the transaction is dropped.
    pub async fn begin(&self) -> Result<Tx, Error> {
        let started = Instant::now();
        let begun = match &self.shared.backend {
            Backend::Sqlite { pools, .. } => {
                let begun = pools.begin().await;
                begun.map(|(connection, turn)| (connection, Turn::Sqlite(turn)))
            }
            Backend::Postgres { pools, turn, .. } => postgres::begin_in_turn(pools, turn)
                .await
                .map(|(connection, turn)| (connection, Turn::Postgres(turn))),
        };
        self.shared.waits.note(started.elapsed());
        let (connection, turn) = begun.map_err(|error| Error::of("begin", error))?;
        Ok(Tx::new(connection, turn, Arc::clone(&self.shared)))
    }

    /// The number that grows with every committed change of anything visible, by any process: what
    /// was made of an older generation may be out of date. In a file it costs one small question to
    /// a connection that does nothing else; a server says by itself when there is something new, a
    /// moment after it was committed.
    pub async fn generation(&self) -> Result<u64, Error> {
        let failed = |error| Error::of("generation", error);
        match &self.shared.backend {
            Backend::Sqlite { watch, .. } => {
                let mut watch = watch.lock().await;
                if let Some(generation) = watch.changed().await.map_err(failed)? {
                    self.shared.seen.found(generation);
                }
            }
            Backend::Postgres { watch, .. } => {
                let found = watch.generation().await.map_err(failed)?;
                self.shared.seen.found(found);
            }
        }
        Ok(self.seen_generation())
    }

    /// Waits until another process may have changed something, but no longer than this.
    pub async fn wait_for_news(&self, at_most: Duration) {
        match &self.shared.backend {
            Backend::Sqlite { .. } => tokio::time::sleep(at_most).await,
            Backend::Postgres { watch, .. } => {
                // Whether there was news or the time was up, the caller looks.
                let _ = tokio::time::timeout(at_most, watch.news()).await;
            }
        }
    }

    /// The time that changes of this store waited for their turn.
    pub fn writer_waits(&self) -> WriterWaits {
        self.shared.waits.get()
    }

    /// The newest generation that this process has made or seen. It costs nothing and does not
    /// notice another process.
    pub fn seen_generation(&self) -> u64 {
        self.shared.seen.newest()
    }

    /// The newest generation with which this process noticed a change of another one. Whoever has
    /// not seen this one yet has to forget what it made of older ones, whoever asked for the
    /// generation that brought the news.
    pub fn generation_of_others(&self) -> u64 {
        self.shared.seen.others()
    }

    /// Writes a copy of the database, as it is at one moment, to a file where nothing is yet.
    pub async fn copy_to(&self, path: &Path) -> Result<(), Error> {
        match &self.shared.backend {
            Backend::Sqlite { pools, .. } => {
                let copied = pools.copy_to(path).await;
                copied.map_err(|error| Error::of("copy_to", error))
            }
            Backend::Postgres { .. } => self.copy_to_file(path).await,
        }
    }

    /// Copies the database of a server into a new file.
    async fn copy_to_file(&self, path: &Path) -> Result<(), Error> {
        let made = std::fs::File::create_new(path);
        made.map_err(|error| Error::of("copy_to", error.into()))?;
        let copy = Self::open(path).await?;
        self.copy_into(&copy).await?;
        copy.close().await;
        Ok(())
    }

    /// Clears up after much was written to some tables. A file needs none of that.
    pub(crate) async fn tidy(&self, tables: &[&str]) -> sqlx::Result<()> {
        match &self.shared.backend {
            Backend::Sqlite { .. } => Ok(()),
            Backend::Postgres { pools, .. } => pools.tidy(tables).await,
        }
    }

    /// Waits for what is under way and closes every connection of the pools. Later calls fail.
    pub async fn close(&self) {
        match &self.shared.backend {
            Backend::Sqlite { pools, .. } => pools.close().await,
            Backend::Postgres {
                pools,
                watch,
                presence,
                ..
            } => {
                watch.close().await;
                presence.close().await;
                pools.close().await;
            }
        }
    }

    pub(crate) async fn reader(&self, doing: &'static str) -> Result<Connection, Error> {
        let reader = match &self.shared.backend {
            Backend::Sqlite { pools, .. } => pools.reader().await,
            Backend::Postgres { pools, .. } => pools.reader().await,
        };
        reader.map_err(|error| Error::of(doing, error))
    }

    /// A change that is no part of the order of all others: in a file there is no other than one at
    /// a time, with a server it locks only the rows that it touches.
    pub(crate) async fn worker(&self, doing: &'static str) -> Result<Worker, Error> {
        let begun = match &self.shared.backend {
            Backend::Sqlite { pools, .. } => {
                let begun = pools.begin().await;
                begun.map(|(connection, turn)| (connection, Some(Turn::Sqlite(turn))))
            }
            Backend::Postgres { pools, .. } => {
                let begun = pools.begin_unordered().await;
                begun.map(|connection| (connection, None))
            }
        };
        let (connection, turn) = begun.map_err(|error| Error::of(doing, error))?;
        Ok(Worker {
            connection,
            _turn: turn,
        })
    }

    /// Waits until no other process publishes to a repository, and keeps it so until the answer is
    /// dropped. In a file the compare-and-swap of git's refs is enough: there is one server, and
    /// commands publish nothing.
    pub async fn repository_turn(&self, key: RepoKey) -> Result<RepositoryTurn, Error> {
        match &self.shared.backend {
            Backend::Sqlite { .. } => Ok(RepositoryTurn { _held: None }),
            Backend::Postgres { pools, .. } => {
                let held = pools.repository_turn(key.0).await;
                let held = held.map_err(|error| Error::of("repository_turn", error))?;
                Ok(RepositoryTurn { _held: Some(held) })
            }
        }
    }

    /// Says that this process serves, and whether another one that did is gone since the last time
    /// this was asked: whatever it was doing is to be caught up with. In a file there is one
    /// server.
    pub async fn someone_left(&self) -> Result<bool, Error> {
        match &self.shared.backend {
            Backend::Sqlite { .. } => Ok(false),
            Backend::Postgres { presence, .. } => {
                let left = presence.someone_left().await;
                left.map_err(|error| Error::of("someone_left", error))
            }
        }
    }

    /// A reader that sees one moment, until it is dropped.
    pub(crate) async fn snapshot(&self) -> sqlx::Result<Connection> {
        match &self.shared.backend {
            Backend::Sqlite { pools, .. } => pools.snapshot().await,
            Backend::Postgres { pools, .. } => pools.snapshot().await,
        }
    }
}

async fn open_file(path: &Path, durability: Durability) -> Result<Backend, Error> {
    let pools = sqlite::Pools::open(path, durability).await?;
    let watch = sqlite::Watch::begin(path).await;
    let watch = watch.map_err(|error| Error::Open {
        path: path.to_owned(),
        source: error.into(),
    })?;
    Ok(Backend::Sqlite {
        pools,
        watch: Mutex::new(watch),
    })
}

async fn open_server(
    options: &sqlx::postgres::PgConnectOptions,
    durability: Durability,
) -> Result<Backend, OpenError> {
    let pools = postgres::Pools::open(options, durability).await?;
    Ok(Backend::Postgres {
        pools,
        watch: postgres::Watch::begin(options).await?,
        presence: postgres::Presence::new(options),
        turn: Arc::default(),
    })
}
