//! The boards that a matrix is made of.

use std::sync::Arc;

use assay_app::{BoardQuery, BoardView, Caller, ListQuery, ListSort};
use assay_hub_api::Digits;
use assay_model::{Metric, RepoId, RepoKind, Task, TaskId};

use super::super::board::ranking;
use super::super::chart::unit;
use super::super::links;
use super::super::query::State;
use super::question::Question;
use super::table::{Matrix, MatrixColumn};
use crate::error::Failure;
use crate::state::AppState;

/// Number of tasks that have a column.
pub(super) const MAX_COLUMNS: usize = 60;
/// Number of benchmarks of the hub that have columns.
const MAX_BENCHMARKS: usize = 60;
/// Number of tasks of one benchmark that have a column beside those of others.
const TASKS_OF_ONE: usize = 6;

/// A matrix and how many tasks have no column in it.
#[derive(Debug, Default)]
pub(in crate::web) struct LoadedMatrix {
    pub(in crate::web) matrix: Matrix,
    pub(in crate::web) left_out: usize,
}

/// The matrix of the hub that anonymous visitors see, ranked by the default rule, with the
/// generation of the boards that it was loaded in. One request loads it while others wait for it.
#[derive(Debug, Default)]
pub(crate) struct PublicMatrixCache(tokio::sync::Mutex<Option<(u64, Arc<LoadedMatrix>)>>);

/// Returns the matrix of the hub that anonymous visitors see, ranked by the default rule.
pub(in crate::web) async fn public_matrix(state: &AppState) -> Result<Arc<LoadedMatrix>, Failure> {
    let mut kept = state.web.public_matrix.0.lock().await;
    // Read before the boards: a change while they are loaded makes the matrix stale.
    let generation = state.hub.boards().generation();
    if let Some((of, matrix)) = &*kept
        && *of == generation
    {
        return Ok(Arc::clone(matrix));
    }
    let mut loaded = hub_matrix(state, &Caller::anonymous()).await?;
    let question = Question::of_hub(&State::default(), loaded.matrix.columns.len());
    rank_hub(state, &mut loaded.matrix, &question);
    let loaded = Arc::new(loaded);
    *kept = Some((generation, Arc::clone(&loaded)));
    Ok(loaded)
}

/// Returns the matrix of the hub that a caller sees, ranked by the rule that an address asks for,
/// with that question.
pub(super) async fn ranked_matrix(
    state: &AppState,
    caller: &Caller,
    asked: &State,
) -> Result<(Arc<LoadedMatrix>, Question), Failure> {
    if caller.is_anonymous() {
        let public = public_matrix(state).await?;
        let columns = public.matrix.columns.len();
        let question = Question::of_hub(asked, columns);
        if question.ranks_like(&Question::of_hub(&State::default(), columns)) {
            return Ok((public, question));
        }
    }
    let mut loaded = hub_matrix(state, caller).await?;
    let question = Question::of_hub(asked, loaded.matrix.columns.len());
    rank_hub(state, &mut loaded.matrix, &question);
    Ok((Arc::new(loaded), question))
}

fn rank_hub(state: &AppState, matrix: &mut Matrix, question: &Question) {
    matrix.rank(&state.web.aggregates, question.rule, question.least);
    matrix.put_covering_benchmarks_first();
}

/// Loads the tasks of one benchmark as columns.
pub(super) async fn benchmark_matrix(
    state: &AppState,
    caller: &Caller,
    first: &BoardView,
) -> Result<LoadedMatrix, Failure> {
    let id = &first.benchmark_id;
    let tasks = &first.benchmark.tasks;
    let mut matrix = Matrix::default();
    for task in tasks.iter().take(MAX_COLUMNS) {
        let view = board(state, caller, id, &task.id).await?;
        matrix.add(column(&view, task)?, &view);
    }
    Ok(LoadedMatrix {
        matrix,
        left_out: tasks.len().saturating_sub(MAX_COLUMNS),
    })
}

/// Loads the first tasks of every benchmark of the hub that the caller may see, as many of one as
/// of another.
async fn hub_matrix(state: &AppState, caller: &Caller) -> Result<LoadedMatrix, Failure> {
    let hub = &state.hub;
    let query = ListQuery {
        kind: RepoKind::Dataset,
        author: None,
        search: Vec::new(),
        tags: vec!["benchmark".to_owned()],
        sort: ListSort::Created,
        limit: Some(MAX_BENCHMARKS),
        cursor: None,
    };
    let mut loaded = LoadedMatrix::default();
    let mut benchmarks = Vec::new();
    for info in hub.repositories().list(caller, &query).await?.repositories {
        let Some(definition) = hub.boards().definition(caller, &info.id).await? else {
            continue;
        };
        let tasks = &definition.tasks;
        loaded.left_out += tasks.len();
        let mut columns = Vec::new();
        for task in tasks.iter().take(TASKS_OF_ONE) {
            let view = board(state, caller, &info.id, &task.id).await?;
            if view.rows().is_empty() {
                continue;
            }
            let mut column = column(&view, task)?;
            column.key = format!("{}:{}", info.id, task.id);
            if tasks.len() == 1 {
                column.full_name.clone_from(&definition.name);
            }
            columns.push((column, view));
        }
        benchmarks.push(columns);
    }
    let shares = shares(benchmarks.iter().map(Vec::len), MAX_COLUMNS);
    for (columns, share) in benchmarks.into_iter().zip(shares) {
        loaded.left_out -= share;
        for (column, view) in columns.into_iter().take(share) {
            loaded.matrix.add(column, &view);
        }
    }
    Ok(loaded)
}

/// Returns how many of its tasks each benchmark shows when there is room for so many: none has two
/// while another that could show one has none, and so on.
fn shares(tasks: impl Iterator<Item = usize>, room: usize) -> Vec<usize> {
    let tasks: Vec<usize> = tasks.collect();
    let mut shares = vec![0; tasks.len()];
    let mut left = room;
    for round in 0..tasks.iter().copied().max().unwrap_or_default() {
        for (share, _) in shares
            .iter_mut()
            .zip(&tasks)
            .filter(|(_, tasks)| **tasks > round)
        {
            if left == 0 {
                return shares;
            }
            *share += 1;
            left -= 1;
        }
    }
    shares
}

pub(super) async fn board(
    state: &AppState,
    caller: &Caller,
    id: &RepoId,
    task: &TaskId,
) -> Result<Arc<BoardView>, Failure> {
    let query = BoardQuery {
        task: Some(task.as_str().to_owned()),
        ..BoardQuery::default()
    };
    Ok(state.hub.boards().leaderboard(caller, id, &query).await?)
}

/// The board of a task as a column.
pub(super) fn column(view: &BoardView, task: &Task) -> Result<MatrixColumn, Failure> {
    let metric = ranking(view)?;
    let name = task.display_name.clone();
    let name = name.unwrap_or_else(|| task.id.to_string());
    Ok(MatrixColumn {
        key: task.id.as_str().to_owned(),
        board: links::board(&view.benchmark_id, &task.id),
        full_name: format!("{}, {name}", view.benchmark.name),
        name,
        group: view.benchmark.name.clone(),
        group_page: links::benchmark(&view.benchmark_id),
        bounds: bounds(metric),
        metric: metric.display_name.clone(),
        unit: unit(metric).to_owned(),
        direction: metric.direction,
        digits: Digits::default(),
        quintiles: Vec::new(),
        best: None,
        known: 0,
    })
}

/// The bounds that a metric declares; those of a percentage when it declares none.
fn bounds(metric: &Metric) -> Option<(f64, f64)> {
    let declared = metric.min.zip(metric.max);
    let declared = declared.map(|(low, high)| (low.get(), high.get()));
    declared.or_else(|| (unit(metric) == "%").then_some((0.0, 100.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn benchmarks_share_the_columns_evenly() {
        assert_eq!(shares([6, 1, 3].into_iter(), 60), [6, 1, 3]);
        assert_eq!(shares([6, 1, 3].into_iter(), 7), [3, 1, 3]);
        assert_eq!(shares([6, 0, 6].into_iter(), 3), [2, 0, 1]);
        assert_eq!(shares([2, 2, 2].into_iter(), 2), [1, 1, 0]);
        assert!(shares(std::iter::empty(), 60).is_empty());
    }
}
