//! What `SQLite` does in its own way. All other files speak SQL that `PostgreSQL` reads too.

use std::path::Path;
use std::time::Duration;

use assay_model::Durability;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteRow,
    SqliteSynchronous,
};
use sqlx::{ConnectOptions, Connection as _, Sqlite, SqliteConnection};

/// The backend.
pub(crate) type Db = Sqlite;
/// A connection to it.
pub(crate) type Connection = SqliteConnection;
/// A pool of connections.
pub(crate) type Pool = SqlitePool;
/// A row of an answer.
pub(crate) type Row = SqliteRow;
/// The arguments of a statement.
pub(crate) type Arguments = <Sqlite as sqlx::Database>::Arguments;

/// The steps from an empty database to the present one. A step that was released is never changed.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/sqlite/0001_records.sql"),
    include_str!("../migrations/sqlite/0002_index.sql"),
    include_str!("../migrations/sqlite/0003_trust.sql"),
    include_str!("../migrations/sqlite/0004_issuer.sql"),
    include_str!("../migrations/sqlite/0005_web.sql"),
];

/// Sixteen random bytes, as a term of SQL.
macro_rules! random_bytes {
    () => {
        "randomblob(16)"
    };
}
pub(crate) use random_bytes;

/// How a change begins. A transaction that begins as a reader and becomes a writer later fails at once when another has
/// written in between, however long it would be willing to wait.
pub(crate) const BEGIN: &str = "BEGIN IMMEDIATE";

/// How many questions are answered at once. Readers work in memory most of the time, so more than a few times the cores
/// of a machine would only wait for each other.
const READERS: u32 = 8;
/// How long to wait for another process that writes, before giving up.
const BUSY: Duration = Duration::from_secs(30);
/// How long to wait for a connection of our own: many writers may stand in line for one.
const TURN: Duration = Duration::from_mins(1);
/// How many prepared statements a connection keeps: all there are.
const STATEMENTS: usize = 512;
/// How many rows the thread of a connection may be ahead of who reads them: a board in a few hand-overs, not in one for
/// every fifty rows.
const ROWS: usize = 1024;
/// The memory that a connection may use for pages, in KiB; a minus sign says that it is not a number of pages.
const CACHE: &str = "-16384";
/// The result codes of a database that another connection keeps locked: `SQLITE_BUSY` and `SQLITE_LOCKED`.
const LOCKED: [i32; 2] = [5, 6];

/// The one connection that writes.
pub(crate) async fn writer(path: &Path, durability: Durability) -> sqlx::Result<Pool> {
    make_private(path)?;
    // With a write-ahead log, `NORMAL` keeps the database whole whatever happens. A power failure may take back the last
    // transactions; what they say of git is found again at the next start. `FULL` waits for the disk each time.
    let synchronous = match durability {
        Durability::Full => SqliteSynchronous::Full,
        Durability::Fast => SqliteSynchronous::Normal,
    };
    let options = options(path)
        .create_if_missing(true)
        .synchronous(synchronous);
    pool(1).connect_with(options).await
}

/// Makes the file of a new database readable by its owner alone, which the files beside it inherit: hashes of tokens and the
/// key that signs links are in it.
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
pub(crate) async fn readers(path: &Path) -> sqlx::Result<Pool> {
    let options = options(path).pragma("query_only", "on");
    pool(READERS).connect_with(options).await
}

fn pool(connections: u32) -> SqlitePoolOptions {
    // A file does not hang up, so connections need no test and no end.
    SqlitePoolOptions::new()
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

/// Notices that another connection, of this process or any other, has committed.
#[derive(Debug)]
pub(crate) struct Watch {
    connection: Connection,
    version: i64,
}

impl Watch {
    /// Begins to watch. The first [`Watch::changed`] answers yes.
    pub(crate) async fn begin(path: &Path) -> sqlx::Result<Self> {
        let connection = options(path).pragma("query_only", "on").connect().await?;
        Ok(Self {
            connection,
            version: 0,
        })
    }

    /// Whether someone has committed since the last time it was asked, without reading any table.
    pub(crate) async fn changed(&mut self) -> sqlx::Result<bool> {
        let version = sqlx::query_scalar("PRAGMA data_version")
            .fetch_one(&mut self.connection)
            .await?;
        let changed = version != self.version;
        self.version = version;
        Ok(changed)
    }

    /// The connection, to read what has changed.
    pub(crate) fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }
}

/// Writes a copy of a database, as it is at one moment, to a new file. It reads, but a connection that may only read is
/// not allowed to make a file either.
pub(crate) async fn copy(from: &Path, to: &Path) -> sqlx::Result<()> {
    let to = to.to_str().ok_or_else(|| {
        sqlx::Error::Configuration("the path of a database is Unicode text".into())
    })?;
    let mut connection = options(from).connect().await?;
    sqlx::query("VACUUM INTO $1")
        .bind(to)
        .execute(&mut connection)
        .await?;
    connection.close().await
}

/// Whether an error says that another connection keeps the database locked.
pub(crate) fn is_busy(error: &sqlx::Error) -> bool {
    let code = error
        .as_database_error()
        .and_then(|error| error.code()?.parse::<i32>().ok());
    // The lowest byte is the code; the others say more exactly which lock it was.
    code.is_some_and(|code| LOCKED.contains(&(code & 0xff)))
}
