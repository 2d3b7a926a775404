//! Large files that were uploaded for a repository and that no commit names yet.

use assay_model::{RepoKey, Timestamp};

use crate::backend::Connection;
use crate::row::{Cells, to_number};
use crate::{AccountId, Error, Sha256, Tx, sql};

/// An upload that waits for a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload {
    /// The repository that it was uploaded for.
    pub key: RepoKey,
    /// The digest of its bytes.
    pub oid: Sha256,
    /// Its size in bytes.
    pub size: u64,
    /// The account that uploaded it.
    pub account: AccountId,
    /// The time at which it was complete.
    pub uploaded: Timestamp,
}

questions! {
    /// Returns the size of an upload for a repository that waits for a commit.
    fn upload(key: RepoKey, oid: &Sha256) -> Option<u64>;
    /// Lists the uploads for a repository that wait for a commit.
    fn uploads_of_repository(key: RepoKey) -> Vec<Upload>;
    /// Lists uploads that wait since before a time, oldest first, at most `limit`.
    fn uploads_before(time: Timestamp, limit: u32) -> Vec<Upload>;
    /// Returns the bytes of all uploads of an account that wait for a commit.
    fn bytes_waiting(account: AccountId) -> u64;
}

impl Tx {
    /// Records an upload. A second upload of the same file begins its waiting time again.
    pub async fn add_upload(&mut self, upload: &Upload) -> Result<(), Error> {
        let query = sql::query(
            "INSERT INTO uploads (repo, oid, size, account, uploaded_ms) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (repo, oid) DO UPDATE SET account = excluded.account, uploaded_ms = excluded.uploaded_ms",
        )
        .bind(upload.key.0)
        .bind(upload.oid.as_bytes().as_slice())
        .bind(to_number(upload.size))
        .bind(upload.account.0)
        .bind(upload.uploaded.millis());
        self.change("add_upload", query).await?;
        Ok(())
    }

    /// Removes an upload. The answer is whether there was one.
    pub async fn remove_upload(&mut self, key: RepoKey, oid: &Sha256) -> Result<bool, Error> {
        let query = sql::query("DELETE FROM uploads WHERE repo = $1 AND oid = $2")
            .bind(key.0)
            .bind(oid.as_bytes().as_slice());
        Ok(self.change("remove_upload", query).await? > 0)
    }
}

async fn upload(
    connection: &mut Connection,
    key: RepoKey,
    oid: &Sha256,
) -> sqlx::Result<Option<u64>> {
    let row = sql::query("SELECT size FROM uploads WHERE repo = $1 AND oid = $2")
        .bind(key.0)
        .bind(oid.as_bytes().as_slice())
        .fetch_optional(connection)
        .await?;
    row.map(|row| Cells::of(&row).number()).transpose()
}

async fn uploads_of_repository(
    connection: &mut Connection,
    key: RepoKey,
) -> sqlx::Result<Vec<Upload>> {
    sql::query(
        "SELECT repo, oid, size, account, uploaded_ms FROM uploads WHERE repo = $1 ORDER BY oid",
    )
    .bind(key.0)
    .read_all(connection, read_upload)
    .await
}

async fn uploads_before(
    connection: &mut Connection,
    time: Timestamp,
    limit: u32,
) -> sqlx::Result<Vec<Upload>> {
    sql::query(
        "SELECT repo, oid, size, account, uploaded_ms FROM uploads WHERE uploaded_ms < $1
         ORDER BY uploaded_ms, repo, oid LIMIT $2",
    )
    .bind(time.millis())
    .bind(i64::from(limit))
    .read_all(connection, read_upload)
    .await
}

async fn bytes_waiting(connection: &mut Connection, account: AccountId) -> sqlx::Result<u64> {
    let query = "SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM uploads WHERE account = $1";
    let row = sql::query(query)
        .bind(account.0)
        .fetch_one(connection)
        .await?;
    Cells::of(&row).number()
}

fn read_upload(cells: &mut Cells<'_>) -> sqlx::Result<Upload> {
    Ok(Upload {
        key: RepoKey(cells.get()?),
        oid: Sha256::from_bytes(cells.bytes()?),
        size: cells.number()?,
        account: AccountId(cells.get()?),
        uploaded: cells.time()?,
    })
}
