//! A benchmark and the leaderboard of one of its tasks.

mod columns;
mod head;
pub(super) mod how;
mod request;
mod rows;
mod setups;
mod sort;
mod status;

use askama::Template;
use assay_app::{BoardRecord, BoardRow, BoardView, Error, FullRow, Missing, RepoInfo};
use assay_board::Policy;
use assay_hub_api::{self as hub_api, Column, Digits};
use assay_model::{Metric, RepoId, RepoKind, Timestamp};
use axum::extract::State;
use serde::Deserialize;

pub(crate) use self::columns::Head;
pub(crate) use self::request::BoardRequest;
pub(crate) use self::rows::{Cell, RowView, Rows};
pub(crate) use self::sort::Order;
pub(crate) use self::status::{Status, framework, status};

use self::head::BoardHead;
use super::chart::{self, Chart, Cost};
use super::cite::{self, DatasetDescription};
use super::frame::{Frame, Section};
use super::paging::Paging;
use super::{Visitor, links, markdown, show};
use crate::error::{Cause, Failure};
use crate::extract::{PageRepo, PathParams};
use crate::rendered::{About, Answer};
use crate::state::AppState;
use crate::wire;

/// Number of rows that a page has.
const PAGE: usize = 100;
/// The files that a board can be had as: the end of the address, and what it is called.
const FORMS: [(&str, &str); 5] = [
    ("csv", "CSV"),
    ("json", "JSON"),
    ("parquet", "Parquet"),
    ("md", "Markdown"),
    ("tex", "LaTeX"),
];

#[derive(Debug, Deserialize)]
pub(super) struct BoardParams {
    task: Option<String>,
}

#[derive(Template)]
#[template(path = "board.html")]
struct BoardPage {
    frame: Frame,
    head: BoardHead,
    asked: BoardRequest,
    path: String,
    heads: Vec<Head>,
    picker: Vec<(Column, bool)>,
    rows: Vec<RowView>,
    paging: Paging,
    pinned: Option<rows::Pinned>,
    charts: Vec<Chart>,
    how: Vec<String>,
    policies: [(Policy, &'static str, bool); 4],
    sizes: [&'static str; 9],
    downloads: Vec<(&'static str, String)>,
    summary: String,
    differ: Option<String>,
    filtered: usize,
    total: usize,
    may_pick: bool,
    /// The board in BibTeX.
    citation: String,
    /// The address of the board as it is at this moment.
    pinned_here: String,
    /// The address of the board for the pages of others.
    embed: String,
    /// The address of the changes of the board.
    changes: String,
    /// The address of how the board of the shown moment differs from now; none when now is shown.
    against_now: Option<String>,
    /// The findings in the results of the task.
    findings: String,
    /// The address of the hub.
    base: String,
}

#[derive(Template)]
#[template(path = "dataset.html")]
struct DatasetPage {
    frame: Frame,
    id: RepoId,
    description: Option<String>,
    readme: Option<String>,
}

/// The page of a dataset: its leaderboard when it is a benchmark, else what its README says.
pub(super) async fn dataset(
    State(state): State<AppState>,
    visitor: Visitor,
    PageRepo(id): PageRepo,
    PathParams(path): PathParams<BoardParams>,
) -> Result<Answer, Failure> {
    let task = path
        .task
        .clone()
        .or_else(|| visitor.state.get("task").map(str::to_owned));
    match board_page(&state, &visitor, &id, task).await {
        Err(Failure(error)) if path.task.is_none() && is_no_benchmark(&error) => {
            plain_dataset(&state, &visitor, &id).await
        }
        answered => answered,
    }
}

fn is_no_benchmark(error: &Cause) -> bool {
    matches!(error, Cause::Hub(Error::NotFound(Missing::Leaderboard(_))))
}

async fn board_page(
    state: &AppState,
    visitor: &Visitor,
    id: &RepoId,
    task: Option<String>,
) -> Result<Answer, Failure> {
    let place = visitor.place(state, About::Board(id.clone()));
    let asked = BoardRequest::of(&visitor.state);
    let query = asked.query(task);
    let view = state
        .hub
        .boards()
        .leaderboard(&visitor.caller, id, &query)
        .await?;
    let repo = state
        .hub
        .repo(&visitor.caller, RepoKind::Dataset, &view.benchmark_id)
        .await?;
    let info = state.hub.repositories().repo_info(&repo, None).await?;
    let head = BoardHead::of(&view, &info, &visitor.state);
    let order = Order::new(state, &view, &asked, &visitor.base).await?;
    let rows = Rows::of(&view, &asked, &order);
    let paging = paging(visitor, &view, &rows);
    let shown = rows.on_page(paging.offset(), PAGE);
    let unfolded = setups::unfolded(state, visitor, &view, &query, shown).await?;
    let shown = state
        .hub
        .boards()
        .full_rows(&view, shown.iter().copied())
        .await?;
    let told = shown
        .iter()
        .map(|row| wire::board_row(&view, row, &visitor.base));
    let told: Vec<hub_api::BoardRow> = told.collect();
    let columns = columns::choose(&view, &asked, &told);
    let digits = columns.iter().map(|column| column.digits(&told));
    let columns: Vec<(Column, Digits)> = columns.iter().cloned().zip(digits).collect();
    let shown: Vec<(FullRow, hub_api::BoardRow)> = shown.into_iter().zip(told).collect();
    let records = if asked.is_filtered() {
        chart::records_of(first_group(rows.in_order()), ranking(&view)?)
    } else {
        state.hub.boards().board_records(&view).await?.to_vec()
    };
    let table = Table {
        moment: view.as_of.unwrap_or_else(|| state.web.clock.now()),
        charts: charts(&rows, &records, &view)?,
        rows: rows.page(&shown, &view, &columns, &asked, &order, &unfolded),
        columns: columns.into_iter().map(|(column, _)| column).collect(),
    };
    let description = description(visitor, &view, &info);
    let mut page = page(visitor, &view, asked, head, &rows, paging, table)?;
    if !info.private {
        page.frame = page.frame.described_by(description.to_json_ld());
    }
    visitor.render_kept(state, place, &page)
}

/// The board for search engines of datasets.
fn description<'d>(
    visitor: &Visitor,
    view: &'d BoardView,
    info: &'d RepoInfo,
) -> DatasetDescription<'d> {
    let id = &view.benchmark_id;
    let task = links::part(view.task.as_str());
    let file = |ending: &str| {
        format!(
            "{}/api/datasets/{id}/leaderboard.{ending}?task_id={task}",
            visitor.base
        )
    };
    let license = info.card.as_ref().and_then(|card| card.get("license"));
    DatasetDescription {
        id,
        name: &view.benchmark.name,
        description: &view.benchmark.description,
        license: license.and_then(serde_json::Value::as_str),
        address: format!("{}{}", visitor.base, links::board(id, &view.task)),
        files: vec![
            ("CSV", "text/csv", file("csv")),
            ("JSON", "application/json", file("json")),
            ("Parquet", "application/vnd.apache.parquet", file("parquet")),
        ],
    }
}

/// The table of a board: columns and rows.
struct Table {
    /// The moment that is shown.
    moment: Timestamp,
    charts: Vec<Chart>,
    columns: Vec<Column>,
    rows: Vec<RowView>,
}

/// The metric that ranks a board.
pub(crate) fn ranking(view: &BoardView) -> Result<&Metric, Failure> {
    let metric = view.benchmark.metric(view.metric.as_str());
    metric.ok_or_else(|| Failure::internal("a board is ranked by a metric it does not define"))
}

fn paging(visitor: &Visitor, view: &BoardView, rows: &Rows<'_>) -> Paging {
    let path = links::board(&view.benchmark_id, &view.task);
    Paging::new(&path, &visitor.state.without("task"), rows.len(), PAGE)
}

fn page(
    visitor: &Visitor,
    view: &BoardView,
    asked: BoardRequest,
    head: BoardHead,
    rows: &Rows<'_>,
    paging: Paging,
    table: Table,
) -> Result<BoardPage, Failure> {
    let metric = ranking(view)?;
    let path = links::board(&view.benchmark_id, &view.task);
    let title = format!("{}: {}", view.benchmark.name, head.task_name);
    let feed = format!(
        "/feeds/benchmarks/{}?task={}",
        view.benchmark_id,
        links::part(view.task.as_str())
    );
    let summary = how::summary(view, metric);
    let pinned = asked
        .state
        .without("page")
        .with("as_of", table.moment.to_string());
    let pinned_here = pinned.on(&path);
    let citation = cite::bibtex(
        &format!("{}-{}", view.benchmark_id, view.task),
        &title,
        view.benchmark_id.namespace().unwrap_or_default(),
        &format!("{}{pinned_here}", visitor.base),
        &show::day(table.moment),
    );
    Ok(BoardPage {
        citation,
        pinned_here,
        embed: format!(
            "/datasets/{}/embed/leaderboard?leaderboard_task_id={}",
            view.benchmark_id,
            links::part(view.task.as_str())
        ),
        changes: links::changes(&view.benchmark_id, &view.task),
        against_now: view.as_of.map(|at| {
            let from = at.to_string();
            links::between(&view.benchmark_id, &view.task, &from, None)
        }),
        findings: format!(
            "{}?task={}",
            links::findings(&view.benchmark_id),
            links::part(view.task.as_str())
        ),
        base: visitor.base.to_string(),
        frame: visitor
            .frame(title)
            .within(Section::Benchmarks)
            .about(summary.clone())
            .fed_by(format!("Changes of {}", view.benchmark.name), feed),
        heads: columns::heads(view, &table.columns, &asked, &path),
        picker: columns::picker(view, &table.columns),
        pinned: rows.pinned(&asked, &paging, PAGE),
        charts: table.charts,
        how: how::sentences(view, metric, &asked),
        policies: Policy::ALL
            .map(|policy| (policy, how::policy(policy), policy.as_str() == view.policy)),
        sizes: request::SIZES,
        downloads: downloads(view, &asked),
        filtered: rows.len(),
        total: view.total,
        may_pick: rows.len() > 1,
        rows: table.rows,
        differ: how::differences(view),
        summary,
        paging,
        head,
        asked,
        path,
    })
}

/// The rows of the first group: what cannot be compared is in no chart together.
fn first_group<'r>(rows: &'r [&'r BoardRow]) -> &'r [&'r BoardRow] {
    let mut groups = rows.chunk_by(|one, next| one.group == next.group);
    groups.next().unwrap_or_default()
}

fn charts(
    rows: &Rows<'_>,
    records: &[BoardRecord],
    view: &BoardView,
) -> Result<Vec<Chart>, Failure> {
    let metric = ranking(view)?;
    let rows = first_group(rows.in_order());
    let dear = view.benchmark.metrics.iter().find(|other| {
        let name = other.id.as_str();
        let is_cost = ["cost", "price", "usd", "latency", "seconds"]
            .iter()
            .any(|word| name.contains(word));
        is_cost && other.id != metric.id
    });
    let against = dear
        .and_then(|dear| chart::against(rows, metric, Cost::Metric(dear)))
        .or_else(|| chart::against(rows, metric, Cost::Parameters));
    let charts = [
        chart::over_time(rows, records, metric),
        against,
        chart::intervals(rows, metric, |row| view.is_doubtful(row)),
    ];
    Ok(charts.into_iter().flatten().collect())
}

/// The same board as files.
fn downloads(view: &BoardView, asked: &BoardRequest) -> Vec<(&'static str, String)> {
    let state = asked.for_api(view);
    let address = |ending: &str| {
        let path = format!("/api/datasets/{}/leaderboard.{ending}", view.benchmark_id);
        state.on(&path)
    };
    FORMS
        .into_iter()
        .map(|(ending, name)| (name, address(ending)))
        .collect()
}

async fn plain_dataset(
    state: &AppState,
    visitor: &Visitor,
    id: &RepoId,
) -> Result<Answer, Failure> {
    let repo = state
        .hub
        .repo(&visitor.caller, RepoKind::Dataset, id)
        .await?;
    let info = state.hub.repositories().repo_info(&repo, None).await?;
    let readme = super::readme::of(state, &repo).await?;
    let folder = format!("/datasets/{}/blob/main", repo.id());
    let page = DatasetPage {
        frame: visitor.frame(repo.id().to_string()),
        id: repo.id().clone(),
        description: info.description,
        readme: readme.map(|text| markdown::render(&text, &folder)),
    };
    visitor.render(&page)
}
