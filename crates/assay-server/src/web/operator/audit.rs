//! The audit log for the operator, with filters and pages.

use askama::Template;
use assay_app::{AuditAction, AuditPage, AuditQuery, AuditRow, AuditSubjectKind};
use axum::extract::State;
use axum::routing::get;

use super::{Tab, tabs};
use crate::api::audit::{moment, repo};
use crate::error::Failure;
use crate::rendered::Answer;
use crate::state::AppState;
use crate::web::frame::Frame;
use crate::web::{Pages, Visitor, show};

/// The address of the page.
const PATH: &str = "/admin/audit";
/// The rows of a page.
const ROWS: u32 = 50;

pub(super) fn pages() -> Pages {
    Pages::new().page(
        PATH,
        "The audit log: who changed what, when and from where. For the operator.",
        get(list),
    )
}

#[derive(Template)]
#[template(path = "admin/audit.html")]
struct AuditLog {
    frame: Frame,
    tabs: Vec<Tab>,
    account: String,
    repo: String,
    since: String,
    action: String,
    /// The groups of actions, each with its actions.
    groups: Vec<(&'static str, Vec<&'static str>)>,
    rows: Vec<AuditRow>,
    /// The address of the newest rows, on later pages.
    newest: Option<String>,
    /// The address of the next page.
    older: Option<String>,
}

impl AuditLog {
    /// The actor in words.
    fn actor(row: &AuditRow) -> String {
        match row.actor.name() {
            Some(name) => name.to_owned(),
            None => row.actor.kind().to_owned(),
        }
    }

    /// The token or the place that the actor used.
    fn through(row: &AuditRow) -> String {
        match &row.actor {
            assay_app::AuditActor::Account {
                token: Some(token), ..
            } => format!("token {token}"),
            assay_app::AuditActor::Account { token: None, .. } => "password".to_owned(),
            assay_app::AuditActor::Shell(_) => "shell".to_owned(),
            assay_app::AuditActor::Server | assay_app::AuditActor::Anonymous => String::new(),
        }
    }

    /// The address of what was changed, when it has a page. It may be gone.
    fn link(row: &AuditRow) -> Option<String> {
        let name = &row.subject.name;
        match row.subject.kind {
            AuditSubjectKind::Model | AuditSubjectKind::Account if !name.is_empty() => {
                Some(format!("/{name}"))
            }
            AuditSubjectKind::Dataset => Some(format!("/datasets/{name}")),
            AuditSubjectKind::Model
            | AuditSubjectKind::Account
            | AuditSubjectKind::Hub
            | AuditSubjectKind::Key
            | AuditSubjectKind::Evidence
            | AuditSubjectKind::Integration => None,
        }
    }
}

async fn list(State(state): State<AppState>, visitor: Visitor) -> Result<Answer, Failure> {
    let tabs = tabs(&visitor)?;
    let asked = |key: &str| visitor.state.get(key).map(str::to_owned);
    let query = AuditQuery {
        since: asked("since").as_deref().map(moment).transpose()?,
        account: asked("account"),
        repo: asked("repo").as_deref().map(repo).transpose()?,
        action: asked("action"),
        before: asked("before").and_then(|number| number.parse().ok()),
        limit: ROWS,
    };
    let AuditPage { rows, next } = state
        .hub
        .operations()
        .audit_page(&visitor.caller, &query)
        .await?;
    let first = visitor.state.without("before");
    visitor.render(&AuditLog {
        frame: visitor.frame("Audit log").unlisted(),
        tabs,
        account: asked("account").unwrap_or_default(),
        repo: asked("repo").unwrap_or_default(),
        since: asked("since").unwrap_or_default(),
        action: asked("action").unwrap_or_default(),
        groups: groups(),
        rows,
        newest: query.before.map(|_| first.on(PATH)),
        older: next.map(|next| first.with("before", next.to_string()).on(PATH)),
    })
}

/// The actions by the part before their dot, in the order in which they are declared.
fn groups() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut groups: Vec<(&'static str, Vec<&'static str>)> = Vec::new();
    for action in AuditAction::ALL {
        let name = action.as_str();
        let group = name.split('.').next().unwrap_or(name);
        match groups.iter_mut().find(|(own, _)| *own == group) {
            Some((_, actions)) => actions.push(name),
            None => groups.push((group, vec![name])),
        }
    }
    groups
}
