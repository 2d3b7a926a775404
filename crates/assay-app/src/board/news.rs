//! News of the hub, of results that everyone sees.

use std::sync::Arc;

use assay_model::{Benchmark, RepoId, Timestamp};
use assay_store::{NewsFilter, PublicCounts};

use super::{BoardQuery, EvalResult};
use crate::error::Error;
use crate::services::BoardService;

/// The number of entries of the index that are looked at for one that is reported: some are of
/// unknown benchmarks.
const LOOKED_AT: u32 = 4;
/// The most news that are told at once.
const MAX: u32 = 100;

/// A request for news.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewsQuery {
    /// Only verified results.
    pub verified: bool,
    /// Only models of this user or organisation.
    pub owner: Option<String>,
    /// At most so many.
    pub limit: u32,
}

/// A result that is new on a board.
#[derive(Debug, Clone)]
pub struct News {
    /// Since when it is there.
    pub since: Timestamp,
    /// The benchmark.
    pub benchmark_id: RepoId,
    /// Its definition.
    pub benchmark: Arc<Benchmark>,
    /// The result.
    pub result: Arc<EvalResult>,
    /// Its rank, when it is the result of its model that counts.
    pub rank: Option<usize>,
    /// Number of rows that the board has.
    pub total: usize,
}

impl BoardService<'_> {
    /// The newest results on boards that everyone sees, newest first.
    pub async fn news(self, query: &NewsQuery) -> Result<Vec<News>, Error> {
        let owner = match &query.owner {
            None => None,
            Some(name) => match self.hub.store.account_named(name).await? {
                None => return Ok(Vec::new()),
                Some(account) => Some(account.id),
            },
        };
        let filter = NewsFilter {
            verified: query.verified,
            owner,
        };
        let limit = query.limit.min(MAX);
        let entries = self.hub.store.news(filter, limit * LOOKED_AT).await?;
        let mut news = Vec::new();
        for entry in entries {
            if news.len() >= usize::try_from(limit).unwrap_or(usize::MAX) {
                break;
            }
            let told = self.told(&entry).await?;
            news.extend(told.filter(|told| !query.verified || told.result.standing.is_verified()));
        }
        Ok(news)
    }

    /// Returns the totals that everyone sees.
    pub async fn public_counts(self) -> Result<PublicCounts, Error> {
        Ok(self.hub.store.public_counts().await?)
    }

    /// An entry with its board; none when everyone sees no such board.
    async fn told(self, entry: &assay_store::News) -> Result<Option<News>, Error> {
        let known = self.hub.board_cache.known(&self.hub.store).await?;
        let benchmark = known.named(entry.dataset.as_str());
        let Some(benchmark) = benchmark.filter(|benchmark| benchmark.public) else {
            return Ok(None);
        };
        if benchmark.definition.task(entry.task.as_str()).is_none() {
            return Ok(None);
        }
        let query = BoardQuery {
            task: Some(entry.task.as_str().to_owned()),
            ..BoardQuery::default()
        };
        let plan = self.plan(Arc::clone(benchmark), &query).await?;
        let board = self
            .hub
            .board_cache
            .board(&self.hub.store, &plan.benchmark)
            .await?;
        let task = board.task(&plan.task);
        let plan = plan.for_results(&query, task.everyones());
        let Some(loaded) = task.result_since(&entry.model, entry.since) else {
            return Ok(None);
        };
        let (id, definition) = (&plan.benchmark.id, &plan.benchmark.definition);
        let behind = [loaded];
        let whole = self
            .hub
            .board_cache
            .wholes
            .of(&self.hub.store, id, definition, &behind);
        let Some(result) = whole.await?.pop().flatten() else {
            return Ok(None);
        };
        let ranked = task.public(&plan).await?;
        let row = ranked.iter().find(|row| Arc::ptr_eq(&row.loaded, loaded));
        Ok(Some(News {
            since: entry.since,
            benchmark_id: plan.benchmark.id.clone(),
            benchmark: Arc::clone(&plan.benchmark.definition),
            rank: row.map(|row| row.rank),
            total: ranked.len(),
            result,
        }))
    }
}
