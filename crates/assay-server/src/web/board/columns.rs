use assay_app::{BoardView, Brief};
use assay_model::{Metric, Setup};

use super::Asked;
use crate::web::chart::{unit, way};

/// How many metrics have a column unless others are asked for.
const USUAL_METRICS: usize = 5;
/// How many setup keys have a column unless others are asked for.
const USUAL_SETTINGS: usize = 4;
/// What stands before a setup key in the name of its column, so that no metric has the same.
pub(super) const SETUP_PREFIX: &str = "setup.";

/// A column of a board, beside the rank and the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Column {
    /// A metric.
    Metric(Box<Metric>),
    /// What stands behind the result.
    Status,
    /// How many parameters the model has.
    Parameters,
    /// When it was evaluated.
    Date,
    /// What ran the evaluation.
    Framework,
    /// Who brought the result.
    Submitter,
    /// The setup in words.
    Notes,
    /// A setup key: its name in an address, and the key.
    Setup(String, String),
}

/// The head of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    /// What it is called.
    pub(crate) label: String,
    /// Its unit.
    pub(crate) unit: String,
    /// Which way is better: the sign and the words.
    pub(crate) way: Option<(&'static str, &'static str)>,
    /// Where a click leads, which sorts by it.
    pub(crate) to: String,
    /// How it is sorted now, in the words of `aria-sort`.
    pub(crate) sorted: Option<&'static str>,
    /// Whether it holds numbers.
    pub(crate) is_number: bool,
    /// The name of the column.
    pub(crate) key: String,
}

impl Column {
    /// The name of the column in an address.
    pub(crate) fn key(&self) -> &str {
        match self {
            Self::Metric(metric) => metric.id.as_str(),
            Self::Status => "status",
            Self::Parameters => "params",
            Self::Date => "date",
            Self::Framework => "framework",
            Self::Submitter => "submitter",
            Self::Notes => "notes",
            Self::Setup(name, _) => name,
        }
    }

    /// What people call it.
    pub(crate) fn label(&self) -> &str {
        match self {
            Self::Metric(metric) => &metric.display_name,
            Self::Status => "Status",
            Self::Parameters => "Size",
            Self::Date => "Date",
            Self::Framework => "Framework",
            Self::Submitter => "Submitted by",
            Self::Notes => "Notes",
            Self::Setup(_, key) => Setup::heading(key),
        }
    }

    fn is_number(&self) -> bool {
        match self {
            Self::Metric(_) | Self::Parameters => true,
            Self::Status
            | Self::Date
            | Self::Framework
            | Self::Submitter
            | Self::Notes
            | Self::Setup(..) => false,
        }
    }
}

/// Every column that a board can have.
fn all(view: &BoardView) -> Vec<Column> {
    let metrics = view.benchmark.metrics.iter().cloned();
    let mut columns: Vec<Column> = metrics
        .map(|metric| Column::Metric(Box::new(metric)))
        .collect();
    columns.extend(
        differing_keys(view)
            .into_iter()
            .map(|key| Column::Setup(format!("{SETUP_PREFIX}{key}"), key.to_owned())),
    );
    columns.extend([
        Column::Status,
        Column::Parameters,
        Column::Date,
        Column::Framework,
        Column::Submitter,
        Column::Notes,
    ]);
    columns
}

/// Returns the setup keys in which rows of a board differ. The framework has a column of its own.
pub(super) fn differing_keys(view: &BoardView) -> Vec<&str> {
    let setups: Vec<&Setup> = view.rows().iter().map(|row| row.brief.setup()).collect();
    let mut keys = Setup::differing_keys(&setups);
    keys.retain(|key| *key != Setup::FRAMEWORK);
    keys
}

/// The columns to show: those that are asked for, else those that have something to say.
pub(super) fn choose(view: &BoardView, asked: &Asked) -> Vec<Column> {
    let wanted: Vec<&str> = asked.columns.iter().map(String::as_str).collect();
    let mut columns = all(view);
    if !wanted.is_empty() {
        columns.retain(|column| wanted.contains(&column.key()) || is_ranking(column, view));
        return columns;
    }
    let (mut metrics, mut settings) = (0, 0);
    let any = |tells: fn(&Brief) -> bool| view.rows().iter().any(|row| tells(&row.brief));
    columns.retain(|column| match column {
        // What only tells of another's uncertainty is shown beside that one.
        Column::Metric(metric) if is_companion(metric) => is_ranking(column, view),
        Column::Metric(_) => {
            metrics += 1;
            metrics <= USUAL_METRICS || is_ranking(column, view)
        }
        Column::Status | Column::Date => true,
        Column::Parameters => any(|brief| brief.parameters.is_some()),
        Column::Framework => any(|brief| brief.has_framework),
        Column::Notes => any(|brief| brief.has_notes),
        Column::Submitter => false,
        Column::Setup(..) => {
            settings += 1;
            settings <= USUAL_SETTINGS
        }
    });
    columns
}

fn is_companion(metric: &Metric) -> bool {
    let id = metric.id.as_str();
    ["ci95", "stderr", "standard_error"]
        .iter()
        .any(|word| id.contains(word))
}

fn is_ranking(column: &Column, view: &BoardView) -> bool {
    matches!(column, Column::Metric(metric) if metric.id == view.metric)
}

/// Every column with whether it is shown.
pub(super) fn picker(view: &BoardView, shown: &[Column]) -> Vec<(Column, bool)> {
    let all = all(view).into_iter();
    all.map(|column| {
        let is_shown = shown.contains(&column);
        (column, is_shown)
    })
    .collect()
}

/// The heads of the columns, rank and model first.
pub(super) fn heads(view: &BoardView, columns: &[Column], asked: &Asked, path: &str) -> Vec<Head> {
    let sorted = asked.sort.as_deref().unwrap_or("rank");
    let to = |key: &str| {
        let state = asked.state.without("reversed").without("sort");
        let state = match key {
            "rank" => state,
            _ => state.with("sort", key),
        };
        let turns = key == sorted && !asked.reversed;
        if turns {
            state.with("reversed", "1")
        } else {
            state
        }
        .on(path)
    };
    let head = |key: &str, label: &str, is_number| Head {
        label: label.to_owned(),
        unit: String::new(),
        way: None,
        to: to(key),
        sorted: (key == sorted).then(|| direction(key, view, asked.reversed)),
        is_number,
        key: key.to_owned(),
    };
    let mut heads = vec![head("rank", "Rank", true), head("model", "Model", false)];
    heads.extend(columns.iter().map(|column| {
        let mut head = head(column.key(), column.label(), column.is_number());
        if let Column::Metric(metric) = column {
            unit(metric).clone_into(&mut head.unit);
            head.way = Some(way(metric.direction));
        }
        head
    }));
    heads
}

/// How a column is sorted: metrics the best first, dates the newest first, everything else from the least on.
fn direction(key: &str, view: &BoardView, reversed: bool) -> &'static str {
    let falls = match view.benchmark.metric(key) {
        Some(metric) => metric.direction == assay_model::Direction::HigherIsBetter,
        None => key == "date",
    };
    if falls == reversed {
        "ascending"
    } else {
        "descending"
    }
}
