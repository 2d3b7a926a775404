use assay_model::RepoKey;

use crate::backend::Connection;
use crate::row::{Cells, to_number};
use crate::{AccountId, Error, Tx, sql};

/// Storage that a repository, or all repositories of an account, take up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StorageUse {
    /// Bytes of git objects on the disk, compressed.
    pub git_bytes: u64,
    /// Number of git objects.
    pub git_objects: u64,
    /// Bytes of large files beside git.
    pub large_bytes: u64,
}

impl StorageUse {
    /// Bytes of git objects and large files together.
    pub fn bytes(self) -> u64 {
        self.git_bytes.saturating_add(self.large_bytes)
    }
}

questions! {
    /// Returns the storage of a repository; none when its git objects were never measured.
    fn storage_of_repository(key: RepoKey) -> Option<StorageUse>;
    /// Returns the storage of all repositories that an account owns, as far as they were measured.
    fn storage_of_account(owner: AccountId) -> StorageUse;
}

impl Tx {
    /// Sets the measured size of a repository's git objects.
    pub async fn set_storage(
        &mut self,
        key: RepoKey,
        git_bytes: u64,
        git_objects: u64,
    ) -> Result<(), Error> {
        let query = sql::query(
            "INSERT INTO storage (repo, git_bytes, git_objects) VALUES ($1, $2, $3)
             ON CONFLICT (repo) DO UPDATE SET git_bytes = excluded.git_bytes, git_objects = excluded.git_objects",
        )
        .bind(key.0)
        .bind(to_number(git_bytes))
        .bind(to_number(git_objects));
        self.change("set_storage", query).await?;
        Ok(())
    }
}

async fn storage_of_repository(
    connection: &mut Connection,
    key: RepoKey,
) -> sqlx::Result<Option<StorageUse>> {
    let row = sql::query(
        "SELECT git_bytes, git_objects,
                CAST(COALESCE((SELECT SUM(size) FROM large_objects WHERE repo = $1), 0) AS BIGINT)
         FROM storage WHERE repo = $1",
    )
    .bind(key.0)
    .fetch_optional(connection)
    .await?;
    row.map(|row| read_storage(&mut Cells::of(&row)))
        .transpose()
}

async fn storage_of_account(
    connection: &mut Connection,
    owner: AccountId,
) -> sqlx::Result<StorageUse> {
    let row = sql::query(
        "SELECT CAST(COALESCE((SELECT SUM(git_bytes) FROM storage JOIN repositories USING (repo) WHERE owner = $1), 0) AS BIGINT),
                CAST(COALESCE((SELECT SUM(git_objects) FROM storage JOIN repositories USING (repo) WHERE owner = $1), 0) AS BIGINT),
                CAST(COALESCE((SELECT SUM(size) FROM large_objects JOIN repositories USING (repo) WHERE owner = $1), 0) AS BIGINT)",
    )
    .bind(owner.0)
    .fetch_one(connection)
    .await?;
    read_storage(&mut Cells::of(&row))
}

fn read_storage(cells: &mut Cells<'_>) -> sqlx::Result<StorageUse> {
    Ok(StorageUse {
        git_bytes: cells.number()?,
        git_objects: cells.number()?,
        large_bytes: cells.number()?,
    })
}
