use askama::Template;
use assay_app::{HookPlace, Settings, Visibility};
use assay_model::RepoId;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};

use super::form::Form;
use super::frame::Frame;
use super::go::Go;
use super::hooks::{self, Hooks};
use super::notice::{self, Notice};
use super::publishers;
use super::repo::{RepoHead, Tab};
use super::{Pages, Visitor, links, show};
use crate::error::Failure;
use crate::extract::RepoName;
use crate::rendered::Answer;
use crate::state::AppState;

pub(super) fn of_repository() -> Pages {
    Pages::new()
        .page(
            "/{namespace}/{name}/settings",
            "The settings of a repository, for those who manage it.",
            get(settings).post(save),
        )
        .page(
            "/{namespace}/{name}/settings/publishers",
            "The trusted publishers of a repository, for those who manage it.",
            get(publishers::list).post(publishers::add),
        )
        .page(
            "/{namespace}/{name}/settings/publishers/remove",
            "Removes a trusted publisher.",
            post(publishers::remove),
        )
        .page(
            "/{namespace}/{name}/settings/rename",
            "Gives a repository another name.",
            post(rename),
        )
        .page(
            "/{namespace}/{name}/settings/delete",
            "Deletes a repository.",
            post(delete),
        )
}

#[derive(Template)]
#[template(path = "repo_settings.html")]
struct SettingsPage {
    frame: Frame,
    notice: Notice,
    head: RepoHead,
    description: String,
    hooks: Hooks,
}

async fn settings(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
) -> Result<Answer, Failure> {
    visitor.signed_in()?;
    let repo = name.open_to_manage(&state, &visitor.caller).await?;
    let info = state.hub.repositories().repo_info(&repo, None).await?;
    let place = HookPlace::Repository(repo.kind(), repo.id().clone());
    visitor.render(&SettingsPage {
        frame: visitor
            .frame(format!("Settings of {}", repo.id()))
            .unlisted(),
        notice: notice::of(&visitor),
        head: RepoHead::of(&state, &visitor, &repo, Tab::Settings).await?,
        description: info.description.unwrap_or_default(),
        hooks: hooks::of(&state, &visitor, place).await?,
    })
}

async fn save(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
    form: Form,
) -> Result<Response, Failure> {
    let caller = &visitor.signed_in()?.caller;
    let settings = Settings {
        visibility: Some(if form.get("visibility") == "private" {
            Visibility::Private
        } else {
            Visibility::Public
        }),
        description: Some(form.get("description").to_owned()),
    };
    let info = state
        .hub
        .repositories()
        .change_settings(caller, name.kind, &name.id, settings)
        .await?;
    let place = links::repo(info.kind, &info.id);
    Ok(Go::to(&format!("{place}/settings?done=saved")).into_response())
}

async fn rename(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
    form: Form,
) -> Result<Response, Failure> {
    let caller = &visitor.signed_in()?.caller;
    let to: RepoId = form
        .get("to")
        .parse()
        .map_err(|error: assay_model::RepoIdError| Failure::invalid(error.to_string()))?;
    state
        .hub
        .repositories()
        .move_repository(caller, name.kind, &name.id, &to)
        .await?;
    Ok(Go::to(&format!(
        "{}/settings?done=saved",
        links::repo(name.kind, &to)
    ))
    .into_response())
}

async fn delete(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
    form: Form,
) -> Result<Response, Failure> {
    let caller = &visitor.signed_in()?.caller;
    // Nobody deletes by a slip of the hand: the name is typed out.
    if !form.get("confirm").eq_ignore_ascii_case(name.id.as_str()) {
        return Err(Failure::invalid(format!(
            "to delete it, type its name: `{}`",
            name.id
        )));
    }
    state
        .hub
        .repositories()
        .delete_repository(caller, name.kind, &name.id)
        .await?;
    let owner = name.id.namespace().unwrap_or_default();
    Ok(Go::to(&format!("/{owner}?done=removed")).into_response())
}
