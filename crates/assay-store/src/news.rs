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

/// A filter of news.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NewsFilter {
    /// Only results whose token holds.
    pub verified: bool,
    /// Only models of this account.
    pub owner: Option<AccountId>,
}

/// A board on which a result came or went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedBoard {
    /// The benchmark as its entries name it.
    pub dataset: RepoId,
    /// The task.
    pub task: TaskId,
    /// The time at which the last of its results came or went.
    pub at: Timestamp,
}

questions! {
    /// The boards on which results of models that everyone sees came or went since a moment, the
    /// last changed first, at most so many.
    fn changed_boards(since: Timestamp, limit: u32) -> Vec<ChangedBoard>;
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
    // The newest of all are found by an index. Those of one owner are gathered first: looking for
    // them among the newest of all might go through everything.
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

async fn changed_boards(
    connection: &mut Connection,
    since: Timestamp,
    limit: u32,
) -> sqlx::Result<Vec<ChangedBoard>> {
    // What came and what went are each found by an index of their own.
    let query = sql::query(
        "SELECT MIN(c.dataset), c.task, MAX(c.at_ms) AS last_ms FROM (
             SELECT e.dataset, e.dataset_lower, e.task, e.since_ms AS at_ms
             FROM entries e JOIN repositories r ON r.repo = e.repo
             WHERE e.until_ms IS NULL AND e.since_ms >= $1 AND NOT r.private AND NOT r.disabled
             UNION ALL
             SELECT e.dataset, e.dataset_lower, e.task, e.until_ms AS at_ms
             FROM entries e JOIN repositories r ON r.repo = e.repo
             WHERE e.until_ms IS NOT NULL AND e.until_ms >= $1 AND NOT r.private AND NOT r.disabled
         ) c GROUP BY c.dataset_lower, c.task ORDER BY last_ms DESC, c.dataset_lower, c.task LIMIT $2",
    );
    let query = query.bind(since.millis()).bind(limit);
    let read = |cells: &mut Cells<'_>| {
        Ok(ChangedBoard {
            dataset: cells.parse()?,
            task: cells.parse()?,
            at: cells.time()?,
        })
    };
    query.read_all(connection, read).await
}
