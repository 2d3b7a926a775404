use assay_model::{RepoId, TaskId, Timestamp};

use crate::AccountId;
use crate::backend::Connection;
use crate::row::Cells;
use crate::sql;

/// That a model which everyone sees has a result, and since when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct News {
    /// The name of the model.
    pub model: RepoId,
    /// The benchmark as the entry names it.
    pub dataset: RepoId,
    /// The task.
    pub task: TaskId,
    /// Since when it is current.
    pub since: Timestamp,
}

/// Which news to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NewsFilter {
    /// Only results whose token holds.
    pub verified: bool,
    /// Only models of this account.
    pub owner: Option<AccountId>,
}

questions! {
    /// The newest current results of models that everyone sees, newest first, at most so many.
    fn news(filter: NewsFilter, limit: u32) -> Vec<News>;
}

macro_rules! select_news {
    ($condition:literal, $moment:literal) => {
        concat!(
            "SELECT r.name, e.dataset, e.task, e.since_ms FROM entries e JOIN repositories r ON r.repo = e.repo \
             WHERE e.until_ms IS NULL AND NOT r.private AND NOT r.disabled",
            $condition,
            " ORDER BY ",
            $moment,
            " DESC, e.id DESC LIMIT $1"
        )
    };
}

async fn news(
    connection: &mut Connection,
    filter: NewsFilter,
    limit: u32,
) -> sqlx::Result<Vec<News>> {
    // The newest of all are found by an index. Those of one owner are gathered first: looking for them among the newest of all
    // might go through everything.
    let query = match (filter.verified, filter.owner) {
        (false, None) => select_news!("", "e.since_ms"),
        (true, None) => select_news!(" AND e.verified", "e.since_ms"),
        (false, Some(_)) => select_news!(" AND r.owner = $2", "+e.since_ms"),
        (true, Some(_)) => select_news!(" AND e.verified AND r.owner = $2", "+e.since_ms"),
    };
    let mut query = sql::query(query).bind(i64::from(limit));
    if let Some(owner) = filter.owner {
        query = query.bind(owner.0);
    }
    let rows = query.fetch_all(connection).await?;
    let read = |row| {
        let mut cells = Cells::of(row);
        Ok(News {
            model: cells.parse()?,
            dataset: cells.parse()?,
            task: cells.parse()?,
            since: cells.time()?,
        })
    };
    rows.iter().map(read).collect()
}
