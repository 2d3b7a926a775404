use std::sync::Arc;
use std::time::Duration;

use crate::backend::Connection;
use crate::row::Cell as _;
use crate::sql::Query;
use crate::store::{Shared, Turn};
use crate::{Error, Taken, sql};

/// The time after which a transaction that waits for something else sends a sign of life.
const SIGN_OF_LIFE: Duration = Duration::from_secs(1);

/// Changes that happen together or not at all. While one lives, no other can begin; readers go on
/// and see the state before it. When one of the changes is refused, none is made: what is left is
/// to give the transaction up.
#[derive(Debug)]
pub struct Tx {
    transaction: Connection,
    /// Dropped after the transaction: the next one may begin.
    _turn: Turn,
    shared: Arc<Shared>,
    changed: bool,
    refused: bool,
}

impl Tx {
    pub(crate) fn new(transaction: Connection, turn: Turn, shared: Arc<Shared>) -> Self {
        Self {
            transaction,
            _turn: turn,
            shared,
            changed: false,
            refused: false,
        }
    }

    /// Makes the changes last, and the generation one higher if there were any that can be seen.
    /// The answer is the generation. [`Error::Refused`] when one of the changes was.
    pub async fn commit(mut self) -> Result<u64, Error> {
        if self.refused {
            self.rollback().await?;
            return Err(Error::Refused);
        }
        let failed = |error| Error::of("commit", error);
        let generation = self.raise_generation().await.map_err(failed)?;
        if self.changed {
            self.shared.seen.expect(generation);
        }
        self.transaction.commit().await.map_err(failed)?;
        self.shared.seen.own(generation);
        Ok(generation)
    }

    /// Undoes the changes. Dropping does the same, a little later.
    pub async fn rollback(self) -> Result<(), Error> {
        let undone = self.transaction.rollback().await;
        undone.map_err(|error| Error::of("rollback", error))
    }

    /// Keeps the transaction from being taken for one that hangs, for as long as this is waited
    /// for. It ends with the error that ended the transaction.
    pub async fn stay_alive(&mut self) -> Error {
        loop {
            tokio::time::sleep(SIGN_OF_LIFE).await;
            if let Err(error) = self.transaction.run("SELECT 1").await {
                return Error::of("stay_alive", error);
            }
        }
    }

    /// The connection, for questions and for changes that nobody sees.
    pub(crate) fn connection(&mut self) -> &mut Connection {
        &mut self.transaction
    }

    /// Makes a change, and notes whether there was anything to change. The answer is how many rows.
    pub(crate) async fn change(
        &mut self,
        doing: &'static str,
        query: Query<'_>,
    ) -> Result<u64, Error> {
        let rows = self.execute(query).await;
        rows.map_err(|error| Error::of(doing, error))
    }

    /// Adds rows with something that may exist only once.
    pub(crate) async fn insert(
        &mut self,
        doing: &'static str,
        what: Taken,
        query: Query<'_>,
    ) -> Result<(), Error> {
        let rows = self.execute(query).await;
        rows.map_err(Error::unless_taken(doing, what))?;
        Ok(())
    }

    /// Writes a row with something that may exist only once. The answer is the number that the
    /// statement returns; none when there was nothing to change.
    pub(crate) async fn add(
        &mut self,
        doing: &'static str,
        what: Taken,
        query: Query<'_>,
    ) -> Result<Option<i64>, Error> {
        let row = query.fetch_optional(&mut self.transaction).await;
        self.refused |= row.is_err();
        let row = row.map_err(Error::unless_taken(doing, what))?;
        self.changed |= row.is_some();
        row.map(|row| i64::read(&row, 0))
            .transpose()
            .map_err(|error| Error::of(doing, error))
    }

    async fn execute(&mut self, query: Query<'_>) -> sqlx::Result<u64> {
        let done = query.execute(&mut self.transaction).await;
        self.refused |= done.is_err();
        let rows = done?;
        self.changed |= rows > 0;
        Ok(rows)
    }

    async fn raise_generation(&mut self) -> sqlx::Result<u64> {
        let statement = if self.changed {
            "UPDATE generation SET value = value + 1 RETURNING value"
        } else {
            "SELECT value FROM generation"
        };
        let value: i64 = sql::query_scalar(statement)
            .fetch_one(self.connection())
            .await?;
        if self.changed {
            self.transaction.tell().await?;
        }
        Ok(value.unsigned_abs())
    }
}
