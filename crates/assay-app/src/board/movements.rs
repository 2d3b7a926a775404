//! The history of a board: models that entered, rose and fell, moment by moment.

use std::collections::HashSet;
use std::sync::Arc;

use assay_board::{Change, Leaderboard, Movement, Question, changes, rank};
use assay_model::{Benchmark, MetricId, RepoId, TaskId, Timestamp};
use assay_store::EntryId;

use super::loaded_result::{self, LoadedResult};
use super::{BoardQuery, EvalResult, signed};
use crate::access::Caller;
use crate::error::Error;
use crate::hub::blocking;
use crate::services::BoardService;

/// Number of moments that are looked back at.
const MAX_MOMENTS: usize = 40;
/// The number of versions that ended which are looked back at.
const MAX_ENDED: u32 = 1000;
/// The most boards in one list of changes.
const MAX_BOARDS: u32 = 40;
/// The number of models displaced by one change that are named.
const MAX_DISPLACED: usize = 8;

/// The recent changes of a board.
#[derive(Debug, Clone)]
pub struct BoardChanges {
    /// The benchmark.
    pub benchmark_id: RepoId,
    /// Its definition.
    pub benchmark: Arc<Benchmark>,
    /// The task.
    pub task: TaskId,
    /// The metric that ranks.
    pub metric: MetricId,
    /// The changes, newest first.
    pub changes: Vec<BoardChange>,
}

/// The changes on the boards of the hub since a moment.
#[derive(Debug, Clone, Default)]
pub struct ChangedBoards {
    /// The boards, the last changed first, each with what happened.
    pub boards: Vec<BoardChanges>,
    /// True when more boards have changed than are listed.
    pub has_more: bool,
}

impl ChangedBoards {
    /// The most boards in one list.
    pub const MOST: usize = MAX_BOARDS as usize;
}

/// A model came, went, or has another value than before.
#[derive(Debug, Clone)]
pub struct BoardChange {
    /// The time of the change.
    pub at: Timestamp,
    /// The model.
    pub model: RepoId,
    /// The change of its rank.
    pub movement: Movement,
    /// Its value before.
    pub value_before: Option<f64>,
    /// Its value after.
    pub value_after: Option<f64>,
    /// The result behind the new value.
    pub result: Option<Arc<EvalResult>>,
    /// The models that have another rank because of it, best first; not all when there are many.
    pub displaced: Vec<Displaced>,
}

/// A model whose rank changed because of others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Displaced {
    /// The model.
    pub model: RepoId,
    /// The rank it had.
    pub from: usize,
    /// The rank it has.
    pub to: usize,
}

impl BoardService<'_> {
    /// Lists the changes since a moment on the boards that the caller may see, at most `limit` of
    /// each.
    pub async fn changes_since(
        self,
        caller: &Caller,
        since: Timestamp,
        limit: usize,
    ) -> Result<ChangedBoards, Error> {
        let found = self.hub.store.changed_boards(since, MAX_BOARDS + 1).await?;
        let mut told = ChangedBoards {
            boards: Vec::new(),
            has_more: found.len() > ChangedBoards::MOST,
        };
        for board in found.into_iter().take(ChangedBoards::MOST) {
            let task = Some(board.task.as_str());
            let changes = self.board_changes(caller, &board.dataset, task, Some(since), limit);
            match changes.await {
                Ok(changes) if changes.changes.is_empty() => {}
                Ok(changes) => told.boards.push(changes),
                // Results may name a benchmark or a task that nobody has defined, or that the
                // caller may not see.
                Err(Error::NotFound(_) | Error::Denied(_) | Error::Moved { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(told)
    }

    /// Returns the recent changes of a board that the caller may see, as everyone sees it: private
    /// models have no part in it. Nothing before `since` is reported.
    pub async fn board_changes(
        self,
        caller: &Caller,
        benchmark: &RepoId,
        task: Option<&str>,
        since: Option<Timestamp>,
        limit: usize,
    ) -> Result<BoardChanges, Error> {
        let benchmark = self.visible_benchmark(caller, benchmark).await?;
        let query = BoardQuery {
            task: task.map(str::to_owned),
            ..BoardQuery::default()
        };
        let plan = self.plan(benchmark, &query).await?;
        let name = plan.benchmark.name();
        let board = self
            .hub
            .board_cache
            .board(&self.hub.store, &plan.benchmark)
            .await?;
        let task = board.task(&plan.task);
        let plan = plan.for_results(&query, task.everyones());
        let mut ended = self
            .hub
            .store
            .ended_ranking_rows(&name, &plan.task, MAX_ENDED)
            .await?;
        // What ended before these is not known, so nothing is told of the time before.
        let known_since = (ended.len() >= MAX_ENDED as usize)
            .then(|| ended.last().and_then(|oldest| oldest.until))
            .flatten();
        let before = since.map(|since| Timestamp::from_millis(since.millis() - 1));
        let known_since = known_since.max(before);
        ended.retain(|row| !row.private && !row.disabled);
        signed::check_briefs(&self.hub.git, plan.benchmark.key, &mut ended).await?;
        let said = loaded_result::said_twice(&self.hub.store, &ended).await?;
        let question = plan.question.clone();
        let found = blocking(move || {
            let ended = ended.into_iter().map(|row| {
                let said = said.get(&row.id).copied();
                Arc::new(LoadedResult::new(row, said))
            });
            let mut versions: Vec<Arc<LoadedResult>> = ended.collect();
            // One that ended since the board was read is there twice, and it did end.
            let gone: HashSet<EntryId> = versions.iter().map(|loaded| loaded.id()).collect();
            let current = task.everyones().iter();
            versions.extend(
                current
                    .filter(|loaded| !gone.contains(&loaded.id()))
                    .cloned(),
            );
            lately(&versions, &question, known_since, limit)
        })
        .await?;
        let (id, definition) = (&plan.benchmark.id, &plan.benchmark.definition);
        let mut changes = Vec::with_capacity(found.len());
        for (mut change, behind) in found {
            if let Some(loaded) = behind {
                let behind = [&loaded];
                let whole =
                    self.hub
                        .board_cache
                        .wholes
                        .of(&self.hub.store, id, definition, &behind);
                change.result = whole.await?.pop().flatten();
            }
            changes.push(change);
        }
        Ok(BoardChanges {
            benchmark_id: id.clone(),
            benchmark: Arc::clone(definition),
            task: plan.task,
            metric: plan.question.metric,
            changes,
        })
    }
}

/// A change, and the result behind the new value, as it is in memory.
type ChangeWithResult = (BoardChange, Option<Arc<LoadedResult>>);

fn lately(
    versions: &[Arc<LoadedResult>],
    question: &Question,
    known_since: Option<Timestamp>,
    limit: usize,
) -> Result<Vec<ChangeWithResult>, Error> {
    let mut found = Vec::new();
    let mut after: Option<Leaderboard<'_>> = None;
    for at in moments(versions) {
        if found.len() >= limit || known_since.is_some_and(|since| at <= since) {
            break;
        }
        let before = board_at(versions, question, Timestamp::from_millis(at.millis() - 1));
        let now = match after.take() {
            Some(now) => now,
            None => board_at(versions, question, at),
        };
        let moved = changes(&before, &now).map_err(Error::internal)?;
        let behind = |change: &Change<'_>| {
            let row = now.row_of(change.key)?;
            Some(Arc::clone(&versions[row.given()]))
        };
        found.extend(told(at, &moved, behind, limit - found.len()));
        // Between two moments nothing changes, so the board before this one is the board after the
        // last.
        after = Some(before);
    }
    Ok(found)
}

fn board_at<'r>(
    versions: &'r [Arc<LoadedResult>],
    question: &Question,
    at: Timestamp,
) -> Leaderboard<'r> {
    let mut question = question.clone();
    question.as_of = Some(at);
    rank(versions.iter().map(|version| &version.rankable), &question)
}

/// The moments at which something began or ended, newest first.
fn moments(versions: &[Arc<LoadedResult>]) -> Vec<Timestamp> {
    let began = versions.iter().map(|version| version.rankable.since);
    let ended = versions.iter().filter_map(|version| version.rankable.until);
    let mut moments: Vec<Timestamp> = began.chain(ended).collect();
    moments.sort_unstable_by(|left, right| right.cmp(left));
    moments.dedup();
    moments.truncate(MAX_MOMENTS);
    moments
}

/// Returns the changes of one moment: the models that changed themselves, each with those that they
/// displaced.
fn told(
    at: Timestamp,
    moved: &[Change<'_>],
    behind: impl Fn(&Change<'_>) -> Option<Arc<LoadedResult>>,
    limit: usize,
) -> Vec<ChangeWithResult> {
    let displaced: Vec<Displaced> = moved
        .iter()
        .filter(|change| !is_own_doing(change))
        .filter_map(displacement)
        .take(MAX_DISPLACED)
        .collect();
    let own = moved.iter().filter(|change| is_own_doing(change));
    let told = |change: &Change<'_>| BoardChange {
        at,
        model: change.model.clone(),
        movement: change.movement,
        value_before: change.value_before,
        value_after: change.value_after,
        result: None,
        displaced: displaced.clone(),
    };
    // Who is behind a change is looked for on the whole board, and thousands may come at one
    // moment.
    own.take(limit)
        .map(|change| (told(change), behind(change)))
        .collect()
}

/// Returns true when a model moved because its own value changed, and not because of others.
pub(super) fn is_own_doing(change: &Change<'_>) -> bool {
    let same = |(before, after): (f64, f64)| before.total_cmp(&after).is_eq();
    !change
        .value_before
        .zip(change.value_after)
        .is_some_and(same)
}

fn displacement(change: &Change<'_>) -> Option<Displaced> {
    match change.movement {
        Movement::Rose { from, to } | Movement::Fell { from, to } => Some(Displaced {
            model: change.model.clone(),
            from,
            to,
        }),
        Movement::Entered { .. } | Movement::Held { .. } | Movement::Left { .. } => None,
    }
}
