use assay_app::RecordFile;
use assay_hub_api as hub_api;
use assay_model::RepoPath;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::describe::{Subject, says};
use crate::error::Failure;
use crate::extract::{Base, CallerExt, Query, RepoName};
use crate::links;
use crate::routes::{Routes, get};
use crate::state::AppState;

/// Number of records that a page has when nobody says.
const PAGE: u32 = 100;
/// The most records of a page.
const MAX_PAGE: u32 = 1000;
const TOTAL: HeaderName = HeaderName::from_static("x-total-count");

pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Files).route(
        "/{namespace}/{name}/records",
        get(
            records,
            says("Lists the Every Eval Ever records on the main branch.")
                .more("They are files in `data/{benchmark}/{developer}/{model}/`; `resolve` has each as it is.")
                .query::<Listing>()
                .lists::<hub_api::RecordItem>("A page, in the order of the paths.")
                .header("Link", links::NEXT)
                .header("X-Total-Count", "How many records there are in all."),
        ),
    )
}

#[derive(Debug, Deserialize, IntoParams)]
struct Listing {
    /// Only those in this folder of `data`.
    benchmark: Option<String>,
    /// The most records of a page: 100 when nobody says, up to 1000.
    limit: Option<u32>,
    /// The start of the page, from the `Link` header.
    cursor: Option<String>,
}

/// The records of a repository, a page at a time; the `Link` header leads to the next.
async fn records(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    Base(base): Base,
    name: RepoName,
    Query(query): Query<Listing>,
) -> Result<(HeaderMap, Json<Vec<hub_api::RecordItem>>), Failure> {
    let repo = name.open(&state, &caller).await?;
    let after = query.cursor.as_deref().map(str::parse::<RepoPath>);
    let after = after
        .transpose()
        .map_err(|_| Failure::invalid("the cursor is none of this hub".to_owned()))?;
    let limit = query.limit.unwrap_or(PAGE).clamp(1, MAX_PAGE);
    let page = state
        .hub
        .repositories()
        .records(&repo, query.benchmark.as_deref(), after.as_ref(), limit)
        .await?;
    let mut headers = HeaderMap::new();
    if let Some(next) = page.next {
        let path = format!("/api/{}/{}/records", repo.kind().plural(), repo.id());
        let mut pairs: Vec<(&str, String)> = Vec::new();
        pairs.extend(query.benchmark.map(|benchmark| ("benchmark", benchmark)));
        pairs.push(("limit", limit.to_string()));
        pairs.push(("cursor", next.to_string()));
        headers = links::next(&base, &path, &pairs);
    }
    headers.insert(TOTAL, HeaderValue::from(page.total));
    Ok((
        headers,
        Json(page.records.into_iter().map(to_wire).collect()),
    ))
}

fn to_wire(record: RecordFile) -> hub_api::RecordItem {
    hub_api::RecordItem {
        path: record.path,
        oid: record.oid,
        facts: record.facts,
    }
}
