//! The matrix turned by 90 degrees: one model, with a row for each column.

use std::fmt::Write as _;

use assay_app::Repo;
use assay_board::chart::Axis;
use assay_board::win_shares;
use assay_model::{Direction, RepoId};

use super::super::query::State;
use super::super::{Visitor, show};
use super::load::{public_matrix, ranked_matrix};
use super::question::Question;
use super::table::{Matrix, MatrixColumn};
use super::view::aggregate_digits;
use crate::error::Failure;
use crate::state::AppState;

/// How many of the values of all models are drawn in a row.
const STRIP: usize = 120;
/// How many benchmarks a model needs before its strengths are named.
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

/// Returns where a model stands among all public models of the hub, and a private model among all that the visitor sees;
/// none when it is on no board of the matrix.
pub(in crate::web) async fn standing(
    state: &AppState,
    visitor: &Visitor,
    model: &Repo,
) -> Result<Option<Standing>, Failure> {
    let asked = State::default();
    let loaded = if model.is_private() {
        ranked_matrix(state, &visitor.caller, &asked).await?.0
    } else {
        public_matrix(state).await?
    };
    let question = Question::of_hub(&asked, loaded.matrix.columns.len());
    Ok(standing_in(&loaded.matrix, &question, model.id()))
}

fn standing_in(matrix: &Matrix, question: &Question, model: &RepoId) -> Option<Standing> {
    let at = matrix.rows.iter().position(|row| row.model == *model)?;
    let groups = groups(matrix, at);
    (!groups.is_empty()).then(|| Standing {
        verdict: verdict(matrix, at, question, &groups),
        groups,
    })
}

fn groups(matrix: &Matrix, at: usize) -> Vec<StandingGroup> {
    let mut groups: Vec<StandingGroup> = Vec::new();
    for place in 0..matrix.columns.len() {
        let Some(row) = row(matrix, at, place) else {
            continue;
        };
        let column = &matrix.columns[place];
        match groups.last_mut() {
            Some(group) if group.to == column.group_page => group.rows.push(row),
            Some(_) | None => groups.push(StandingGroup {
                name: column.group.clone(),
                to: column.group_page.clone(),
                percentile: 0.0,
                rows: vec![row],
            }),
        }
    }
    for group in &mut groups {
        group.percentile = median(group.rows.iter().map(|row| row.percentile));
    }
    groups
}

/// A task; none without a result that counts.
fn row(matrix: &Matrix, at: usize, place: usize) -> Option<StandingRow> {
    let column = &matrix.columns[place];
    let values = matrix.counted_values(place);
    let own = values[at]?;
    let share = win_shares(&values, column.direction)[at];
    let known: Vec<f64> = values.iter().flatten().copied().collect();
    let better = known.iter().filter(|value| match column.direction {
        Direction::HigherIsBetter => **value > own,
        Direction::LowerIsBetter => **value < own,
    });
    let (strip, dot) = strip(&known, own, column);
    let fifth = column.quintiles[at];
    Some(StandingRow {
        task: column.name.clone(),
        to: column.board.clone(),
        help: column.metric.clone(),
        value: show::with_minus(&column.digits.written(own)),
        unit: column.unit.clone(),
        class: fifth.map_or_else(String::new, |fifth| format!("q{fifth}")),
        strip,
        dot,
        rank: better.count() + 1,
        total: known.len(),
        // The only model of a board is ahead of nobody.
        percentile: share.unwrap_or(0.0) * 100.0,
    })
}

/// The values of a column from worst to best, and where one of them is.
fn strip(values: &[f64], own: f64, column: &MatrixColumn) -> (String, String) {
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
    let step = sorted.len().div_ceil(STRIP).max(1);
    let mut strip = String::new();
    for value in sorted.into_iter().step_by(step) {
        // A text can always be written to.
        let _ = write!(strip, "M{} 2v8", place(value));
    }
    (strip, place(own))
}

/// The rank of a model, with the benchmarks it is strongest and weakest on.
fn verdict(matrix: &Matrix, at: usize, question: &Question, groups: &[StandingGroup]) -> String {
    let row = &matrix.rows[at];
    let tasks = show::plural(matrix.columns.len(), "task", "tasks");
    let mut text = match row.rank.zip(row.aggregate) {
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
                row.known,
                matrix.columns.len(),
            )
        }
        None => format!(
            "Results on {} of {} {tasks}; {} are needed for a rank over all",
            row.known,
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
