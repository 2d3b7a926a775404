//! Lists of benchmarks and of models.

use askama::Template;
use std::fmt::Write as _;

use assay_app::{BoardQuery, BoardView, ListQuery, ListSort, RepoInfo};
use assay_model::{Direction, Metric, Number, RepoId, RepoKind};
use axum::extract::State;

use super::board::how::with_unit;
use super::chart::{unit, way};
use super::frame::{Frame, Section};
use super::{Visitor, links, show};
use crate::error::Failure;
use crate::rendered::{About, Answer};
use crate::state::AppState;

/// Number of benchmarks or models a page that has.
const PAGE: usize = 48;
/// Number of scores that the little plot of a benchmark shows.
const STRIP: usize = 120;

#[derive(Template)]
#[template(path = "benchmarks.html")]
struct BenchmarksPage {
    frame: Frame,
    text: String,
    official: bool,
    sort: &'static str,
    cards: Vec<BenchmarkCard>,
    next: Option<String>,
}

/// A benchmark in a list.
#[derive(Debug)]
pub(super) struct BenchmarkCard {
    /// Its id.
    pub(super) id: RepoId,
    /// Its page.
    pub(super) to: String,
    /// Its name.
    pub(super) name: String,
    /// A description of what it measures.
    pub(super) description: String,
    /// True if the operator lists it.
    pub(super) official: bool,
    /// True if only some see it.
    pub(super) private: bool,
    /// Number of tasks that it has.
    pub(super) tasks: usize,
    /// The metric that ranks, with which way is better.
    pub(super) metric: String,
    /// The number of models of its first task.
    pub(super) models: usize,
    /// The number of them that are verified.
    pub(super) verified: usize,
    /// The best: address, name and value.
    pub(super) leader: Option<(String, String, String)>,
    /// How much of the scale lies beyond the leader, and how many cannot be told from it.
    pub(super) headroom: Option<String>,
    /// Time at which the newest result was made.
    pub(super) newest: Option<String>,
    /// The positions of the scores, as the steps of a path from 0 to 100.
    pub(super) strip: String,
}

#[derive(Template)]
#[template(path = "models.html")]
struct ModelsPage {
    frame: Frame,
    text: String,
    author: String,
    sort: &'static str,
    models: Vec<ModelCard>,
    next: Option<String>,
}

/// A model in a list.
#[derive(Debug)]
pub(super) struct ModelCard {
    /// Its id.
    pub(super) id: RepoId,
    /// Its page.
    pub(super) to: String,
    /// A description of the repository.
    pub(super) description: Option<String>,
    /// The task of the model.
    pub(super) pipeline: Option<String>,
    /// True if only some see it.
    pub(super) private: bool,
    /// The time of the last change.
    pub(super) updated: String,
    /// Number of results that it has.
    pub(super) results: usize,
    /// The number of them that are verified.
    pub(super) verified: usize,
}

/// The benchmarks.
pub(super) async fn benchmarks(
    State(state): State<AppState>,
    visitor: Visitor,
) -> Result<Answer, Failure> {
    let place = visitor.place(&state, About::Everything);
    let official = visitor.state.get("official").is_some();
    let tag = if official {
        "benchmark:official"
    } else {
        "benchmark"
    };
    let sort = sort(&visitor, "created");
    let query = list_query(&visitor, RepoKind::Dataset, sort, vec![tag.to_owned()]);
    let list = state
        .hub
        .repositories()
        .list(&visitor.caller, &query)
        .await?;
    let mut cards = Vec::with_capacity(list.repositories.len());
    for info in &list.repositories {
        cards.extend(card(&state, &visitor, info).await?);
    }
    let next = list
        .next
        .map(|cursor| visitor.state.with("after", cursor).on("/benchmarks"));
    let page = BenchmarksPage {
        frame: visitor
            .frame("Benchmarks")
            .within(Section::Benchmarks)
            .about("Every benchmark of this hub, with who leads."),
        text: visitor.state.get("q").unwrap_or_default().to_owned(),
        official,
        sort,
        cards,
        next,
    };
    visitor.render_kept(&state, place, &page)
}

/// The models.
pub(super) async fn models(
    State(state): State<AppState>,
    visitor: Visitor,
) -> Result<Answer, Failure> {
    let place = visitor.place(&state, About::Everything);
    let sort = sort(&visitor, "updated");
    let query = list_query(&visitor, RepoKind::Model, sort, Vec::new());
    let list = state
        .hub
        .repositories()
        .list(&visitor.caller, &query)
        .await?;
    let mut models = Vec::with_capacity(list.repositories.len());
    for info in list.repositories {
        models.push(model_card(&state, &visitor, info).await?);
    }
    let next = list
        .next
        .map(|cursor| visitor.state.with("after", cursor).on("/models"));
    let page = ModelsPage {
        frame: visitor
            .frame("Models")
            .within(Section::Models)
            .about("Every model of this hub, with its results."),
        text: visitor.state.get("q").unwrap_or_default().to_owned(),
        author: visitor.state.get("author").unwrap_or_default().to_owned(),
        sort,
        models,
        next,
    };
    visitor.render_kept(&state, place, &page)
}

/// The order that is asked for, by its name.
fn sort(visitor: &Visitor, usual: &'static str) -> &'static str {
    let asked = visitor.state.get("sort");
    let named = ["created", "updated", "name"];
    named
        .into_iter()
        .find(|name| Some(*name) == asked)
        .unwrap_or(usual)
}

fn list_query(visitor: &Visitor, kind: RepoKind, sort: &str, tags: Vec<String>) -> ListQuery {
    let words = visitor.state.get("q").unwrap_or_default();
    ListQuery {
        kind,
        author: visitor.state.get("author").map(str::to_owned),
        search: words
            .split_whitespace()
            .take(8)
            .map(str::to_owned)
            .collect(),
        tags,
        sort: match sort {
            "name" => ListSort::Name,
            "updated" => ListSort::Updated,
            _ => ListSort::Created,
        },
        limit: Some(PAGE),
        cursor: visitor.state.get("after").map(str::to_owned),
    }
}

/// A benchmark for a list; none when it was changed into something else meanwhile.
pub(super) async fn card(
    state: &AppState,
    visitor: &Visitor,
    info: &RepoInfo,
) -> Result<Option<BenchmarkCard>, Failure> {
    let view = state
        .hub
        .boards()
        .leaderboard(&visitor.caller, &info.id, &BoardQuery::default())
        .await;
    let view = match view {
        Ok(view) => view,
        Err(assay_app::Error::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let metric = super::board::ranking(&view)?;
    let rows = view.rows();
    let verified = rows.iter().filter(|row| row.loaded.is_verified());
    let newest = rows.iter().map(|row| row.loaded.moment()).max();
    let axis = assay_board::chart::Axis::linear(rows.iter().map(|row| row.value));
    let mut strip = String::new();
    for row in rows.iter().take(STRIP) {
        let place = axis.as_ref().map_or(0.0, |axis| axis.place(row.value));
        let place = show::plain((place * 1000.0).round() / 10.0);
        // A text can always be written to.
        let _ = write!(strip, "M{place} 2v8");
    }
    Ok(Some(BenchmarkCard {
        id: view.benchmark_id.clone(),
        to: links::benchmark(&view.benchmark_id),
        name: view.benchmark.name.clone(),
        description: show::shortened(&view.benchmark.description, 180),
        official: info.official,
        private: info.private,
        tasks: view.benchmark.tasks.len(),
        metric: format!("{} {}", metric.display_name, way(metric.direction).0),
        models: view.total,
        verified: verified.count(),
        leader: view.leader().row.map(|row| {
            (
                links::model(row.loaded.model()),
                row.loaded.model().to_string(),
                with_unit(row.value, metric),
            )
        }),
        headroom: headroom(&view, metric),
        newest: newest.map(show::day),
        strip,
    }))
}

/// Says how far the leader is from the end of the scale that the metric declares, and how many rows
/// cannot be told from it.
fn headroom(view: &BoardView, metric: &Metric) -> Option<String> {
    let leader = view.leader().row?;
    let end = match metric.direction {
        Direction::HigherIsBetter => metric.max.map(Number::get),
        Direction::LowerIsBetter => metric.min.map(Number::get),
    };
    let percent =
        || (unit(metric) == "%" && metric.direction == Direction::HigherIsBetter).then_some(100.0);
    let end = end.or_else(percent)?;
    let left = (end - leader.value).abs();
    let level = view.rows().iter().filter(|row| {
        let interval = row.rank_interval.as_ref();
        row.group == leader.group && interval.is_some_and(|interval| interval.best == 1)
    });
    let level = match level.count() {
        0 | 1 => String::new(),
        count => format!("; {} cannot be told from first", show::count(count)),
    };
    Some(format!(
        "{} to {}{level}",
        with_unit(left, metric),
        show::number(end)
    ))
}

/// A model for a list.
pub(super) async fn model_card(
    state: &AppState,
    visitor: &Visitor,
    info: RepoInfo,
) -> Result<ModelCard, Failure> {
    let repo = state
        .hub
        .repo(&visitor.caller, RepoKind::Model, &info.id)
        .await?;
    let results = state.hub.boards().model_results(&repo).await?;
    let verified = results
        .iter()
        .filter(|result| result.standing.is_verified());
    Ok(ModelCard {
        to: links::model(&info.id),
        id: info.id,
        description: info.description,
        pipeline: info.pipeline_tag,
        private: info.private,
        updated: show::day(info.updated),
        results: results.len(),
        verified: verified.count(),
    })
}
