use assay_model::{Direction, Metric, MetricId, Setup};

use super::{
    BOARD_COLUMNS, BoardColumn, Cell, CellFormat, CellKind, Shown, parameter_words, unit_sign,
};
use crate::{BoardRow, Digits, separate_thousands};

/// The prefix of a setup key in the name of its column, so that no other column has the same.
const SETUP_PREFIX: &str = "setup.";
/// The prefix of a metric in the name of its column in files.
const METRIC_PREFIX: &str = "metrics.";
/// Number of metrics people see unless they that ask for others.
const USUAL_METRICS: usize = 5;
/// Number of setup keys people see unless they that ask for others.
const USUAL_SETTINGS: usize = 4;

/// A column of one board: a fixed one, a metric or a setup key.
#[derive(Debug, Clone)]
pub enum Column {
    /// A column of the table.
    Fixed(&'static BoardColumn),
    /// A metric.
    Metric(Box<MetricColumn>),
    /// A setup key.
    Setup {
        /// The name of the column.
        id: String,
        /// The key.
        key: String,
    },
}

/// A metric as a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetricColumn {
    /// The metric.
    pub metric: MetricId,
    /// The name of the column in files.
    pub id: String,
    /// The heading for people.
    pub heading: String,
    /// The unit, when it is declared.
    pub unit: Option<String>,
    /// The direction in which it improves, when that is known.
    pub direction: Option<Direction>,
    /// The slice it is defined over; none when that is the whole task.
    pub slice: Option<String>,
    /// True if the board is ranked by it.
    pub ranks: bool,
}

impl MetricColumn {
    /// A metric of a benchmark, on a board that is ranked by `ranking`.
    pub fn from_metric(metric: &Metric, ranking: &MetricId) -> Self {
        Self {
            metric: metric.id.clone(),
            id: format!("{METRIC_PREFIX}{}", metric.id),
            heading: metric.display_name.clone(),
            unit: metric.unit.clone(),
            direction: Some(metric.direction),
            slice: metric.slice.clone(),
            ranks: metric.id == *ranking,
        }
    }

    /// The metrics of rows whose benchmark is not at hand, by their names; first the one that
    /// ranks.
    pub fn from_rows(rows: &[BoardRow]) -> Vec<Self> {
        let ranking = rows.first().map(|row| &row.metric_id);
        let names = rows.iter().flat_map(|row| &row.metrics);
        let mut names: Vec<&MetricId> = names.map(|one| &one.metric_id).chain(ranking).collect();
        names.sort_by_key(|name| (Some(*name) != ranking, name.as_str()));
        names.dedup();
        let column = |name: &MetricId| Self {
            metric: name.clone(),
            id: format!("{METRIC_PREFIX}{name}"),
            heading: name.to_string(),
            unit: None,
            direction: None,
            slice: None,
            ranks: Some(name) == ranking,
        };
        names.into_iter().map(column).collect()
    }

    /// The sign of its unit; empty when it has none.
    pub fn unit_sign(&self) -> &str {
        unit_sign(self.unit.as_deref())
    }

    /// Returns whether it only tells how uncertain another is.
    fn is_companion(&self) -> bool {
        let id = self.metric.as_str();
        ["ci95", "stderr", "standard_error"]
            .iter()
            .any(|word| id.contains(word))
    }

    fn value(&self, row: &BoardRow) -> Option<f64> {
        if self.ranks {
            return Some(row.value);
        }
        let mut values = row.metrics.iter();
        let found = values.find(|one| {
            one.metric_id == self.metric && (one.slice.is_none() || one.slice == self.slice)
        });
        found.map(|one| one.value.get())
    }
}

impl Column {
    /// The fixed column of this name.
    pub fn fixed(id: &str) -> Option<Self> {
        let mut all = BOARD_COLUMNS.iter();
        all.find(|column| column.id == id).map(Self::Fixed)
    }

    /// The column of a setup key.
    pub fn setup(key: &str) -> Self {
        Self::Setup {
            id: format!("{SETUP_PREFIX}{key}"),
            key: key.to_owned(),
        }
    }

    /// Every column that people can see of a board: those of the table, with its metrics and setup
    /// keys in their places.
    pub fn for_people<'k>(
        metrics: impl IntoIterator<Item = MetricColumn>,
        setup_keys: impl IntoIterator<Item = &'k str>,
    ) -> Vec<Self> {
        let mut metrics: Vec<MetricColumn> = metrics.into_iter().collect();
        let ranking = metrics.iter().position(|metric| metric.ranks);
        let others = metrics.split_off(ranking.map_or(metrics.len(), |at| at + 1));
        let columns_of = |metrics: Vec<MetricColumn>| {
            let columns = metrics.into_iter().map(Box::new);
            columns.map(Self::Metric)
        };
        let mut columns: Vec<Self> = Vec::new();
        let (mut first, mut others) = (Some(metrics), Some(others));
        let mut keys = Some(setup_keys.into_iter());
        for column in &BOARD_COLUMNS {
            if column.id == "value" {
                columns.extend(first.take().into_iter().flat_map(columns_of));
                continue;
            }
            if column.shown != Shown::Never {
                columns.push(Self::Fixed(column));
            }
            // The interval stands right after the value that it is of.
            if column.id == "interval" {
                columns.extend(others.take().into_iter().flat_map(columns_of));
                // The framework has a column of its own.
                let keys = keys.take().into_iter().flatten();
                let keys = keys.filter(|key| *key != Setup::FRAMEWORK);
                columns.extend(keys.map(Self::setup));
            }
        }
        columns
    }

    /// The columns of a file: those of the table, then every metric and setup key that a row has a
    /// value of.
    pub fn for_files(metrics: Vec<MetricColumn>, rows: &[BoardRow]) -> Vec<Self> {
        let fixed = BOARD_COLUMNS.iter().filter(|column| column.in_files);
        let mut columns: Vec<Self> = fixed.map(Self::Fixed).collect();
        let is_known = |metric: &MetricColumn| rows.iter().any(|row| metric.value(row).is_some());
        let metrics = metrics.into_iter().filter(is_known);
        columns.extend(metrics.map(Box::new).map(Self::Metric));
        let keys = rows.iter().flat_map(|row| row.setup.iter());
        let mut keys: Vec<&str> = keys.map(|(key, _)| key.as_str()).collect();
        keys.sort_unstable_by_key(|key| Setup::place(key));
        keys.dedup();
        columns.extend(keys.into_iter().map(Self::setup));
        columns
    }

    /// The columns of a document: those that people see and that have something to say of some
    /// rows.
    pub fn for_document(metrics: Vec<MetricColumn>, rows: &[BoardRow]) -> Vec<Self> {
        let setups: Vec<&Setup> = rows.iter().map(|row| &row.setup).collect();
        let keys = Setup::differing_keys(&setups);
        Self::usual(Self::for_people(metrics, keys), rows)
    }

    /// Those that have something to say of some rows, without those that are only shown when they
    /// are asked for.
    pub fn usual(mut columns: Vec<Self>, rows: &[BoardRow]) -> Vec<Self> {
        let (mut metrics, mut settings) = (0, 0);
        let is_known = |column: &Self| {
            let is_told = |row| !column.text(row, Digits::default()).is_empty();
            rows.iter().any(is_told)
        };
        columns.retain(|column| match column {
            Self::Metric(metric) if metric.ranks => true,
            // What only tells how uncertain another metric is, is shown beside that one.
            Self::Metric(metric) if metric.is_companion() => false,
            Self::Metric(_) => {
                let is_shown = is_known(column) && metrics + 1 < USUAL_METRICS;
                metrics += usize::from(is_shown);
                is_shown
            }
            Self::Setup { .. } => {
                settings += 1;
                settings <= USUAL_SETTINGS
            }
            Self::Fixed(fixed) => match fixed.shown {
                Shown::Always => true,
                Shown::WhenKnown => is_known(column),
                Shown::WhenAsked | Shown::Never => false,
            },
        });
        columns
    }

    /// The name for machines.
    pub fn id(&self) -> &str {
        match self {
            Self::Fixed(column) => column.id,
            Self::Metric(metric) => &metric.id,
            Self::Setup { id, .. } => id,
        }
    }

    /// The name in the address of a page, where metrics go by their own.
    pub fn key(&self) -> &str {
        match self {
            Self::Metric(metric) => metric.metric.as_str(),
            Self::Fixed(_) | Self::Setup { .. } => self.id(),
        }
    }

    /// Returns whether an address means this column. Some had shorter names once.
    pub fn is_named(&self, name: &str) -> bool {
        let name = match name {
            "model" => "model_id",
            "status" => "standing",
            "params" => "parameters",
            other => other,
        };
        self.key() == name || self.id() == name
    }

    /// The heading for people.
    pub fn heading(&self) -> &str {
        match self {
            Self::Fixed(column) => column.heading,
            Self::Metric(metric) => &metric.heading,
            Self::Setup { key, .. } => Setup::heading(key),
        }
    }

    /// Returns the meaning of the column.
    pub fn help(&self) -> &str {
        match self {
            Self::Fixed(column) => column.help,
            Self::Metric(_) => "A metric of the benchmark.",
            Self::Setup { key, .. } => {
                let known = Setup::KNOWN.iter().find(|known| known.key == key);
                known.map_or("A setting of the run.", |known| known.help)
            }
        }
    }

    /// Returns the type of its values.
    pub fn kind(&self) -> CellKind {
        match self {
            Self::Fixed(column) => column.kind,
            Self::Metric(_) => CellKind::Number,
            Self::Setup { .. } => CellKind::Text,
        }
    }

    /// Returns the format of its values for people.
    pub fn format(&self) -> CellFormat {
        match self {
            Self::Fixed(column) => column.format,
            Self::Metric(_) | Self::Setup { .. } => CellFormat::Plain,
        }
    }

    /// Returns whether it holds numbers.
    pub fn is_number(&self) -> bool {
        matches!(self.kind(), CellKind::Integer | CellKind::Number)
    }

    /// Returns whether pages and LaTeX draw it in the cell of another column.
    pub fn is_beside(&self) -> bool {
        match self {
            Self::Fixed(column) => column.beside.is_some(),
            Self::Metric(_) | Self::Setup { .. } => false,
        }
    }

    /// The value of a row.
    pub fn value<'r>(&self, row: &'r BoardRow) -> Cell<'r> {
        match self {
            Self::Fixed(column) => (column.value)(row),
            Self::Metric(metric) => Cell::from_option(metric.value(row).map(Cell::Number)),
            Self::Setup { key, .. } => {
                Cell::from_option(row.setup.get(key).map(|text| Cell::Text(text.into())))
            }
        }
    }

    /// The digits of its numbers.
    pub fn digits(&self, rows: &[BoardRow]) -> Digits {
        match self.kind() {
            CellKind::Number => Digits::of(rows.iter().filter_map(|row| self.value(row).number())),
            CellKind::Integer | CellKind::Bool | CellKind::Text => Digits::default(),
        }
    }

    /// The value of a row for people; empty when nothing is known.
    pub fn text(&self, row: &BoardRow, digits: Digits) -> String {
        if let Self::Fixed(BoardColumn {
            words: Some(words), ..
        }) = self
        {
            return words(row);
        }
        match (self.value(row), self.format()) {
            (Cell::Integer(count), CellFormat::Parameters) => {
                parameter_words(u64::try_from(count).unwrap_or_default())
            }
            (Cell::Integer(count), _) => separate_thousands(&count.to_string()),
            (Cell::Number(number), _) => digits.written(number),
            (cell @ (Cell::Empty | Cell::Bool(_) | Cell::Text(_)), _) => {
                cell.into_text().into_owned()
            }
        }
    }
}
