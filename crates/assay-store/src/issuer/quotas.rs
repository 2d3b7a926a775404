use crate::{Error, Tx, sql};

/// Something that is counted a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quota {
    /// The name of the counter.
    pub key: String,
    /// The most of it.
    pub most: u32,
}

impl Tx {
    /// Counts something once for each quota. The answer is the first quota that this goes beyond;
    /// then the caller gives the transaction up, and nothing was counted.
    pub async fn take_quotas<'q>(
        &mut self,
        day: i64,
        quotas: &'q [Quota],
    ) -> Result<Option<&'q Quota>, Error> {
        // A day that is over is never asked about again.
        let query = sql::query("DELETE FROM quotas WHERE day < $1").bind(day - 1);
        self.quietly("take_quotas", query).await?;
        for quota in quotas {
            let used: i64 = sql::query_scalar(
                "INSERT INTO quotas (day, key, used) VALUES ($1, $2, 1)
                 ON CONFLICT (day, key) DO UPDATE SET used = quotas.used + 1 RETURNING used",
            )
            .bind(day)
            .bind(&quota.key)
            .fetch_one(self.connection())
            .await
            .map_err(|error| Error::of("take_quotas", error))?;
            if used > i64::from(quota.most) {
                return Ok(Some(quota));
            }
        }
        Ok(None)
    }

    /// Notes that something was there on a day. The answer is whether that is new.
    pub async fn note_distinct(&mut self, day: i64, key: &str) -> Result<bool, Error> {
        let query = sql::query(
            "INSERT INTO quotas (day, key, used) VALUES ($1, $2, 1) ON CONFLICT (day, key) DO NOTHING",
        )
        .bind(day)
        .bind(key);
        Ok(self.quietly("note_distinct", query).await? > 0)
    }
}
