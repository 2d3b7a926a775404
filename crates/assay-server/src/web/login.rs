use std::net::IpAddr;

use askama::Template;
use assay_app::{Error, SessionSecret};
use axum::extract::{FromRequestParts, State};
use axum::http::header::USER_AGENT;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};

use super::form::Form;
use super::frame::Frame;
use super::go::Go;
use super::kept::KeptForm;
use super::{Pages, Visitor, links, session};
use crate::answer;
use crate::error::Failure;
use crate::rate::{self, RateKey};
use crate::rendered::Answer;
use crate::state::AppState;

/// The message of a failed sign-in; it does not tell which of the two was wrong.
const WRONG: &str = "That did not work: the token or the name and password are not right.";

pub(super) fn pages() -> Pages {
    Pages::new()
        .page(
            "/login",
            "Where one signs in, with a token or a password.",
            get(form).post(sign_in),
        )
        .page("/logout", "Ends the session.", post(sign_out))
}

#[derive(Template)]
#[template(path = "login.html")]
struct Login {
    frame: Frame,
    next: String,
    wrong: Option<&'static str>,
    /// A form that waits for the sign-in.
    kept: Option<KeptForm>,
}

/// The address of a request, for counting wrong guesses.
pub(super) struct ClientAddress(IpAddr);

impl FromRequestParts<AppState> for ClientAddress {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Failure> {
        Ok(Self(answer::address(parts, state.web.trust_proxy)))
    }
}

async fn form(State(state): State<AppState>, visitor: Visitor) -> Result<Answer, Failure> {
    page(&state, visitor, None)
}

/// The page of the sign-in, for a form that waits for it too.
pub(super) fn page(
    state: &AppState,
    visitor: Visitor,
    kept: Option<KeptForm>,
) -> Result<Answer, Failure> {
    let visitor = visitor.with_form(state)?;
    let next = visitor.state.get("next").unwrap_or_default().to_owned();
    visitor.render(&Login {
        frame: visitor.frame("Sign in").unlisted(),
        next,
        wrong: None,
        kept,
    })
}

async fn sign_in(
    State(state): State<AppState>,
    ClientAddress(address): ClientAddress,
    visitor: Visitor,
    headers: HeaderMap,
    form: Form,
) -> Result<Response, Failure> {
    let now = state.web.clock.now();
    let guesses = RateKey::guess(address);
    let guess = state.web.limiter.would_allow(guesses, now);
    if let Some(verdict) = guess.filter(|guess| !guess.allowed) {
        let after_seconds = verdict.reset_seconds;
        return Err(Error::RateLimited { after_seconds }.into());
    }
    let agent = headers.get(USER_AGENT).and_then(|name| name.to_str().ok());
    let agent = agent.unwrap_or_default();
    let origin = visitor.caller.origin();
    let begun = match form.get("token") {
        "" => {
            let (name, password) = (form.get("name"), form.text("password"));
            let from = rate::network(address).to_string();
            state
                .hub
                .accounts()
                .sign_in_with_password(name, &password, agent, Some(&from), origin)
                .await
        }
        token => {
            state
                .hub
                .accounts()
                .sign_in_with_token(token, agent, origin)
                .await
        }
    };
    match begun {
        Ok(secret) => go_on(&state, visitor, &form, &secret).await,
        Err(Error::BadCredentials | Error::TokenEnded(_)) => {
            state.web.limiter.take(guesses, now);
            let visitor = visitor.with_form(&state)?;
            let page = visitor.render(&Login {
                frame: visitor.frame("Sign in").unlisted(),
                next: form.get("next").to_owned(),
                wrong: Some(WRONG),
                kept: KeptForm::of_sign_in(&form),
            })?;
            Ok((StatusCode::UNAUTHORIZED, page.into_response()).into_response())
        }
        Err(error) => Err(error.into()),
    }
}

/// Leads on after a sign-in: to the form that was kept, else to the page that somebody came from.
async fn go_on(
    state: &AppState,
    visitor: Visitor,
    form: &Form,
    secret: &SessionSecret,
) -> Result<Response, Failure> {
    let cookie = session::begin(&visitor.base, secret);
    if let Some(kept) = KeptForm::of_sign_in(form)
        && let Some(session) = state.hub.accounts().visitor(secret.reveal()).await?
    {
        let visitor = visitor.signed_in_as(session, cookie);
        return Ok(kept.page(&visitor)?.into_response());
    }
    let next = links::here(form.get("next")).unwrap_or("/");
    Ok(Go::to(next).with(cookie).into_response())
}

async fn sign_out(
    State(state): State<AppState>,
    visitor: Visitor,
    _form: Form,
) -> Result<Response, Failure> {
    let signed_in = visitor.signed_in()?;
    state
        .hub
        .accounts()
        .end_web_session(&signed_in.caller, signed_in.session)
        .await?;
    Ok(Go::to("/")
        .with(session::end(&visitor.base))
        .into_response())
}
