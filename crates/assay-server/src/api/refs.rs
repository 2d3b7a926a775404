use assay_app::Need;
use assay_formats::hub_api;
use axum::extract::State;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;

use crate::error::Failure;
use crate::extract::{Asker, Flag, JsonBody, OptionalJson, Query, RepoName, Segments};
use crate::state::AppState;
use crate::wire;

pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .route("/{namespace}/{name}/refs", get(refs))
        .route(
            "/{namespace}/{name}/branch/{*branch}",
            post(create_branch).delete(delete_branch),
        )
        .route(
            "/{namespace}/{name}/tag/{*tag}",
            post(create_tag).delete(delete_tag),
        )
}

#[derive(Debug, Deserialize)]
struct RefsQuery {
    #[serde(default)]
    include_prs: Flag,
}

#[derive(Deserialize)]
struct Branch {
    branch: String,
}

/// The last segment: the name of a tag, or the revision that a new one is for.
#[derive(Deserialize)]
struct Tag {
    tag: String,
}

/// Branches, tags and, when they are asked for, pull requests.
async fn refs(
    State(state): State<AppState>,
    Asker(caller): Asker,
    name: RepoName,
    Query(query): Query<RefsQuery>,
) -> Result<Json<hub_api::Refs>, Failure> {
    let repo = name.open(&state, &caller, Need::Read).await?;
    let list = state.hub.refs(&repo).await?;
    Ok(Json(wire::refs(&list, query.include_prs.0)))
}

async fn create_branch(
    State(state): State<AppState>,
    Asker(caller): Asker,
    name: RepoName,
    Segments(Branch { branch }): Segments<Branch>,
    OptionalJson(request): OptionalJson<hub_api::CreateBranch>,
) -> Result<&'static str, Failure> {
    let repo = name.open(&state, &caller, Need::Write).await?;
    let start = request.starting_point.as_deref();
    state
        .hub
        .create_branch(&caller, &repo, &branch, start)
        .await?;
    Ok(wire::OK)
}

async fn delete_branch(
    State(state): State<AppState>,
    Asker(caller): Asker,
    name: RepoName,
    Segments(Branch { branch }): Segments<Branch>,
) -> Result<&'static str, Failure> {
    let repo = name.open(&state, &caller, Need::Write).await?;
    state.hub.delete_branch(&caller, &repo, &branch).await?;
    Ok(wire::OK)
}

async fn create_tag(
    State(state): State<AppState>,
    Asker(caller): Asker,
    name: RepoName,
    Segments(Tag { tag: revision }): Segments<Tag>,
    JsonBody(request): JsonBody<hub_api::CreateTag>,
) -> Result<&'static str, Failure> {
    let repo = name.open(&state, &caller, Need::Write).await?;
    let message = request.message.as_deref().filter(|text| !text.is_empty());
    let hub = &state.hub;
    hub.create_tag(&caller, &repo, &request.tag, &revision, message)
        .await?;
    Ok(wire::OK)
}

async fn delete_tag(
    State(state): State<AppState>,
    Asker(caller): Asker,
    name: RepoName,
    Segments(Tag { tag }): Segments<Tag>,
) -> Result<&'static str, Failure> {
    let repo = name.open(&state, &caller, Need::Write).await?;
    state.hub.delete_tag(&caller, &repo, &tag).await?;
    Ok(wire::OK)
}
