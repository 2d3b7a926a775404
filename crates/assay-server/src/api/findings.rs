use assay_app::{Caller, FindingsQuery, ResultWithFindings};
use assay_hub_api as hub_api;
use assay_model::{Code, RepoKind};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::{Extension, Json};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::base_url::BaseUrl;
use crate::describe::{RouteDoc, Subject, says};
use crate::error::Failure;
use crate::extract::{Base, CallerExt, Query, RepoName};
use crate::links;
use crate::routes::{Routes, get};
use crate::state::AppState;
use crate::web;

/// The number of results on a page when the request names none.
const PAGE: usize = 100;
/// The most results of a page.
const MAX_PAGE: usize = 1000;
const TOTAL: HeaderName = HeaderName::from_static("x-total-count");
/// The description of what the lists contain.
const DETAIL: &str = "Only current results on boards are listed, with the warnings that follow from their files alone and what does \
     not fit the scale that the benchmark declares now.";

/// Lists of findings, at their full addresses: only datasets have boards.
pub(crate) fn routes() -> Routes {
    let of_benchmark =
        says("Lists the results for a benchmark in which the rules find something, newest first.");
    let of_hub =
        says("Lists the results on all boards in which the rules find something, newest first.");
    Routes::about(Subject::Leaderboards)
        .route(
            "/api/datasets/{namespace}/{name}/findings",
            get(benchmark_findings, listed(of_benchmark.query::<OfTask>())),
        )
        .map_router(|router| router.layer(Extension(RepoKind::Dataset)))
        .route("/api/assay/findings", get(hub_findings, listed(of_hub)))
}

fn listed(told: RouteDoc) -> RouteDoc {
    told.more(DETAIL)
        .query::<Listing>()
        .lists::<hub_api::ResultFindings>("A page.")
        .header("Link", links::NEXT)
        .header(
            TOTAL.as_str(),
            "How many results with findings there are in all.",
        )
}

#[derive(Debug, Deserialize, IntoParams)]
struct OfTask {
    /// Only results for this task.
    task_id: Option<String>,
}

#[derive(Debug, Deserialize, IntoParams)]
struct Listing {
    /// Only findings of this rule, such as `AY601`.
    code: Option<String>,
    /// The most results: 100 when nobody says, up to 1000.
    limit: Option<usize>,
    /// The number of results to skip.
    #[serde(default)]
    offset: usize,
}

type Page = (HeaderMap, Json<Vec<hub_api::ResultFindings>>);

/// Returns the results for a benchmark in which the rules find something.
async fn benchmark_findings(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    Base(base): Base,
    name: RepoName,
    Query(OfTask { task_id }): Query<OfTask>,
    Query(listing): Query<Listing>,
) -> Result<Page, Failure> {
    let query = FindingsQuery {
        benchmark: Some(name.id.clone()),
        task: task_id.filter(|task| !task.is_empty()),
        ..FindingsQuery::default()
    };
    let path = format!("/api/datasets/{}/findings", name.id);
    page(&state, &caller, &base, query, listing, &path).await
}

/// Returns the results on all boards in which the rules find something.
async fn hub_findings(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    Base(base): Base,
    Query(listing): Query<Listing>,
) -> Result<Page, Failure> {
    let query = FindingsQuery::default();
    let path = "/api/assay/findings";
    page(&state, &caller, &base, query, listing, path).await
}

async fn page(
    state: &AppState,
    caller: &Caller,
    base: &BaseUrl,
    asked: FindingsQuery,
    listing: Listing,
    path: &str,
) -> Result<Page, Failure> {
    let code = listing.code.as_deref().filter(|code| !code.is_empty());
    let code = code
        .map(str::parse::<Code>)
        .transpose()
        .map_err(|error| Failure::invalid(error.to_string()))?;
    let query = FindingsQuery {
        code,
        limit: listing.limit.unwrap_or(PAGE).clamp(1, MAX_PAGE),
        offset: listing.offset,
        ..asked
    };
    let list = state.hub.boards().findings(caller, &query).await?;
    let next = query.offset.saturating_add(query.limit);
    let mut headers = HeaderMap::new();
    if next < list.total {
        let mut pairs: Vec<(&str, String)> = Vec::new();
        pairs.extend(query.task.map(|task| ("task_id", task)));
        pairs.extend(query.code.map(|code| ("code", code.to_string())));
        pairs.push(("limit", query.limit.to_string()));
        pairs.push(("offset", next.to_string()));
        headers = links::next(base, path, &pairs);
    }
    headers.insert(TOTAL, HeaderValue::from(list.total));
    let items = list.results.into_iter().map(|one| to_wire(one, base));
    Ok((headers, Json(items.collect())))
}

fn to_wire(found: ResultWithFindings, base: &BaseUrl) -> hub_api::ResultFindings {
    let result = &found.result;
    hub_api::ResultFindings {
        dataset_id: found.benchmark_id,
        task_id: result.task.clone(),
        model_id: result.model.clone(),
        value: result.value,
        metric_id: result.value_metric.clone(),
        filename: result.file.clone(),
        ordinal: result.ordinal,
        pull_request: result.pull,
        commit: result.commit,
        url: format!("{base}{}", web::result_page(result)),
        findings: found.findings,
    }
}
