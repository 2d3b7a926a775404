use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use assay_app::{BoardRow, BoardView};
use assay_hub_api::{Cell, Column, SortKey};
use assay_model::Direction;

use super::BoardRequest;
use super::columns::sorting;
use super::status::framework;
use crate::base_url::BaseUrl;
use crate::error::Failure;
use crate::state::AppState;
use crate::web::chart::value_of;
use crate::wire;

/// The order of the rows of a page.
#[derive(Debug, Default)]
pub(crate) struct Order {
    /// The column to sort by; none for the rank.
    column: Option<Column>,
    reversed: bool,
    /// The values of that column, when no brief has them: by the address of the brief.
    values: HashMap<usize, Cell<'static>>,
}

impl Order {
    /// The order that is asked for. Whole results are read when no brief has what it is about.
    pub(crate) async fn new(
        state: &AppState,
        view: &BoardView,
        asked: &BoardRequest,
        base: &BaseUrl,
    ) -> Result<Self, Failure> {
        let column = sorting(view, asked);
        let mut values = HashMap::new();
        if let Some(column) = column.as_ref().filter(|column| is_in_whole(column)) {
            for whole in state.hub.boards().full_rows(view, view.rows()).await? {
                let row = wire::board_row(view, &whole, base);
                let value = column.value(&row).into_owned();
                values.insert(address(&whole.row), value);
            }
        }
        Ok(Self {
            column,
            reversed: asked.reversed,
            values,
        })
    }

    /// Returns whether it is that of the ranks.
    pub(super) fn is_by_rank(&self) -> bool {
        self.column.is_none() && !self.reversed
    }

    /// Puts rows that are in the order of their rank into this order.
    pub(super) fn sort(&self, rows: &mut [&BoardRow], view: &BoardView) {
        let Some(column) = &self.column else {
            if self.reversed {
                rows.reverse();
            }
            return;
        };
        // Rows are in the order of their rank, and stay so among equals.
        match column {
            Column::Metric(metric) => {
                let defined = view.benchmark.metric(metric.metric.as_str());
                let direction = metric.direction.unwrap_or(Direction::HigherIsBetter);
                self.sort_known(rows, |row| {
                    let value = if metric.ranks {
                        Some(row.value)
                    } else {
                        defined.and_then(|defined| value_of(row, defined))
                    };
                    value.map(|value| match direction {
                        Direction::HigherIsBetter => Cell::Number(-value),
                        Direction::LowerIsBetter => Cell::Number(value),
                    })
                });
            }
            Column::Setup { key, .. } => self.sort_known(rows, |row| {
                let value = row.loaded.setup().get(key)?;
                Some(Cell::Text(value.to_owned().into()))
            }),
            Column::Fixed(fixed) => self.sort_fixed(rows, fixed.sort),
        }
    }

    fn sort_fixed(&self, rows: &mut [&BoardRow], key: SortKey) {
        let text = |text: Option<String>| text.map(|text| Cell::Text(text.into()));
        match key {
            SortKey::Rank => {
                if self.reversed {
                    rows.reverse();
                }
            }
            SortKey::Model => {
                self.sort_known(rows, |row| text(Some(row.loaded.model().to_string())));
            }
            SortKey::Standing => self.sort_known(rows, |row| {
                let pulled = i64::from(row.loaded.pull().is_some());
                let unverified = i64::from(!row.loaded.is_verified());
                Some(Cell::Integer(2 * unverified + pulled))
            }),
            SortKey::Date => self.sort_known(rows, |row| {
                Some(Cell::Integer(-row.loaded.moment().millis()))
            }),
            SortKey::Parameters => self.sort_known(rows, |row| {
                let count = row.loaded.parameters?;
                Some(Cell::Integer(i64::try_from(count).unwrap_or(i64::MAX)))
            }),
            SortKey::Framework => self.sort_known(rows, |row| {
                let words = row.loaded.words()?;
                text(framework(words.framework.as_ref()))
            }),
            SortKey::Submitter => {
                self.sort_known(rows, |row| text(row.loaded.words()?.submitter.clone()));
            }
            SortKey::Notes => self.sort_known(rows, |row| text(row.loaded.words()?.notes.clone())),
            SortKey::Value => self.sort_known(rows, |row| {
                let value = self.values.get(&address(row));
                value.filter(|value| **value != Cell::Empty).cloned()
            }),
        }
    }

    /// Sorts by what is known; rows of which nothing is known come last, whichever way.
    fn sort_known(
        &self,
        rows: &mut [&BoardRow],
        value: impl Fn(&BoardRow) -> Option<Cell<'static>>,
    ) {
        let mut keyed: Vec<(Option<(f64, String)>, &BoardRow)> = rows
            .iter()
            .map(|row| (value(row).map(sort_value), *row))
            .collect();
        let order = |(left, left_text): &(f64, String), (right, right_text): &(f64, String)| {
            left.total_cmp(right)
                .then_with(|| left_text.cmp(right_text))
        };
        keyed.sort_by(|(left, _), (right, _)| match (left, right) {
            (Some(left), Some(right)) if self.reversed => order(right, left),
            (Some(left), Some(right)) => order(left, right),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        });
        for (place, (_, row)) in rows.iter_mut().zip(keyed) {
            *place = row;
        }
    }
}

/// Returns whether only whole results have the value that a column is sorted by.
fn is_in_whole(column: &Column) -> bool {
    matches!(column, Column::Fixed(fixed) if fixed.sort == SortKey::Value)
}

/// Returns the address of a row in memory, which tells rows of a board apart while the board is
/// held.
fn address(row: &BoardRow) -> usize {
    Arc::as_ptr(&row.loaded).addr()
}

/// A value in a form that is quick to compare: numbers by size, texts without regard to case.
fn sort_value(cell: Cell<'_>) -> (f64, String) {
    match cell.number() {
        Some(number) => (number, String::new()),
        None => (0.0, cell.into_text().to_lowercase()),
    }
}
