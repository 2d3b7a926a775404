//! The page where a person approves a program that signs in by device code.

use askama::Template;
use assay_app::Scope;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;

use super::form::Form;
use super::frame::Frame;
use super::go::Go;
use super::{Pages, Visitor};
use crate::error::Failure;
use crate::rendered::Answer;
use crate::state::AppState;

pub(super) fn pages() -> Pages {
    Pages::new().page(
        "/login/device",
        "Where one approves a program that shows a code.",
        get(form).post(decide),
    )
}

#[derive(Template)]
#[template(path = "device.html")]
struct DevicePage {
    frame: Frame,
    code: String,
    done: Option<&'static str>,
    name: String,
}

async fn form(visitor: Visitor) -> Result<Answer, Failure> {
    let caller = &visitor.signed_in()?.caller;
    let done = match visitor.state.get("done") {
        Some("approved") => Some(
            "The program is signed in. You can close this page. Its token is among your access tokens.",
        ),
        Some("denied") => Some("The program was not signed in."),
        _ => None,
    };
    visitor.render(&DevicePage {
        name: caller.name().unwrap_or_default().to_owned(),
        frame: visitor.frame("Sign in a program").unlisted(),
        code: visitor.state.get("code").unwrap_or_default().to_owned(),
        done,
    })
}

async fn decide(
    State(state): State<AppState>,
    visitor: Visitor,
    form: Form,
) -> Result<Response, Failure> {
    let caller = &visitor.signed_in()?.caller;
    let (scope, done) = match form.get("decision") {
        "read" => (Some(Scope::Read), "approved"),
        "write" => (Some(Scope::Write), "approved"),
        _ => (None, "denied"),
    };
    state
        .hub
        .accounts()
        .decide_device_sign_in(caller, form.get("code"), scope)
        .await?;
    Ok(Go::to(&format!("/login/device?done={done}")).into_response())
}
