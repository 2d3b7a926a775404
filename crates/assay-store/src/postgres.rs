//! Statements and settings of `PostgreSQL` alone.

mod nul;
mod presence;
mod watch;

use std::io::ErrorKind;
use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use assay_model::Durability;
use sqlx::error::DatabaseError;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgConnection, PgPool, PgPoolOptions, PgRow};
use sqlx::{
    Arguments as _, AssertSqlSafe, ConnectOptions as _, Connection as _, Postgres, Row as _,
    Transaction,
};

use tokio::sync::{Mutex, OwnedMutexGuard};

pub(crate) use nul::{escape, unescape};
pub(crate) use presence::Presence;
pub(crate) use watch::Watch;

use crate::Error;
use crate::backend::Connection;
use crate::migrate::migrate;
use crate::sql::{Query, Value};

/// The steps from an empty database to the present one. A step that was released is never changed.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/postgres/0001_records.sql"),
    include_str!("../migrations/postgres/0002_index.sql"),
    include_str!("../migrations/postgres/0003_trust.sql"),
    include_str!("../migrations/postgres/0004_issuer.sql"),
    include_str!("../migrations/postgres/0005_web.sql"),
    include_str!("../migrations/postgres/0006_several.sql"),
    include_str!("../migrations/postgres/0007_news.sql"),
    include_str!("../migrations/postgres/0008_names.sql"),
    include_str!("../migrations/postgres/0009_quota.sql"),
    include_str!("../migrations/postgres/0010_rights.sql"),
    include_str!("../migrations/postgres/0011_audit.sql"),
    include_str!("../migrations/postgres/0012_setup.sql"),
    include_str!("../migrations/postgres/0013_findings.sql"),
    include_str!("../migrations/postgres/0014_publishers.sql"),
    include_str!("../migrations/postgres/0015_mentions.sql"),
    include_str!("../migrations/postgres/0016_changes.sql"),
];

/// The statement that begins a change.
pub(crate) const BEGIN: &str = "BEGIN";
/// The statement that begins a snapshot.
pub(crate) const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// The number of concurrent queries of one process. A server gives each connection a process of its
/// own, and has a hundred of them for all clients by default.
const READERS: u32 = 16;
/// The number of concurrent changes of one process: the one that has its turn, and those of the
/// workers of a queue.
const WRITERS: u32 = 3;
/// Number of repositories that one process may publish to at once; more wait.
const TURNS: u32 = 16;
/// The time to wait for a connection of our own. A server that is away is tried again and again
/// until then.
const TURN: Duration = Duration::from_secs(10);
/// The time in which a server has to answer when a hub is opened.
const ANSWER: Duration = Duration::from_secs(5);
/// The time to wait for other writers before giving up.
const PATIENCE: Duration = Duration::from_secs(10);
/// The same, as the server is told of it.
const LOCK_PATIENCE: &str = "10s";
/// The time to wait for another process that publishes to the same repository.
const PUBLISHING_PATIENCE: &str = "60s";
/// The time that a writing transaction may do nothing. One that does nothing for longer hangs, or
/// its machine does, and all others wait for it: the server ends it, and its changes are undone.
const IDLE_WRITER: &str = "5s";
/// Maximum duration of one statement of a transaction that writes.
const SLOW_STATEMENT: &str = "30s";
/// By which a server notices that the machine of a client is gone, when nothing comes from it: it
/// asks after ten seconds, three times, and gives up on what is not acknowledged within fifteen.
const DEAD_CLIENTS: [(&str, &str); 4] = [
    ("tcp_keepalives_idle", "10"),
    ("tcp_keepalives_interval", "5"),
    ("tcp_keepalives_count", "3"),
    ("tcp_user_timeout", "15s"),
];
/// The number of prepared statements that a connection keeps: all there are.
const STATEMENTS: usize = 512;
/// The time a connection may be idle before it is tested. The test is a round trip to the server,
/// as long as many a query takes.
const TRUSTED_FOR: Duration = Duration::from_secs(1);
/// The settings for many small queries. Parallel workers for one of them take from the others what
/// they save that one, and a compiled plan is not ready before the result is.
const SMALL_QUESTIONS: [(&str, &str); 2] =
    [("max_parallel_workers_per_gather", "0"), ("jit", "off")];

/// Puts the entries of a board next to each other. They are written model by model, and a board
/// that is not in memory would be read from as many places of the disk as it has rows.
const BOARDS_TOGETHER: &str = "CLUSTER entries USING entries_by_board";

/// The advisory lock of who writes: "assay" and a one, in ASCII. There is one writer at a time in
/// all processes together, as there is with a file. What is done in a transaction, moving refs
/// above all, relies on it.
const WRITING: i64 = 0x61_73_73_61_79_01;
/// The advisory lock of who brings a database to the present version.
const MIGRATING: i64 = 0x61_73_73_61_79_02;

/// The advisory locks of who publishes to a repository: this number, and its key in the lowest
/// bits.
const PUBLISHING: i64 = 0x61_73_00_00_00_00_00_00;

/// The codes of an error that says that somebody else was in the way: a lock that was not given in
/// time, a deadlock, a transaction that cannot be put in order with another, a server without
/// connections left, a statement that took too long.
const BUSY: [&str; 5] = ["55P03", "40P01", "40001", "53300", "57014"];
/// The codes of an error that says that the server ended the connection, or does not take any: it
/// shuts down, crashed, is starting, or waited too long for the next statement of a transaction.
const AWAY: [&str; 4] = ["57P01", "57P02", "57P03", "25P03"];
/// The prefix of the codes of a broken connection.
const BROKEN: &str = "08";
/// The length of the codes of this backend. Those of the other are numbers with fewer digits.
const CODE_LENGTH: usize = 5;

/// The code of a server whose disk is full.
const DISK_FULL: &str = "53100";
/// The code of a server that only answers questions, such as a standby.
const READ_ONLY: &str = "25006";

/// The connections of one process to a database of a server.
#[derive(Debug)]
pub(crate) struct Pools {
    writers: PgPool,
    readers: PgPool,
    /// Each holds the turn to publish to a repository.
    turns: PgPool,
    /// The options of connections for work that may take long.
    maintenance: Box<PgConnectOptions>,
}

impl Pools {
    /// Connects, and brings the database to the version that this program knows.
    pub(crate) async fn open(
        options: &PgConnectOptions,
        durability: Durability,
    ) -> Result<Self, OpenError> {
        prepare_schema(options).await?;
        let bounded = options.clone().options([
            ("lock_timeout", LOCK_PATIENCE),
            ("idle_in_transaction_session_timeout", IDLE_WRITER),
            ("statement_timeout", SLOW_STATEMENT),
        ]);
        // Whether a commit waits for the disk is a choice of the server's own, and most wait.
        let writing = match durability {
            Durability::Full => bounded.options([("synchronous_commit", "on")]),
            Durability::Fast => bounded,
        };
        let publishing = options
            .clone()
            .options([("lock_timeout", PUBLISHING_PATIENCE)]);
        let turns = pool(TURNS).connect_lazy_with(publishing);
        let writers = pool(WRITERS).connect_with(writing).await?;
        let reading = options
            .clone()
            .options([("default_transaction_read_only", "on")]);
        let readers = pool(READERS).connect_with(reading).await?;
        Ok(Self {
            writers,
            readers,
            turns,
            maintenance: Box::new(options.clone()),
        })
    }

    /// A connection that answers questions.
    pub(crate) async fn reader(&self) -> sqlx::Result<Connection> {
        Ok(self.readers.acquire().await?.into())
    }

    /// A connection that sees one moment, until it is dropped.
    pub(crate) async fn snapshot(&self) -> sqlx::Result<Connection> {
        Ok(self.readers.begin_with(SNAPSHOT).await?.into())
    }

    /// Begins a change, when nobody else makes one. The lock is given back with the end of the
    /// transaction, or of the connection, however that ends.
    pub(crate) async fn begin(&self) -> sqlx::Result<Connection> {
        let mut transaction: Transaction<'static, Postgres> =
            self.writers.begin_with(BEGIN).await?;
        sqlx::query("SELECT pg_advisory_xact_lock($1)")
            .bind(WRITING)
            .execute(&mut *transaction)
            .await?;
        Ok(transaction.into())
    }

    /// Begins a change that waits for nobody.
    pub(crate) async fn begin_unordered(&self) -> sqlx::Result<Connection> {
        Ok(self.writers.begin_with(BEGIN).await?.into())
    }

    /// The turn to publish to a repository, which goes with the transaction.
    pub(crate) async fn repository_turn(&self, key: i64) -> sqlx::Result<Connection> {
        let mut transaction: Transaction<'static, Postgres> = self.turns.begin_with(BEGIN).await?;
        sqlx::query("SELECT pg_advisory_xact_lock($1)")
            .bind(PUBLISHING ^ key)
            .execute(&mut *transaction)
            .await?;
        Ok(transaction.into())
    }

    /// Clears up some tables after all their rows were written, and counts what they hold, as the
    /// server does by itself sooner or later: until then it knows nothing of them, and takes the
    /// wrong way to an answer.
    pub(crate) async fn tidy(&self, tables: &[&str]) -> sqlx::Result<()> {
        let vacuum = format!("VACUUM (ANALYZE) {}", tables.join(", "));
        let mut connection = self.maintenance.connect().await?;
        sqlx::raw_sql(BOARDS_TOGETHER)
            .execute(&mut connection)
            .await?;
        sqlx::raw_sql(AssertSqlSafe(vacuum))
            .execute(&mut connection)
            .await?;
        connection.close().await
    }

    /// Waits for what is under way and closes the connections.
    pub(crate) async fn close(&self) {
        self.readers.close().await;
        self.turns.close().await;
        self.writers.close().await;
    }
}

/// Begins a change when it is its turn in this process and among all others.
pub(crate) async fn begin_in_turn(
    pools: &Pools,
    turn: &Arc<Mutex<()>>,
) -> sqlx::Result<(Connection, OwnedMutexGuard<()>)> {
    let waited = tokio::time::timeout(PATIENCE, Arc::clone(turn).lock_owned()).await;
    let turn = waited.map_err(|_| std::io::Error::from(ErrorKind::TimedOut))?;
    Ok((pools.begin().await?, turn))
}

/// The reason why a database could not be opened.
pub(crate) enum OpenError {
    /// It could not be reached.
    Reach(sqlx::Error),
    /// It could not be brought to the present version.
    Migrate(Error),
}

impl From<sqlx::Error> for OpenError {
    fn from(error: sqlx::Error) -> Self {
        Self::Reach(error)
    }
}

/// Returns the options to connect to the server at an address.
pub(crate) fn options(url: &str) -> sqlx::Result<PgConnectOptions> {
    let options = PgConnectOptions::from_str(url)?
        .application_name("assay")
        .statement_cache_capacity(STATEMENTS)
        .options(SMALL_QUESTIONS)
        .options(DEAD_CLIENTS)
        .disable_statement_logging();
    Ok(options)
}

/// Takes the steps that are missing, one process at a time: a table that two make at once is an
/// error for one of them. A step may take long, and so may waiting for another process that takes
/// it.
async fn prepare_schema(options: &PgConnectOptions) -> Result<(), OpenError> {
    connect_once(options).await?.close().await?;
    let alone = pool(1).connect_with(options.clone()).await?;
    let mut connection = Connection::from(alone.acquire().await?);
    let lock = crate::sql::query("SELECT pg_advisory_lock($1)").bind(MIGRATING);
    lock.execute(&mut connection).await?;
    let migrated = migrate(&mut connection, MIGRATIONS).await;
    // The lock goes with the connection.
    drop(connection);
    alone.close().await;
    migrated.map_err(OpenError::Migrate)
}

/// Connects once and at once: a server that is not there is reported, where a pool would try again
/// until its time is over.
pub(crate) async fn connect_once(options: &PgConnectOptions) -> sqlx::Result<PgConnection> {
    let connected = tokio::time::timeout(ANSWER, PgConnection::connect_with(options)).await;
    connected.unwrap_or_else(|_| {
        let words = format!("no answer within {} seconds", ANSWER.as_secs());
        let silent = std::io::Error::new(ErrorKind::TimedOut, words);
        Err(sqlx::Error::Io(silent))
    })
}

fn pool(connections: u32) -> PgPoolOptions {
    PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(TURN)
        .test_before_acquire(false)
        .before_acquire(|connection, lain| {
            Box::pin(async move {
                if lain.idle_for < TRUSTED_FOR {
                    return Ok(true);
                }
                connection.ping().await.map(|()| true)
            })
        })
}

/// A statement with its values, as this backend wants them.
pub(crate) fn prepare(
    query: Query<'_>,
) -> sqlx::Result<sqlx::query::Query<'static, Postgres, PgArguments>> {
    let mut arguments = PgArguments::default();
    arguments.reserve(query.values.len(), 0);
    for value in query.values {
        let added = match value {
            Value::Number(number) => arguments.add(number),
            Value::Flag(flag) => arguments.add(flag),
            Value::Text(text) => arguments.add(text.map(escape)),
            Value::Bytes(bytes) => arguments.add(bytes),
        };
        added.map_err(sqlx::Error::Encode)?;
    }
    Ok(sqlx::query_with(query.statement, arguments))
}

/// Tells those who listen that something has changed, once it is committed.
pub(crate) async fn tell(connection: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query("SELECT pg_notify($1, '')")
        .bind(watch::CHANNEL)
        .execute(connection)
        .await?;
    Ok(())
}

/// Returns the fault of the server's disk behind an error.
pub(crate) fn disk_fault(error: &sqlx::Error) -> Option<std::io::ErrorKind> {
    match error.as_database_error()?.code()?.as_ref() {
        DISK_FULL => Some(std::io::ErrorKind::StorageFull),
        READ_ONLY => Some(std::io::ErrorKind::ReadOnlyFilesystem),
        _ => None,
    }
}

/// Returns whether an error says that somebody else was in the way.
pub(crate) fn is_busy(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(DatabaseError::code);
    code.is_some_and(|code| BUSY.contains(&code.as_ref()))
}

/// Returns whether an error says that the server is not there, or has ended the connection.
pub(crate) fn is_away(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(error) => is_broken(error.kind()),
        sqlx::Error::Database(error) => error.code().is_some_and(|code| {
            AWAY.contains(&code.as_ref()) || code.starts_with(BROKEN) && code.len() == CODE_LENGTH
        }),
        _ => false,
    }
}

fn is_broken(kind: ErrorKind) -> bool {
    matches!(
        kind,
        // The socket of a server on this machine is not there before it listens.
        ErrorKind::NotFound
            | ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::NotConnected
            | ErrorKind::BrokenPipe
            | ErrorKind::UnexpectedEof
            | ErrorKind::HostUnreachable
            | ErrorKind::NetworkUnreachable
    )
}

/// The generation that was committed last.
async fn read_generation(pool: &PgPool) -> sqlx::Result<u64> {
    let row: PgRow = sqlx::query("SELECT value FROM generation")
        .fetch_one(pool)
        .await?;
    Ok(row.try_get::<i64, _>(0)?.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_whose_socket_is_not_there_is_away() {
        for kind in [ErrorKind::NotFound, ErrorKind::ConnectionRefused] {
            assert!(is_away(&sqlx::Error::Io(kind.into())), "{kind}");
        }
        assert!(!is_away(&sqlx::Error::Io(ErrorKind::InvalidData.into())));
    }
}
