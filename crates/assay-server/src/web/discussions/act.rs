use askama::Template;
use assay_app::{EventPage, NewDiscussion, Status};
use assay_model::PullNumber;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};

use super::super::form::Form;
use super::super::frame::Frame;
use super::super::go::Go;
use super::super::repo::{self, RepoHead, Tab};
use super::super::{Visitor, links};
use super::show_one::Numbered;
use crate::error::Failure;
use crate::extract::{PathParams, RepoName};
use crate::rendered::Answer;
use crate::state::AppState;

#[derive(Template)]
#[template(path = "discussions/new.html")]
struct New {
    frame: Frame,
    head: RepoHead,
}

/// A form to begin a discussion.
pub(super) async fn new(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
) -> Result<Answer, Failure> {
    visitor.signed_in()?;
    let repo = repo::open(&state, &visitor, &name).await?;
    let head = RepoHead::of(&state, &visitor, &repo, Tab::Discussions).await?;
    visitor.render(&New {
        frame: visitor.frame("New discussion").unlisted(),
        head,
    })
}

/// Begins a discussion.
pub(super) async fn open(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
    form: Form,
) -> Result<Response, Failure> {
    let caller = &visitor.signed_in()?.caller;
    let new = NewDiscussion {
        title: form.get("title").to_owned(),
        description: form.text("text"),
        is_pull: false,
    };
    let opened = state
        .hub
        .discussions()
        .open_discussion(caller, name.kind, &name.id, new)
        .await?;
    let place = links::discussion(opened.kind, &opened.repo, opened.num);
    Ok(Go::to(&place).into_response())
}

/// Says something.
pub(super) async fn comment(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
    PathParams(Numbered { num }): PathParams<Numbered>,
    form: Form,
) -> Result<Response, Failure> {
    let caller = &visitor.signed_in()?.caller;
    let repo = repo::open(&state, &visitor, &name).await?;
    let said = state
        .hub
        .discussions()
        .comment(caller, &repo, num, &form.text("text"))
        .await?;
    let place = links::discussion(name.kind, repo.id(), num);
    let events = state.hub.discussions().count_events(&repo, num).await?;
    let page = match events.div_ceil(u64::from(EventPage::SIZE)) {
        0 | 1 => String::new(),
        last => format!("&page={last}"),
    };
    Ok(Go::to(&format!("{place}?done=commented{page}#event-{}", said.id)).into_response())
}

/// Hides a comment.
pub(super) async fn hide(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
    PathParams(Numbered { num }): PathParams<Numbered>,
    form: Form,
) -> Result<Response, Failure> {
    let caller = &visitor.signed_in()?.caller;
    let repo = repo::open(&state, &visitor, &name).await?;
    state
        .hub
        .discussions()
        .hide_comment(caller, &repo, num, form.get("event"))
        .await?;
    Ok(back(&name, &repo, num, "hidden"))
}

/// Gives a discussion another title.
pub(super) async fn retitle(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
    PathParams(Numbered { num }): PathParams<Numbered>,
    form: Form,
) -> Result<Response, Failure> {
    let caller = &visitor.signed_in()?.caller;
    let repo = repo::open(&state, &visitor, &name).await?;
    state
        .hub
        .discussions()
        .retitle(caller, &repo, num, form.get("title"))
        .await?;
    Ok(back(&name, &repo, num, "saved"))
}

/// Closes a discussion, or opens it again.
pub(super) async fn change_status(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
    PathParams(Numbered { num }): PathParams<Numbered>,
    form: Form,
) -> Result<Response, Failure> {
    let caller = &visitor.signed_in()?.caller;
    let repo = repo::open(&state, &visitor, &name).await?;
    let (status, done) = match form.get("status") {
        "closed" => (Status::Closed, "closed"),
        "open" => (Status::Open, "reopened"),
        _ => return Err(Failure::invalid("a discussion is opened or closed")),
    };
    let comment = form.text("text");
    state
        .hub
        .discussions()
        .change_status(caller, &repo, num, status, Some(&comment))
        .await?;
    Ok(back(&name, &repo, num, done))
}

/// Merges a pull request.
pub(super) async fn merge(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
    PathParams(Numbered { num }): PathParams<Numbered>,
    form: Form,
) -> Result<Response, Failure> {
    let caller = &visitor.signed_in()?.caller;
    let repo = repo::open(&state, &visitor, &name).await?;
    let comment = form.text("text");
    state
        .hub
        .discussions()
        .merge(caller, &repo, num, Some(&comment))
        .await?;
    Ok(back(&name, &repo, num, "merged"))
}

fn back(name: &RepoName, repo: &assay_app::Repo, num: PullNumber, done: &str) -> Response {
    let place = links::discussion(name.kind, repo.id(), num);
    Go::to(&format!("{place}?done={done}")).into_response()
}
