//! A leaderboard for the pages of others.

use askama::Template;
use assay_app::{BoardRow, FullRow};
use assay_model::Metric;
use axum::extract::State;

use super::board::how::summary;
use super::board::{BoardRequest, Order, Rows, Status, ranking, status};
use super::chart::{unit, way};
use super::frame::Frame;
use super::{Visitor, html, links, show};
use crate::error::Failure;
use crate::extract::PageRepo;
use crate::rendered::{About, Answer};
use crate::state::AppState;

/// Number of rows that are shown unless all are asked for.
const COLLAPSED: usize = 10;
/// Number of rows that are shown at most.
const EXPANDED: usize = 100;

#[derive(Template)]
#[template(path = "embed.html")]
struct EmbedPage {
    frame: Frame,
    name: String,
    task: String,
    metric: String,
    unit: String,
    way: (&'static str, &'static str),
    summary: String,
    rows: Vec<EmbedRow>,
    total: usize,
    board: String,
    expand: Option<String>,
}

/// One row.
#[derive(Debug)]
struct EmbedRow {
    rank: usize,
    to: String,
    model: String,
    value: String,
    status: Status,
    day: String,
    highlighted: bool,
}

/// A board in a frame: `leaderboard_task_id`, `leaderboard_max_params`, `leaderboard_is_expanded`
/// and `eval_result`, which names the model to be seen at once.
pub(super) async fn leaderboard(
    State(state): State<AppState>,
    visitor: Visitor,
    PageRepo(id): PageRepo,
) -> Result<Answer, Failure> {
    let place = visitor.place(&state, About::Board(id.clone()));
    let said = |key: &str| visitor.state.get(key).map(str::to_owned);
    let asked = BoardRequest {
        max_params: said("leaderboard_max_params").unwrap_or_default(),
        highlight: said("eval_result").map(|text| model_of(&text)),
        ..BoardRequest::of(
            &visitor
                .state
                .only(&["metric", "policy", "verified", "base", "as_of"]),
        )
    };
    let query = asked.query(said("leaderboard_task_id"));
    let view = state
        .hub
        .boards()
        .leaderboard(&visitor.caller, &id, &query)
        .await?;
    let metric = ranking(&view)?;
    let rows = Rows::of(&view, &asked, &Order::default());
    let is_expanded = matches!(
        visitor.state.get("leaderboard_is_expanded"),
        Some("true" | "1" | "yes")
    );
    let most = if is_expanded { EXPANDED } else { COLLAPSED };
    let chosen = embedded(&rows, &asked, most);
    let shown = state.hub.boards().full_rows(&view, chosen).await?;
    let more = visitor.state.with("leaderboard_is_expanded", "true");
    let page = EmbedPage {
        frame: visitor.frame(view.benchmark.name.clone()).unlisted(),
        name: view.benchmark.name.clone(),
        task: view.task.to_string(),
        metric: metric.display_name.clone(),
        unit: unit(metric).to_owned(),
        way: way(metric.direction),
        summary: summary(&view, metric),
        total: rows.len(),
        expand: (!is_expanded && rows.len() > COLLAPSED).then(|| more.on(&visitor.path)),
        board: links::board(&view.benchmark_id, &view.task),
        rows: shown
            .iter()
            .map(|row| embed_row(row, metric, &asked))
            .collect(),
    };
    let mut answer = visitor.render(&page)?;
    html::let_embed(&mut answer.headers);
    if let Some(place) = place {
        state.web.rendered.put(place, answer.clone());
    }
    Ok(answer)
}

/// The first rows, and the one to be seen at once wherever it is.
fn embedded<'v>(rows: &Rows<'v>, asked: &BoardRequest, most: usize) -> Vec<&'v BoardRow> {
    let is_shown = |(position, row): &(usize, &'v BoardRow)| {
        *position < most || asked.is_highlighted(row.loaded.model().as_str())
    };
    let numbered = rows.in_order().iter().copied().enumerate();
    numbered.filter(is_shown).map(|(_, row)| row).collect()
}

fn embed_row(FullRow { row, result }: &FullRow, metric: &Metric, asked: &BoardRequest) -> EmbedRow {
    EmbedRow {
        rank: row.rank,
        to: links::model(&result.model),
        model: result.model.to_string(),
        value: super::board::how::with_unit(row.value, metric),
        status: status(result),
        day: show::day_of(&result.date).to_owned(),
        highlighted: asked.is_highlighted(result.model.as_str()),
    }
}

/// The model that a result is named by: `owner/model`, or that with a file or number after it.
fn model_of(text: &str) -> String {
    text.split(['/', ':', '#'])
        .take(2)
        .collect::<Vec<_>>()
        .join("/")
}
