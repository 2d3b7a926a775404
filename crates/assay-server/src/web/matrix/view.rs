//! A matrix as the template `matrix_table.html` shows it.

use assay_board::AggregateRule;
use assay_board::chart::Axis;
use assay_hub_api::Digits;
use assay_model::{Direction, RepoId};

use super::super::chart::way;
use super::super::query::State;
use super::super::{links, show};
use super::question::Question;
use super::table::{Matrix, MatrixColumn};

/// Number of letters of a column's that name are shown.
const HEAD_LETTERS: usize = 24;

/// A table of models by columns.
#[derive(Debug)]
pub(in crate::web) struct MatrixTable {
    /// The caption.
    pub(in crate::web) caption: String,
    /// The form that the tick boxes of rows belong to; without one there are none.
    pub(in crate::web) form: Option<&'static str>,
    /// The benchmarks of the columns with how many columns each has; none when there is one
    /// benchmark.
    pub(in crate::web) groups: Vec<HeadGroup>,
    /// The benchmarks whose columns are folded away.
    pub(in crate::web) folded: Vec<HeadGroup>,
    pub(in crate::web) first_heads: Vec<HeadView>,
    pub(in crate::web) heads: Vec<HeadView>,
    pub(in crate::web) rows: Vec<RowView>,
}

/// A benchmark above its columns.
#[derive(Debug)]
pub(in crate::web) struct HeadGroup {
    pub(in crate::web) name: String,
    pub(in crate::web) to: String,
    pub(in crate::web) columns: usize,
    /// The address of the view without its columns; none where nothing is chosen.
    pub(in crate::web) fold: Option<String>,
}

/// The pages that the heads of columns lead to.
#[derive(Debug, Clone, Copy)]
pub(in crate::web) enum HeadLinks<'l> {
    /// The same view, sorted by the column.
    Sort { state: &'l State, path: &'l str },
    /// The board of the column.
    Boards,
}

/// The head of a column.
#[derive(Debug)]
pub(in crate::web) struct HeadView {
    pub(in crate::web) label: String,
    pub(in crate::web) help: String,
    /// The address that its name leads to; none where there is nothing to choose.
    pub(in crate::web) to: Option<String>,
    pub(in crate::web) sorted: Option<&'static str>,
    /// The sign of the way that is better.
    pub(in crate::web) way: &'static str,
}

/// A row as it is shown.
#[derive(Debug)]
pub(in crate::web) struct RowView {
    pub(in crate::web) rank: String,
    pub(in crate::web) id: RepoId,
    pub(in crate::web) is_tied: bool,
    pub(in crate::web) is_selected: bool,
    pub(in crate::web) namespace: String,
    pub(in crate::web) name: String,
    pub(in crate::web) to: String,
    pub(in crate::web) size: Option<String>,
    pub(in crate::web) aggregate: Option<AggregateView>,
    pub(in crate::web) known: usize,
    pub(in crate::web) cells: Vec<Option<CellView>>,
}

/// An aggregate with its interval on a common scale.
#[derive(Debug)]
pub(in crate::web) struct AggregateView {
    pub(in crate::web) text: String,
    pub(in crate::web) says: String,
    pub(in crate::web) bar: Option<(String, String, String)>,
}

/// A value with its heat.
#[derive(Debug)]
pub(in crate::web) struct CellView {
    pub(in crate::web) text: String,
    pub(in crate::web) class: String,
    pub(in crate::web) says: Option<String>,
}

impl MatrixTable {
    /// Shows these rows of a ranked matrix.
    pub(super) fn new(
        matrix: &Matrix,
        rows: &[usize],
        question: &Question,
        links: HeadLinks<'_>,
    ) -> Self {
        let digits = aggregate_digits(matrix, question.rule);
        let scale = aggregate_scale(matrix);
        let rows = rows.iter();
        Self {
            caption: String::new(),
            form: None,
            groups: groups(matrix, links),
            folded: folded(matrix, links),
            first_heads: first_heads(links, question, matrix.task_count()),
            heads: heads(matrix, links, question),
            rows: rows
                .map(|row| row_view(matrix, *row, digits, scale.as_ref(), question))
                .collect(),
        }
    }

    /// The table with tick boxes that belong to a form of the page.
    #[must_use]
    pub(super) fn with_form(mut self, form: &'static str) -> Self {
        self.form = Some(form);
        self
    }

    /// The table with a caption.
    #[must_use]
    pub(super) fn with_caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = caption.into();
        self
    }
}

/// The digits of an aggregate.
pub(super) fn aggregate_digits(matrix: &Matrix, rule: AggregateRule) -> Digits {
    match rule {
        AggregateRule::ExpectedWinRate | AggregateRule::WinRate => Digits::of([0.5, 100.0]),
        AggregateRule::ZScore => Digits::of([0.25]),
        AggregateRule::Mean => matrix
            .columns
            .first()
            .map_or_else(Digits::default, |column| column.digits),
    }
}

/// The scale that the aggregates of all rows share.
fn aggregate_scale(matrix: &Matrix) -> Option<Axis> {
    let found = matrix.rows.iter().filter_map(|row| row.aggregate);
    Axis::linear(found.flat_map(|found| {
        let interval = found.interval;
        let (low, high) = interval.map_or((found.value, found.value), |one| (one.low, one.high));
        [low, high]
    }))
}

/// The benchmarks that are folded away, each with the address that unfolds it.
fn folded(matrix: &Matrix, links: HeadLinks<'_>) -> Vec<HeadGroup> {
    let HeadLinks::Sort { state, path } = links else {
        return Vec::new();
    };
    let groups = matrix.folded.iter();
    let unfold = |key: &str| {
        let others = matrix.folded.iter().filter(|other| other.key != key);
        let state = others.fold(state.without("fold"), |state, other| {
            state.and("fold", other.key.as_str())
        });
        state.on(path)
    };
    groups
        .map(|group| HeadGroup {
            name: group.name.clone(),
            to: unfold(&group.key),
            columns: group.columns,
            fold: None,
        })
        .collect()
}

fn groups(matrix: &Matrix, links: HeadLinks<'_>) -> Vec<HeadGroup> {
    let fold = |column: &MatrixColumn| match links {
        HeadLinks::Sort { state, path } => Some(state.and("fold", column.group_key()).on(path)),
        HeadLinks::Boards => None,
    };
    let mut groups: Vec<HeadGroup> = Vec::new();
    for column in &matrix.columns {
        match groups.last_mut() {
            Some(group) if group.to == column.group_page => group.columns += 1,
            Some(_) | None => groups.push(HeadGroup {
                name: column.group.clone(),
                to: column.group_page.clone(),
                columns: 1,
                fold: fold(column),
            }),
        }
    }
    if groups.len() + matrix.folded.len() < 2 {
        groups.clear();
    }
    if let [last] = groups.as_mut_slice() {
        // Something stays.
        last.fold = None;
    }
    groups
}

fn sort_link(state: &State, path: &str, key: &str, question: &Question) -> String {
    let current = question.sort.as_deref().unwrap_or("rank");
    let state = state.without("sort").without("reversed");
    let state = if key == "rank" {
        state
    } else {
        state.with("sort", key)
    };
    if key == current && !question.reversed {
        state.with("reversed", "1").on(path)
    } else {
        state.on(path)
    }
}

fn sorted(key: &str, falls: bool, question: &Question) -> Option<&'static str> {
    let is_current = question.sort.as_deref().unwrap_or("rank") == key;
    let word = if falls == question.reversed {
        "ascending"
    } else {
        "descending"
    };
    is_current.then_some(word)
}

fn first_heads(links: HeadLinks<'_>, question: &Question, columns: usize) -> Vec<HeadView> {
    let head = |key: &str, label: String, help: &str, falls: bool| HeadView {
        label,
        help: help.to_owned(),
        to: match links {
            HeadLinks::Sort { state, path } => Some(sort_link(state, path, key, question)),
            HeadLinks::Boards => None,
        },
        sorted: sorted(key, falls, question),
        way: "",
    };
    let rule = question.rule.label();
    vec![
        head("model", "Model".to_owned(), "Sort by name.", false),
        head(
            "rank",
            show::sentence(rule).trim_end_matches('.').to_owned(),
            "Sort by the aggregate.",
            true,
        ),
        head(
            "n",
            format!("of {columns}"),
            "How many tasks have a result.",
            true,
        ),
    ]
}

fn heads(matrix: &Matrix, links: HeadLinks<'_>, question: &Question) -> Vec<HeadView> {
    let head = |column: &MatrixColumn| {
        let (sign, words) = way(column.direction);
        let falls = column.direction == Direction::HigherIsBetter;
        let unit = match column.unit.as_str() {
            "" => String::new(),
            unit => format!(" ({unit})"),
        };
        HeadView {
            label: show::shortened(&column.name, HEAD_LETTERS),
            help: format!(
                "{}: {}{unit}, {words}; {} models",
                column.name,
                column.metric,
                show::count(column.known)
            ),
            to: Some(match links {
                HeadLinks::Sort { state, path } => sort_link(state, path, &column.key, question),
                HeadLinks::Boards => column.board.clone(),
            }),
            sorted: sorted(&column.key, falls, question),
            way: sign,
        }
    };
    matrix.columns.iter().map(head).collect()
}

fn row_view(
    matrix: &Matrix,
    at: usize,
    digits: Digits,
    scale: Option<&Axis>,
    question: &Question,
) -> RowView {
    let row = &matrix.rows[at];
    let cells = matrix.columns.iter().zip(&row.cells).map(|(column, cell)| {
        let cell = (*cell)?;
        let mut class = column.quintiles[at].map_or_else(String::new, |fifth| format!("q{fifth}"));
        if column
            .best
            .is_some_and(|best| best.total_cmp(&cell.value).is_eq())
        {
            class.push_str(" ace");
        }
        if cell.is_doubtful {
            return Some(CellView {
                text: show::with_minus(&column.digits.written(cell.value)),
                class: "doubt".to_owned(),
                says: Some("a finding puts this value in doubt; it does not count".to_owned()),
            });
        }
        let (setups, low, high) = cell.setups;
        Some(CellView {
            text: show::with_minus(&column.digits.written(cell.value)),
            says: (setups > 1).then(|| {
                let (low, high) = (column.digits.written(low), column.digits.written(high));
                class.push_str(" several");
                format!(
                    "{setups} setups, {} to {}",
                    show::with_minus(&low),
                    show::with_minus(&high)
                )
            }),
            class,
        })
    });
    RowView {
        rank: row.rank.map(|rank| rank.to_string()).unwrap_or_default(),
        is_tied: row.aggregate.is_some_and(|found| found.is_tied),
        is_selected: question
            .selected
            .iter()
            .any(|name| name == row.model.as_str()),
        id: row.model.clone(),
        namespace: row.model.namespace().unwrap_or_default().to_owned(),
        name: row.model.name().to_owned(),
        to: links::model(&row.model),
        size: row.parameters.map(show::parameters),
        aggregate: row.aggregate.map(|found| {
            let place = |value: f64, scale: &Axis| {
                show::plain((scale.place(value) * 1000.0).round() / 10.0)
            };
            let text = |value: f64| show::with_minus(&digits.written(value));
            AggregateView {
                text: text(found.value),
                says: found.interval.map_or_else(
                    || "its uncertainty is not known".to_owned(),
                    |one| format!("95\u{a0}% interval {} to {}", text(one.low), text(one.high)),
                ),
                bar: found.interval.zip(scale).map(|(one, scale)| {
                    (
                        place(one.low, scale),
                        place(found.value, scale),
                        place(one.high, scale),
                    )
                }),
            }
        }),
        known: row.known,
        cells: cells.collect(),
    }
}
