//! The columns of a leaderboard: one table, from which every form of a board is written.

use std::borrow::Cow;
use std::collections::BTreeSet;

use assay_model::{Code, Finding, Setup};

use crate::BoardRow;

/// One column of a leaderboard.
#[derive(Debug, Clone, Copy)]
pub struct BoardColumn {
    /// The name for machines. It is never given to another column.
    pub id: &'static str,
    /// The heading for people.
    pub heading: &'static str,
    /// What it tells.
    pub help: &'static str,
    /// What its values are.
    pub kind: CellKind,
    /// Whether documents for people have it.
    pub in_documents: bool,
    /// Reads the value of a row.
    pub value: fn(&BoardRow) -> Cell<'_>,
}

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// Whole numbers.
    Integer,
    /// Numbers.
    Number,
    /// True or false.
    Bool,
    /// Texts.
    Text,
}

/// The value of a row in a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell<'r> {
    /// Nothing is known.
    Empty,
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f64),
    /// True or false.
    Bool(bool),
    /// A text.
    Text(Cow<'r, str>),
}

/// Every column, in order. A later version may add some at the end; none changes its name or kind.
pub const BOARD_COLUMNS: [BoardColumn; 37] = [
    shown(
        "rank",
        "Rank",
        "The place within the group.",
        CellKind::Integer,
        |row| count(row.rank),
    ),
    shown("model_id", "Model", "The model.", CellKind::Text, |row| {
        text(row.model_id.as_str())
    }),
    shown(
        "value",
        "Value",
        "The value it is ranked by.",
        CellKind::Number,
        |row| Cell::Number(row.value),
    ),
    column(
        "metric_id",
        "Metric",
        "The metric it is ranked by.",
        CellKind::Text,
        |row| text(row.metric_id.as_str()),
    ),
    column("task_id", "Task", "The task.", CellKind::Text, |row| {
        text(row.task_id.as_str())
    }),
    column(
        "verified",
        "Verified",
        "Whether the signed evidence was checked and holds.",
        CellKind::Bool,
        |row| Cell::Bool(row.verified),
    ),
    column(
        "pull_request",
        "Pull request",
        "The open pull request that brings it.",
        CellKind::Integer,
        |row| {
            Cell::from_option(
                row.pull_request
                    .and_then(|num| i64::try_from(num).ok())
                    .map(Cell::Integer),
            )
        },
    ),
    shown(
        "date",
        "Date",
        "When the evaluation ran, or when the file was created.",
        CellKind::Text,
        |row| text(&row.date),
    ),
    column(
        "source_url",
        "Source address",
        "Where it is published.",
        CellKind::Text,
        |row| optional(row.source.as_ref().map(|source| source.url.as_str())),
    ),
    shown(
        "source_name",
        "Source",
        "What the source is called.",
        CellKind::Text,
        |row| {
            optional(
                row.source
                    .as_ref()
                    .and_then(|source| source.name.as_deref()),
            )
        },
    ),
    column(
        "framework",
        "Framework",
        "What ran the evaluation.",
        CellKind::Text,
        |row| {
            optional(
                row.framework
                    .as_ref()
                    .and_then(|framework| framework.name.as_deref()),
            )
        },
    ),
    column(
        "notes",
        "Notes",
        "The setup in words.",
        CellKind::Text,
        |row| optional(row.notes.as_deref()),
    ),
    column(
        "submitter",
        "Submitter",
        "Who brought it.",
        CellKind::Text,
        |row| text(&row.submitter.name),
    ),
    column(
        "filename",
        "File",
        "The result file.",
        CellKind::Text,
        |row| text(&row.filename),
    ),
    column(
        "commit",
        "Commit",
        "The commit that brought it.",
        CellKind::Text,
        |row| Cell::Text(row.commit.to_string().into()),
    ),
    column(
        "best_rank",
        "Best rank",
        "The best place it may truly have.",
        CellKind::Integer,
        |row| Cell::from_option(row.rank_interval.as_ref().map(|found| count(found.best))),
    ),
    column(
        "worst_rank",
        "Worst rank",
        "The worst place it may truly have.",
        CellKind::Integer,
        |row| Cell::from_option(row.rank_interval.as_ref().map(|found| count(found.worst))),
    ),
    column(
        "rank_method",
        "Rank method",
        "How the places were made.",
        CellKind::Text,
        |row| {
            optional(
                row.rank_interval
                    .as_ref()
                    .map(|found| found.method.as_ref()),
            )
        },
    ),
    shown(
        "group",
        "Group",
        "What results are ranked with: none for those over the whole benchmark.",
        CellKind::Text,
        |row| optional(row.group.as_deref()),
    ),
    shown(
        "setup",
        "Setup",
        "How it was run, as `key=value` with semicolons.",
        CellKind::Text,
        |row| setup(&row.setup),
    ),
    column(
        "runs",
        "Runs",
        "How many runs the value is the mean of.",
        CellKind::Integer,
        |row| count(row.runs),
    ),
    column(
        "setups",
        "Setups",
        "How many setups of the model are in the group.",
        CellKind::Integer,
        |row| count(row.setups.count),
    ),
    column(
        "least_value",
        "Least value",
        "The least value of the setups of the model.",
        CellKind::Number,
        |row| Cell::Number(row.setups.low),
    ),
    column(
        "greatest_value",
        "Greatest value",
        "The greatest value of the setups of the model.",
        CellKind::Number,
        |row| Cell::Number(row.setups.high),
    ),
    shown(
        "value_low",
        "Low",
        "The lower end of the interval of the value.",
        CellKind::Number,
        |row| {
            Cell::from_option(
                row.value_interval
                    .as_ref()
                    .map(|found| Cell::Number(found.low)),
            )
        },
    ),
    shown(
        "value_high",
        "High",
        "The upper end of the interval of the value.",
        CellKind::Number,
        |row| {
            Cell::from_option(
                row.value_interval
                    .as_ref()
                    .map(|found| Cell::Number(found.high)),
            )
        },
    ),
    column(
        "value_method",
        "Interval method",
        "How the interval of the value was made.",
        CellKind::Text,
        |row| {
            optional(
                row.value_interval
                    .as_ref()
                    .map(|found| found.method.as_ref()),
            )
        },
    ),
    column(
        "sample_size",
        "Samples",
        "How many samples were evaluated.",
        CellKind::Integer,
        |row| {
            Cell::from_option(
                row.sample_size
                    .and_then(|size| i64::try_from(size).ok())
                    .map(Cell::Integer),
            )
        },
    ),
    shown(
        "evaluator",
        "Evaluator",
        "Who ran the evaluation.",
        CellKind::Text,
        |row| {
            optional(
                row.evaluator
                    .as_ref()
                    .and_then(|evaluator| evaluator.name.as_deref()),
            )
        },
    ),
    column(
        "relationship",
        "Relationship",
        "How the evaluator is related to the developer of the model.",
        CellKind::Text,
        |row| {
            optional(
                row.evaluator
                    .as_ref()
                    .map(|evaluator| evaluator.relationship.as_str()),
            )
        },
    ),
    column(
        "evaluated",
        "Evaluated",
        "When the evaluation ran, as the result says.",
        CellKind::Text,
        |row| optional(row.evaluated.as_deref()),
    ),
    column(
        "published",
        "Published",
        "When the result was published.",
        CellKind::Text,
        |row| optional(row.published.as_deref()),
    ),
    column(
        "retrieved",
        "Retrieved",
        "When the result was copied from its source.",
        CellKind::Text,
        |row| optional(row.retrieved.as_deref()),
    ),
    column(
        "cost_usd",
        "Cost (USD)",
        "What the run cost.",
        CellKind::Number,
        |row| {
            Cell::from_option(
                row.cost
                    .as_ref()
                    .and_then(|cost| cost.usd)
                    .map(|price| Cell::Number(price.get())),
            )
        },
    ),
    column(
        "cost_tokens",
        "Tokens",
        "How many tokens the run took.",
        CellKind::Integer,
        |row| {
            let tokens = row.cost.as_ref().and_then(|cost| cost.tokens);
            Cell::from_option(
                tokens
                    .and_then(|count| i64::try_from(count).ok())
                    .map(Cell::Integer),
            )
        },
    ),
    column(
        "cost_seconds",
        "Seconds",
        "How long the run took.",
        CellKind::Number,
        |row| {
            Cell::from_option(
                row.cost
                    .as_ref()
                    .and_then(|cost| cost.seconds)
                    .map(|time| Cell::Number(time.get())),
            )
        },
    ),
    shown(
        "findings",
        "Findings",
        "The codes of what the rules find in the result.",
        CellKind::Text,
        |row| codes(&row.findings),
    ),
];

type Value = fn(&BoardRow) -> Cell<'_>;

const fn column(
    id: &'static str,
    heading: &'static str,
    help: &'static str,
    kind: CellKind,
    value: Value,
) -> BoardColumn {
    BoardColumn {
        id,
        heading,
        help,
        kind,
        in_documents: false,
        value,
    }
}

/// A column that documents for people have as well.
const fn shown(
    id: &'static str,
    heading: &'static str,
    help: &'static str,
    kind: CellKind,
    value: Value,
) -> BoardColumn {
    BoardColumn {
        in_documents: true,
        ..column(id, heading, help, kind, value)
    }
}

impl<'r> Cell<'r> {
    fn from_option(cell: Option<Self>) -> Self {
        cell.unwrap_or(Self::Empty)
    }

    /// The value as text; empty when nothing is known.
    pub fn into_text(self) -> Cow<'r, str> {
        match self {
            Self::Empty => Cow::Borrowed(""),
            Self::Integer(number) => number.to_string().into(),
            Self::Number(number) => number.to_string().into(),
            Self::Bool(truth) => Cow::Borrowed(if truth { "true" } else { "false" }),
            Self::Text(text) => text,
        }
    }
}

fn text(text: &str) -> Cell<'_> {
    Cell::Text(Cow::Borrowed(text))
}

fn optional(found: Option<&str>) -> Cell<'_> {
    Cell::from_option(found.map(text))
}

fn count(count: usize) -> Cell<'static> {
    Cell::Integer(i64::try_from(count).unwrap_or(i64::MAX))
}

fn codes(findings: &[Finding]) -> Cell<'static> {
    let codes: BTreeSet<Code> = findings.iter().map(|finding| finding.code).collect();
    let codes: Vec<String> = codes.iter().map(Code::to_string).collect();
    Cell::from_option((!codes.is_empty()).then(|| Cell::Text(codes.join(" ").into())))
}

fn setup(setup: &Setup) -> Cell<'static> {
    if setup.is_empty() {
        return Cell::Empty;
    }
    let pairs: Vec<String> = setup
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    Cell::Text(pairs.join("; ").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_a_name_of_its_own_and_says_what_it_is() {
        let ids: BTreeSet<&str> = BOARD_COLUMNS.iter().map(|column| column.id).collect();

        assert_eq!(ids.len(), BOARD_COLUMNS.len());
        for column in &BOARD_COLUMNS {
            assert!(column.help.ends_with('.'), "{}", column.id);
        }
    }
}
