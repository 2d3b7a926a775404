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

async fn news(
    connection: &mut Connection,
    filter: NewsFilter,
    limit: u32,
) -> sqlx::Result<Vec<News>> {
    let query = "SELECT r.name, e.dataset, e.task, e.since_ms
        FROM entries e JOIN repositories r ON r.repo = e.repo
        WHERE e.until_ms IS NULL AND NOT r.private AND NOT r.disabled
        AND (NOT $1 OR e.verified) AND ($2 IS NULL OR r.owner = $2)
        ORDER BY e.since_ms DESC, e.id DESC LIMIT $3";
    let rows = sql::query(query)
        .bind(filter.verified)
        .bind(filter.owner.map(|owner| owner.0))
        .bind(i64::from(limit))
        .fetch_all(connection)
        .await?;
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
