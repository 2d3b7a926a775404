use assay_app::BoardView;
use assay_hub_api::{BOARD_COLUMNS, BoardColumn, BoardRow, Column, MetricColumn, SortKey};
use assay_model::{Direction, Setup};

use super::BoardRequest;
use crate::web::chart::way;

/// The head of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    /// The label of the column.
    pub(crate) label: String,
    /// The meaning of the column.
    pub(crate) help: String,
    /// Its unit.
    pub(crate) unit: String,
    /// The better direction: the sign and the words.
    pub(crate) way: Option<(&'static str, &'static str)>,
    /// The address that sorts by it.
    pub(crate) to: String,
    /// The current order, in the words of `aria-sort`.
    pub(crate) sorted: Option<&'static str>,
    /// True if it holds numbers.
    pub(crate) is_number: bool,
    /// The name of the column.
    pub(crate) key: String,
}

/// Every column that a page can show of a board. Some are drawn in the cells of others.
pub(super) fn all(view: &BoardView) -> Vec<Column> {
    let metrics = view.benchmark.metrics.iter();
    let metrics = metrics.map(|metric| MetricColumn::from_metric(metric, &view.metric));
    let mut columns = Column::for_people(metrics, differing_keys(view));
    // A metric that is called like a column of the table takes its place.
    columns.retain(|column| match column {
        Column::Fixed(fixed) => !column.is_beside() && view.benchmark.metric(fixed.id).is_none(),
        Column::Metric(_) | Column::Setup { .. } => true,
    });
    columns
}

/// Returns the setup keys in which rows of a board differ. The framework has a column of its own.
pub(super) fn differing_keys(view: &BoardView) -> Vec<&str> {
    let setups: Vec<&Setup> = view.rows().iter().map(|row| row.loaded.setup()).collect();
    let mut keys = Setup::differing_keys(&setups);
    keys.retain(|key| *key != Setup::FRAMEWORK);
    keys
}

/// The column that a page is sorted by; none for the rank, and for a name that no column has.
pub(super) fn sorting(view: &BoardView, asked: &BoardRequest) -> Option<Column> {
    let key = asked.sort.as_deref()?;
    all(view).into_iter().find(|column| column.is_named(key))
}

/// Returns whether a column is sorted by something that people wrote.
pub(super) fn sorts_by_words(name: &str) -> bool {
    let by_words = |column: &&BoardColumn| match column.sort {
        SortKey::Framework | SortKey::Submitter | SortKey::Notes => true,
        SortKey::Rank
        | SortKey::Model
        | SortKey::Standing
        | SortKey::Date
        | SortKey::Parameters
        | SortKey::Value => false,
    };
    let mut written = BOARD_COLUMNS.iter().filter(by_words);
    written.any(|column| column.id == name)
}

/// The columns to show beside rank and model: those that are asked for, else those that have
/// something to say.
pub(super) fn choose(view: &BoardView, asked: &BoardRequest, rows: &[BoardRow]) -> Vec<Column> {
    let mut columns = all(view);
    columns.retain(|column| !is_first(column));
    if asked.columns.is_empty() {
        return Column::usual(columns, rows);
    }
    columns.retain(|column| {
        let ranks = matches!(column, Column::Metric(metric) if metric.ranks);
        ranks || asked.columns.iter().any(|name| column.is_named(name))
    });
    columns
}

/// Returns whether every board has it, as one of its first two columns.
fn is_first(column: &Column) -> bool {
    matches!(column.id(), "rank" | "model_id")
}

/// Every column that can be chosen, with whether it is shown.
pub(super) fn picker(view: &BoardView, shown: &[Column]) -> Vec<(Column, bool)> {
    let all = all(view).into_iter();
    all.filter(|column| !is_first(column))
        .map(|column| {
            let is_shown = shown.iter().any(|one| one.id() == column.id());
            (column, is_shown)
        })
        .collect()
}

/// The heads of the columns, rank and model first.
pub(super) fn heads(
    view: &BoardView,
    columns: &[Column],
    asked: &BoardRequest,
    path: &str,
) -> Vec<Head> {
    let sorted = sorting(view, asked);
    let is_sorted = |column: &Column| match &sorted {
        Some(sorted) => sorted.id() == column.id(),
        None => column.id() == "rank",
    };
    let to = |column: &Column| {
        let state = asked.state.without("reversed").without("sort");
        let state = match column.id() {
            "rank" => state,
            _ => state.with("sort", column.key()),
        };
        let turns = is_sorted(column) && !asked.reversed;
        if turns {
            state.with("reversed", "1")
        } else {
            state
        }
        .on(path)
    };
    let first = all(view).into_iter().filter(is_first);
    let all = first.chain(columns.iter().cloned());
    all.map(|column| Head {
        label: column.heading().to_owned(),
        help: column.help().to_owned(),
        unit: match &column {
            Column::Metric(metric) => metric.unit_sign().to_owned(),
            Column::Fixed(_) | Column::Setup { .. } => String::new(),
        },
        way: match &column {
            Column::Metric(metric) => metric.direction.map(way),
            Column::Fixed(_) | Column::Setup { .. } => None,
        },
        to: to(&column),
        sorted: is_sorted(&column).then(|| direction(&column, asked.reversed)),
        is_number: column.is_number(),
        key: column.key().to_owned(),
    })
    .collect()
}

/// Returns the order of a column: metrics the best first, dates the newest first, everything else
/// from the least on.
fn direction(column: &Column, reversed: bool) -> &'static str {
    let falls = match column {
        Column::Metric(metric) => metric.direction == Some(Direction::HigherIsBetter),
        Column::Fixed(fixed) => fixed.sort == SortKey::Date,
        Column::Setup { .. } => false,
    };
    if falls == reversed {
        "ascending"
    } else {
        "descending"
    }
}
