use assay_model::Timestamp;

use crate::row::Cells;
use crate::{Error, Sha256, Tx, sql};

/// An answer whether a request came before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repeated {
    /// It did not; it is under way from now on.
    No,
    /// The same request was answered with this.
    Answered(String),
    /// The same request is under way.
    UnderWay,
    /// Another request had the same key.
    Other,
}

impl Tx {
    /// Begins a request that its key makes unique. One that was begun before `stale` and never
    /// answered is begun again; what was begun before `forgotten` is forgotten.
    pub async fn begin_once(
        &mut self,
        identity: &str,
        key: &str,
        request: &Sha256,
        now: Timestamp,
        stale: Timestamp,
        forgotten: Timestamp,
    ) -> Result<Repeated, Error> {
        let query = sql::query(
            "DELETE FROM idempotency WHERE created_ms < $1 OR (response IS NULL AND created_ms < $2)",
        )
        .bind(forgotten.millis())
        .bind(stale.millis());
        self.quietly("begin_once", query).await?;
        let query = sql::query(
            "INSERT INTO idempotency (identity, key, request, created_ms) VALUES ($1, $2, $3, $4)
             ON CONFLICT (identity, key) DO NOTHING",
        )
        .bind(identity)
        .bind(key)
        .bind(request.as_bytes().as_slice())
        .bind(now.millis());
        if self.quietly("begin_once", query).await? > 0 {
            return Ok(Repeated::No);
        }
        let failed = |error| Error::of("begin_once", error);
        let row = sql::query(
            "SELECT request, response FROM idempotency WHERE identity = $1 AND key = $2",
        )
        .bind(identity)
        .bind(key)
        .fetch_one(self.connection())
        .await
        .map_err(failed)?;
        let mut cells = Cells::of(&row);
        let before: Vec<u8> = cells.get().map_err(failed)?;
        let response: Option<String> = cells.get().map_err(failed)?;
        if before != request.as_bytes() {
            return Ok(Repeated::Other);
        }
        Ok(response.map_or(Repeated::UnderWay, Repeated::Answered))
    }

    /// Keeps the answer to a request.
    pub async fn answer_once(
        &mut self,
        identity: &str,
        key: &str,
        response: &str,
    ) -> Result<(), Error> {
        let query =
            sql::query("UPDATE idempotency SET response = $3 WHERE identity = $1 AND key = $2")
                .bind(identity)
                .bind(key)
                .bind(response);
        self.quietly("answer_once", query).await?;
        Ok(())
    }

    /// Forgets a request that failed: it may be made again.
    pub async fn forget_once(&mut self, identity: &str, key: &str) -> Result<(), Error> {
        let query = sql::query(
            "DELETE FROM idempotency WHERE identity = $1 AND key = $2 AND response IS NULL",
        )
        .bind(identity)
        .bind(key);
        self.quietly("forget_once", query).await?;
        Ok(())
    }
}
