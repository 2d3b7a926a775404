use assay_model::RepoKey;

use crate::backend::Connection;
use crate::row::{Cells, to_number};
use crate::{Error, Sha256, Tx, sql};

questions! {
    /// The size of a large file, when a repository has it. That the hub has its bytes does not make
    /// it everyone's: who may read it is asked of the repository.
    fn large_object(key: RepoKey, oid: &Sha256) -> Option<u64>;
    /// Lists the large files of a repository.
    fn large_objects(key: RepoKey) -> Vec<Sha256>;
    /// Returns whether any repository has a large file, or an upload of it waits for a commit, so
    /// that its bytes are kept.
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

    /// Takes a large file away from a repository. The answer is whether it had it.
    pub async fn remove_large_object(&mut self, key: RepoKey, oid: &Sha256) -> Result<bool, Error> {
        let query = sql::query("DELETE FROM large_objects WHERE repo = $1 AND oid = $2")
            .bind(key.0)
            .bind(oid.as_bytes().as_slice());
        Ok(self.change("remove_large_object", query).await? > 0)
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

async fn large_object_in_use(connection: &mut Connection, oid: &Sha256) -> sqlx::Result<bool> {
    let query = "SELECT EXISTS (SELECT 1 FROM large_objects WHERE oid = $1) OR EXISTS (SELECT 1 FROM uploads WHERE oid = $1)";
    sql::query_scalar(query)
        .bind(oid.as_bytes().as_slice())
        .fetch_one(connection)
        .await
}

async fn large_objects(connection: &mut Connection, key: RepoKey) -> sqlx::Result<Vec<Sha256>> {
    sql::query("SELECT oid FROM large_objects WHERE repo = $1 ORDER BY oid")
        .bind(key.0)
        .read_all(connection, |cells| Ok(Sha256::from_bytes(cells.bytes()?)))
        .await
}
