//! The policy that tokens are given by: what is in force, and what is wrong with the file.

use askama::Template;
use assay_app::issuer::{PolicyReport, PolicyView};
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;

use super::{Tab, tabs};
use crate::error::Failure;
use crate::rendered::Answer;
use crate::state::AppState;
use crate::web::form::Form;
use crate::web::frame::Frame;
use crate::web::go::Go;
use crate::web::notice::{self, Notice};
use crate::web::{Pages, Visitor};

pub(super) fn pages() -> Pages {
    Pages::new().page(
        "/admin/policy",
        "The policy that tokens are given by, for the operator.",
        get(show).post(reload),
    )
}

#[derive(Template)]
#[template(path = "admin/policy.html")]
struct PolicyPage {
    frame: Frame,
    tabs: Vec<Tab>,
    notice: Notice,
    file: Option<String>,
    digest: String,
    fault: Option<String>,
    /// The lines of the file that is in force.
    lines: Vec<String>,
}

impl PolicyPage {
    fn of(visitor: &Visitor, tabs: Vec<Tab>, view: &PolicyView) -> Self {
        Self {
            frame: visitor.frame("Policy").unlisted(),
            tabs,
            notice: notice::of(visitor),
            file: view.file.as_ref().map(|file| file.display().to_string()),
            digest: view.policy.digest().to_string(),
            fault: view.fault.clone(),
            lines: view.text.lines().map(str::to_owned).collect(),
        }
    }
}

async fn show(State(state): State<AppState>, visitor: Visitor) -> Result<Answer, Failure> {
    let tabs = tabs(&visitor)?;
    let view = state.issuer.policy_view(&visitor.caller)?;
    visitor.render(&PolicyPage::of(&visitor, tabs, &view))
}

/// Reads the file again now; it is looked at by itself every few seconds.
async fn reload(
    State(state): State<AppState>,
    visitor: Visitor,
    _form: Form,
) -> Result<Response, Failure> {
    tabs(&visitor)?;
    let to = match state.issuer.reload().await {
        PolicyReport::Unchanged | PolicyReport::Loaded => "/admin/policy?done=loaded",
        // What is wrong is on the page itself.
        PolicyReport::Refused(_) => "/admin/policy",
    };
    Ok(Go::to(to).into_response())
}
