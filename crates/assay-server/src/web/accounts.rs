//! The pages of users and organisations.

use askama::Template;
use assay_app::{Account, AccountKind, Error, HookPlace, ListQuery, ListSort, Missing, RepoInfo};
use assay_model::{RepoKind, Role};
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};

use super::confirm::{self, Question};
use super::form::Form;
use super::frame::Frame;
use super::go::Go;
use super::hooks::{self, Hooks};
use super::notice::{self, Notice};
use super::refusal::Refusal;
use super::{Pages, Visitor, links, show};
use crate::error::Failure;
use crate::extract::PathParams;
use crate::rendered::Answer;
use crate::state::AppState;

/// The number of repositories of each kind on the page of an account.
const LISTED: usize = 100;
/// The roles that a member can have, with what each may do.
const ROLES: [(Role, &str); 4] = [
    (Role::Read, "sees what is private"),
    (
        Role::Contribute,
        "also makes repositories, and writes to those",
    ),
    (Role::Write, "also writes to all, and merges"),
    (Role::Admin, "also manages members and settings"),
];

pub(super) fn pages() -> Pages {
    Pages::new()
        .page(
            "/{account}",
            "A user or organisation, with what it has published.",
            get(account),
        )
        .page(
            "/new/organization",
            "Makes an organisation.",
            get(new_organisation).post(create_organisation),
        )
        .page(
            "/organizations/{name}",
            "The members of an organisation, for its members.",
            get(organisation),
        )
        .page(
            "/organizations/{name}/members",
            "Gives a user a role in an organisation, or takes it away.",
            post(set_member),
        )
}

#[derive(Template)]
#[template(path = "account.html")]
struct AccountPage {
    frame: Frame,
    account: Account,
    is_organisation: bool,
    is_own: bool,
    models: Vec<RepoInfo>,
    datasets: Vec<RepoInfo>,
}

#[derive(Template)]
#[template(path = "new_organization.html")]
struct NewOrganisation {
    frame: Frame,
    name: String,
    full_name: String,
    refused: Option<String>,
}

#[derive(Template)]
#[template(path = "organization.html")]
struct OrganisationPage {
    frame: Frame,
    notice: Notice,
    account: Account,
    members: Vec<(Account, Role)>,
    manages: bool,
    roles: [(Role, &'static str); 4],
    hooks: Option<Hooks>,
}

impl AccountPage {
    fn address(info: &RepoInfo) -> String {
        links::repo(info.kind, &info.id)
    }
}

async fn account(
    State(state): State<AppState>,
    visitor: Visitor,
    PathParams(name): PathParams<String>,
) -> Result<Answer, Failure> {
    let account = state
        .hub
        .accounts()
        .account(&name)
        .await
        .map_err(|error| match error {
            // Addresses of one part are those of accounts; whoever mistypes one is told no more.
            Error::NotFound(_) => Error::NotFound(Missing::Other("Not found".to_owned())),
            other => other,
        })?;
    let is_organisation = account.kind == AccountKind::Organisation;
    visitor.render(&AccountPage {
        frame: visitor
            .frame(account.full_name.clone())
            .about(format!("What {} has published.", account.full_name)),
        is_own: visitor.caller.name() == Some(account.name.as_str()),
        models: repositories(&state, &visitor, &account.name, RepoKind::Model).await?,
        datasets: repositories(&state, &visitor, &account.name, RepoKind::Dataset).await?,
        is_organisation,
        account,
    })
}

async fn repositories(
    state: &AppState,
    visitor: &Visitor,
    author: &str,
    kind: RepoKind,
) -> Result<Vec<RepoInfo>, Failure> {
    let query = ListQuery {
        kind,
        author: Some(author.to_owned()),
        search: Vec::new(),
        tags: Vec::new(),
        sort: ListSort::Updated,
        limit: Some(LISTED),
        cursor: None,
    };
    let page = state
        .hub
        .repositories()
        .list(&visitor.caller, &query)
        .await?;
    Ok(page.repositories)
}

async fn new_organisation(visitor: Visitor) -> Result<Answer, Failure> {
    visitor.signed_in()?;
    visitor.render(&NewOrganisation {
        frame: visitor.frame("New organisation").unlisted(),
        name: String::new(),
        full_name: String::new(),
        refused: None,
    })
}

async fn create_organisation(
    State(state): State<AppState>,
    visitor: Visitor,
    form: Form,
) -> Result<Response, Failure> {
    let caller = &visitor.signed_in()?.caller;
    let (name, full_name) = (form.get("name"), form.get("full_name"));
    let created = state
        .hub
        .accounts()
        .create_organisation(caller, name, full_name)
        .await;
    let refusal = match created {
        Ok(created) => {
            let place = format!("/organizations/{}?done=created", created.name);
            return Ok(Go::to(&place).into_response());
        }
        Err(error) => Refusal::from_failure(error.into())?,
    };
    let page = visitor.render(&NewOrganisation {
        frame: visitor.frame("New organisation").unlisted(),
        name: name.to_owned(),
        full_name: full_name.to_owned(),
        refused: Some(refusal.message.clone()),
    })?;
    Ok(refusal.answer(page))
}

async fn organisation(
    State(state): State<AppState>,
    visitor: Visitor,
    PathParams(name): PathParams<String>,
) -> Result<Answer, Failure> {
    let caller = &visitor.signed_in()?.caller;
    let members = state.hub.accounts().members(caller, &name).await?;
    let is_admin = |(member, role): &(Account, Role)| {
        Some(member.name.as_str()) == caller.name() && *role == Role::Admin
    };
    let manages = members.iter().any(is_admin) || caller.runs_the_hub();
    let account = state.hub.accounts().account(&name).await?;
    let hooks = if manages {
        let place = HookPlace::Account(account.name.clone());
        Some(hooks::of(&state, &visitor, place).await?)
    } else {
        None
    };
    visitor.render(&OrganisationPage {
        frame: visitor.frame(account.full_name.clone()).unlisted(),
        notice: notice::of(&visitor),
        account,
        members,
        manages,
        roles: ROLES,
        hooks,
    })
}

async fn set_member(
    State(state): State<AppState>,
    visitor: Visitor,
    PathParams(name): PathParams<String>,
    form: Form,
) -> Result<Response, Failure> {
    let caller = &visitor.signed_in()?.caller;
    let place = format!("/organizations/{}", links::part(&name));
    let role = match form.get("role") {
        "none" => {
            let question = Question {
                title: format!("Remove {} from {name}?", form.get("user")),
                effect: "They lose access to its private repositories and can change nothing of it any more.",
                button: "Remove",
                back: place.clone(),
            };
            if let Some(asked) = confirm::ask(&visitor, &form, question)? {
                return Ok(asked);
            }
            None
        }
        word => Some(
            word.parse::<Role>()
                .map_err(|error| Failure::invalid(error.to_string()))?,
        ),
    };
    state
        .hub
        .accounts()
        .set_member(caller, &name, form.get("user"), role)
        .await?;
    Ok(Go::to(&format!("{place}?done=saved")).into_response())
}
