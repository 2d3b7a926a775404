//! Models by columns, with one number for each model.

use std::collections::HashMap;

use assay_app::BoardView;
use assay_board::{Aggregate, AggregateRule, aggregate_rows, quintiles};
use assay_hub_api::Digits;
use assay_model::{Direction, RepoId};

/// A column: one board.
#[derive(Debug)]
pub(super) struct MatrixColumn {
    /// Its name in an address.
    pub(super) key: String,
    /// What people call it.
    pub(super) name: String,
    /// The metric that ranks it.
    pub(super) metric: String,
    /// The sign of its unit.
    pub(super) unit: String,
    /// Which way it improves.
    pub(super) direction: Direction,
    /// How its numbers are written.
    pub(super) digits: Digits,
    /// In which fifth of the column the value of each row is.
    pub(super) quintiles: Vec<Option<u8>>,
    /// The best value.
    pub(super) best: Option<f64>,
    /// How many models have a result.
    pub(super) known: usize,
}

/// A value with what stands behind it.
#[derive(Debug, Clone, Copy)]
pub(super) struct MatrixCell {
    pub(super) value: f64,
    /// How many setups of the model it is the most trusted of, and from where to where they go.
    pub(super) setups: (usize, f64, f64),
    /// Whether a finding puts it in doubt: it is shown and does not count.
    pub(super) is_doubtful: bool,
}

/// A model with its cells.
#[derive(Debug)]
pub(super) struct MatrixRow {
    pub(super) model: RepoId,
    pub(super) parameters: Option<u64>,
    pub(super) cells: Vec<Option<MatrixCell>>,
    /// How many cells it has.
    pub(super) known: usize,
    pub(super) aggregate: Option<Aggregate>,
    /// The rank by the aggregate; none without one.
    pub(super) rank: Option<usize>,
}

/// Models by columns, the best first.
#[derive(Debug, Default)]
pub(super) struct Matrix {
    pub(super) columns: Vec<MatrixColumn>,
    pub(super) rows: Vec<MatrixRow>,
}

impl Matrix {
    /// Adds the board of a column. Only what is ranked with its first row is in one order.
    pub(super) fn add(&mut self, mut column: MatrixColumn, view: &BoardView) {
        let at = self.columns.len();
        let places: HashMap<RepoId, usize> = self
            .rows
            .iter()
            .enumerate()
            .map(|(place, row)| (row.model.clone(), place))
            .collect();
        let first = view.rows().first().map(|row| &row.group);
        let alike = view.rows().iter();
        let alike = alike.take_while(|row| Some(&row.group) == first);
        let mut values = Vec::new();
        for row in alike {
            let model = row.brief.model();
            let place = places.get(model).copied().unwrap_or_else(|| {
                self.rows.push(MatrixRow {
                    model: model.clone(),
                    parameters: row.brief.parameters,
                    cells: vec![None; at],
                    known: 0,
                    aggregate: None,
                    rank: None,
                });
                self.rows.len() - 1
            });
            let cell = MatrixCell {
                value: row.value,
                setups: (row.setups.count, row.setups.low, row.setups.high),
                is_doubtful: view.is_doubtful(row),
            };
            self.rows[place].cells.push(Some(cell));
            if !cell.is_doubtful {
                values.push(row.value);
                self.rows[place].known += 1;
            }
        }
        for row in &mut self.rows {
            row.cells.resize(at + 1, None);
        }
        column.digits = Digits::of(values.iter().copied().take(100));
        column.best = values.first().copied();
        column.known = values.len();
        self.columns.push(column);
    }

    /// Aggregates and ranks the rows. One with fewer than `least` cells has no rank.
    pub(super) fn rank(&mut self, rule: AggregateRule, least: usize) {
        let values: Vec<Vec<Option<f64>>> = self
            .rows
            .iter()
            .map(|row| {
                row.cells
                    .iter()
                    .map(|cell| cell.filter(|cell| !cell.is_doubtful).map(|cell| cell.value))
                    .collect()
            })
            .collect();
        let directions: Vec<Direction> =
            self.columns.iter().map(|column| column.direction).collect();
        let found = aggregate_rows(&values, &directions, rule, least);
        for (row, aggregate) in self.rows.iter_mut().zip(found) {
            row.aggregate = aggregate;
        }
        for (at, column) in self.columns.iter_mut().enumerate() {
            let values: Vec<Option<f64>> = values.iter().map(|row| row[at]).collect();
            column.quintiles = quintiles(&values, column.direction);
        }
        // Where lower is better everywhere, the least mean is the best.
        let is_turned =
            rule == AggregateRule::Mean && directions.first() == Some(&Direction::LowerIsBetter);
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        let merit = |row: &MatrixRow| {
            let value = row.aggregate.map(|found| found.value);
            value.map(|value| if is_turned { -value } else { value })
        };
        order.sort_by(|left, right| {
            let (left, right) = (&self.rows[*left], &self.rows[*right]);
            match (merit(left), merit(right)) {
                (Some(one), Some(other)) => other.total_cmp(&one),
                (one, other) => other.is_some().cmp(&one.is_some()),
            }
            .then_with(|| right.known.cmp(&left.known))
            .then_with(|| left.model.cmp(&right.model))
        });
        let mut last: Option<(f64, usize)> = None;
        for (position, row) in order.iter().enumerate() {
            let Some(merit) = merit(&self.rows[*row]) else {
                break;
            };
            let rank = match last {
                Some((value, rank)) if value.total_cmp(&merit).is_eq() => rank,
                Some(_) | None => position + 1,
            };
            last = Some((merit, rank));
            self.rows[*row].rank = Some(rank);
        }
        self.reorder(&order);
    }

    /// Puts rows into another order, and what columns say of them.
    pub(super) fn reorder(&mut self, order: &[usize]) {
        let mut rows: Vec<Option<MatrixRow>> = std::mem::take(&mut self.rows)
            .into_iter()
            .map(Some)
            .collect();
        self.rows = order.iter().filter_map(|row| rows[*row].take()).collect();
        for column in &mut self.columns {
            let fifths = &column.quintiles;
            column.quintiles = order.iter().map(|row| fifths[*row]).collect();
        }
    }
}
