use assay_app::{DiscussionFilter, Event, EventPage, NewDiscussion, Repo, Status};
use assay_hub_api as hub_api;
use assay_model::PullNumber;
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::describe::{Access, Refusal, Subject, says};
use crate::error::Failure;
use crate::extract::{
    Base, CallerExt, JsonBody, LenientBool, OptionalJson, PathParams, Query, RepoName,
};
use crate::links;
use crate::routes::{Routes, get, post};
use crate::state::AppState;
use crate::wire;

/// Number of discussions that a page has.
const PAGE: u64 = DiscussionFilter::PAGE;

/// Discussions and pull requests, below `/api/{models,datasets}`.
pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Discussions)
        .route(
            "/{namespace}/{name}/discussions",
            get(
                list,
                says("Lists discussions and pull requests, newest first.")
                    .query::<ListQuery>()
                    .answers::<hub_api::DiscussionPage>("A page of 50."),
            )
            .post(
                open,
                says("Opens a discussion, or a draft of a pull request.")
                    .more("Discussions and pull requests share their numbers. A draft opens with its first commit to `refs/pr/N`.")
                    .asks(Access::SignedIn)
                    .takes::<hub_api::CreateDiscussion>()
                    .answers::<hub_api::CreatedDiscussion>("Its number and page."),
            ),
        )
        .route(
            "/{namespace}/{name}/discussions/{num}",
            get(
                show,
                says("Shows a discussion or pull request with what happened.")
                    .more("An answer has at most 2,000 events with about 4 MiB of text; the rest comes with `events_after`. A diff that is too much work is left out, and a line that begins with `#` says how to get it.")
                    .query::<ShowQuery>()
                    .answers::<hub_api::Discussion>("The discussion."),
            ),
        )
        .route(
            "/{namespace}/{name}/discussions/{num}/comment",
            post(
                comment,
                says("Adds a comment.")
                    .asks(Access::SignedIn)
                    .takes::<hub_api::Comment>()
                    .answers::<hub_api::NewMessage>("The comment."),
            ),
        )
        .route(
            "/{namespace}/{name}/discussions/{num}/comment/{event}/edit",
            post(
                edit,
                says("Changes the text of a comment.")
                    .asks(Access::SignedIn)
                    .takes::<hub_api::EditComment>()
                    .answers::<hub_api::UpdatedComment>("The comment as it is now."),
            ),
        )
        .route(
            "/{namespace}/{name}/discussions/{num}/comment/{event}/hide",
            post(
                hide,
                says("Hides a comment, for good.")
                    .asks(Access::SignedIn)
                    .answers::<hub_api::UpdatedComment>("The comment as it is now.")
                    .refuses(&[Refusal::Invalid]),
            ),
        )
        .route(
            "/{namespace}/{name}/discussions/{num}/title",
            post(
                retitle,
                says("Gives another title.")
                    .asks(Access::SignedIn)
                    .takes::<hub_api::SetTitle>()
                    .answers::<hub_api::NewTitle>("The change."),
            ),
        )
        .route(
            "/{namespace}/{name}/discussions/{num}/status",
            post(
                change_status,
                says("Closes, or opens again.")
                    .more("Results of a closed pull request no longer count; opened again, they do.")
                    .asks(Access::SignedIn)
                    .takes::<hub_api::SetStatus>()
                    .answers::<hub_api::NewStatus>("The change.")
                    .refuses(&[Refusal::Taken]),
            ),
        )
        .route(
            "/{namespace}/{name}/discussions/{num}/merge",
            post(
                merge,
                says("Merges a pull request.")
                    .more("A conflict is a 409 that names the files.")
                    .asks(Access::SignedIn)
                    .may_take::<hub_api::Merge>()
                    .answers::<hub_api::Merged>("The change and the commit.")
                    .refuses(&[Refusal::Taken]),
            ),
        )
}

#[derive(Deserialize)]
struct Numbered {
    num: PullNumber,
}

#[derive(Deserialize)]
struct CommentParams {
    num: PullNumber,
    event: String,
}

#[derive(Debug, Deserialize, IntoParams)]
struct ListQuery {
    /// The page, from 0 on.
    #[serde(default)]
    p: u64,
    /// `all`, `discussion` or `pull_request`.
    #[serde(default, rename = "type")]
    kind: Option<String>,
    /// `all`, `open` or `closed`; merged ones are closed.
    #[serde(default)]
    status: Option<String>,
    /// Only those of this account.
    #[serde(default)]
    author: Option<String>,
}

#[derive(Debug, Deserialize, IntoParams)]
struct ShowQuery {
    /// True if the changes of a pull request are returned, as a unified diff.
    #[serde(default)]
    #[param(value_type = bool)]
    diff: LenientBool,
    /// The number of events to skip, for a discussion with more than one answer can have.
    #[serde(default)]
    events_after: u64,
}

/// Lists discussions and pull requests, newest first.
async fn list(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    name: RepoName,
    Query(query): Query<ListQuery>,
) -> Result<Json<hub_api::DiscussionPage>, Failure> {
    let repo = name.open(&state, &caller).await?;
    let filter = filter(&query)?;
    let page = state.hub.discussions().discussions(&repo, &filter).await?;
    Ok(Json(wire::discussion_page(&page)))
}

fn filter(query: &ListQuery) -> Result<DiscussionFilter, Failure> {
    Ok(DiscussionFilter {
        is_pull: match query.kind.as_deref() {
            None | Some("" | "all") => None,
            Some("pull_request") => Some(true),
            Some("discussion") => Some(false),
            Some(_) => {
                return Err(Failure::invalid(
                    "`type` is `all`, `discussion` or `pull_request`",
                ));
            }
        },
        open: match query.status.as_deref() {
            None | Some("" | "all") => None,
            Some("open") => Some(true),
            Some("closed") => Some(false),
            Some(_) => return Err(Failure::invalid("`status` is `all`, `open` or `closed`")),
        },
        author: query.author.clone().filter(|author| !author.is_empty()),
        offset: query.p.saturating_mul(PAGE),
    })
}

/// Opens a discussion, or a draft of a pull request.
async fn open(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    Base(base): Base,
    name: RepoName,
    JsonBody(request): JsonBody<hub_api::CreateDiscussion>,
) -> Result<Json<hub_api::CreatedDiscussion>, Failure> {
    let new = NewDiscussion {
        title: request.title,
        description: request.description,
        is_pull: request.pull_request,
    };
    let opened = state
        .hub
        .discussions()
        .open_discussion(&caller, name.kind, &name.id, new)
        .await?;
    Ok(Json(hub_api::CreatedDiscussion {
        num: opened.num,
        url: links::discussion(&base, opened.kind, &opened.repo, opened.num),
        pull_request: opened.is_pull,
    }))
}

/// Shows one with everything that happened, and the changes of a pull request when they are asked
/// for.
async fn show(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    name: RepoName,
    PathParams(Numbered { num }): PathParams<Numbered>,
    Query(query): Query<ShowQuery>,
) -> Result<Json<hub_api::Discussion>, Failure> {
    let repo = name.open(&state, &caller).await?;
    let page = EventPage {
        offset: query.events_after,
        ..EventPage::all()
    };
    let details = state
        .hub
        .discussions()
        .discussion(&repo, num, query.diff.0, page)
        .await?;
    Ok(Json(wire::details(&details)))
}

async fn comment(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    name: RepoName,
    PathParams(Numbered { num }): PathParams<Numbered>,
    JsonBody(request): JsonBody<hub_api::Comment>,
) -> Result<Json<hub_api::NewMessage>, Failure> {
    let repo = name.open(&state, &caller).await?;
    let said = state
        .hub
        .discussions()
        .comment(&caller, &repo, num, &request.comment)
        .await?;
    Ok(Json(hub_api::NewMessage {
        new_message: wire::event(&said),
    }))
}

async fn edit(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    name: RepoName,
    PathParams(CommentParams { num, event }): PathParams<CommentParams>,
    JsonBody(request): JsonBody<hub_api::EditComment>,
) -> Result<Json<hub_api::UpdatedComment>, Failure> {
    let repo = name.open(&state, &caller).await?;
    let said = state
        .hub
        .discussions()
        .edit_comment(&caller, &repo, num, &event, &request.content)
        .await?;
    Ok(updated(&said))
}

async fn hide(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    name: RepoName,
    PathParams(CommentParams { num, event }): PathParams<CommentParams>,
) -> Result<Json<hub_api::UpdatedComment>, Failure> {
    let repo = name.open(&state, &caller).await?;
    let said = state
        .hub
        .discussions()
        .hide_comment(&caller, &repo, num, &event)
        .await?;
    Ok(updated(&said))
}

fn updated(event: &Event) -> Json<hub_api::UpdatedComment> {
    Json(hub_api::UpdatedComment {
        updated_comment: wire::event(event),
    })
}

async fn retitle(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    name: RepoName,
    PathParams(Numbered { num }): PathParams<Numbered>,
    JsonBody(request): JsonBody<hub_api::SetTitle>,
) -> Result<Json<hub_api::NewTitle>, Failure> {
    let repo = name.open(&state, &caller).await?;
    let changed = state
        .hub
        .discussions()
        .retitle(&caller, &repo, num, &request.title)
        .await?;
    Ok(Json(hub_api::NewTitle {
        new_title: wire::event(&changed),
    }))
}

/// Closes or opens again. Merging is a question of its own.
async fn change_status(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    name: RepoName,
    PathParams(Numbered { num }): PathParams<Numbered>,
    JsonBody(request): JsonBody<hub_api::SetStatus>,
) -> Result<Json<hub_api::NewStatus>, Failure> {
    let repo: Repo = name.open(&state, &caller).await?;
    let status = match request.status {
        hub_api::DiscussionStatus::Open => Status::Open,
        hub_api::DiscussionStatus::Closed => Status::Closed,
        hub_api::DiscussionStatus::Draft | hub_api::DiscussionStatus::Merged => {
            return Err(Failure::invalid(
                "a status can be set to `open` or `closed`",
            ));
        }
    };
    let comment = request.comment.as_deref();
    let changed = state
        .hub
        .discussions()
        .change_status(&caller, &repo, num, status, comment)
        .await?;
    Ok(Json(hub_api::NewStatus {
        new_status: wire::event(&changed),
    }))
}

async fn merge(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    name: RepoName,
    PathParams(Numbered { num }): PathParams<Numbered>,
    OptionalJson(request): OptionalJson<hub_api::Merge>,
) -> Result<Json<hub_api::Merged>, Failure> {
    let repo = name.open(&state, &caller).await?;
    let comment = request.comment.as_deref();
    let (event, commit) = state
        .hub
        .discussions()
        .merge(&caller, &repo, num, comment)
        .await?;
    Ok(Json(hub_api::Merged {
        new_status: wire::event(&event),
        commit_oid: commit,
    }))
}
