use assay_app::{BoardRow, BoardView, ListQuery, ListSort};
use assay_board::{Verdict, difference};
use assay_hub_api as hub_api;
use assay_model::{Direction, Metric, RepoId, RepoKind};
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::describe::{Subject, says};
use crate::error::Failure;
use crate::extract::{Base, CallerExt, Query};
use crate::links;
use crate::routes::{Routes, get};
use crate::side_by_side::{SideBySide, verdict};
use crate::state::AppState;
use crate::wire;

/// The most models that are compared.
const MAX_MODELS: usize = 20;
/// The number of benchmarks and of models that a search lists when the request names none.
const FOUND: usize = 20;
/// The most that a search lists of each.
const MAX_FOUND: usize = 100;
/// The longest text that is looked for, in characters, and the most words of it.
const MAX_QUERY: usize = 200;
const MAX_WORDS: usize = 8;

/// What is asked of all boards, at full addresses.
pub(crate) fn routes() -> Routes {
    let compared = says("Compares models on every leaderboard.")
        .more(
            "Each row has its difference from the first model, with a 95 % interval of two independent results where it is known \
             how uncertain both are.",
        )
        .query::<Compared>()
        .answers::<hub_api::Comparison>("The comparison.");
    let found = says("Finds benchmarks and models by words.")
        .query::<Wanted>()
        .answers::<hub_api::SearchAnswer>("What was found.");
    Routes::about(Subject::Leaderboards)
        .route("/api/assay/compare", get(compare, compared))
        .route("/api/assay/search", get(search, found))
}

#[derive(Debug, Deserialize, IntoParams)]
struct Compared {
    /// The models, repeated for several, at most 20.
    models: Vec<String>,
}

#[derive(Debug, Deserialize, IntoParams)]
struct Wanted {
    /// The words.
    q: String,
    /// The most benchmarks and the most models: 20 when nobody says, up to 100.
    limit: Option<usize>,
}

/// Returns models side by side on every board.
async fn compare(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    Base(base): Base,
    Query(Compared { models }): Query<Compared>,
) -> Result<Json<hub_api::Comparison>, Failure> {
    if models.len() > MAX_MODELS {
        return Err(Failure::invalid(format!(
            "at most {MAX_MODELS} models are compared, and these are {}",
            models.len()
        )));
    }
    let found = SideBySide::find(&state, &caller, &models).await?;
    let boards = found.boards.iter();
    let boards = boards.filter_map(|(view, rows)| compared_board(view, rows));
    let boards = boards.collect();
    let names: Vec<&str> = found.models.iter().map(RepoId::as_str).collect();
    let url = format!("{base}/compare?models={}", names.join(","));
    Ok(Json(hub_api::Comparison {
        models: found.models,
        missing: found.missing,
        boards,
        url,
    }))
}

fn compared_board(view: &BoardView, rows: &[Option<BoardRow>]) -> Option<hub_api::ComparedBoard> {
    let metric = view.benchmark.metric(view.metric.as_str())?;
    let first = rows.iter().flatten().next()?;
    let told = rows.iter().flatten().map(|row| hub_api::ComparedRow {
        model_id: row.loaded.model().clone(),
        rank: row.rank,
        of: view.ranked_with(row),
        value: row.value,
        value_interval: row.estimate.as_ref().map(wire::value_interval),
        verified: row.loaded.is_verified(),
        difference: compared_difference(first, row, metric),
    });
    Some(hub_api::ComparedBoard {
        dataset_id: view.benchmark_id.clone(),
        task_id: view.task.clone(),
        metric_id: view.metric.clone(),
        better: match metric.direction {
            Direction::HigherIsBetter => "higher",
            Direction::LowerIsBetter => "lower",
        }
        .to_owned(),
        rows: told.collect(),
    })
}

fn compared_difference(
    first: &BoardRow,
    row: &BoardRow,
    metric: &Metric,
) -> Option<hub_api::ComparedDifference> {
    if std::ptr::eq(first, row) || first.group != row.group {
        return None;
    }
    let estimates = first.estimate.zip(row.estimate);
    let interval = estimates.map(|(first, own)| difference(&first, &own).interval);
    let verdict = match verdict(first, row, metric) {
        Some(Verdict::Above) => "better",
        Some(Verdict::Below) => "worse",
        Some(Verdict::Unclear) => "no clear difference",
        None => "uncertainty not known",
    };
    Some(hub_api::ComparedDifference {
        value: row.value - first.value,
        low: interval.as_ref().map(|interval| interval.low),
        high: interval.as_ref().map(|interval| interval.high),
        verdict: verdict.to_owned(),
    })
}

/// Returns the benchmarks and models that have some words.
async fn search(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    Base(base): Base,
    Query(Wanted { q, limit }): Query<Wanted>,
) -> Result<Json<hub_api::SearchAnswer>, Failure> {
    let words: String = q.trim().chars().take(MAX_QUERY).collect();
    let limit = limit.unwrap_or(FOUND).clamp(1, MAX_FOUND);
    let boards = state.hub.boards();
    let hits = boards.search_benchmarks(&caller, &words, limit).await?;
    let mut benchmarks = Vec::with_capacity(hits.len());
    for hit in hits {
        let definition = boards.definition(&caller, &hit.id).await?;
        let tasks = definition.iter().flat_map(|definition| &definition.tasks);
        benchmarks.push(hub_api::FoundBenchmark {
            tasks: tasks.map(|task| task.id.clone()).collect(),
            url: links::repo(&base, RepoKind::Dataset, &hit.id),
            id: hit.id,
            name: hit.name,
            description: hit.description,
        });
    }
    let words: Vec<String> = words
        .split_whitespace()
        .take(MAX_WORDS)
        .map(str::to_owned)
        .collect();
    if words.is_empty() {
        return Err(Failure::invalid("`q` has no words to look for"));
    }
    let query = ListQuery {
        kind: RepoKind::Model,
        author: None,
        search: words,
        tags: Vec::new(),
        sort: ListSort::Updated,
        limit: Some(limit),
        cursor: None,
    };
    let page = state.hub.repositories().list(&caller, &query).await?;
    let models = page.repositories.into_iter();
    Ok(Json(hub_api::SearchAnswer {
        benchmarks,
        models: models
            .map(|info| hub_api::FoundModel {
                url: links::repo(&base, RepoKind::Model, &info.id),
                id: info.id,
            })
            .collect(),
        more_models: page.next.is_some(),
    }))
}
