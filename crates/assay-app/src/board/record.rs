//! The records of a board: the results that were the best when they were made.

use std::collections::HashMap;
use std::sync::Arc;

use assay_board::{Policy, Question, chart, rank};
use assay_model::{Benchmark, RepoId, RepoKey, Timestamp};
use assay_store::RankingRow;

use super::loaded_result::LoadedResult;
use super::{BoardView, signed};
use crate::error::Error;
use crate::hub::blocking;
use crate::services::BoardService;

/// Number of replaced results that are looked through.
const MAX_REPLACED: u32 = 10_000;

/// A result that set a record when it was made.
#[derive(Debug, Clone, PartialEq)]
pub struct BoardRecord {
    /// The model.
    pub model: RepoId,
    /// Time at which the evaluation was made.
    pub moment: Timestamp,
    /// The same as it was written.
    pub date: String,
    /// The value.
    pub value: f64,
}

impl BoardService<'_> {
    /// The records of the first group of a board, oldest first, from every result that ever
    /// counted: of every run and setup, and those that a newer result of their model has replaced.
    /// What was withdrawn, or corrected under the same date, never counted, nor does a value in
    /// doubt.
    pub async fn board_records(self, view: &BoardView) -> Result<Arc<Vec<BoardRecord>>, Error> {
        let (task, plan) = (Arc::clone(&view.task_results), view.plan.clone());
        let kept = task.kept_records(&plan.asked);
        let find = || async {
            let mut replaced = Vec::new();
            if plan.as_of.is_none() {
                let name = plan.benchmark.name();
                let ended = self
                    .hub
                    .store
                    .ended_ranking_rows(&name, &plan.task, MAX_REPLACED);
                replaced = ended.await?;
            }
            replaced.retain(|row| !row.private && !row.disabled);
            signed::check_briefs(&self.hub.git, plan.benchmark.key, &mut replaced).await?;
            let task = Arc::clone(&task);
            let question = plan.question.clone();
            let definition = Arc::clone(&plan.benchmark.definition);
            blocking(move || {
                let found = records(task.everyones(), replaced, question, &definition);
                Ok(Arc::new(found))
            })
            .await
        };
        kept.get_or_try_init(find).await.map(Arc::clone)
    }
}

fn records(
    current: &[Arc<LoadedResult>],
    replaced: Vec<RankingRow>,
    mut question: Question,
    benchmark: &Benchmark,
) -> Vec<BoardRecord> {
    let mut newest: HashMap<RepoKey, Timestamp> = HashMap::new();
    for loaded in current {
        let known = newest
            .entry(loaded.rankable.key)
            .or_insert(loaded.rankable.date);
        *known = loaded.rankable.date.max(*known);
    }
    let has_newer = |row: &RankingRow| newest.get(&row.key).is_some_and(|date| *date > row.moment);
    let replaced = replaced.into_iter().filter(|row| has_newer(row));
    let replaced =
        replaced.map(|row| Arc::new(LoadedResult::new(RankingRow { until: None, ..row }, None)));
    let mut all: Vec<Arc<LoadedResult>> = current.iter().cloned().chain(replaced).collect();
    // A value in doubt sets no record.
    all.retain(|loaded| !loaded.is_doubted() && !loaded.is_off_scale(benchmark));
    question.policy = Policy::All;
    let board = rank(all.iter().map(|loaded| &loaded.rankable), &question);
    let first = board.rows().iter().take_while(|row| row.group() == 0);
    let points: Vec<(&Arc<LoadedResult>, (Timestamp, f64))> = first
        .map(|row| {
            let loaded = &all[row.given()];
            (loaded, (loaded.rankable.date, row.value()))
        })
        .collect();
    let places: Vec<(Timestamp, f64)> = points.iter().map(|(_, point)| *point).collect();
    let set = chart::records(&places, question.direction);
    set.into_iter()
        .map(|index| {
            let (loaded, (moment, value)) = points[index];
            BoardRecord {
                model: loaded.model().clone(),
                moment,
                date: loaded.date(),
                value,
            }
        })
        .collect()
}
