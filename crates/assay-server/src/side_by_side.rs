//! Models side by side on every board, for the page that compares them and for the API.

use std::collections::BTreeMap;
use std::sync::Arc;

use assay_app::{BoardQuery, BoardRow, BoardView, Caller};
use assay_board::{Verdict, difference};
use assay_model::{Direction, Metric, RepoId, RepoKind, TaskId};

use crate::error::Failure;
use crate::state::AppState;

/// Models with the boards that any of them is on.
pub(crate) struct SideBySide {
    /// The models that the caller sees, in the order of their names as they were given.
    pub(crate) models: Vec<RepoId>,
    /// The names that no visible model has.
    pub(crate) missing: Vec<String>,
    /// The boards, each with the row of each model.
    pub(crate) boards: Vec<(Arc<BoardView>, Vec<Option<BoardRow>>)>,
}

impl SideBySide {
    /// Finds the models of these names, of what the caller may see.
    pub(crate) async fn find(
        state: &AppState,
        caller: &Caller,
        names: &[String],
    ) -> Result<Self, Failure> {
        let mut models = Vec::new();
        let mut missing = Vec::new();
        let mut on: BTreeMap<(String, TaskId), RepoId> = BTreeMap::new();
        for name in names {
            let found = match name.parse::<RepoId>() {
                Ok(id) => {
                    let hub = &state.hub;
                    hub.repo(caller, RepoKind::Model, &id).await.ok()
                }
                Err(_) => None,
            };
            let Some(repo) = found else {
                missing.push(name.clone());
                continue;
            };
            for result in state.hub.boards().model_results(&repo).await?.iter() {
                let key = (result.dataset.as_str().to_lowercase(), result.task.clone());
                on.entry(key).or_insert_with(|| result.dataset.clone());
            }
            models.push(repo.id().clone());
        }
        models.dedup();
        let mut boards = Vec::new();
        for ((_, task), benchmark) in &on {
            boards.extend(board(state, caller, benchmark, task, &models).await?);
        }
        Ok(Self {
            models,
            missing,
            boards,
        })
    }
}

/// Returns a board with the rows of the models; none when the caller sees no such board.
async fn board(
    state: &AppState,
    caller: &Caller,
    benchmark: &RepoId,
    task: &TaskId,
    models: &[RepoId],
) -> Result<Option<(Arc<BoardView>, Vec<Option<BoardRow>>)>, Failure> {
    let query = BoardQuery {
        task: Some(task.as_str().to_owned()),
        ..BoardQuery::default()
    };
    let boards = state.hub.boards();
    let view = match boards.leaderboard(caller, benchmark, &query).await {
        Ok(view) => view,
        Err(assay_app::Error::NotFound(_) | assay_app::Error::Moved { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let of = |model: &RepoId| {
        let mut rows = view.rows().iter();
        rows.find(|row| row.loaded.model() == model).cloned()
    };
    let rows: Vec<Option<BoardRow>> = models.iter().map(of).collect();
    let is_empty = rows.iter().all(Option::is_none);
    Ok((!is_empty).then_some((view, rows)))
}

/// Returns whether a row is better than another, as far as their intervals tell; none when it is
/// not known how uncertain they are, or when they are ranked apart.
pub(crate) fn verdict(first: &BoardRow, row: &BoardRow, metric: &Metric) -> Option<Verdict> {
    if first.group != row.group {
        return None;
    }
    let difference = difference(&first.estimate?, &row.estimate?);
    let verdict = Verdict::of_difference(&difference);
    Some(match metric.direction {
        Direction::HigherIsBetter => verdict,
        Direction::LowerIsBetter => match verdict {
            Verdict::Above => Verdict::Below,
            Verdict::Below => Verdict::Above,
            Verdict::Unclear => Verdict::Unclear,
        },
    })
}
