use assay_app::{DiscussionFilter, Need, NewDiscussion, Repo, Status};
use assay_formats::hub_api::{self, DiscussionStatus};
use axum::Json;
use axum::extract::State;
use axum::http::Method;
use axum::routing::{get, post};
use serde::Deserialize;

use crate::endpoints::{Endpoints, Param, ParamKind, param, told};
use crate::error::Failure;
use crate::extract::{Asker, Base, Flag, JsonBody, OptionalJson, Query, RepoName, Segments};
use crate::links;
use crate::state::AppState;
use crate::wire::discussion::People;

/// How many discussions the hub puts on a page.
const PAGE: u64 = DiscussionFilter::PAGE;

const LIST: &[Param] = &[
    param("p", ParamKind::Number, "the page, from 0 on"),
    param(
        "type",
        ParamKind::Text,
        "`all`, `discussion` or `pull_request`",
    ),
    param(
        "status",
        ParamKind::Text,
        "`all`, `open` (drafts too) or `closed` (merged too)",
    ),
    param("author", ParamKind::Text, "only those of this account"),
];
const DETAILS: &[Param] = &[param(
    "diff",
    ParamKind::Flag,
    "tell what a pull request changes",
)];

/// Discussions and pull requests, below `/api/{models,datasets}`.
pub(crate) fn routes() -> Endpoints {
    let one = "/{namespace}/{name}/discussions/{num}";
    Endpoints::new()
        .route(
            "/{namespace}/{name}/discussions",
            get(list).post(open),
            [
                told(
                    Method::GET,
                    "discussions",
                    "Lists discussions and pull requests, newest first.",
                )
                .query(LIST),
                told(
                    Method::POST,
                    "open_discussion",
                    "Opens a discussion, or a draft of a pull request.",
                )
                .takes("`title`, `description` and `pullRequest`")
                .answers("`num`, `url` and `pullRequest`"),
            ],
        )
        .route(
            one,
            get(details),
            [told(
                Method::GET,
                "discussion",
                "Tells of one with everything that happened.",
            )
            .query(DETAILS)],
        )
        .route(
            &format!("{one}/comment"),
            post(comment),
            [told(Method::POST, "comment", "Says something.")
                .takes("`comment`")
                .answers("`newMessage`")],
        )
        .route(
            &format!("{one}/comment/{{event}}/edit"),
            post(edit),
            [
                told(Method::POST, "edit_comment", "Changes what one has said.")
                    .takes("`content`")
                    .answers("`updatedComment`"),
            ],
        )
        .route(
            &format!("{one}/comment/{{event}}/hide"),
            post(hide),
            [
                told(Method::POST, "hide_comment", "Hides a comment, for ever.")
                    .answers("`updatedComment`"),
            ],
        )
        .route(
            &format!("{one}/title"),
            post(retitle),
            [told(Method::POST, "retitle", "Gives it another title.")
                .takes("`title`")
                .answers("`newTitle`")],
        )
        .route(
            &format!("{one}/status"),
            post(change_status),
            [told(
                Method::POST,
                "change_status",
                "Closes it or opens it again; its results go and come with it.",
            )
            .takes("`status`, which is `open` or `closed`, and `comment`")
            .answers("`newStatus`")],
        )
        .route(
            &format!("{one}/merge"),
            post(merge),
            [told(
                Method::POST,
                "merge",
                "Merges a pull request; its results become the repository's own.",
            )
            .takes("`comment`, or nothing")
            .answers("`newStatus` and `commitOid`")],
        )
        .under("Discussions and pull requests")
}

#[derive(Deserialize)]
struct Numbered {
    num: i64,
}

#[derive(Deserialize)]
struct Said {
    num: i64,
    event: String,
}

#[derive(Debug, Deserialize)]
struct ListQuery {
    #[serde(default)]
    p: u64,
    #[serde(rename = "type")]
    kind: Option<String>,
    status: Option<String>,
    author: Option<String>,
}

#[derive(Debug, Deserialize)]
struct DetailsQuery {
    #[serde(default)]
    diff: Flag,
}

/// Discussions and pull requests, newest first, a page at a time.
async fn list(
    State(state): State<AppState>,
    Asker(caller): Asker,
    name: RepoName,
    Query(query): Query<ListQuery>,
) -> Result<Json<hub_api::DiscussionPage>, Failure> {
    let repo = name.open(&state, &caller, Need::Read).await?;
    let filter = DiscussionFilter {
        is_pull: match query.kind.as_deref() {
            None | Some("" | "all") => None,
            Some("pull_request") => Some(true),
            Some("discussion") => Some(false),
            Some(other) => return Err(unknown("type", other)),
        },
        open: match query.status.as_deref() {
            None | Some("" | "all") => None,
            Some("open") => Some(true),
            Some("closed") => Some(false),
            Some(other) => return Err(unknown("status", other)),
        },
        author: query.author.filter(|author| !author.is_empty()),
        offset: query.p.saturating_mul(PAGE),
    };
    let page = state.hub.discussions(&repo, &filter).await?;
    let mut people = People::new(&state);
    let mut discussions = Vec::with_capacity(page.discussions.len());
    for discussion in &page.discussions {
        discussions.push(people.discussion(discussion).await?);
    }
    Ok(Json(hub_api::DiscussionPage {
        discussions,
        count: page.count,
        start: page.start,
    }))
}

/// Opens a discussion, or a draft of a pull request.
async fn open(
    State(state): State<AppState>,
    Asker(caller): Asker,
    Base(base): Base,
    name: RepoName,
    JsonBody(request): JsonBody<hub_api::CreateDiscussion>,
) -> Result<Json<hub_api::CreatedDiscussion>, Failure> {
    let new = NewDiscussion {
        title: request.title,
        description: request.description,
        is_pull: request.pull_request,
    };
    let hub = &state.hub;
    let opened = hub
        .open_discussion(&caller, name.kind, &name.id, new)
        .await?;
    Ok(Json(hub_api::CreatedDiscussion {
        num: u64::try_from(opened.num).unwrap_or_default(),
        url: links::discussion(&base, opened.kind, &opened.repo, opened.num),
        pull_request: opened.is_pull,
    }))
}

/// One discussion with everything that happened, and what a pull request would change.
async fn details(
    State(state): State<AppState>,
    Asker(caller): Asker,
    name: RepoName,
    Segments(Numbered { num }): Segments<Numbered>,
    Query(query): Query<DetailsQuery>,
) -> Result<Json<hub_api::Discussion>, Failure> {
    let repo = name.open(&state, &caller, Need::Read).await?;
    let details = state.hub.discussion(&repo, num, query.diff.0).await?;
    Ok(Json(People::new(&state).details(details).await?))
}

async fn comment(
    State(state): State<AppState>,
    Asker(caller): Asker,
    name: RepoName,
    Segments(Numbered { num }): Segments<Numbered>,
    JsonBody(request): JsonBody<hub_api::Comment>,
) -> Result<Json<hub_api::NewMessage>, Failure> {
    let repo = seen(&state, &caller, &name).await?;
    let event = state
        .hub
        .comment(&caller, &repo, num, &request.comment)
        .await?;
    let new_message = People::new(&state).event(&event).await?;
    Ok(Json(hub_api::NewMessage { new_message }))
}

async fn edit(
    State(state): State<AppState>,
    Asker(caller): Asker,
    name: RepoName,
    Segments(Said { num, event }): Segments<Said>,
    JsonBody(request): JsonBody<hub_api::EditComment>,
) -> Result<Json<hub_api::UpdatedComment>, Failure> {
    let repo = seen(&state, &caller, &name).await?;
    let hub = &state.hub;
    let event = hub
        .edit_comment(&caller, &repo, num, &event, &request.content)
        .await?;
    let updated_comment = People::new(&state).event(&event).await?;
    Ok(Json(hub_api::UpdatedComment { updated_comment }))
}

async fn hide(
    State(state): State<AppState>,
    Asker(caller): Asker,
    name: RepoName,
    Segments(Said { num, event }): Segments<Said>,
) -> Result<Json<hub_api::UpdatedComment>, Failure> {
    let repo = seen(&state, &caller, &name).await?;
    let event = state.hub.hide_comment(&caller, &repo, num, &event).await?;
    let updated_comment = People::new(&state).event(&event).await?;
    Ok(Json(hub_api::UpdatedComment { updated_comment }))
}

async fn retitle(
    State(state): State<AppState>,
    Asker(caller): Asker,
    name: RepoName,
    Segments(Numbered { num }): Segments<Numbered>,
    JsonBody(request): JsonBody<hub_api::SetTitle>,
) -> Result<Json<hub_api::NewTitle>, Failure> {
    let repo = seen(&state, &caller, &name).await?;
    let event = state
        .hub
        .retitle(&caller, &repo, num, &request.title)
        .await?;
    let new_title = People::new(&state).event(&event).await?;
    Ok(Json(hub_api::NewTitle { new_title }))
}

/// Closes or opens again.
async fn change_status(
    State(state): State<AppState>,
    Asker(caller): Asker,
    name: RepoName,
    Segments(Numbered { num }): Segments<Numbered>,
    JsonBody(request): JsonBody<hub_api::SetStatus>,
) -> Result<Json<hub_api::NewStatus>, Failure> {
    let repo = seen(&state, &caller, &name).await?;
    let status = match request.status {
        DiscussionStatus::Open => Status::Open,
        DiscussionStatus::Closed => Status::Closed,
        DiscussionStatus::Draft | DiscussionStatus::Merged => {
            return Err(Failure::invalid(
                "the status can be changed to `open` or `closed`",
            ));
        }
    };
    let said = request.comment.as_deref().filter(|text| !text.is_empty());
    let hub = &state.hub;
    let event = hub.change_status(&caller, &repo, num, status, said).await?;
    let new_status = People::new(&state).event(&event).await?;
    Ok(Json(hub_api::NewStatus { new_status }))
}

/// Merges a pull request.
async fn merge(
    State(state): State<AppState>,
    Asker(caller): Asker,
    name: RepoName,
    Segments(Numbered { num }): Segments<Numbered>,
    OptionalJson(request): OptionalJson<hub_api::Merge>,
) -> Result<Json<hub_api::Merged>, Failure> {
    let repo = seen(&state, &caller, &name).await?;
    let said = request.comment.as_deref().filter(|text| !text.is_empty());
    let (event, commit_oid) = state.hub.merge(&caller, &repo, num, said).await?;
    let new_status = People::new(&state).event(&event).await?;
    Ok(Json(hub_api::Merged {
        new_status,
        commit_oid,
    }))
}

/// The repository, for those who see it: what they may do in the discussion, the hub decides.
async fn seen(
    state: &AppState,
    caller: &assay_app::Caller,
    name: &RepoName,
) -> Result<Repo, Failure> {
    name.open(state, caller, Need::Read).await
}

fn unknown(key: &str, value: &str) -> Failure {
    Failure::invalid(format!("`{value}` is no {key} of a discussion"))
}
