//! The matrix turned by 90 degrees: one model, with a row for each column.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use assay_app::{BoardRow, BoardView, Caller, Error, Repo};
use assay_board::chart::Axis;
use assay_board::{quintiles, win_shares};
use assay_hub_api::Digits;
use assay_model::{Direction, RepoId, TaskId};

use super::super::query::State;
use super::super::{Visitor, show};
use super::load::{board, column, public_matrix, ranked_matrix};
use super::question::Question;
use super::table::{Matrix, MatrixColumn, rows_in_order};
use super::view::aggregate_digits;
use crate::error::{Cause, Failure};
use crate::state::AppState;

/// The most values of all models that are drawn in a row, in the rows of a page together, and in a
/// row of a long page.
const STRIP: usize = 120;
const STRIPS: usize = 5000;
const SHORT_STRIP: usize = 12;
/// The most boards of one model that are shown.
const MAX_BOARDS: usize = 400;
/// The number of benchmarks that a model needs before its strengths are named.
const BENCHMARKS_TO_COMPARE: usize = 2;

/// A model among all others, benchmark by benchmark.
#[derive(Debug)]
pub(in crate::web) struct Standing {
    /// Its rank, and where it is strong and weak, in a sentence.
    pub(in crate::web) verdict: String,
    pub(in crate::web) groups: Vec<StandingGroup>,
}

/// The tasks of a benchmark.
#[derive(Debug)]
pub(in crate::web) struct StandingGroup {
    pub(in crate::web) name: String,
    pub(in crate::web) to: String,
    /// The median of the percentiles of its tasks.
    pub(in crate::web) percentile: f64,
    pub(in crate::web) rows: Vec<StandingRow>,
}

/// A task with the model among all others.
#[derive(Debug)]
pub(in crate::web) struct StandingRow {
    pub(in crate::web) task: String,
    pub(in crate::web) to: String,
    pub(in crate::web) help: String,
    pub(in crate::web) value: String,
    pub(in crate::web) unit: String,
    /// The class of its heat.
    pub(in crate::web) class: String,
    /// The values of all models from worst to best, as the steps of a path from 0 to 100.
    pub(in crate::web) strip: String,
    /// The place of its own value there.
    pub(in crate::web) dot: String,
    pub(in crate::web) rank: usize,
    pub(in crate::web) total: usize,
    percentile: f64,
}

impl StandingGroup {
    /// The median percentile as it is shown.
    pub(in crate::web) fn percentile(&self) -> String {
        show::plain(self.percentile.round())
    }
}

impl StandingRow {
    /// The percentile as it is shown.
    pub(in crate::web) fn percentile(&self) -> String {
        show::plain(self.percentile.round())
    }
}

/// Returns where a model stands among all public models of the hub, and a private model among all
/// that the visitor sees; none when it is on no board.
pub(in crate::web) async fn standing(
    state: &AppState,
    visitor: &Visitor,
    model: &Repo,
) -> Result<Option<Standing>, Failure> {
    let asked = State::default();
    let (caller, loaded) = if model.is_private() {
        let loaded = ranked_matrix(state, &visitor.caller, &asked).await?.0;
        (visitor.caller.clone(), loaded)
    } else {
        (Caller::anonymous(), public_matrix(state).await?)
    };
    let groups = groups(state, &caller, model).await?;
    let matrix = &loaded.matrix;
    let question = Question::of_hub(&asked, matrix.columns.len());
    Ok((!groups.is_empty()).then(|| Standing {
        verdict: verdict(matrix, model.id(), &question, &groups),
        groups,
    }))
}

/// Returns every board that the model is on, benchmark by benchmark.
async fn groups(
    state: &AppState,
    caller: &Caller,
    model: &Repo,
) -> Result<Vec<StandingGroup>, Failure> {
    let mut on: BTreeMap<(String, TaskId), &RepoId> = BTreeMap::new();
    let results = state.hub.boards().model_results(model).await?;
    for result in results.iter().filter(|result| result.pending.is_none()) {
        let key = (result.dataset.as_str().to_lowercase(), result.task.clone());
        on.entry(key).or_insert(&result.dataset);
    }
    let mut groups: Vec<(StandingGroup, Vec<usize>)> = Vec::new();
    let steps = (STRIPS / on.len().max(1)).clamp(SHORT_STRIP, STRIP);
    for ((_, task), benchmark) in on.into_iter().take(MAX_BOARDS) {
        let view = match board(state, caller, benchmark, &task).await {
            Ok(view) => view,
            // Results may name what nobody has defined, or what the caller may not see.
            Err(Failure(cause)) if is_unseen(&cause) => continue,
            Err(failure) => return Err(failure),
        };
        let tasks = &view.benchmark.tasks;
        let Some(at) = tasks.iter().position(|own| own.id == task) else {
            continue;
        };
        let column = column(&view, &tasks[at])?;
        let Some(row) = row(&view, &column, model.id(), steps) else {
            continue;
        };
        match groups.last_mut() {
            Some((group, places)) if group.to == column.group_page => {
                // Tasks stand in the order of the definition.
                let place = places.partition_point(|own| *own < at);
                group.rows.insert(place, row);
                places.insert(place, at);
            }
            Some(_) | None => {
                let group = StandingGroup {
                    name: column.group,
                    to: column.group_page,
                    percentile: 0.0,
                    rows: vec![row],
                };
                groups.push((group, vec![at]));
            }
        }
    }
    let mut groups: Vec<StandingGroup> = groups.into_iter().map(|(group, _)| group).collect();
    for group in &mut groups {
        group.percentile = median(group.rows.iter().map(|row| row.percentile));
    }
    Ok(groups)
}

fn is_unseen(cause: &Cause) -> bool {
    matches!(
        cause,
        Cause::Hub(Error::NotFound(_) | Error::Denied(_) | Error::Moved { .. })
    )
}

/// A task; none without a result that counts.
fn row(
    view: &BoardView,
    column: &MatrixColumn,
    model: &RepoId,
    steps: usize,
) -> Option<StandingRow> {
    let counted = rows_in_order(view).filter(|row| !view.is_doubtful(row));
    let counted: Vec<&BoardRow> = counted.collect();
    let at = counted.iter().position(|row| row.loaded.model() == model)?;
    let values: Vec<f64> = counted.iter().map(|row| row.value).collect();
    let own = values[at];
    let cells: Vec<Option<f64>> = values.iter().copied().map(Some).collect();
    let share = win_shares(&cells, column.direction)[at];
    let fifth = quintiles(&cells, column.direction)[at];
    let better = values.iter().filter(|value| match column.direction {
        Direction::HigherIsBetter => **value > own,
        Direction::LowerIsBetter => **value < own,
    });
    let digits = Digits::of(values.iter().copied().take(100));
    let (strip, dot) = strip(&values, own, column, steps);
    Some(StandingRow {
        task: column.name.clone(),
        to: column.board.clone(),
        help: column.metric.clone(),
        value: show::with_minus(&digits.written(own)),
        unit: column.unit.clone(),
        class: fifth.map_or_else(String::new, |fifth| format!("q{fifth}")),
        strip,
        dot,
        rank: better.count() + 1,
        total: values.len(),
        // The only model of a board is ahead of nobody.
        percentile: share.unwrap_or(0.0) * 100.0,
    })
}

/// The values of a column from worst to best, and where one of them is.
fn strip(values: &[f64], own: f64, column: &MatrixColumn, steps: usize) -> (String, String) {
    let axis = Axis::linear(values.iter().copied());
    let place = |value: f64| {
        let place = axis.as_ref().map_or(0.5, |axis| axis.place(value));
        let place = match column.direction {
            Direction::HigherIsBetter => place,
            Direction::LowerIsBetter => 1.0 - place,
        };
        show::plain((place * 1000.0).round() / 10.0)
    };
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let step = sorted.len().div_ceil(steps).max(1);
    let mut strip = String::new();
    for value in sorted.into_iter().step_by(step) {
        // A text can always be written to.
        let _ = write!(strip, "M{} 2v8", place(value));
    }
    (strip, place(own))
}

/// The rank of a model, with the benchmarks it is strongest and weakest on.
fn verdict(
    matrix: &Matrix,
    model: &RepoId,
    question: &Question,
    groups: &[StandingGroup],
) -> String {
    let row = matrix.rows.iter().find(|row| row.model == *model);
    let known = row.map_or(0, |row| row.known);
    let tasks = show::plural(matrix.columns.len(), "task", "tasks");
    let mut text = match row.and_then(|row| row.rank.zip(row.aggregate)) {
        Some((rank, found)) => {
            let digits = aggregate_digits(matrix, question.rule);
            let ranked = matrix.rows.iter().filter(|row| row.rank.is_some()).count();
            let interval = found.interval.map_or_else(String::new, |one| {
                let (low, high) = (digits.written(one.low), digits.written(one.high));
                format!(" (95\u{a0}% interval {low} to {high})")
            });
            format!(
                "Rank {rank} of {} with an expected win rate of {}{interval}, over {} of {} {tasks}",
                show::count(ranked),
                digits.written(found.value),
                known,
                matrix.columns.len(),
            )
        }
        None => format!(
            "Results on {} of {} {tasks}; {} are needed for a rank over all",
            known,
            matrix.columns.len(),
            question.least
        ),
    };
    let by_percentile =
        |one: &&StandingGroup, other: &&StandingGroup| one.percentile.total_cmp(&other.percentile);
    let strongest = groups.iter().max_by(by_percentile);
    let weakest = groups.iter().min_by(by_percentile);
    if let Some((strongest, weakest)) = strongest.zip(weakest)
        && groups.len() >= BENCHMARKS_TO_COMPARE
        && strongest.percentile > weakest.percentile
    {
        let _ = write!(
            text,
            "; strongest on {} (median percentile {}), weakest on {} ({})",
            strongest.name,
            strongest.percentile(),
            weakest.name,
            weakest.percentile()
        );
    }
    text + "."
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    match values.as_slice() {
        [] => 0.0,
        all if all.len() % 2 == 1 => all[all.len() / 2],
        all => f64::midpoint(all[all.len() / 2 - 1], all[all.len() / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_the_middle_or_the_mean_of_the_two_there() {
        let is = |found: f64, expected: f64| found.total_cmp(&expected).is_eq();

        assert!(is(median([3.0, 1.0, 2.0].into_iter()), 2.0));
        assert!(is(median([4.0, 1.0].into_iter()), 2.5));
        assert!(is(median(std::iter::empty()), 0.0));
    }
}
