//! The two backends as one: where a question or a change meets the one that carries it out.

use futures_util::TryStreamExt as _;
use sqlx::pool::PoolConnection;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{ColumnIndex as _, Database, Postgres, Row as _, SqlSafeStr, Sqlite, Transaction};

use crate::row::Cells;
use crate::sql::Query;
use crate::{postgres, sqlite};

/// A connection to a database.
#[derive(Debug)]
pub(crate) enum Connection {
    /// To a file.
    Sqlite(HeldConnection<Sqlite>),
    /// To a server.
    Postgres(HeldConnection<Postgres>),
}

/// A connection that is held for one use.
#[derive(Debug)]
pub(crate) enum HeldConnection<D: Database> {
    /// Lent by a pool.
    Lent(PoolConnection<D>),
    /// Lent by a pool, with a transaction that is undone when this is dropped.
    Begun(Transaction<'static, D>),
}

/// A row of an answer.
#[derive(Debug)]
pub(crate) enum Row {
    /// Of a file.
    Sqlite(SqliteRow),
    /// Of a server.
    Postgres(PgRow),
}

impl<D: Database> HeldConnection<D> {
    fn get(&mut self) -> &mut D::Connection {
        match self {
            Self::Lent(connection) => connection,
            Self::Begun(transaction) => transaction,
        }
    }

    async fn commit(self) -> sqlx::Result<()> {
        match self {
            Self::Lent(_) => Ok(()),
            Self::Begun(transaction) => transaction.commit().await,
        }
    }

    async fn rollback(self) -> sqlx::Result<()> {
        match self {
            Self::Lent(_) => Ok(()),
            Self::Begun(transaction) => transaction.rollback().await,
        }
    }
}

impl Connection {
    /// Carries out a statement. The answer is how many rows it changed.
    pub(crate) async fn execute(&mut self, query: Query<'_>) -> sqlx::Result<u64> {
        match self {
            Self::Sqlite(held) => {
                let done = sqlite::prepare(query)?.execute(held.get()).await?;
                Ok(done.rows_affected())
            }
            Self::Postgres(held) => {
                let done = postgres::prepare(query)?.execute(held.get()).await?;
                Ok(done.rows_affected())
            }
        }
    }

    /// All rows of the answer to a statement.
    pub(crate) async fn fetch_all(&mut self, query: Query<'_>) -> sqlx::Result<Vec<Row>> {
        match self {
            Self::Sqlite(held) => {
                let rows = sqlite::prepare(query)?.fetch_all(held.get()).await?;
                Ok(rows.into_iter().map(Row::Sqlite).collect())
            }
            Self::Postgres(held) => {
                let rows = postgres::prepare(query)?.fetch_all(held.get()).await?;
                Ok(rows.into_iter().map(Row::Postgres).collect())
            }
        }
    }

    /// Reads a value from each row of the result of a statement, row by row as they come.
    pub(crate) async fn read_all<T>(
        &mut self,
        query: Query<'_>,
        mut read: impl FnMut(&mut Cells<'_>) -> sqlx::Result<T>,
    ) -> sqlx::Result<Vec<T>> {
        let mut answer = Vec::new();
        match self {
            Self::Sqlite(held) => {
                let mut rows = sqlite::prepare(query)?.fetch(held.get());
                while let Some(row) = rows.try_next().await? {
                    answer.push(read(&mut Cells::of(&Row::Sqlite(row)))?);
                }
            }
            Self::Postgres(held) => {
                let mut rows = postgres::prepare(query)?.fetch(held.get());
                while let Some(row) = rows.try_next().await? {
                    answer.push(read(&mut Cells::of(&Row::Postgres(row)))?);
                }
            }
        }
        Ok(answer)
    }

    /// The first row of the answer to a statement, if there is any.
    pub(crate) async fn fetch_optional(&mut self, query: Query<'_>) -> sqlx::Result<Option<Row>> {
        match self {
            Self::Sqlite(held) => {
                let row = sqlite::prepare(query)?.fetch_optional(held.get()).await?;
                Ok(row.map(Row::Sqlite))
            }
            Self::Postgres(held) => {
                let row = postgres::prepare(query)?.fetch_optional(held.get()).await?;
                Ok(row.map(Row::Postgres))
            }
        }
    }

    /// Carries out several statements that have no values.
    pub(crate) async fn run(&mut self, statements: impl SqlSafeStr) -> sqlx::Result<()> {
        let statements = sqlx::raw_sql(statements);
        match self {
            Self::Sqlite(held) => _ = statements.execute(held.get()).await?,
            Self::Postgres(held) => _ = statements.execute(held.get()).await?,
        }
        Ok(())
    }

    /// Begins a transaction by hand, which nothing but the next statements ends.
    pub(crate) async fn begin(&mut self) -> sqlx::Result<()> {
        let statement = match self {
            Self::Sqlite(_) => sqlite::BEGIN,
            Self::Postgres(_) => postgres::BEGIN,
        };
        self.run(statement).await
    }

    /// Makes the changes of the transaction last.
    pub(crate) async fn commit(self) -> sqlx::Result<()> {
        match self {
            Self::Sqlite(held) => held.commit().await,
            Self::Postgres(held) => held.commit().await,
        }
    }

    /// Undoes the changes of the transaction.
    pub(crate) async fn rollback(self) -> sqlx::Result<()> {
        match self {
            Self::Sqlite(held) => held.rollback().await,
            Self::Postgres(held) => held.rollback().await,
        }
    }

    /// Tells other processes of the transaction, when it is committed. Those who share a file
    /// notice by themselves.
    pub(crate) async fn tell(&mut self) -> sqlx::Result<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(held) => postgres::tell(held.get()).await,
        }
    }
}

impl Row {
    /// Returns the position of the column with this name.
    pub(crate) fn index_of(&self, name: &str) -> sqlx::Result<usize> {
        match self {
            Self::Sqlite(row) => name.index(row),
            Self::Postgres(row) => name.index(row),
        }
    }

    /// Returns the number of columns that it has.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Sqlite(row) => row.len(),
            Self::Postgres(row) => row.len(),
        }
    }
}

impl From<PoolConnection<Sqlite>> for Connection {
    fn from(connection: PoolConnection<Sqlite>) -> Self {
        Self::Sqlite(HeldConnection::Lent(connection))
    }
}

impl From<Transaction<'static, Sqlite>> for Connection {
    fn from(transaction: Transaction<'static, Sqlite>) -> Self {
        Self::Sqlite(HeldConnection::Begun(transaction))
    }
}

impl From<PoolConnection<Postgres>> for Connection {
    fn from(connection: PoolConnection<Postgres>) -> Self {
        Self::Postgres(HeldConnection::Lent(connection))
    }
}

impl From<Transaction<'static, Postgres>> for Connection {
    fn from(transaction: Transaction<'static, Postgres>) -> Self {
        Self::Postgres(HeldConnection::Begun(transaction))
    }
}
