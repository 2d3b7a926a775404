//! Models by columns: the tasks of a benchmark, or those of every benchmark of the hub.
//!
//! One component in four places: the matrix of a benchmark, the matrix of the hub (whole, and its
//! first rows on the first page), chosen models side by side, and one model turned by 90 degrees
//! ([`standing()`]).

mod cache;
mod export;
mod load;
mod question;
mod standing;
mod table;
mod view;
mod words;

use askama::Template;
use assay_app::BoardQuery;
use assay_board::AggregateRule;
use assay_model::RepoId;
use axum::extract::State;
use axum::http::header::CONTENT_DISPOSITION;

pub(crate) use self::cache::AggregateCache;
pub(super) use self::export::escape_latex;
pub(crate) use self::load::PublicMatrixCache;
pub(super) use self::standing::{Standing, standing};
pub(super) use self::view::MatrixTable;

use self::load::{benchmark_matrix, public_matrix, ranked_matrix};
use self::question::{Question, chosen};
use self::table::Matrix;
use self::view::{HeadLinks, aggregate_digits};
use super::frame::{Frame, Section};
use super::paging::Paging;
use super::query::State as Query;
use super::{Visitor, cite, finding_list, links, show};
use crate::error::{Failure, one_line};
use crate::extract::PageRepo;
use crate::rendered::{About, Answer, Place};
use crate::state::AppState;

/// Number of rows that a page has: with 60 full columns it stays below 120 kB.
const PAGE: usize = 50;
/// Number of organisations that can be chosen from.
const MAX_ORGANISATIONS: usize = 200;
/// The sizes that can be chosen, in billions of parameters.
const SIZES: [u64; 5] = [3, 10, 40, 80, 200];
/// The page of the hub's matrix.
const RESULTS: &str = "/results";

#[derive(Template)]
#[template(path = "matrix.html")]
struct MatrixPage {
    frame: Frame,
    name: String,
    /// The page of what the matrix is of, when it has another one.
    home: Option<String>,
    new_result: String,
    path: String,
    organisations: Vec<(String, bool)>,
    sizes: Vec<(u64, bool)>,
    verified: bool,
    /// The selected models that are on another page.
    elsewhere: Vec<String>,
    selected: usize,
    /// The benchmarks that are folded away, which the form keeps.
    folds: Vec<String>,
    verdict: String,
    rule_says: String,
    search: String,
    /// The models of the hub that fit the search, those without a result here too.
    all_models: String,
    rules: Vec<(&'static str, &'static str, bool)>,
    least: Vec<(usize, bool)>,
    sort: Option<String>,
    reversed: bool,
    /// The findings in the results of the tasks.
    findings: String,
    /// The boards of the columns: address and name.
    boards: Vec<(String, String)>,
    table: MatrixTable,
    paging: Paging,
    total: usize,
    ranked: usize,
    left_out: usize,
    downloads: Vec<(&'static str, String)>,
    citation: String,
    notice: Option<String>,
    reset: bool,
}

/// The pages round a matrix.
#[derive(Debug)]
struct Subject {
    name: String,
    title: String,
    home: Option<String>,
    new_result: String,
    path: String,
    findings: String,
    section: Section,
    file: String,
    left_out: usize,
}

/// The first rows of the matrix of the hub, with the sentence on who leads.
#[derive(Debug)]
pub(super) struct FirstRows {
    pub(super) verdict: String,
    pub(super) table: MatrixTable,
    pub(super) total: usize,
}

/// The tasks of a benchmark as columns.
pub(super) async fn benchmark(
    State(state): State<AppState>,
    visitor: Visitor,
    PageRepo(id): PageRepo,
) -> Result<Answer, Failure> {
    let place = visitor.place(&state, About::Board(id.clone()));
    let query = BoardQuery::default();
    let first = state
        .hub
        .boards()
        .leaderboard(&visitor.caller, &id, &query)
        .await?;
    let loaded = benchmark_matrix(&state, &visitor.caller, &first).await?;
    let id = &first.benchmark_id;
    let name = &first.benchmark.name;
    let subject = Subject {
        title: format!("{name}: all tasks"),
        name: name.clone(),
        home: Some(links::benchmark(id)),
        new_result: format!("/new/result?dataset={id}"),
        path: format!("/datasets/{id}/matrix"),
        findings: links::findings(id),
        section: Section::Benchmarks,
        file: format!("{}-matrix", id.name()),
        left_out: loaded.left_out,
    };
    let count = loaded.matrix.columns.len();
    let usual = AggregateRule::default();
    let question = Question::new(&visitor.state, count, usual, count.div_ceil(2));
    let mut matrix = loaded.matrix;
    matrix.rank(&state.web.aggregates, question.rule, question.least);
    answer(&state, &visitor, place, &matrix, question, subject)
}

/// Models by every task of the benchmarks of the hub.
pub(super) async fn hub(
    State(state): State<AppState>,
    visitor: Visitor,
) -> Result<Answer, Failure> {
    let place = visitor.place(&state, About::Everything);
    let (loaded, question) = ranked_matrix(&state, &visitor.caller, &visitor.state).await?;
    let subject = Subject {
        name: "AI evaluation results".to_owned(),
        title: "Results".to_owned(),
        home: None,
        new_result: "/new/result".to_owned(),
        path: RESULTS.to_owned(),
        findings: finding_list::OF_HUB.to_owned(),
        section: Section::Results,
        file: "results".to_owned(),
        left_out: loaded.left_out,
    };
    answer(&state, &visitor, place, &loaded.matrix, question, subject)
}

/// Returns the first rows of the public matrix of the hub; none when there are no results.
pub(super) async fn first_rows(
    state: &AppState,
    rows: usize,
) -> Result<Option<FirstRows>, Failure> {
    let loaded = public_matrix(state).await?;
    let matrix = &loaded.matrix;
    let asked = Query::default();
    let question = Question::of_hub(&asked, matrix.columns.len());
    let total = matrix.rows.len();
    let rows: Vec<usize> = (0..total.min(rows)).collect();
    if rows.is_empty() {
        return Ok(None);
    }
    let sort = HeadLinks::Sort {
        state: &asked,
        path: RESULTS,
    };
    let table = MatrixTable::new(matrix, &rows, &question, sort);
    let digits = aggregate_digits(matrix, question.rule);
    Ok(Some(FirstRows {
        verdict: words::verdict(matrix, question.rule, digits),
        table: table
            .with_caption("The first models by the tasks of every benchmark.")
            .with_form("view"),
        total,
    }))
}

/// Returns the rows of chosen models, with the columns that any of them has a result on; none when
/// there is no such column.
pub(super) async fn chosen_rows(
    state: &AppState,
    visitor: &Visitor,
    models: &[RepoId],
) -> Result<Option<MatrixTable>, Failure> {
    let asked = Query::default();
    let (loaded, question) = ranked_matrix(state, &visitor.caller, &asked).await?;
    let mut matrix = loaded.matrix.clone();
    let place = |model: &RepoId| matrix.rows.iter().position(|row| row.model == *model);
    let rows: Vec<usize> = models.iter().filter_map(place).collect();
    let has_any = |at: &usize| {
        rows.iter()
            .any(|row| matrix.rows[*row].cells[*at].is_some())
    };
    let columns: Vec<usize> = (0..matrix.columns.len()).filter(has_any).collect();
    if columns.is_empty() {
        return Ok(None);
    }
    matrix.keep_columns(&columns);
    let table = MatrixTable::new(&matrix, &rows, &question, HeadLinks::Boards);
    Ok(Some(table.with_caption(
        "The models by the tasks that any of them has a result on.",
    )))
}

/// The view that is asked for, as a page or a file.
fn answer(
    state: &AppState,
    visitor: &Visitor,
    place: Option<Place>,
    matrix: &Matrix,
    question: Question,
    subject: Subject,
) -> Result<Answer, Failure> {
    let rows = chosen(matrix, &question);
    let folded = matrix.folded(&question.folded);
    let matrix = folded.as_ref().unwrap_or(matrix);
    if let Some(format) = visitor.state.get("format").and_then(export::Format::named) {
        let text = export::text(matrix, &rows, format).map_err(Failure::internal)?;
        let mut answer = visitor.other_kept(state, None, format.content_type(), text);
        let file = format!(
            "attachment; filename=\"{}.{}\"",
            subject.file,
            format.as_str()
        );
        answer.headers.insert(CONTENT_DISPOSITION, one_line(&file));
        return Ok(answer);
    }
    let today = show::day(state.web.clock.now());
    let page = page(visitor, subject, matrix, &rows, question, &today);
    visitor.render_kept(state, place, &page)
}

fn page(
    visitor: &Visitor,
    subject: Subject,
    matrix: &Matrix,
    rows: &[usize],
    question: Question,
    today: &str,
) -> MatrixPage {
    let path = subject.path;
    let address = format!(
        "{}{}",
        visitor.base,
        visitor.state.without("page").on(&path)
    );
    let citation = cite::bibtex(&subject.file, &subject.title, "Assay", &address, today);
    let paging = Paging::new(&path, &visitor.state, rows.len(), PAGE);
    let first = paging.offset();
    let shown = &rows[first..rows.len().min(first + PAGE)];
    let digits = aggregate_digits(matrix, question.rule);
    let verdict = words::verdict(matrix, question.rule, digits);
    let is_known = |key: &str| {
        matches!(key, "model" | "n") || matrix.columns.iter().any(|column| column.key == key)
    };
    let unknown = question.sort.clone().filter(|key| !is_known(key));
    let state = visitor.state.without("page");
    let count = matrix.task_count();
    let sort = HeadLinks::Sort {
        state: &state,
        path: &path,
    };
    let table = MatrixTable::new(matrix, shown, &question, sort)
        .with_form("view")
        .with_caption(format!("Models by tasks of {}.", subject.name));
    let is_shown = |name: &&String| {
        table
            .rows
            .iter()
            .any(|row| row.id.as_str() == name.as_str())
    };
    let elsewhere = question.selected.iter().filter(|name| !is_shown(name));
    let boards = matrix.columns.iter();
    let is_of_one = subject.home.is_some();
    MatrixPage {
        frame: visitor
            .frame(subject.title)
            .within(subject.section)
            .about(verdict.clone()),
        name: subject.name,
        home: subject.home,
        new_result: subject.new_result,
        findings: subject.findings,
        folds: matrix
            .folded
            .iter()
            .map(|group| group.key.clone())
            .collect(),
        organisations: organisations(matrix, question.organisation.as_deref()),
        sizes: SIZES
            .map(|size| (size, question.size == Some(size)))
            .to_vec(),
        verified: question.verified,
        elsewhere: elsewhere.cloned().collect(),
        selected: question.selected.len(),
        rule_says: words::rule_says(question.rule, question.least, count),
        rules: AggregateRule::ALL
            .map(|rule| (rule.as_str(), rule.label(), rule == question.rule))
            .to_vec(),
        least: (1..=count)
            .map(|least| (least, least == question.least))
            .collect(),
        boards: boards
            .map(|column| {
                let name = if is_of_one {
                    &column.name
                } else {
                    &column.full_name
                };
                (column.board.clone(), name.clone())
            })
            .collect(),
        table,
        total: matrix.rows.len(),
        ranked: matrix.rows.iter().filter(|row| row.rank.is_some()).count(),
        left_out: subject.left_out,
        downloads: export::Format::ALL
            .map(|format| {
                let to = state.without("models").with("format", format.as_str());
                (format.label(), to.on(&path))
            })
            .to_vec(),
        citation,
        notice: unknown.map(|key| format!("There is no task {key}.")),
        reset: state.pairs().next().is_some(),
        all_models: Query::default()
            .with("q", question.search.as_str())
            .on("/models"),
        search: question.search,
        sort: question.sort,
        reversed: question.reversed,
        verdict,
        paging,
        path,
    }
}

/// The organisations with a model, each once, and which is chosen.
fn organisations(matrix: &Matrix, chosen: Option<&str>) -> Vec<(String, bool)> {
    let names = matrix.rows.iter().filter_map(|row| row.model.namespace());
    let names: std::collections::BTreeSet<&str> = names.collect();
    names
        .into_iter()
        .take(MAX_ORGANISATIONS)
        .map(|name| (name.to_owned(), Some(name) == chosen))
        .collect()
}
