use assay_hub_api as hub_api;
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::describe::{Access, Refusal, Subject, says};
use crate::error::Failure;
use crate::extract::{CallerExt, JsonBody, LenientBool, OptionalJson, PathParams, Query, RepoName};
use crate::routes::{Routes, get, post};
use crate::state::AppState;
use crate::wire;

pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Refs)
        .route(
            "/{namespace}/{name}/refs",
            get(
                refs,
                says("Lists branches and tags.")
                    .query::<RefsQuery>()
                    .answers::<hub_api::Refs>("The names and the commits they stand for."),
            ),
        )
        .route(
            "/{namespace}/{name}/branch/{*branch}",
            post(
                create_branch,
                says("Makes a branch.")
                    .asks(Access::SignedIn)
                    .may_take::<hub_api::CreateBranch>()
                    .answers_ok()
                    .refuses(&[Refusal::Taken]),
            )
            .delete(
                delete_branch,
                says("Deletes a branch, but never `main`.")
                    .asks(Access::SignedIn)
                    .answers_ok()
                    .refuses(&[Refusal::Invalid]),
            ),
        )
        .route(
            "/{namespace}/{name}/super-squash/{*branch}",
            post(
                squash_branch,
                says("Replaces the history of a branch by one commit, but never that of `main`.")
                    .asks(Access::SignedIn)
                    .takes::<hub_api::SquashBranch>()
                    .answers_ok(),
            ),
        )
        .route(
            "/{namespace}/{name}/tag/{*tag}",
            post(
                create_tag,
                says("Makes a tag.")
                    .more("The path names the revision, the body the tag.")
                    .asks(Access::SignedIn)
                    .takes::<hub_api::CreateTag>()
                    .answers_ok()
                    .refuses(&[Refusal::Taken]),
            )
            .delete(
                delete_tag,
                says("Deletes a tag.")
                    .asks(Access::SignedIn)
                    .answers_ok()
                    .refuses(&[Refusal::Invalid]),
            ),
        )
}

#[derive(Debug, Deserialize, IntoParams)]
struct RefsQuery {
    /// True if pull requests are listed as well.
    #[serde(default)]
    #[param(value_type = bool)]
    include_prs: LenientBool,
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
    CallerExt(caller): CallerExt,
    name: RepoName,
    Query(query): Query<RefsQuery>,
) -> Result<Json<hub_api::Refs>, Failure> {
    let repo = name.open(&state, &caller).await?;
    let list = state.hub.repositories().refs(&repo).await?;
    Ok(Json(wire::refs(&list, query.include_prs.0)))
}

async fn create_branch(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    name: RepoName,
    PathParams(Branch { branch }): PathParams<Branch>,
    OptionalJson(request): OptionalJson<hub_api::CreateBranch>,
) -> Result<&'static str, Failure> {
    let repo = name.open(&state, &caller).await?;
    let start = request.starting_point.as_deref();
    state
        .hub
        .repositories()
        .create_branch(&caller, &repo, &branch, start)
        .await?;
    Ok(wire::OK)
}

async fn delete_branch(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    name: RepoName,
    PathParams(Branch { branch }): PathParams<Branch>,
) -> Result<&'static str, Failure> {
    let repo = name.open(&state, &caller).await?;
    state
        .hub
        .repositories()
        .delete_branch(&caller, &repo, &branch)
        .await?;
    Ok(wire::OK)
}

async fn squash_branch(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    name: RepoName,
    PathParams(Branch { branch }): PathParams<Branch>,
    JsonBody(request): JsonBody<hub_api::SquashBranch>,
) -> Result<&'static str, Failure> {
    let repo = name.open(&state, &caller).await?;
    state
        .hub
        .repositories()
        .squash_branch(&caller, &repo, &branch, &request.message)
        .await?;
    Ok(wire::OK)
}

async fn create_tag(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    name: RepoName,
    PathParams(Tag { tag: revision }): PathParams<Tag>,
    JsonBody(request): JsonBody<hub_api::CreateTag>,
) -> Result<&'static str, Failure> {
    let repo = name.open(&state, &caller).await?;
    let message = request.message.as_deref().filter(|text| !text.is_empty());
    let hub = &state.hub;
    hub.repositories()
        .create_tag(&caller, &repo, &request.tag, &revision, message)
        .await?;
    Ok(wire::OK)
}

async fn delete_tag(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    name: RepoName,
    PathParams(Tag { tag }): PathParams<Tag>,
) -> Result<&'static str, Failure> {
    let repo = name.open(&state, &caller).await?;
    state
        .hub
        .repositories()
        .delete_tag(&caller, &repo, &tag)
        .await?;
    Ok(wire::OK)
}
