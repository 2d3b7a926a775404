use assay_model::{ObjectId, RepoKey};

use crate::backend::Connection;
use crate::row::Cells;
use crate::{Error, Tx, sql};

/// A reference of a repository as it was when it was indexed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct IndexedRef {
    /// The full name, such as `refs/heads/main`.
    pub name: String,
    /// The commit.
    pub target: ObjectId,
}

questions! {
    /// The references of a repository as they were indexed, in the order of their names. Where git
    /// differs, the index is behind.
    fn indexed_refs(key: RepoKey) -> Vec<IndexedRef>;
    /// The commit that one reference was indexed at.
    fn indexed_ref(key: RepoKey, name: &str) -> Option<ObjectId>;
}

impl Tx {
    /// Writes one reference, or removes it.
    pub async fn set_indexed_ref(
        &mut self,
        key: RepoKey,
        name: &str,
        target: Option<&ObjectId>,
    ) -> Result<(), Error> {
        let query = match target {
            Some(target) => sql::query(
                "INSERT INTO indexed_refs (repo, name, target) VALUES ($1, $2, $3)
                 ON CONFLICT (repo, name) DO UPDATE SET target = excluded.target",
            )
            .bind(key.0)
            .bind(name)
            .bind(target.to_string()),
            None => sql::query("DELETE FROM indexed_refs WHERE repo = $1 AND name = $2")
                .bind(key.0)
                .bind(name),
        };
        self.change("set_indexed_ref", query).await?;
        Ok(())
    }
}

async fn indexed_refs(connection: &mut Connection, key: RepoKey) -> sqlx::Result<Vec<IndexedRef>> {
    let query = "SELECT name, target FROM indexed_refs WHERE repo = $1 ORDER BY name";
    let rows = sql::query(query).bind(key.0).fetch_all(connection).await?;
    let read = |row| {
        let mut cells = Cells::of(row);
        Ok(IndexedRef {
            name: cells.get()?,
            target: cells.parse()?,
        })
    };
    rows.iter().map(read).collect()
}

async fn indexed_ref(
    connection: &mut Connection,
    key: RepoKey,
    name: &str,
) -> sqlx::Result<Option<ObjectId>> {
    let row = sql::query("SELECT target FROM indexed_refs WHERE repo = $1 AND name = $2")
        .bind(key.0)
        .bind(name)
        .fetch_optional(connection)
        .await?;
    row.map(|row| Cells::of(&row).parse()).transpose()
}
