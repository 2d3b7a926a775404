//! What `PostgreSQL` does in its own way.

mod nul;
mod presence;
mod watch;

use std::str::FromStr as _;
use std::time::Duration;

use assay_model::Durability;
use sqlx::error::DatabaseError;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgConnection, PgPool, PgPoolOptions, PgRow};
use sqlx::{
    Arguments as _, AssertSqlSafe, ConnectOptions as _, Connection as _, Postgres, Row as _,
    Transaction,
};

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
    include_str!("../migrations/postgres/0009_rights.sql"),
];

/// How a change begins.
pub(crate) const BEGIN: &str = "BEGIN";
/// How a look at one moment begins.
pub(crate) const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// How many questions of one process are answered at once. A server gives each connection a process of its own, and has
/// a hundred of them for all who use it unless told otherwise.
const READERS: u32 = 16;
/// How many changes of one process may be under way: one that is in turn, and those of who works off a queue.
const WRITERS: u32 = 3;
/// How many repositories one process may publish to at once; more wait.
const TURNS: u32 = 16;
/// How long to wait for a connection of our own.
const TURN: Duration = Duration::from_mins(1);
/// How long to wait for another process that writes, before giving up.
const PATIENCE: &str = "60s";
/// How many prepared statements a connection keeps: all there are.
const STATEMENTS: usize = 512;
/// How long a connection lies idle before it is asked whether it still is one. Asking is a turn to the server and back, as
/// long as many a question takes.
const TRUSTED_FOR: Duration = Duration::from_secs(1);
/// What the server is told of our questions: they are many and small. Several processes for one of them take from the others
/// what they save that one, and a program compiled for it is not ready before the answer is.
const SMALL_QUESTIONS: [(&str, &str); 2] =
    [("max_parallel_workers_per_gather", "0"), ("jit", "off")];

/// Puts the entries of a board next to each other. They are written model by model, and a board that is not in memory would
/// be read from as many places of the disk as it has rows.
const BOARDS_TOGETHER: &str = "CLUSTER entries USING entries_by_board";

/// The advisory lock of who writes: "assay" and a one, in ASCII. There is one writer at a time in all processes together,
/// as there is with a file. What is done in a transaction, moving refs above all, relies on it.
const WRITING: i64 = 0x61_73_73_61_79_01;
/// The advisory lock of who brings a database to the present version.
const MIGRATING: i64 = 0x61_73_73_61_79_02;

/// The advisory locks of who publishes to a repository: this number, and its key in the lowest bits.
const PUBLISHING: i64 = 0x61_73_00_00_00_00_00_00;

/// The codes of an error that says that somebody else was in the way: a lock that was not given in time, a deadlock, a
/// transaction that cannot be put in order with another, a server without connections left.
const BUSY: [&str; 4] = ["55P03", "40P01", "40001", "53300"];

/// The connections of one process to a database of a server.
#[derive(Debug)]
pub(crate) struct Pools {
    writers: PgPool,
    readers: PgPool,
    /// Each holds the turn to publish to a repository.
    turns: PgPool,
}

impl Pools {
    /// Connects, and brings the database to the version that this program knows.
    pub(crate) async fn open(
        options: &PgConnectOptions,
        durability: Durability,
    ) -> Result<Self, OpenError> {
        let patient = options.clone().options([("lock_timeout", PATIENCE)]);
        // Whether a commit waits for the disk is a choice of the server's own, and most wait.
        let writing = match durability {
            Durability::Full => patient.options([("synchronous_commit", "on")]),
            Durability::Fast => patient,
        };
        let turns = pool(TURNS).connect_lazy_with(options.clone());
        let writers = pool(WRITERS).connect_with(writing).await?;
        prepare_schema(&writers).await?;
        let reading = options
            .clone()
            .options([("default_transaction_read_only", "on")]);
        let readers = pool(READERS).connect_with(reading).await?;
        Ok(Self {
            writers,
            readers,
            turns,
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

    /// Begins a change, when nobody else makes one. The lock is given back with the end of the transaction, or of the
    /// connection, however that ends.
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

    /// Clears up some tables after all their rows were written, and counts what they hold, as the server does by itself
    /// sooner or later: until then it knows nothing of them, and takes the wrong way to an answer.
    pub(crate) async fn tidy(&self, tables: &[&str]) -> sqlx::Result<()> {
        let vacuum = format!("VACUUM (ANALYZE) {}", tables.join(", "));
        let mut connection = Connection::from(self.writers.acquire().await?);
        connection.run(BOARDS_TOGETHER).await?;
        connection.run(AssertSqlSafe(vacuum)).await
    }

    /// Waits for what is under way and closes the connections.
    pub(crate) async fn close(&self) {
        self.readers.close().await;
        self.turns.close().await;
        self.writers.close().await;
    }
}

/// Why a database could not be opened.
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

/// How to reach a server, by an address.
pub(crate) fn options(url: &str) -> sqlx::Result<PgConnectOptions> {
    let options = PgConnectOptions::from_str(url)?
        .application_name("assay")
        .statement_cache_capacity(STATEMENTS)
        .options(SMALL_QUESTIONS)
        .disable_statement_logging();
    Ok(options)
}

/// Takes the steps that are missing, one process at a time: a table that two make at once is an error for one of them.
async fn prepare_schema(writers: &PgPool) -> Result<(), OpenError> {
    let mut connection = writers.acquire().await?;
    sqlx::query("SELECT pg_advisory_lock($1)")
        .bind(MIGRATING)
        .execute(&mut *connection)
        .await?;
    let mut connection = Connection::from(connection);
    let migrated = migrate(&mut connection, MIGRATIONS).await;
    let release = crate::sql::query("SELECT pg_advisory_unlock($1)").bind(MIGRATING);
    release.execute(&mut connection).await?;
    migrated.map_err(OpenError::Migrate)
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

/// Whether an error says that somebody else was in the way.
pub(crate) fn is_busy(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(DatabaseError::code);
    code.is_some_and(|code| BUSY.contains(&code.as_ref()))
}

/// The generation that was committed last.
async fn read_generation(pool: &PgPool) -> sqlx::Result<u64> {
    let row: PgRow = sqlx::query("SELECT value FROM generation")
        .fetch_one(pool)
        .await?;
    Ok(row.try_get::<i64, _>(0)?.unsigned_abs())
}
