//! Every task of a benchmark side by side: models by tasks.

mod table;

use askama::Template;
use assay_app::{BoardQuery, BoardView};
use assay_board::AggregateRule;
use assay_board::chart::Axis;
use assay_hub_api::Digits;
use assay_model::{Benchmark, RepoId, Task};
use axum::extract::State;
use axum::http::header::CONTENT_DISPOSITION;
use serde::Deserialize;

use self::table::{Matrix, MatrixColumn, MatrixRow};
use super::board::ranking;
use super::chart::{unit, way};
use super::frame::{Frame, Section};
use super::paging::Paging;
use super::query::State as Asked;
use super::{Visitor, links, show};
use crate::error::{Failure, one_line};
use crate::extract::Segments;
use crate::rendered::{About, Answer};
use crate::state::AppState;

/// How many rows a page has.
const PAGE: usize = 100;
/// How many tasks have a column.
const MAX_COLUMNS: usize = 60;
/// How many words are searched for.
const MAX_WORDS: usize = 8;

#[derive(Debug, Deserialize)]
pub(super) struct Named {
    namespace: String,
    name: String,
}

#[derive(Template)]
#[template(path = "matrix.html")]
struct MatrixPage {
    frame: Frame,
    id: RepoId,
    name: String,
    path: String,
    verdict: String,
    rule_says: String,
    search: String,
    rules: Vec<(&'static str, &'static str, bool)>,
    least: Vec<(usize, bool)>,
    sort: Option<String>,
    reversed: bool,
    tasks: Vec<(String, String)>,
    first_heads: Vec<HeadView>,
    heads: Vec<HeadView>,
    rows: Vec<RowView>,
    paging: Paging,
    total: usize,
    ranked: usize,
    left_out: usize,
    download: String,
    notice: Option<String>,
    reset: bool,
}

/// The head of a column.
#[derive(Debug)]
struct HeadView {
    label: String,
    help: String,
    to: String,
    sorted: Option<&'static str>,
    /// The sign of the way that is better.
    way: &'static str,
}

/// A row as it is shown.
#[derive(Debug)]
struct RowView {
    rank: String,
    namespace: String,
    name: String,
    to: String,
    size: Option<String>,
    aggregate: Option<AggregateView>,
    known: usize,
    cells: Vec<Option<CellView>>,
}

/// An aggregate with its interval on a common scale.
#[derive(Debug)]
struct AggregateView {
    text: String,
    says: String,
    bar: Option<(String, String, String)>,
}

/// A value with its heat.
#[derive(Debug)]
struct CellView {
    text: String,
    class: String,
    says: Option<String>,
}

/// What is asked of the matrix. All of it is in the address.
#[derive(Debug)]
struct Question {
    rule: AggregateRule,
    least: usize,
    search: String,
    sort: Option<String>,
    reversed: bool,
}

impl Question {
    fn new(state: &Asked, columns: usize) -> Self {
        let asked = state.get("by").unwrap_or_default();
        let rule = AggregateRule::ALL
            .into_iter()
            .find(|rule| rule.as_str() == asked);
        let least = state.get("min").and_then(|text| text.parse().ok());
        Self {
            rule: rule.unwrap_or_default(),
            least: least
                .unwrap_or(columns.div_ceil(2))
                .clamp(1, columns.max(1)),
            search: state.get("q").unwrap_or_default().trim().to_owned(),
            sort: state
                .get("sort")
                .map(str::to_owned)
                .filter(|sort| sort != "rank"),
            reversed: state.get("reversed").is_some(),
        }
    }
}

/// The tasks of a benchmark as columns.
pub(super) async fn benchmark(
    State(state): State<AppState>,
    visitor: Visitor,
    Segments(named): Segments<Named>,
) -> Result<Answer, Failure> {
    let id: RepoId = format!("{}/{}", named.namespace, named.name)
        .parse()
        .map_err(|_| Failure::no_repo())?;
    let place = visitor.place(&state, About::Board(id.clone()));
    let (hub, caller) = (&state.hub, &visitor.caller);
    let first = hub.leaderboard(caller, &id, &BoardQuery::default()).await?;
    let id = first.benchmark_id.clone();
    let definition = &first.benchmark;
    let mut matrix = Matrix::default();
    for task in definition.tasks.iter().take(MAX_COLUMNS) {
        let query = BoardQuery {
            task: Some(task.id.as_str().to_owned()),
            ..BoardQuery::default()
        };
        let view = hub.leaderboard(caller, &id, &query).await?;
        matrix.add(column(&view, task)?, &view);
    }
    let question = Question::new(&visitor.state, matrix.columns.len());
    matrix.rank(question.rule, question.least);
    let rows = chosen(&matrix, &question);
    if visitor.state.get("format") == Some("csv") {
        let text = csv(&matrix, &rows).map_err(Failure::internal)?;
        let mut answer = visitor.other_kept(&state, None, "text/csv; charset=utf-8", text);
        let file = format!("attachment; filename=\"{}-matrix.csv\"", id.name());
        answer.headers.insert(CONTENT_DISPOSITION, one_line(&file));
        return Ok(answer);
    }
    let page = page(&visitor, &id, definition, &matrix, &rows, question);
    visitor.render_kept(&state, place, &page)
}

/// The board of a task as a column.
fn column(view: &BoardView, task: &Task) -> Result<MatrixColumn, Failure> {
    let metric = ranking(view)?;
    Ok(MatrixColumn {
        key: task.id.as_str().to_owned(),
        name: task
            .display_name
            .clone()
            .unwrap_or_else(|| task.id.to_string()),
        metric: metric.display_name.clone(),
        unit: unit(metric).to_owned(),
        direction: metric.direction,
        digits: Digits::default(),
        quintiles: Vec::new(),
        best: None,
        known: 0,
    })
}

/// The rows that are asked for, in the order that is asked for, by their place in the matrix.
fn chosen(matrix: &Matrix, question: &Question) -> Vec<usize> {
    let words = question.search.split_whitespace().take(MAX_WORDS);
    let words: Vec<String> = words.map(str::to_lowercase).collect();
    let stays = |row: &MatrixRow| {
        let name = row.model.as_str().to_lowercase();
        words.iter().all(|word| name.contains(word))
    };
    let mut rows: Vec<usize> = (0..matrix.rows.len())
        .filter(|row| stays(&matrix.rows[*row]))
        .collect();
    let key = question.sort.as_deref();
    let at = matrix
        .columns
        .iter()
        .position(|column| Some(column.key.as_str()) == key);
    if let Some(at) = at {
        let direction = matrix.columns[at].direction;
        let value = |row: &usize| {
            let cell = matrix.rows[*row].cells[at];
            cell.map(|cell| match direction {
                assay_model::Direction::HigherIsBetter => -cell.value,
                assay_model::Direction::LowerIsBetter => cell.value,
            })
        };
        rows.sort_by(|left, right| match (value(left), value(right)) {
            (Some(left), Some(right)) if question.reversed => right.total_cmp(&left),
            (Some(left), Some(right)) => left.total_cmp(&right),
            // A row without a value comes last, whichever way.
            (left, right) => right.is_some().cmp(&left.is_some()),
        });
    } else {
        match key {
            Some("model") => {
                rows.sort_by_cached_key(|row| matrix.rows[*row].model.as_str().to_lowercase());
            }
            Some("n") => rows.sort_by_key(|row| std::cmp::Reverse(matrix.rows[*row].known)),
            Some(_) | None => {}
        }
        if question.reversed {
            rows.reverse();
        }
    }
    rows
}

fn page(
    visitor: &Visitor,
    id: &RepoId,
    definition: &Benchmark,
    matrix: &Matrix,
    rows: &[usize],
    question: Question,
) -> MatrixPage {
    let path = format!("/datasets/{id}/matrix");
    let paging = Paging::new(&path, &visitor.state, rows.len(), PAGE);
    let shown = rows.iter().skip(paging.offset()).take(PAGE);
    let scale = Axis::linear(matrix.rows.iter().filter_map(|row| row.aggregate).flat_map(
        |found| {
            let interval = found.interval;
            let (low, high) =
                interval.map_or((found.value, found.value), |one| (one.low, one.high));
            [low, high]
        },
    ));
    let digits = match question.rule {
        AggregateRule::WinRate => Digits::of([0.5, 100.0]),
        AggregateRule::ZScore => Digits::of([0.25]),
        AggregateRule::Mean => matrix
            .columns
            .first()
            .map_or_else(Digits::default, |column| column.digits),
    };
    let verdict = verdict(matrix, question.rule, digits);
    let is_known = |key: &str| {
        matches!(key, "model" | "n") || matrix.columns.iter().any(|column| column.key == key)
    };
    let unknown = question.sort.clone().filter(|key| !is_known(key));
    let state = visitor.state.without("page");
    let count = matrix.columns.len();
    MatrixPage {
        frame: visitor
            .frame(format!("{}: all tasks", definition.name))
            .within(Section::Benchmarks)
            .about(verdict.clone()),
        name: definition.name.clone(),
        rule_says: rule_says(question.rule, question.least, count),
        rules: AggregateRule::ALL
            .map(|rule| (rule.as_str(), rule.label(), rule == question.rule))
            .to_vec(),
        least: (1..=count)
            .map(|least| (least, least == question.least))
            .collect(),
        tasks: definition
            .tasks
            .iter()
            .map(|task| {
                let name = task
                    .display_name
                    .clone()
                    .unwrap_or_else(|| task.id.to_string());
                (links::board(id, &task.id), name)
            })
            .collect(),
        first_heads: first_heads(&state, &path, &question, count),
        heads: heads(matrix, &state, &path, &question),
        rows: shown
            .map(|row| row_view(matrix, *row, digits, scale.as_ref()))
            .collect(),
        total: matrix.rows.len(),
        ranked: matrix.rows.iter().filter(|row| row.rank.is_some()).count(),
        left_out: definition.tasks.len().saturating_sub(MAX_COLUMNS),
        download: state.with("format", "csv").on(&path),
        notice: unknown.map(|key| format!("There is no task {key}.")),
        reset: !state.on(&path).ends_with("/matrix"),
        id: id.clone(),
        search: question.search,
        sort: question.sort,
        reversed: question.reversed,
        verdict,
        paging,
        path,
    }
}

/// Who leads, in a sentence.
fn verdict(matrix: &Matrix, rule: AggregateRule, digits: Digits) -> String {
    let ranked = matrix.rows.first().filter(|row| row.rank.is_some());
    let Some((first, found)) = ranked.and_then(|row| Some((row, row.aggregate?))) else {
        return "Not enough overlap to rank: no model has results on enough tasks.".to_owned();
    };
    let interval = found.interval.map_or_else(String::new, |interval| {
        let (low, high) = (digits.written(interval.low), digits.written(interval.high));
        format!(
            " (95\u{a0}% interval {} to {})",
            show::with_minus(&low),
            show::with_minus(&high)
        )
    });
    format!(
        "{} leads with a {} of {}{interval}, over {} of {} tasks.",
        first.model,
        rule.label(),
        show::with_minus(&digits.written(found.value)),
        first.known,
        matrix.columns.len()
    )
}

/// What the aggregate is, in a sentence.
fn rule_says(rule: AggregateRule, least: usize, columns: usize) -> String {
    let what = match rule {
        AggregateRule::WinRate => {
            "Win rate: the mean share of the other models of a task that a model is ahead of; a tie is half."
        }
        AggregateRule::ZScore => {
            "Mean z-score: how many standard deviations a model is better than the mean of a task, averaged over tasks."
        }
        AggregateRule::Mean => {
            return "Mean: the plain mean over all tasks. Only models with a result on every task have one.".to_owned();
        }
    };
    format!(
        "{what} A task without a result is left out and never counts as zero. Ranked are models with {least} of {columns} \
         tasks or more. The interval takes the tasks as a sample of such tasks."
    )
}

fn sort_link(state: &Asked, path: &str, key: &str, question: &Question) -> String {
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

fn first_heads(state: &Asked, path: &str, question: &Question, columns: usize) -> Vec<HeadView> {
    let head = |key: &str, label: String, help: &str, falls: bool| HeadView {
        label,
        help: help.to_owned(),
        to: sort_link(state, path, key, question),
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

fn heads(matrix: &Matrix, state: &Asked, path: &str, question: &Question) -> Vec<HeadView> {
    let head = |column: &MatrixColumn| {
        let (sign, words) = way(column.direction);
        let falls = column.direction == assay_model::Direction::HigherIsBetter;
        let unit = match column.unit.as_str() {
            "" => String::new(),
            unit => format!(" ({unit})"),
        };
        HeadView {
            label: show::shortened(&column.name, 24),
            help: format!(
                "{}: {}{unit}, {words}; {} models",
                column.name,
                column.metric,
                show::count(column.known)
            ),
            to: sort_link(state, path, &column.key, question),
            sorted: sorted(&column.key, falls, question),
            way: sign,
        }
    };
    matrix.columns.iter().map(head).collect()
}

fn row_view(matrix: &Matrix, at: usize, digits: Digits, scale: Option<&Axis>) -> RowView {
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

/// The view as a file: every row that it has, in its order.
fn csv(
    matrix: &Matrix,
    rows: &[usize],
) -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let first = ["rank", "model_id", "aggregate", "low", "high", "tasks"];
    let tasks = matrix.columns.iter().map(|column| column.key.as_str());
    writer.write_record(first.into_iter().chain(tasks))?;
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    for row in rows {
        let row = &matrix.rows[*row];
        let interval = row.aggregate.and_then(|found| found.interval);
        let mut cells = vec![
            row.rank.map(|rank| rank.to_string()).unwrap_or_default(),
            row.model.to_string(),
            number(row.aggregate.map(|found| found.value)),
            number(interval.map(|one| one.low)),
            number(interval.map(|one| one.high)),
            row.known.to_string(),
        ];
        cells.extend(
            row.cells
                .iter()
                .map(|cell| number(cell.map(|cell| cell.value))),
        );
        writer.write_record(cells)?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}
