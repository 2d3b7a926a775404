use assay_app::{BoardQuery, Moments, RowChangeKind};
use assay_hub_api as hub_api;
use assay_model::RepoKind;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::{Extension, Json};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::describe::{Subject, says};
use crate::error::Failure;
use crate::extract::{Base, CallerExt, LenientBool, Query, RepoName};
use crate::links;
use crate::routes::{Routes, get};
use crate::state::AppState;
use crate::wire;

/// The number of rows in an answer when the request names none.
const ROWS: usize = 100;
/// The most rows in an answer.
const MAX_ROWS: usize = 1000;
/// The number of rows of each board in the answer about the hub.
const ROWS_OF_EACH: usize = 20;
const TOTAL: HeaderName = HeaderName::from_static("x-total-count");

/// What differs between two moments, at full addresses: only datasets have boards.
pub(crate) fn routes() -> Routes {
    let of_board = says("Returns how a leaderboard differs between two moments.")
        .more(
            "The best row of each model is compared: it came, went, has another value, or the same value and another rank. \
             Both boards rank by the definition of the later moment's metric; a benchmark that was given another direction or \
             slice for it between the two is refused.",
        )
        .query::<BoardMoments>()
        .answers::<hub_api::BoardDiff>("The difference.")
        .header("Link", links::NEXT)
        .header(TOTAL.as_str(), "How many rows of the kind differ in all.");
    let of_hub = says("Returns how all leaderboards differ between two moments.")
        .more("At most 20 rows of each board, of the 40 boards that changed last.")
        .query::<HubMoments>()
        .answers::<hub_api::HubDiff>("The difference.");
    Routes::about(Subject::Leaderboards)
        .route(
            "/api/datasets/{namespace}/{name}/leaderboard/changes",
            get(board_changes, of_board),
        )
        .map_router(|router| router.layer(Extension(RepoKind::Dataset)))
        .route("/api/assay/changes", get(hub_changes, of_hub))
}

#[derive(Debug, Deserialize, IntoParams)]
struct HubMoments {
    /// The earlier moment: a date, which means the end of its day, or a time.
    from: String,
    /// The later moment; now when absent.
    to: Option<String>,
}

#[derive(Debug, Deserialize, IntoParams)]
struct BoardMoments {
    /// The earlier moment: a date, which means the end of its day, a time, or a commit of the
    /// benchmark.
    from: String,
    /// The later moment; now when absent.
    to: Option<String>,
    /// The task; none for the first one of the benchmark.
    task_id: Option<String>,
    /// The metric; none for the primary one of the task.
    metric_id: Option<String>,
    /// Which of several results of a model counts: `most-trusted` (the default), `best`, `latest`
    /// or `all`.
    policy: Option<String>,
    /// True if verified results alone are ranked.
    #[serde(default)]
    #[param(value_type = bool)]
    verified: LenientBool,
    /// Only rows that differ in this way: `came`, `went`, `changed` or `moved`.
    kind: Option<String>,
    /// The most rows: 100 when nobody says, up to 1000.
    limit: Option<usize>,
    /// The number of rows to skip.
    #[serde(default)]
    offset: usize,
}

/// Returns how a leaderboard differs between two moments.
async fn board_changes(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    Base(base): Base,
    name: RepoName,
    Query(asked): Query<BoardMoments>,
) -> Result<(HeaderMap, Json<hub_api::BoardDiff>), Failure> {
    let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
    let kind = filled(asked.kind)
        .map(|name| {
            RowChangeKind::from_name(&name).ok_or_else(|| {
                Failure::invalid(format!(
                    "`{name}` is no kind of change: it is `came`, `went`, `changed` or `moved`"
                ))
            })
        })
        .transpose()?;
    let moments = Moments {
        from: asked.from,
        to: filled(asked.to),
    };
    let limit = asked.limit.unwrap_or(ROWS).clamp(1, MAX_ROWS);
    let query = BoardQuery {
        task: filled(asked.task_id),
        metric: filled(asked.metric_id),
        policy: filled(asked.policy),
        verified: asked.verified.0,
        limit: Some(limit),
        offset: asked.offset,
        ..BoardQuery::default()
    };
    let boards = state.hub.boards();
    let diff = boards
        .board_diff(&caller, &name.id, &query, &moments, kind)
        .await?;
    let total = kind.map_or(diff.counts.total(), |kind| diff.counts.of_kind(kind));
    let next = asked.offset.saturating_add(limit);
    let mut headers = HeaderMap::new();
    if next < total {
        let mut pairs = vec![("from", moments.from), ("task_id", diff.task.to_string())];
        pairs.extend(moments.to.map(|to| ("to", to)));
        pairs.push(("metric_id", diff.metric.to_string()));
        pairs.push(("policy", diff.policy.to_owned()));
        if query.verified {
            pairs.push(("verified", "true".to_owned()));
        }
        pairs.extend(kind.map(|kind| ("kind", kind.as_str().to_owned())));
        pairs.push(("limit", limit.to_string()));
        pairs.push(("offset", next.to_string()));
        let path = format!("/api/datasets/{}/leaderboard/changes", name.id);
        headers = links::next(&base, &path, &pairs);
    }
    headers.insert(TOTAL, HeaderValue::from(total));
    let now = state.web.clock.now();
    Ok((headers, Json(wire::board_diff(&diff, now, &base))))
}

/// Returns how all leaderboards differ between two moments.
async fn hub_changes(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    Base(base): Base,
    Query(asked): Query<HubMoments>,
) -> Result<Json<hub_api::HubDiff>, Failure> {
    let moments = Moments {
        from: asked.from,
        to: asked.to.filter(|to| !to.is_empty()),
    };
    let boards = state.hub.boards();
    let diff = boards.hub_diff(&caller, &moments, ROWS_OF_EACH).await?;
    let now = state.web.clock.now();
    let boards = diff.boards.iter();
    Ok(Json(hub_api::HubDiff {
        boards: boards
            .map(|board| wire::board_diff(board, now, &base))
            .collect(),
        has_more: diff.has_more,
    }))
}
