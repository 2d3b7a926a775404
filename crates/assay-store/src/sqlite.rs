//! Statements and settings of `SQLite` alone.

use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_model::Durability;
use sqlx::sqlite::{
    SqliteArguments, SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{Arguments as _, ConnectOptions, Connection as _, Sqlite, SqliteConnection};

use crate::Error;
use crate::backend::Connection;
use crate::migrate::migrate;
use crate::sql::{Query, Value};
use crate::turn::{Turn, WriteQueue};

/// The steps from an empty database to the present one. A step that was released is never changed.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/sqlite/0001_records.sql"),
    include_str!("../migrations/sqlite/0002_index.sql"),
    include_str!("../migrations/sqlite/0003_trust.sql"),
    include_str!("../migrations/sqlite/0004_issuer.sql"),
    include_str!("../migrations/sqlite/0005_web.sql"),
    include_str!("../migrations/sqlite/0006_several.sql"),
    include_str!("../migrations/sqlite/0007_news.sql"),
    include_str!("../migrations/sqlite/0009_quota.sql"),
    include_str!("../migrations/sqlite/0010_rights.sql"),
    include_str!("../migrations/sqlite/0011_audit.sql"),
    include_str!("../migrations/sqlite/0012_setup.sql"),
    include_str!("../migrations/sqlite/0013_findings.sql"),
    include_str!("../migrations/sqlite/0014_publishers.sql"),
    include_str!("../migrations/sqlite/0015_mentions.sql"),
    include_str!("../migrations/sqlite/0016_changes.sql"),
];

/// The statement that begins a change. A transaction that begins as a reader and becomes a writer
/// later fails at once when another has written in between, however long it would be willing to
/// wait.
pub(crate) const BEGIN: &str = "BEGIN IMMEDIATE";

/// Number of questions that are answered at once. Readers work in memory most of the time, so more
/// than a few times the cores of a machine would only wait for each other.
const READERS: u32 = 8;
/// The time to wait for another process that writes before giving up.
const BUSY: Duration = Duration::from_secs(30);
/// The time to wait for a connection of our own: many writers may queue for one.
const TURN: Duration = Duration::from_mins(1);
/// The number of prepared statements that a connection keeps: all there are.
const STATEMENTS: usize = 512;
/// The number of rows that the thread of a connection may be ahead of its reader: a board in a few
/// hand-overs, not in one for every fifty rows.
const ROWS: usize = 1024;
/// The memory that a connection may use for pages, in KiB; a minus sign says that it is not a
/// number of pages.
const CACHE: &str = "-16384";
/// The number of bytes of the file that readers map into memory, without a copy of each page: as
/// much as `SQLite` maps at most.
const MAPPED: &str = "2147418112";
/// The result codes of a database that another connection keeps locked: `SQLITE_BUSY` and
/// `SQLITE_LOCKED`.
const LOCKED: [i32; 2] = [5, 6];

/// The result code of a disk without space, `SQLITE_FULL`.
const FULL: i32 = 13;
/// The result code of a file that cannot be written, `SQLITE_READONLY`.
const READ_ONLY: i32 = 8;
/// The result code of a full disk when the file that connections share is made:
/// `SQLITE_IOERR_SHMSIZE`.
const SHARED_MEMORY_SIZE: i32 = 4874;

/// The connections of one process to a file.
#[derive(Debug)]
pub(crate) struct Pools {
    path: PathBuf,
    turns: WriteQueue,
    writer: SqlitePool,
    readers: SqlitePool,
}

impl Pools {
    /// Opens a file, makes it when it is not there, and brings it to the version that this program
    /// knows.
    pub(crate) async fn open(path: &Path, durability: Durability) -> Result<Self, Error> {
        let failed = |error: sqlx::Error| Error::Open {
            path: path.to_owned(),
            source: error.into(),
        };
        let turns = WriteQueue::of(path).map_err(|error| failed(error.into()))?;
        let turn = turns.wait().await.map_err(|error| failed(error.into()))?;
        let writer = writer(path, durability).await.map_err(failed)?;
        let mut connection = Connection::from(writer.acquire().await.map_err(failed)?);
        migrate(&mut connection, MIGRATIONS).await?;
        drop((connection, turn));
        Ok(Self {
            path: path.to_owned(),
            turns,
            writer,
            readers: readers(path).await.map_err(failed)?,
        })
    }

    /// A connection that answers questions.
    pub(crate) async fn reader(&self) -> sqlx::Result<Connection> {
        Ok(self.readers.acquire().await?.into())
    }

    /// A connection that sees one moment, until it is dropped.
    pub(crate) async fn snapshot(&self) -> sqlx::Result<Connection> {
        Ok(self.readers.begin().await?.into())
    }

    /// Begins a change, when the one before has ended.
    pub(crate) async fn begin(&self) -> sqlx::Result<(Connection, Turn)> {
        let turn = self.turns.wait().await?;
        let transaction = self.writer.begin_with(BEGIN).await?;
        Ok((transaction.into(), turn))
    }

    /// Writes a copy of the database, as it is at one moment, to a new file. It reads, but a
    /// connection that may only read is not allowed to make a file either.
    pub(crate) async fn copy_to(&self, to: &Path) -> sqlx::Result<()> {
        let to = to.to_str().ok_or_else(|| {
            sqlx::Error::Configuration("the path of a database is Unicode text".into())
        })?;
        let mut connection = options(&self.path).connect().await?;
        sqlx::query("VACUUM INTO $1")
            .bind(to)
            .execute(&mut connection)
            .await?;
        connection.close().await
    }

    /// Waits for what is under way and closes the connections.
    pub(crate) async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

/// The one connection that writes.
pub(crate) async fn writer(path: &Path, durability: Durability) -> sqlx::Result<SqlitePool> {
    make_private(path)?;
    // With a write-ahead log, `NORMAL` keeps the database whole whatever happens. A power failure
    // may take back the last transactions; what they say of git is found again at the next start.
    // `FULL` waits for the disk each time.
    let synchronous = match durability {
        Durability::Full => SqliteSynchronous::Full,
        Durability::Fast => SqliteSynchronous::Normal,
    };
    let options = options(path)
        .create_if_missing(true)
        .synchronous(synchronous);
    pool(1).connect_with(options).await
}

/// Makes the file of a new database readable by its owner alone, which the files beside it inherit:
/// hashes of tokens and the key that signs links are in it.
fn make_private(path: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        made => made.map(|_| ()),
    }
}

/// The connections that answer questions. They could not write if they were told to.
async fn readers(path: &Path) -> sqlx::Result<SqlitePool> {
    let options = options(path)
        .pragma("query_only", "on")
        .pragma("mmap_size", MAPPED);
    pool(READERS).connect_with(options).await
}

fn pool(connections: u32) -> SqlitePoolOptions {
    // A file does not hang up, so connections need no test of that and no end. But when the disk is
    // full, a transaction ends by itself, and then nothing is left to undo: its connection counts
    // it for ever and begins no other.
    SqlitePoolOptions::new()
        .before_acquire(|connection, _| Box::pin(async { Ok(!connection.is_in_transaction()) }))
        .max_connections(connections)
        .acquire_timeout(TURN)
        .test_before_acquire(false)
        .idle_timeout(None)
        .max_lifetime(None)
}

fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(false)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .foreign_keys(true)
        .busy_timeout(BUSY)
        .statement_cache_capacity(STATEMENTS)
        .row_buffer_size(ROWS)
        .pragma("cache_size", CACHE)
        .pragma("temp_store", "memory")
        .disable_statement_logging()
}

/// A connection that looks at a file as it is: it neither makes it nor changes how it is kept.
pub(crate) fn look(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(false)
        .busy_timeout(BUSY)
        .pragma("query_only", "on")
        .disable_statement_logging()
}

/// Notices that another connection, of this process or any other, has committed.
#[derive(Debug)]
pub(crate) struct Watch {
    connection: SqliteConnection,
    version: i64,
}

impl Watch {
    /// Begins to watch. The first [`Watch::changed`] has an answer.
    pub(crate) async fn begin(path: &Path) -> sqlx::Result<Self> {
        let connection = options(path).pragma("query_only", "on").connect().await?;
        Ok(Self {
            connection,
            version: 0,
        })
    }

    /// The generation, if someone has committed since the last time it was asked; whether they have
    /// is found out without reading any table.
    pub(crate) async fn changed(&mut self) -> sqlx::Result<Option<u64>> {
        let version = sqlx::query_scalar("PRAGMA data_version")
            .fetch_one(&mut self.connection)
            .await?;
        if version == self.version {
            return Ok(None);
        }
        self.version = version;
        let value: i64 = sqlx::query_scalar("SELECT value FROM generation")
            .fetch_one(&mut self.connection)
            .await?;
        Ok(Some(value.unsigned_abs()))
    }
}

/// A statement with its values, as this backend wants them.
pub(crate) fn prepare(
    query: Query<'_>,
) -> sqlx::Result<sqlx::query::Query<'static, Sqlite, SqliteArguments>> {
    let mut arguments = SqliteArguments::default();
    arguments.reserve(query.values.len(), 0);
    for value in query.values {
        let added = match value {
            Value::Number(number) => arguments.add(number),
            Value::Flag(flag) => arguments.add(flag),
            Value::Text(text) => arguments.add(text),
            Value::Bytes(bytes) => arguments.add(bytes),
        };
        added.map_err(sqlx::Error::Encode)?;
    }
    Ok(sqlx::query_with(query.statement, arguments))
}

/// Returns the disk fault behind an error. The file that connections share, which a start needs,
/// fails in its own way on a full disk.
pub(crate) fn disk_fault(error: &sqlx::Error) -> Option<std::io::ErrorKind> {
    let error = error.as_database_error()?;
    // The codes of the other backend have letters in them, or five digits.
    let code: i32 = error.code().filter(|code| code.len() < 5)?.parse().ok()?;
    match (code & 0xff, code) {
        (FULL, _) | (_, SHARED_MEMORY_SIZE) => Some(std::io::ErrorKind::StorageFull),
        (READ_ONLY, _) => Some(std::io::ErrorKind::ReadOnlyFilesystem),
        _ => None,
    }
}

/// Returns whether an error says that another connection keeps the database locked.
pub(crate) fn is_busy(error: &sqlx::Error) -> bool {
    let code = error
        .as_database_error()
        .and_then(|error| error.code()?.parse::<i32>().ok());
    // The lowest byte is the code; the others say more exactly which lock it was.
    code.is_some_and(|code| LOCKED.contains(&(code & 0xff)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_transaction_that_ended_by_itself_keeps_no_other_from_beginning() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("hub.db");
        let pool = writer(&path, Durability::Fast).await.unwrap();

        // A full disk does this in the middle of a statement.
        let mut first = pool.begin_with(BEGIN).await.unwrap();
        sqlx::raw_sql("ROLLBACK")
            .execute(&mut *first)
            .await
            .unwrap();
        let undone = first.rollback().await;
        let second = pool.begin_with(BEGIN).await;

        assert!(undone.is_err());
        second.unwrap().commit().await.unwrap();
    }
}
