use assay_model::{RepoKey, Timestamp};

use crate::backend::Connection;
use crate::row::Cells;
use crate::{Error, Tx, sql};

questions! {
    /// When the operator marked a benchmark as official, if they did.
    fn official_since(key: RepoKey) -> Option<Timestamp>;
}

impl Tx {
    /// Marks a benchmark as official; the first mark stays.
    pub async fn mark_official(&mut self, key: RepoKey, at: Timestamp) -> Result<(), Error> {
        let query = sql::query(
            "INSERT INTO official (repo, since_ms) VALUES ($1, $2) ON CONFLICT (repo) DO NOTHING",
        )
        .bind(key.0)
        .bind(at.millis());
        self.change("mark_official", query).await?;
        Ok(())
    }

    /// Takes the mark away. The answer is whether there was one.
    pub async fn unmark_official(&mut self, key: RepoKey) -> Result<bool, Error> {
        let query = sql::query("DELETE FROM official WHERE repo = $1").bind(key.0);
        Ok(self.change("unmark_official", query).await? > 0)
    }
}

async fn official_since(
    connection: &mut Connection,
    key: RepoKey,
) -> sqlx::Result<Option<Timestamp>> {
    let row = sql::query("SELECT since_ms FROM official WHERE repo = $1")
        .bind(key.0)
        .fetch_optional(connection)
        .await?;
    row.map(|row| Cells::of(&row).time()).transpose()
}
