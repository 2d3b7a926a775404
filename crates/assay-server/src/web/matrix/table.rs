//! Models by columns, with one number for each model.

use std::collections::HashMap;

use assay_app::{BoardRow, BoardView};
use assay_board::{Aggregate, AggregateRule, ColumnScale, quintiles};
use assay_hub_api::Digits;
use assay_model::{Direction, RepoId};

use super::cache::AggregateCache;

/// The number of first models that decide which benchmarks come first.
const FIRST_ROWS: usize = 25;

/// A column: one board.
#[derive(Debug, Clone)]
pub(super) struct MatrixColumn {
    /// Its name in an address.
    pub(super) key: String,
    /// The page of its board.
    pub(super) board: String,
    /// The label of the column.
    pub(super) name: String,
    /// The name with that of its benchmark.
    pub(super) full_name: String,
    /// The metric that ranks it.
    pub(super) metric: String,
    /// The sign of its unit.
    pub(super) unit: String,
    /// The direction in which it improves.
    pub(super) direction: Direction,
    /// The benchmark that the columns beside it belong to as well.
    pub(super) group: String,
    /// The page of that benchmark.
    pub(super) group_page: String,
    /// The least and the most that a value can be, when both are known.
    pub(super) bounds: Option<(f64, f64)>,
    /// The format of its numbers.
    pub(super) digits: Digits,
    /// In which fifth of the column the value of each row is.
    pub(super) quintiles: Vec<Option<u8>>,
    /// The best value.
    pub(super) best: Option<f64>,
    /// Number of models that have a result.
    pub(super) known: usize,
}

impl MatrixColumn {
    /// Returns the id of its benchmark, which is the key of its group in an address.
    pub(super) fn group_key(&self) -> &str {
        let page = self.group_page.as_str();
        page.strip_prefix("/datasets/").unwrap_or(page)
    }
}

/// A benchmark whose columns are folded away.
#[derive(Debug, Clone)]
pub(super) struct FoldedGroup {
    /// Its key in an address.
    pub(super) key: String,
    pub(super) name: String,
    pub(super) columns: usize,
}

/// A value with what stands behind it.
#[derive(Debug, Clone, Copy)]
pub(super) struct MatrixCell {
    pub(super) value: f64,
    /// Number of setups of the model it that is the most trusted of, and from where to where they
    /// go.
    pub(super) setups: (usize, f64, f64),
    /// True if a finding puts it in doubt: it is shown and does not count.
    pub(super) is_doubtful: bool,
}

/// A model with its cells.
#[derive(Debug, Clone)]
pub(super) struct MatrixRow {
    pub(super) model: RepoId,
    pub(super) parameters: Option<u64>,
    pub(super) cells: Vec<Option<MatrixCell>>,
    /// True if one of its results is verified.
    pub(super) has_verified: bool,
    /// Number of cells that it has.
    pub(super) known: usize,
    pub(super) aggregate: Option<Aggregate>,
    /// The rank by the aggregate; none without one.
    pub(super) rank: Option<usize>,
}

/// Models by columns, the best first.
#[derive(Debug, Clone, Default)]
pub(in crate::web) struct Matrix {
    pub(super) columns: Vec<MatrixColumn>,
    pub(super) rows: Vec<MatrixRow>,
    /// The benchmarks whose columns are folded away. They count as before.
    pub(super) folded: Vec<FoldedGroup>,
    /// The row of each model while columns are added.
    places: HashMap<RepoId, usize>,
}

impl Matrix {
    /// Adds the board of a column. Only what is ranked with its first row is in one order.
    pub(super) fn add(&mut self, mut column: MatrixColumn, view: &BoardView) {
        let at = self.columns.len();
        let mut values = Vec::new();
        for row in rows_in_order(view) {
            let model = row.loaded.model();
            let place = self.places.get(model).copied().unwrap_or_else(|| {
                self.places.insert(model.clone(), self.rows.len());
                self.rows.push(MatrixRow {
                    model: model.clone(),
                    parameters: row.loaded.parameters,
                    cells: vec![None; at],
                    has_verified: false,
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
            let own = &mut self.rows[place];
            own.cells.push(Some(cell));
            own.has_verified |= row.loaded.is_verified();
            own.parameters = own.parameters.or(row.loaded.parameters);
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
    pub(super) fn rank(&mut self, cache: &AggregateCache, rule: AggregateRule, least: usize) {
        let counted = |row: &MatrixRow| row.cells.iter().copied().map(counted_value).collect();
        let values: Vec<Vec<Option<f64>>> = self.rows.iter().map(counted).collect();
        let scales: Vec<ColumnScale> = self
            .columns
            .iter()
            .map(|column| ColumnScale {
                direction: column.direction,
                bounds: column.bounds,
            })
            .collect();
        let found = cache.aggregate_rows(&values, &scales, rule, least);
        for (row, aggregate) in self.rows.iter_mut().zip(found.iter()) {
            row.aggregate = *aggregate;
        }
        for (at, column) in self.columns.iter_mut().enumerate() {
            let values: Vec<Option<f64>> = values.iter().map(|row| row[at]).collect();
            column.quintiles = quintiles(&values, column.direction);
        }
        // Where lower is better everywhere, the least mean is the best.
        let is_turned = rule == AggregateRule::Mean
            && scales
                .first()
                .is_some_and(|scale| scale.direction == Direction::LowerIsBetter);
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

    /// Puts the benchmarks first that most of the first ranked models have results on. Columns of
    /// one benchmark stay together and in their order.
    pub(super) fn put_covering_benchmarks_first(&mut self) {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (at, column) in self.columns.iter().enumerate() {
            match groups.last_mut() {
                Some(group) if self.columns[group[0]].group_page == column.group_page => {
                    group.push(at);
                }
                Some(_) | None => groups.push(vec![at]),
            }
        }
        let first = self.rows.iter().take(FIRST_ROWS);
        let first: Vec<&MatrixRow> = first.filter(|row| row.rank.is_some()).collect();
        groups.sort_by_cached_key(|group| {
            let has_any = |row: &&&MatrixRow| group.iter().any(|at| row.cells[*at].is_some());
            std::cmp::Reverse(first.iter().filter(has_any).count())
        });
        self.keep_columns(&groups.concat());
    }

    /// Returns the number of tasks, those of folded benchmarks too.
    pub(super) fn task_count(&self) -> usize {
        let folded: usize = self.folded.iter().map(|group| group.columns).sum();
        self.columns.len() + folded
    }

    /// Returns the matrix without the columns of these benchmarks; none when it has none of them,
    /// or no others. Ranks and aggregates stay.
    pub(super) fn folded(&self, benchmarks: &[String]) -> Option<Self> {
        let is_folded = |column: &MatrixColumn| {
            let key = column.group_key();
            benchmarks.iter().any(|own| own == key)
        };
        let mut folded: Vec<FoldedGroup> = Vec::new();
        let mut kept = Vec::new();
        for (at, column) in self.columns.iter().enumerate() {
            let key = column.group_key();
            if !is_folded(column) {
                kept.push(at);
            } else if let Some(group) = folded.iter_mut().find(|group| group.key == key) {
                group.columns += 1;
            } else {
                folded.push(FoldedGroup {
                    key: key.to_owned(),
                    name: column.group.clone(),
                    columns: 1,
                });
            }
        }
        if folded.is_empty() || kept.is_empty() {
            return None;
        }
        let mut matrix = self.clone();
        matrix.keep_columns(&kept);
        matrix.folded = folded;
        Some(matrix)
    }

    /// Keeps these columns, in this order.
    pub(super) fn keep_columns(&mut self, order: &[usize]) {
        let mut columns: Vec<Option<MatrixColumn>> = std::mem::take(&mut self.columns)
            .into_iter()
            .map(Some)
            .collect();
        self.columns = order.iter().filter_map(|at| columns[*at].take()).collect();
        for row in &mut self.rows {
            row.cells = order.iter().map(|at| row.cells[*at]).collect();
        }
    }

    /// Puts rows into another order, and what columns say of them.
    fn reorder(&mut self, order: &[usize]) {
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

/// Returns the rows of a board that are ranked with its first one.
pub(super) fn rows_in_order(view: &BoardView) -> impl Iterator<Item = &BoardRow> {
    let first = view.rows().first().map(|row| &row.group);
    let rows = view.rows().iter();
    rows.take_while(move |row| Some(&row.group) == first)
}

/// The value of a cell; none when a finding puts it in doubt.
fn counted_value(cell: Option<MatrixCell>) -> Option<f64> {
    cell.filter(|cell| !cell.is_doubtful).map(|cell| cell.value)
}
