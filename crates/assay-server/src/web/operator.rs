//! The operator's pages: what the hub holds, who is on it, which benchmarks are official, and what
//! is closed.

mod audit;
mod integrations;
mod keys;
mod policy;
mod revocations;

use askama::Template;
use assay_app::{Account, AccountKind, ListQuery, ListSort, RepoInfo};
use assay_model::{RepoId, RepoKind};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};

use super::confirm::{self, Question};
use super::form::Form;
use super::frame::Frame;
use super::go::Go;
use super::notice::{self, Notice};
use super::{Pages, Visitor, links, show};
use crate::error::Failure;
use crate::rendered::Answer;
use crate::state::AppState;

/// Number of repositories that a list has.
const LISTED: usize = 500;
/// The pages of the operator: address and name.
const TABS: [(&str, &str); 11] = [
    ("/admin", "Overview"),
    ("/admin/accounts", "Accounts"),
    ("/admin/benchmarks", "Official benchmarks"),
    ("/admin/moderation", "Moderation"),
    ("/admin/audit", "Audit log"),
    ("/admin/keys", "Keys"),
    ("/admin/issuers", "Issuers"),
    ("/admin/integrations", "Integrations"),
    ("/admin/policy", "Policy"),
    ("/admin/tokens", "Tokens"),
    ("/admin/revocations", "Revocations"),
];

/// A page of the operator: address, name, and whether it is this one.
type Tab = (&'static str, &'static str, bool);

pub(super) fn pages() -> Pages {
    Pages::new()
        .page(
            "/admin",
            "What the hub holds, for its operator.",
            get(overview),
        )
        .page(
            "/admin/accounts",
            "Everyone who has an account, for the operator.",
            get(accounts).post(change_account),
        )
        .page(
            "/admin/benchmarks",
            "Which benchmarks are official, for the operator.",
            get(benchmarks),
        )
        .page(
            "/admin/benchmarks/official",
            "Marks a benchmark as official, or takes the mark away.",
            post(set_official),
        )
        .page(
            "/admin/moderation",
            "What is closed, and a form to close a repository, for the operator.",
            get(moderation).post(set_disabled),
        )
        .merge(audit::pages())
        .merge(keys::pages())
        .merge(integrations::pages())
        .merge(policy::pages())
        .merge(revocations::pages())
}

#[derive(Template)]
#[template(path = "admin/overview.html")]
struct Overview {
    frame: Frame,
    tabs: Vec<Tab>,
    counts: Vec<(&'static str, String)>,
    version: &'static str,
    generation: u64,
}

#[derive(Template)]
#[template(path = "admin/accounts.html")]
struct AccountsPage {
    frame: Frame,
    tabs: Vec<Tab>,
    notice: Notice,
    secret: Option<(String, String)>,
    accounts: Vec<Account>,
}

#[derive(Template)]
#[template(path = "admin/benchmarks.html")]
struct BenchmarksPage {
    frame: Frame,
    tabs: Vec<Tab>,
    notice: Notice,
    benchmarks: Vec<RepoInfo>,
}

#[derive(Template)]
#[template(path = "admin/moderation.html")]
struct Moderation {
    frame: Frame,
    tabs: Vec<Tab>,
    notice: Notice,
    closed: Vec<RepoInfo>,
}

impl AccountsPage {
    fn is_user(account: &Account) -> bool {
        account.kind == AccountKind::User
    }
}

impl Moderation {
    fn address(info: &RepoInfo) -> String {
        links::repo(info.kind, &info.id)
    }
}

/// Refuses everyone but the operator, and says which of the pages this is.
fn tabs(visitor: &Visitor) -> Result<Vec<Tab>, Failure> {
    let signed_in = visitor.signed_in()?;
    if !signed_in.caller.runs_the_hub() {
        let text =
            "this is for the operator of the hub, with a token of scope `admin` or a password";
        return Err(Failure::new(StatusCode::FORBIDDEN, text));
    }
    Ok(TABS
        .iter()
        .map(|(to, name)| (*to, *name, visitor.path == *to))
        .collect())
}

async fn overview(State(state): State<AppState>, visitor: Visitor) -> Result<Answer, Failure> {
    let tabs = tabs(&visitor)?;
    let counts = state.hub.boards().counts().await?;
    let told = [
        ("users", counts.users),
        ("organisations", counts.organisations),
        ("models", counts.models),
        ("datasets", counts.datasets),
        ("benchmarks", counts.benchmarks),
        ("results now", counts.entries),
        ("of them verified", counts.verified),
        ("pull requests", counts.pulls),
        ("discussions", counts.discussions),
        ("records", counts.records),
    ];
    let counts = told.map(|(name, count)| {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        (name, show::count(count))
    });
    visitor.render(&Overview {
        frame: visitor.frame("Operator").unlisted(),
        tabs,
        counts: counts.to_vec(),
        version: env!("CARGO_PKG_VERSION"),
        generation: state.hub.boards().generation(),
    })
}

async fn accounts(State(state): State<AppState>, visitor: Visitor) -> Result<Answer, Failure> {
    account_page(&state, &visitor, None).await
}

async fn account_page(
    state: &AppState,
    visitor: &Visitor,
    secret: Option<(String, String)>,
) -> Result<Answer, Failure> {
    visitor.render(&AccountsPage {
        tabs: tabs(visitor)?,
        frame: visitor.frame("Accounts").unlisted(),
        notice: notice::of(visitor),
        secret,
        accounts: state.hub.accounts().accounts(&visitor.caller).await?,
    })
}

async fn change_account(
    State(state): State<AppState>,
    visitor: Visitor,
    form: Form,
) -> Result<Response, Failure> {
    tabs(&visitor)?;
    let (hub, caller, name) = (&state.hub, &visitor.caller, form.get("name"));
    match form.get("do") {
        "disable" => {
            let question = Question {
                title: format!("Suspend {name}?"),
                effect: "Their tokens and sessions end at once. What they made stays. You can reactivate them here.",
                button: "Suspend",
                back: "/admin/accounts".to_owned(),
            };
            if let Some(asked) = confirm::ask(&visitor, &form, question)? {
                return Ok(asked);
            }
            hub.accounts().disable_account(caller, name).await?;
        }
        "enable" => hub.accounts().enable_account(caller, name).await?,
        "create" => {
            let email = Some(form.get("email")).filter(|email| !email.is_empty());
            let made = hub
                .accounts()
                .create_user(
                    caller,
                    name,
                    form.get("full_name"),
                    email,
                    form.has("operator"),
                )
                .await?;
            let token = assay_app::NewToken {
                label: "first token".to_owned(),
                scope: assay_app::Scope::Write,
                expires: None,
            };
            let (_, secret) = hub
                .accounts()
                .create_token(caller, &made.name, token)
                .await?;
            let secret = Some((made.name, secret.reveal().to_owned()));
            let page = account_page(&state, &visitor, secret).await?;
            return Ok(page.into_response());
        }
        _ => return Err(Failure::invalid("there is nothing like that to do")),
    }
    Ok(Go::to("/admin/accounts?done=saved").into_response())
}

async fn benchmarks(State(state): State<AppState>, visitor: Visitor) -> Result<Answer, Failure> {
    let tabs = tabs(&visitor)?;
    let mut benchmarks = list(&state, &visitor, RepoKind::Dataset, &["benchmark"]).await?;
    benchmarks.sort_by_key(|info| !info.official);
    visitor.render(&BenchmarksPage {
        tabs,
        frame: visitor.frame("Official benchmarks").unlisted(),
        notice: notice::of(&visitor),
        benchmarks,
    })
}

async fn set_official(
    State(state): State<AppState>,
    visitor: Visitor,
    form: Form,
) -> Result<Response, Failure> {
    tabs(&visitor)?;
    let id: RepoId = form.get("id").parse().map_err(|_| Failure::no_repo())?;
    let official = form.get("official") == "yes";
    if !official {
        let question = Question {
            title: format!("Remove Official from {id}?"),
            effect: "Its boards lose the mark, and results on them the weight that it gives. You can mark it again here.",
            button: "Remove Official",
            back: "/admin/benchmarks".to_owned(),
        };
        if let Some(asked) = confirm::ask(&visitor, &form, question)? {
            return Ok(asked);
        }
    }
    state
        .hub
        .operations()
        .set_official(&visitor.caller, &id, official)
        .await?;
    Ok(Go::to("/admin/benchmarks?done=saved").into_response())
}

async fn moderation(State(state): State<AppState>, visitor: Visitor) -> Result<Answer, Failure> {
    let tabs = tabs(&visitor)?;
    let mut closed = list(&state, &visitor, RepoKind::Model, &[]).await?;
    closed.extend(list(&state, &visitor, RepoKind::Dataset, &[]).await?);
    closed.retain(|info| info.disabled);
    visitor.render(&Moderation {
        tabs,
        frame: visitor.frame("Moderation").unlisted(),
        notice: notice::of(&visitor),
        closed,
    })
}

async fn set_disabled(
    State(state): State<AppState>,
    visitor: Visitor,
    form: Form,
) -> Result<Response, Failure> {
    tabs(&visitor)?;
    let kind: RepoKind = form.get("kind").parse().map_err(|_| Failure::no_repo())?;
    let id: RepoId = form.get("id").parse().map_err(|_| Failure::no_repo())?;
    let disabled = form.get("do") == "close";
    if disabled {
        let question = Question {
            title: format!("Close the {kind} {id}?"),
            effect: "Nobody but operators can open it, and its results leave every board. You can open it again here.",
            button: "Close it",
            back: "/admin/moderation".to_owned(),
        };
        if let Some(asked) = confirm::ask(&visitor, &form, question)? {
            return Ok(asked);
        }
    }
    state
        .hub
        .accounts()
        .set_disabled(&visitor.caller, kind, &id, disabled)
        .await?;
    Ok(Go::to("/admin/moderation?done=saved").into_response())
}

/// Every repository with these tags, page after page.
async fn list(
    state: &AppState,
    visitor: &Visitor,
    kind: RepoKind,
    tags: &[&str],
) -> Result<Vec<RepoInfo>, Failure> {
    let query = ListQuery {
        kind,
        author: None,
        search: Vec::new(),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        sort: ListSort::Name,
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
