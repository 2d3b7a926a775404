use std::collections::BTreeMap;

use assay_model::{RepoId, RepoKey, RepoKind};

use crate::backend::Connection;
use crate::repositories::lower;
use crate::row::Cells;
use crate::{Error, Tx, sql};

questions! {
    /// The names that a repository had before, in lower case and in order.
    fn former_names(key: RepoKey) -> Vec<String>;
    /// The same of every repository that had others.
    fn all_former_names() -> BTreeMap<RepoKey, Vec<String>>;
}

impl Tx {
    /// Redirects a name to the repository that had it last.
    pub(crate) async fn add_redirect(
        &mut self,
        kind: RepoKind,
        from: &RepoId,
        key: RepoKey,
    ) -> Result<(), Error> {
        let query = sql::query(
            "INSERT INTO redirects (kind, name_lower, repo) VALUES ($1, $2, $3)
             ON CONFLICT (kind, name_lower) DO UPDATE SET repo = excluded.repo",
        )
        .bind(kind.as_str())
        .bind(lower(from))
        .bind(key.0);
        self.change("add_redirect", query).await?;
        Ok(())
    }

    /// Ends the redirect of a name that a repository has taken.
    pub(crate) async fn forget_name(&mut self, kind: RepoKind, id: &RepoId) -> Result<(), Error> {
        let query = sql::query("DELETE FROM redirects WHERE kind = $1 AND name_lower = $2")
            .bind(kind.as_str())
            .bind(lower(id));
        self.change("forget_name", query).await?;
        Ok(())
    }
}

async fn former_names(connection: &mut Connection, key: RepoKey) -> sqlx::Result<Vec<String>> {
    sql::query_scalar("SELECT name_lower FROM redirects WHERE repo = $1 ORDER BY name_lower")
        .bind(key.0)
        .fetch_all(connection)
        .await
}

async fn all_former_names(
    connection: &mut Connection,
) -> sqlx::Result<BTreeMap<RepoKey, Vec<String>>> {
    let query = sql::query("SELECT repo, name_lower FROM redirects ORDER BY name_lower");
    let read = |cells: &mut Cells<'_>| Ok((RepoKey(cells.get()?), cells.get()?));
    let mut names: BTreeMap<RepoKey, Vec<String>> = BTreeMap::new();
    for (key, name) in query.read_all(connection, read).await? {
        names.entry(key).or_default().push(name);
    }
    Ok(names)
}
