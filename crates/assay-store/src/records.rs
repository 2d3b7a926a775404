use assay_model::{ObjectId, RepoKey, RepoPath};
use serde_json::Value as Json;

use crate::backend::Connection;
use crate::row::{Cells, to_json};
use crate::{Error, Tx, sql};

/// An Every Eval Ever record in a repository.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The file.
    pub path: RepoPath,
    /// Its content, as git names it.
    pub blob: ObjectId,
    /// The facts that the caller has read from it.
    pub facts: Json,
}

questions! {
    /// The records of a repository, or of one of its folders, in the order of their paths; those
    /// after a path when one is given.
    fn records_of(key: RepoKey, folder: Option<&RepoPath>, after: Option<&RepoPath>, limit: u32) -> Vec<Record>;
    /// Returns the number of records that a repository has, or one of its folders.
    fn count_records(key: RepoKey, folder: Option<&RepoPath>) -> u64;
}

impl Tx {
    /// Writes records of a repository, in place of those at the same paths.
    pub async fn set_records(&mut self, key: RepoKey, records: &[Record]) -> Result<(), Error> {
        for record in records {
            let facts = to_json(&record.facts).map_err(|error| Error::of("set_records", error))?;
            let query = sql::query(
                "INSERT INTO records (repo, path, blob, facts) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (repo, path) DO UPDATE SET blob = excluded.blob, facts = excluded.facts",
            )
            .bind(key.0)
            .bind(record.path.as_str())
            .bind(record.blob.to_string())
            .bind(facts);
            self.change("set_records", query).await?;
        }
        Ok(())
    }

    /// Removes the record at a path. The answer is whether there was one.
    pub async fn remove_record(&mut self, key: RepoKey, path: &RepoPath) -> Result<bool, Error> {
        let query = sql::query("DELETE FROM records WHERE repo = $1 AND path = $2")
            .bind(key.0)
            .bind(path.as_str());
        Ok(self.change("remove_record", query).await? > 0)
    }

    /// Removes records of a repository, at most this many. The answer is how many.
    pub async fn remove_records(&mut self, key: RepoKey, most: u32) -> Result<u64, Error> {
        let query = "DELETE FROM records WHERE repo = $1 AND path IN (
                SELECT path FROM records WHERE repo = $1 ORDER BY path LIMIT $2)";
        let query = sql::query(query).bind(key.0).bind(most);
        self.change("remove_records", query).await
    }
}

async fn records_of(
    connection: &mut Connection,
    key: RepoKey,
    folder: Option<&RepoPath>,
    after: Option<&RepoPath>,
    limit: u32,
) -> sqlx::Result<Vec<Record>> {
    let (first, end) = range(folder);
    let query = "SELECT path, blob, facts FROM records
                 WHERE repo = $1 AND path > $2 AND path > $3 AND path < $4 ORDER BY path LIMIT $5";
    let rows = sql::query(query)
        .bind(key.0)
        .bind(after.map_or("", RepoPath::as_str))
        .bind(first)
        .bind(end)
        .bind(limit)
        .fetch_all(connection)
        .await?;
    let read = |row| {
        let mut cells = Cells::of(row);
        Ok(Record {
            path: cells.parse()?,
            blob: cells.parse()?,
            facts: cells.json()?,
        })
    };
    rows.iter().map(read).collect()
}

async fn count_records(
    connection: &mut Connection,
    key: RepoKey,
    folder: Option<&RepoPath>,
) -> sqlx::Result<u64> {
    let (first, end) = range(folder);
    let query = "SELECT COUNT(*) FROM records WHERE repo = $1 AND path > $2 AND path < $3";
    let row = sql::query(query)
        .bind(key.0)
        .bind(first)
        .bind(end)
        .fetch_one(connection)
        .await?;
    Cells::of(&row).number()
}

/// Returns the bounds around every path of a folder, by bytes: `0` comes after `/`.
fn range(folder: Option<&RepoPath>) -> (String, String) {
    match folder {
        Some(folder) => (format!("{folder}/"), format!("{folder}0")),
        None => (String::new(), char::MAX.to_string()),
    }
}
