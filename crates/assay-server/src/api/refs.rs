use assay_app::Need;
use assay_formats::hub_api;
use axum::Json;
use axum::extract::State;
use axum::http::Method;
use axum::routing::{get, post};
use serde::Deserialize;

use crate::endpoints::{Endpoints, Param, ParamKind, param, told};
use crate::error::Failure;
use crate::extract::{Asker, Flag, JsonBody, OptionalJson, Query, RepoName, Segments};
use crate::state::AppState;
use crate::wire;

const QUERY: &[Param] = &[param(
    "include_prs",
    ParamKind::Flag,
    "tell the pull requests too",
)];

pub(crate) fn routes() -> Endpoints {
    Endpoints::new()
        .route(
            "/{namespace}/{name}/refs",
            get(refs),
            [told(
                Method::GET,
                "refs",
                "Lists branches, tags and pull requests.",
            )
            .query(QUERY)],
        )
        .route(
            "/{namespace}/{name}/branch/{*branch}",
            post(create_branch).delete(delete_branch),
            [
                told(Method::POST, "create_branch", "Makes a branch.")
                    .takes("`startingPoint`, the head of `main` when absent")
                    .answers_as("text/plain", "`OK`"),
                told(
                    Method::DELETE,
                    "delete_branch",
                    "Deletes a branch; never `main`.",
                )
                .answers_as("text/plain", "`OK`"),
            ],
        )
        .route(
            "/{namespace}/{name}/tag/{*tag}",
            post(create_tag).delete(delete_tag),
            [
                told(
                    Method::POST,
                    "create_tag",
                    "Makes a tag; the last part of the address is the revision it is for.",
                )
                .takes("`tag`, the name, and `message`")
                .answers_as("text/plain", "`OK`"),
                told(Method::DELETE, "delete_tag", "Deletes a tag.")
                    .answers_as("text/plain", "`OK`"),
            ],
        )
        .under("Files")
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
