//! How a board came to be what it is: who entered, rose and fell, moment by moment.

use std::sync::Arc;

use assay_board::{Change, Leaderboard, Movement, Question, Report, changes, rank};
use assay_model::{Benchmark, MetricId, RepoId, TaskId, Timestamp};
use assay_store::BoardEntry;

use super::{BoardQuery, EvalResult, result};
use crate::access::Caller;
use crate::error::Error;
use crate::hub::{Hub, blocking};
use crate::known::KnownBenchmark;

/// How many moments are looked back at.
const MAX_MOMENTS: usize = 40;
/// How many of those who were moved by one change are named.
const MAX_DISPLACED: usize = 8;

/// What happened on a board lately.
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
    /// What happened, newest first.
    pub changes: Vec<BoardChange>,
}

/// A model came, went, or has another value than before.
#[derive(Debug, Clone)]
pub struct BoardChange {
    /// When.
    pub at: Timestamp,
    /// The model.
    pub model: RepoId,
    /// What became of its rank.
    pub movement: Movement,
    /// Its value before.
    pub value_before: Option<f64>,
    /// Its value after.
    pub value_after: Option<f64>,
    /// The result behind the new value.
    pub result: Option<Arc<EvalResult>>,
    /// Who has another rank for it, best first; not all when there are many.
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

impl Hub {
    /// What happened lately on a board that the caller may see, as everyone sees it: private models have no part in it.
    pub async fn board_changes(
        &self,
        caller: &Caller,
        benchmark: &RepoId,
        task: Option<&str>,
        limit: usize,
    ) -> Result<BoardChanges, Error> {
        let benchmark = self.visible_benchmark(caller, benchmark).await?;
        let query = BoardQuery {
            task: task.map(str::to_owned),
            derived_models: true,
            ..BoardQuery::default()
        };
        let plan = self.plan(benchmark, &query).await?;
        let name = plan.benchmark.name();
        let versions = self.store.versions_of_board(&name, &plan.task).await?;
        let (known, question) = (Arc::clone(&plan.benchmark), plan.question.clone());
        let found = blocking(move || lately(&versions, &known, &question, limit)).await?;
        Ok(BoardChanges {
            benchmark_id: plan.benchmark.id.clone(),
            benchmark: Arc::clone(&plan.benchmark.definition),
            task: plan.task,
            metric: plan.question.metric,
            changes: found,
        })
    }
}

fn lately(
    versions: &[BoardEntry],
    known: &KnownBenchmark,
    question: &Question,
    limit: usize,
) -> Result<Vec<BoardChange>, Error> {
    let seen: Vec<&BoardEntry> = versions
        .iter()
        .filter(|row| !row.private && !row.disabled)
        .collect();
    let reports: Vec<Report> = seen
        .iter()
        .enumerate()
        .map(|(handle, row)| result::report(row, &known.definition, handle))
        .collect();
    let mut found = Vec::new();
    let mut after: Option<Leaderboard<'_>> = None;
    for at in moments(&reports) {
        if found.len() >= limit {
            break;
        }
        let before = board_at(&reports, question, Timestamp::from_millis(at.millis() - 1));
        let now = match after.take() {
            Some(now) => now,
            None => board_at(&reports, question, at),
        };
        let moved = changes(&before, &now).map_err(Error::internal)?;
        let shown = |change: &Change<'_>| {
            let report = now.row_of(change.key)?.report();
            Some(Arc::new(result::on_board(
                seen[report.handle],
                &known.id,
                &known.definition,
            )))
        };
        found.extend(told(at, &moved, shown));
        // Between two moments nothing changes, so the board before this one is the board after the last.
        after = Some(before);
    }
    found.truncate(limit);
    Ok(found)
}

fn board_at<'r>(reports: &'r [Report], question: &Question, at: Timestamp) -> Leaderboard<'r> {
    let mut question = question.clone();
    question.as_of = Some(at);
    rank(reports, &question)
}

/// The moments at which something began or ended, newest first.
fn moments(reports: &[Report]) -> Vec<Timestamp> {
    let began = reports.iter().map(|report| report.since);
    let ended = reports.iter().filter_map(|report| report.until);
    let mut moments: Vec<Timestamp> = began.chain(ended).collect();
    moments.sort_unstable_by(|left, right| right.cmp(left));
    moments.dedup();
    moments.truncate(MAX_MOMENTS);
    moments
}

/// What happened at one moment: who changed by their own doing, each with those who were moved by it.
fn told(
    at: Timestamp,
    moved: &[Change<'_>],
    shown: impl Fn(&Change<'_>) -> Option<Arc<EvalResult>>,
) -> Vec<BoardChange> {
    let displaced: Vec<Displaced> = moved
        .iter()
        .filter(|change| !is_own_doing(change))
        .filter_map(displacement)
        .take(MAX_DISPLACED)
        .collect();
    let own = moved.iter().filter(|change| is_own_doing(change));
    own.map(|change| BoardChange {
        at,
        model: change.model.clone(),
        movement: change.movement,
        value_before: change.value_before,
        value_after: change.value_after,
        result: shown(change),
        displaced: displaced.clone(),
    })
    .collect()
}

/// Whether a model moved because its own value changed, and not because of others.
fn is_own_doing(change: &Change<'_>) -> bool {
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
