use assay_model::RepoKey;

use crate::accounts::AccountKind;
use crate::backend::Connection;
use crate::repositories::{read_repository, repository_columns};
use crate::row::Cells;
use crate::{Repository, sql};

/// A repository with the names of the accounts that it refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedRepository {
    /// The repository.
    pub repository: Repository,
    /// The name of its owner.
    pub owner_name: String,
    /// The kind of its owner.
    pub owner_kind: AccountKind,
    /// The name of who made it, unless that account is gone.
    pub creator_name: Option<String>,
}

questions! {
    /// The repository of this key with the names of its accounts.
    fn recorded_repository(key: RepoKey) -> Option<RecordedRepository>;
    /// All repositories with the names of their accounts, in the order of their keys, those after a
    /// key when one is given.
    fn recorded_repositories(after: Option<RepoKey>, limit: u32) -> Vec<RecordedRepository>;
}

async fn recorded_repository(
    connection: &mut Connection,
    key: RepoKey,
) -> sqlx::Result<Option<RecordedRepository>> {
    let before = Some(RepoKey(key.0.saturating_sub(1)));
    let found = recorded_repositories(connection, before, 1).await?;
    let is_asked = |found: &RecordedRepository| found.repository.key == key;
    Ok(found.into_iter().find(is_asked))
}

async fn recorded_repositories(
    connection: &mut Connection,
    after: Option<RepoKey>,
    limit: u32,
) -> sqlx::Result<Vec<RecordedRepository>> {
    let query = concat!(
        "SELECT ",
        repository_columns!(),
        ", o.name, o.kind, c.name FROM repositories r
         JOIN accounts o ON o.id = r.owner LEFT JOIN accounts c ON c.id = r.creator
         WHERE r.repo > $1 ORDER BY r.repo LIMIT $2"
    );
    let rows = sql::query(query)
        .bind(after.map_or(0, |key| key.0))
        .bind(limit)
        .fetch_all(connection)
        .await?;
    let read = |row| {
        let mut cells = Cells::of(row);
        Ok(RecordedRepository {
            repository: read_repository(&mut cells)?,
            owner_name: cells.get()?,
            owner_kind: cells.parse()?,
            creator_name: cells.get()?,
        })
    };
    rows.iter().map(read).collect()
}
