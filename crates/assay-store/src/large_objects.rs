use assay_model::RepoKey;

use crate::backend::Connection;
use crate::row::{Cells, to_number};
use crate::{Error, Sha256, Tx, sql};

questions! {
    /// The size of a large file, when a repository has it. That the hub has its bytes does not make it everyone's: who
    /// may read it is asked of the repository.
    fn large_object(key: RepoKey, oid: &Sha256) -> Option<u64>;
    /// The sum of the sizes of a repository's large files.
    fn large_bytes(key: RepoKey) -> u64;
    /// Whether any repository has a large file, so that its bytes must be kept.
    fn large_object_in_use(oid: &Sha256) -> bool;
}

impl Tx {
    /// Says that a repository has a large file. Saying it twice is saying it once.
    pub async fn add_large_object(
        &mut self,
        key: RepoKey,
        oid: &Sha256,
        size: u64,
    ) -> Result<(), Error> {
        let query = sql::query(
            "INSERT INTO large_objects (repo, oid, size) VALUES ($1, $2, $3) ON CONFLICT (repo, oid) DO NOTHING",
        )
        .bind(key.0)
        .bind(oid.as_bytes().as_slice())
        .bind(to_number(size));
        self.change("add_large_object", query).await?;
        Ok(())
    }
}

async fn large_object(
    connection: &mut Connection,
    key: RepoKey,
    oid: &Sha256,
) -> sqlx::Result<Option<u64>> {
    let row = sql::query("SELECT size FROM large_objects WHERE repo = $1 AND oid = $2")
        .bind(key.0)
        .bind(oid.as_bytes().as_slice())
        .fetch_optional(connection)
        .await?;
    row.map(|row| Cells::of(&row).number()).transpose()
}

async fn large_bytes(connection: &mut Connection, key: RepoKey) -> sqlx::Result<u64> {
    let query = "SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM large_objects WHERE repo = $1";
    let row = sql::query(query).bind(key.0).fetch_one(connection).await?;
    Cells::of(&row).number()
}

async fn large_object_in_use(connection: &mut Connection, oid: &Sha256) -> sqlx::Result<bool> {
    sql::query_scalar("SELECT EXISTS (SELECT 1 FROM large_objects WHERE oid = $1)")
        .bind(oid.as_bytes().as_slice())
        .fetch_one(connection)
        .await
}
