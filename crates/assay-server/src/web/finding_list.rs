//! The results on a board, or on all boards, in which the rules find something.

use askama::Template;
use assay_app::{FindingsList, FindingsQuery, ResultWithFindings, rule_page};
use assay_model::{Code, Task};
use axum::extract::State;

use super::board::how::with_unit;
use super::finding::KeptFinding;
use super::frame::{Frame, Section};
use super::paging::Paging;
use super::{Visitor, links, show};
use crate::error::Failure;
use crate::extract::PageRepo;
use crate::rendered::{About, Answer};
use crate::state::AppState;

/// The number of results on a page.
const PAGE: usize = 50;
/// The page with the findings on all boards.
pub(super) const OF_HUB: &str = "/results/findings";

#[derive(Template)]
#[template(path = "findings.html")]
struct FindingsPage {
    frame: Frame,
    /// The pages above this one: address and name.
    crumbs: Vec<(String, String)>,
    title: String,
    path: String,
    /// The tasks that can be chosen: id, name and whether it is chosen; none on the page of the
    /// hub.
    tasks: Vec<(String, String, bool)>,
    rules: Vec<RuleChoice>,
    /// The rule that is chosen.
    code: Option<Code>,
    rows: Vec<ResultRow>,
    paging: Paging,
    left_out: usize,
    /// The same from the API.
    api: String,
}

/// A rule that can be chosen.
struct RuleChoice {
    code: Code,
    name: &'static str,
    /// In how many results it finds something.
    results: usize,
    chosen: bool,
}

/// A result with its findings.
struct ResultRow {
    /// Its page.
    to: String,
    namespace: String,
    name: String,
    /// Its row: the address on the board, and the name of the board.
    board: (String, String),
    value: String,
    date: (String, String),
    findings: Vec<KeptFinding>,
}

/// The findings in the results for a benchmark.
pub(super) async fn of_benchmark(
    State(state): State<AppState>,
    visitor: Visitor,
    PageRepo(id): PageRepo,
) -> Result<Answer, Failure> {
    let about = About::Board(id.clone());
    let query = FindingsQuery {
        benchmark: Some(id),
        task: visitor.state.get("task").map(str::to_owned),
        ..FindingsQuery::default()
    };
    answer(&state, &visitor, about, query).await
}

/// The findings on all boards.
pub(super) async fn of_hub(
    State(state): State<AppState>,
    visitor: Visitor,
) -> Result<Answer, Failure> {
    answer(
        &state,
        &visitor,
        About::Everything,
        FindingsQuery::default(),
    )
    .await
}

async fn answer(
    state: &AppState,
    visitor: &Visitor,
    about: About,
    mut query: FindingsQuery,
) -> Result<Answer, Failure> {
    let place = visitor.place(state, about);
    let code = visitor
        .state
        .get("code")
        .map(str::parse::<Code>)
        .transpose();
    query.code = code.map_err(|error| Failure::invalid(error.to_string()))?;
    query.limit = PAGE;
    query.offset = (Paging::asked(&visitor.state) - 1).saturating_mul(PAGE);
    let boards = state.hub.boards();
    let mut list = boards.findings(&visitor.caller, &query).await?;
    let path = match &list.benchmark {
        Some((id, _)) => links::findings(id),
        None => OF_HUB.to_owned(),
    };
    let kept = visitor.state.only(&["task", "code", "page"]);
    let paging = Paging::new(&path, &kept, list.total, PAGE);
    if paging.offset() != query.offset {
        // There is no such page, so the nearest one is shown.
        query.offset = paging.offset();
        list = boards.findings(&visitor.caller, &query).await?;
    }
    let page = page(visitor, &query, &list, path, paging);
    visitor.render_kept(state, place, &page)
}

fn page(
    visitor: &Visitor,
    query: &FindingsQuery,
    list: &FindingsList,
    path: String,
    paging: Paging,
) -> FindingsPage {
    let (title, section, crumbs, api, tasks) = match &list.benchmark {
        Some((id, benchmark)) => (
            format!("Findings of {}", benchmark.name),
            Section::Benchmarks,
            vec![
                ("/benchmarks".to_owned(), "Benchmarks".to_owned()),
                (links::benchmark(id), id.to_string()),
            ],
            format!("/api/datasets/{id}/findings"),
            choices(&benchmark.tasks, query.task.as_deref()),
        ),
        None => (
            "Findings".to_owned(),
            Section::Results,
            vec![("/results".to_owned(), "Results".to_owned())],
            "/api/assay/findings".to_owned(),
            Vec::new(),
        ),
    };
    let mut asked = super::query::State::default();
    if let Some(task) = &query.task {
        asked = asked.with("task_id", task.as_str());
    }
    if let Some(code) = query.code {
        asked = asked.with("code", code.to_string());
    }
    let rules = list.codes.iter().map(|(code, results)| RuleChoice {
        code: *code,
        name: rule_page(&code.to_string()).map_or("", |rule| rule.name),
        results: *results,
        chosen: query.code == Some(*code),
    });
    FindingsPage {
        frame: visitor
            .frame(title.clone())
            .within(section)
            .about("Results in which the rules find something, newest first."),
        crumbs,
        title,
        tasks,
        rules: rules.collect(),
        code: query.code,
        rows: list.results.iter().map(row).collect(),
        left_out: list.left_out,
        api: asked.on(&api),
        paging,
        path,
    }
}

fn choices(tasks: &[Task], chosen: Option<&str>) -> Vec<(String, String, bool)> {
    let choices = tasks.iter().map(|task| {
        let id = task.id.to_string();
        let name = task.display_name.clone().unwrap_or_else(|| id.clone());
        let is_chosen = chosen == Some(id.as_str());
        (id, name, is_chosen)
    });
    choices.collect()
}

fn row(found: &ResultWithFindings) -> ResultRow {
    let result = &found.result;
    let metric = result
        .value_metric
        .as_ref()
        .and_then(|id| found.benchmark.metric(id.as_str()));
    let task = found.benchmark.task(result.task.as_str());
    let task = task.and_then(|task| task.display_name.as_deref());
    let task = task.unwrap_or(result.task.as_str());
    ResultRow {
        to: links::result(result),
        namespace: result.model.namespace().unwrap_or_default().to_owned(),
        name: result.model.name().to_owned(),
        board: (
            links::row(&found.benchmark_id, &result.task, &result.model),
            format!("{}: {task}", found.benchmark.name),
        ),
        value: match metric {
            Some(metric) => with_unit(result.value, metric),
            None => show::number(result.value),
        },
        date: (result.date.clone(), show::day_of(&result.date).to_owned()),
        findings: found.findings.iter().map(KeptFinding::of).collect(),
    }
}
