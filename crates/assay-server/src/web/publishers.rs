//! Trusted publishers: the page of a repository that lists them, and what its forms do.

use askama::Template;
use assay_app::{NewPublisher, PublisherInfo, read_claims};
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};

use super::form::Form;
use super::frame::Frame;
use super::go::Go;
use super::notice::{self, Notice};
use super::repo::{RepoHead, Tab};
use super::{Visitor, links, show};
use crate::error::Failure;
use crate::extract::RepoName;
use crate::rendered::Answer;
use crate::state::AppState;

#[derive(Template)]
#[template(path = "publishers.html")]
struct PublishersPage {
    frame: Frame,
    notice: Notice,
    head: RepoHead,
    issuers: Vec<String>,
    publishers: Vec<PublisherInfo>,
    /// The repository as `HF_OIDC_RESOURCE` names it.
    resource: String,
    endpoint: String,
}

pub(super) async fn list(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
) -> Result<Answer, Failure> {
    let caller = &visitor.signed_in()?.caller;
    let repo = name.open_to_manage(&state, caller).await?;
    let publishers = state
        .hub
        .accounts()
        .trusted_publishers(caller, repo.kind(), repo.id())
        .await?;
    let title = format!("Trusted publishers of {}", repo.id());
    visitor.render(&PublishersPage {
        frame: visitor.frame(title).unlisted(),
        notice: notice::of(&visitor),
        head: RepoHead::of(&state, &visitor, &repo, Tab::Settings).await?,
        issuers: state.issuer.publisher_issuers(),
        publishers,
        resource: links::repo(repo.kind(), repo.id())
            .trim_start_matches('/')
            .to_owned(),
        endpoint: visitor.base.to_string(),
    })
}

pub(super) async fn add(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
    form: Form,
) -> Result<Response, Failure> {
    let caller = &visitor.signed_in()?.caller;
    let new = NewPublisher {
        issuer: form.get("issuer").trim().to_owned(),
        claims: read_claims(&form.text("claims"))?,
        account: None,
    };
    state
        .hub
        .accounts()
        .add_trusted_publisher(caller, name.kind, &name.id, new)
        .await?;
    Ok(Go::to(&format!("{}?done=saved", page_of(&name))).into_response())
}

pub(super) async fn remove(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
    form: Form,
) -> Result<Response, Failure> {
    let caller = &visitor.signed_in()?.caller;
    let id = form
        .get("id")
        .parse()
        .map_err(|_| Failure::invalid("there is no such trusted publisher"))?;
    state
        .hub
        .accounts()
        .remove_trusted_publisher(caller, name.kind, &name.id, id)
        .await?;
    Ok(Go::to(&format!("{}?done=removed", page_of(&name))).into_response())
}

fn page_of(name: &RepoName) -> String {
    format!("{}/settings/publishers", links::repo(name.kind, &name.id))
}
