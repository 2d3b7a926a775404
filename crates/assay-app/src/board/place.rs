//! The place of one model on a board.

use assay_board::{RankInterval, percentile};
use assay_model::{MetricId, RepoId, TaskId};

use super::BoardQuery;
use crate::Repo;
use crate::access::Caller;
use crate::error::Error;
use crate::services::BoardService;

/// The place of a model on a board.
#[derive(Debug, Clone, PartialEq)]
pub struct BoardPlace {
    /// The metric that ranks.
    pub metric: MetricId,
    /// The rank; the best when the model has several rows.
    pub rank: usize,
    /// Between which ranks it lies, when it is known how uncertain the value is.
    pub rank_interval: Option<RankInterval>,
    /// The number of rows that it is compared with.
    pub total: usize,
    /// The percentage of the others that it is at least as good as.
    pub percentile: f64,
    /// The value it is ranked by.
    pub value: f64,
}

impl BoardService<'_> {
    /// Returns the place of a model on the board of a task, by its primary metric, among the
    /// results that the caller may see. None when it is not there, or the caller sees no such
    /// board.
    pub async fn place_on_board(
        self,
        caller: &Caller,
        benchmark: &RepoId,
        task: &TaskId,
        model: &Repo,
    ) -> Result<Option<BoardPlace>, Error> {
        let benchmark = match self.visible_benchmark(caller, benchmark).await {
            Ok(benchmark) => benchmark,
            Err(Error::NotFound(_) | Error::Moved { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        if benchmark.definition.task(task.as_str()).is_none() {
            return Ok(None);
        }
        let query = BoardQuery {
            task: Some(task.as_str().to_owned()),
            ..BoardQuery::default()
        };
        let plan = self.plan(benchmark, &query).await?;
        let board = self
            .hub
            .board_cache
            .board(&self.hub.store, &plan.benchmark)
            .await?;
        let task = board.task(&plan.task);
        let plan = plan.for_results(&query, task.everyones());
        let ranked = self.ranked(caller, &task, &plan).await?;
        let row = ranked.iter().find(|row| row.key == model.key);
        Ok(row.map(|row| {
            let total = ranked
                .iter()
                .filter(|other| other.group == row.group)
                .count();
            BoardPlace {
                metric: plan.question.metric.clone(),
                rank: row.rank,
                rank_interval: row.rank_interval,
                total,
                percentile: percentile(row.rank, total),
                value: row.value,
            }
        }))
    }
}
