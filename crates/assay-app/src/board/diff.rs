//! A board at two moments: the rows that came, went, moved or have another value.

use std::sync::Arc;

use assay_board::{Change, Leaderboard, Movement, changes, rank};
use assay_model::{Benchmark, MetricId, RepoId, TaskId, Timestamp};

use super::loaded_result::LoadedResult;
use super::movements::is_own_doing;
use super::plan::Plan;
use super::{BoardQuery, EvalResult, moment};
use crate::access::Caller;
use crate::error::Error;
use crate::hub::blocking;
use crate::services::BoardService;

/// The most boards in the diff of a hub.
const MAX_BOARDS: u32 = 40;
/// The most rows of one board in a diff.
const MAX_ROWS: usize = 1000;

/// The two moments of a diff, each a date, a moment, or a commit of the benchmark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moments {
    /// The earlier one.
    pub from: String,
    /// The later one; now when absent.
    pub to: Option<String>,
}

/// The difference of a row between two moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RowChangeKind {
    /// The model was not on the earlier board.
    Came,
    /// The model is not on the later board.
    Went,
    /// The model has another value.
    Changed,
    /// The model has the same value and another rank.
    Moved,
}

/// A row that differs between two moments.
#[derive(Debug, Clone)]
pub struct RowChange {
    /// The kind of difference.
    pub kind: RowChangeKind,
    /// The model.
    pub model: RepoId,
    /// The ranks before and after.
    pub movement: Movement,
    /// The value before.
    pub value_before: Option<f64>,
    /// The value after.
    pub value_after: Option<f64>,
    /// The result behind the value after; of a row that went, the one behind the value before.
    pub result: Option<Arc<EvalResult>>,
}

/// A board at one of two moments.
#[derive(Debug, Clone, PartialEq)]
pub struct BoardState {
    /// When.
    pub at: Option<Timestamp>,
    /// The number of rows.
    pub rows: usize,
    /// The model of the first row whose value nothing puts in doubt, with the value.
    pub leader: Option<(RepoId, f64)>,
}

/// The number of rows that differ, by how they do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowChangeCounts {
    /// Rows that came.
    pub came: usize,
    /// Rows that went.
    pub went: usize,
    /// Rows with another value.
    pub changed: usize,
    /// Rows with another rank alone.
    pub moved: usize,
}

/// The difference of a board between two moments.
#[derive(Debug, Clone)]
pub struct BoardDiff {
    /// The benchmark.
    pub benchmark_id: RepoId,
    /// Its definition at the later moment.
    pub benchmark: Arc<Benchmark>,
    /// The task.
    pub task: TaskId,
    /// The metric that ranks.
    pub metric: MetricId,
    /// The name of the policy.
    pub policy: &'static str,
    /// The earlier board.
    pub before: BoardState,
    /// The later board.
    pub after: BoardState,
    /// The number of rows that differ, whether they are asked for or not.
    pub counts: RowChangeCounts,
    /// The rows that were asked for: those of the later board in its order, then those that went.
    pub rows: Vec<RowChange>,
}

/// The differences of all boards between two moments.
#[derive(Debug, Clone, Default)]
pub struct HubDiff {
    /// The boards that differ, the last changed first.
    pub boards: Vec<BoardDiff>,
    /// True when more boards have changed since the earlier moment than were looked at.
    pub has_more: bool,
}

impl HubDiff {
    /// The most boards that are looked at.
    pub const MOST: usize = MAX_BOARDS as usize;
}

impl RowChangeKind {
    /// All of them, in the order of their names on pages.
    pub const ALL: [Self; 4] = [Self::Came, Self::Went, Self::Changed, Self::Moved];

    /// Returns its name in addresses and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Came => "came",
            Self::Went => "went",
            Self::Changed => "changed",
            Self::Moved => "moved",
        }
    }

    /// Returns the kind of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    fn of_change(change: &Change<'_>) -> Self {
        match change.movement {
            Movement::Entered { .. } => Self::Came,
            Movement::Left { .. } => Self::Went,
            Movement::Rose { .. } | Movement::Fell { .. } | Movement::Held { .. } => {
                if is_own_doing(change) {
                    Self::Changed
                } else {
                    Self::Moved
                }
            }
        }
    }
}

impl RowChangeCounts {
    /// Returns how many rows differ in this way.
    pub fn of_kind(self, kind: RowChangeKind) -> usize {
        match kind {
            RowChangeKind::Came => self.came,
            RowChangeKind::Went => self.went,
            RowChangeKind::Changed => self.changed,
            RowChangeKind::Moved => self.moved,
        }
    }

    /// Returns how many rows differ.
    pub fn total(self) -> usize {
        self.came + self.went + self.changed + self.moved
    }

    fn count(&mut self, kind: RowChangeKind) {
        *match kind {
            RowChangeKind::Came => &mut self.came,
            RowChangeKind::Went => &mut self.went,
            RowChangeKind::Changed => &mut self.changed,
            RowChangeKind::Moved => &mut self.moved,
        } += 1;
    }
}

/// The results of a board at a moment that the caller may see.
struct Visible {
    plan: Plan,
    results: Vec<Arc<LoadedResult>>,
}

/// A changed row, and the result to show beside it, as it is in memory.
type ChangeWithResult = (RowChange, Option<Arc<LoadedResult>>);

/// The outcome of ranking both boards.
struct Compared {
    before: BoardState,
    after: BoardState,
    counts: RowChangeCounts,
    rows: Vec<ChangeWithResult>,
}

impl BoardService<'_> {
    /// Returns how a board differs between two moments, of what the caller may see. Of the query,
    /// `as_of` counts for nothing;
    /// `limit` and `offset` choose among the rows of the kind, or of all kinds.
    pub async fn board_diff(
        self,
        caller: &Caller,
        benchmark: &RepoId,
        query: &BoardQuery,
        moments: &Moments,
        kind: Option<RowChangeKind>,
    ) -> Result<BoardDiff, Error> {
        let at = |as_of: Option<&String>| BoardQuery {
            as_of: as_of.cloned(),
            ..query.clone()
        };
        let later = at(moments.to.as_ref());
        let after = self.visible(caller, benchmark, &later).await?;
        // Both boards rank by one metric: the later one has the last word.
        let earlier = BoardQuery {
            metric: Some(after.plan.question.metric.to_string()),
            ..at(Some(&moments.from))
        };
        let before = self.visible(caller, benchmark, &earlier).await?;
        if let (Some(from), Some(to)) = (before.plan.as_of, after.plan.as_of)
            && from > to
        {
            return Err(Error::Invalid(format!(
                "{from} is after {to}: the earlier moment comes first"
            )));
        }
        let limit = query.limit.unwrap_or(MAX_ROWS).min(MAX_ROWS);
        let (offset, plan) = (query.offset, after.plan.clone());
        let found = blocking(move || compare(&before, &after, kind, offset, limit)).await?;
        let (id, definition) = (&plan.benchmark.id, &plan.benchmark.definition);
        let behind: Vec<&Arc<LoadedResult>> = found
            .rows
            .iter()
            .filter_map(|(_, loaded)| loaded.as_ref())
            .collect();
        let wholes = &self.hub.board_cache.wholes;
        let wholes = wholes.of(&self.hub.store, id, definition, &behind).await?;
        let mut wholes = wholes.into_iter();
        let rows = found.rows.into_iter().map(|(row, loaded)| RowChange {
            result: loaded.and_then(|_| wholes.next().flatten()),
            ..row
        });
        let rows = rows.collect();
        Ok(BoardDiff {
            benchmark_id: id.clone(),
            benchmark: Arc::clone(definition),
            policy: plan.asked.policy.as_str(),
            task: plan.task,
            metric: plan.question.metric,
            before: found.before,
            after: found.after,
            counts: found.counts,
            rows,
        })
    }

    /// Returns how the boards that the caller may see differ between two moments, at most `limit`
    /// rows of each. Commits are no moments of a whole hub.
    pub async fn hub_diff(
        self,
        caller: &Caller,
        moments: &Moments,
        limit: usize,
    ) -> Result<HubDiff, Error> {
        let from = hub_moment(&moments.from)?;
        if let Some(to) = &moments.to {
            let to = hub_moment(to)?;
            if from > to {
                return Err(Error::Invalid(format!(
                    "{from} is after {to}: the earlier moment comes first"
                )));
            }
        }
        let found = self.hub.store.changed_boards(from, MAX_BOARDS + 1).await?;
        let mut diff = HubDiff {
            boards: Vec::new(),
            has_more: found.len() > HubDiff::MOST,
        };
        for board in found.into_iter().take(HubDiff::MOST) {
            let query = BoardQuery {
                task: Some(board.task.to_string()),
                limit: Some(limit),
                ..BoardQuery::default()
            };
            let of_board = self.board_diff(caller, &board.dataset, &query, moments, None);
            match of_board.await {
                Ok(of_board) if of_board.counts.total() == 0 => {}
                Ok(of_board) => diff.boards.push(of_board),
                // Results may name a benchmark or a task that nobody has defined, or that the
                // caller may not see.
                Err(Error::NotFound(_) | Error::Denied(_) | Error::Moved { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(diff)
    }

    async fn visible(
        self,
        caller: &Caller,
        benchmark: &RepoId,
        query: &BoardQuery,
    ) -> Result<Visible, Error> {
        let (plan, task) = self.planned_results(caller, benchmark, query).await?;
        let viewer = self.hub.repositories().viewer(caller).await?;
        let results = task.visible_to(&viewer).cloned().collect();
        Ok(Visible { plan, results })
    }
}

fn hub_moment(text: &str) -> Result<Timestamp, Error> {
    moment::moment(text).ok_or_else(|| {
        Error::Invalid(format!(
            "`{text}` is no moment: write a date as 2026-03-01 or a time as 2026-03-01T12:00:00Z"
        ))
    })
}

fn compare(
    before: &Visible,
    after: &Visible,
    kind: Option<RowChangeKind>,
    offset: usize,
    limit: usize,
) -> Result<Compared, Error> {
    let (old, new) = (board_of(before), board_of(after));
    let changes = changes(&old, &new).map_err(|error| {
        Error::Invalid(format!(
            "the benchmark was defined anew between these moments: {error}"
        ))
    })?;
    let mut counts = RowChangeCounts::default();
    let mut rows = Vec::new();
    let mut passed = 0;
    for change in &changes {
        let own = RowChangeKind::of_change(change);
        counts.count(own);
        if kind.is_some_and(|kind| kind != own) {
            continue;
        }
        passed += 1;
        if passed <= offset || rows.len() >= limit {
            continue;
        }
        let behind = match own {
            RowChangeKind::Went => result_behind(&old, change, &before.results),
            _ => result_behind(&new, change, &after.results),
        };
        let row = RowChange {
            kind: own,
            model: change.model.clone(),
            movement: change.movement,
            value_before: change.value_before,
            value_after: change.value_after,
            result: None,
        };
        rows.push((row, behind));
    }
    Ok(Compared {
        before: state_of(&old, before),
        after: state_of(&new, after),
        counts,
        rows,
    })
}

fn board_of(visible: &Visible) -> Leaderboard<'_> {
    let results = visible.results.iter().map(|loaded| &loaded.rankable);
    rank(results, &visible.plan.question)
}

fn result_behind(
    board: &Leaderboard<'_>,
    change: &Change<'_>,
    results: &[Arc<LoadedResult>],
) -> Option<Arc<LoadedResult>> {
    let row = board.row_of(change.key)?;
    results.get(row.given()).cloned()
}

fn state_of(board: &Leaderboard<'_>, visible: &Visible) -> BoardState {
    let definition = &visible.plan.benchmark.definition;
    let is_sound = |loaded: &LoadedResult| !loaded.is_doubted() && !loaded.is_off_scale(definition);
    let leader = board.rows().iter().take(super::MAX_PASSED).find(|row| {
        let mut runs = row.runs().iter();
        row.group() == 0 && runs.all(|run| is_sound(&visible.results[*run]))
    });
    BoardState {
        at: visible.plan.as_of,
        rows: board.rows().len(),
        leader: leader.map(|row| (row.result().model.clone(), row.value())),
    }
}
