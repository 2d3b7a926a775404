use assay_model::{RepoKey, Timestamp};

use crate::{Error, Tx, sql};

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
