//! The pages of one's own account: tokens, sessions, password, organisations.

use askama::Template;
use assay_app::{HookPlace, Membership, NewToken, Scope, SessionInfo, TokenInfo};
use assay_model::Timestamp;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};

use super::form::Form;
use super::frame::Frame;
use super::go::Go;
use super::hooks::{self, Hooks};
use super::notice::{self, Notice};
use super::show;
use super::{Pages, Visitor, session};
use crate::error::Failure;
use crate::extract::PathParams;
use crate::rendered::Answer;
use crate::state::AppState;

/// The length of a day, in milliseconds.
const DAY: i64 = 86_400_000;
/// The longest life of a token that the form offers, in days.
const MAX_DAYS: i64 = 3_650;

pub(super) fn pages() -> Pages {
    Pages::new()
        .page(
            "/settings",
            "Who one is, where one is a member, and one's password.",
            get(profile),
        )
        .page(
            "/settings/password",
            "Gives oneself another password.",
            post(change_password),
        )
        .page(
            "/settings/tokens",
            "The access tokens of who is signed in, and a form to make one.",
            get(tokens).post(create_token),
        )
        .page(
            "/settings/tokens/{id}/revoke",
            "Revokes an access token.",
            post(revoke_token),
        )
        .page(
            "/settings/sessions",
            "The browsers in which one is signed in.",
            get(sessions),
        )
        .page(
            "/settings/sessions/end-others",
            "Ends every session but this one.",
            post(end_others),
        )
        .page(
            "/settings/sessions/{id}/end",
            "Ends a session.",
            post(end_session),
        )
        .page(
            "/settings/webhooks",
            "The addresses that are told what happens to one's repositories.",
            get(webhooks),
        )
}

#[derive(Template)]
#[template(path = "settings/profile.html")]
struct Profile {
    frame: Frame,
    tab: &'static str,
    notice: Notice,
    name: String,
    full_name: String,
    since: Timestamp,
    is_operator: bool,
    memberships: Vec<Membership>,
    has_password: bool,
    /// The form is shown to who signed in with their password; the first one comes from an
    /// operator.
    may_change_password: bool,
}

#[derive(Template)]
#[template(path = "settings/tokens.html")]
struct TokensPage {
    frame: Frame,
    tab: &'static str,
    notice: Notice,
    secret: Option<String>,
    tokens: Vec<TokenInfo>,
    is_operator: bool,
    now: Timestamp,
}

#[derive(Template)]
#[template(path = "settings/sessions.html")]
struct SessionsPage {
    frame: Frame,
    tab: &'static str,
    notice: Notice,
    sessions: Vec<SessionInfo>,
    current: i64,
}

#[derive(Template)]
#[template(path = "settings/webhooks.html")]
struct Webhooks {
    frame: Frame,
    tab: &'static str,
    notice: Notice,
    hooks: Hooks,
}

impl TokensPage {
    fn scope(scope: &Scope) -> String {
        scope_words(scope)
    }

    fn is_over(&self, token: &TokenInfo) -> bool {
        token.expires.is_some_and(|expires| expires <= self.now)
    }
}

async fn profile(State(state): State<AppState>, visitor: Visitor) -> Result<Answer, Failure> {
    let signed_in = visitor.signed_in()?;
    let name = signed_in.caller.name().unwrap_or_default().to_owned();
    let account = state.hub.accounts().account(&name).await?;
    let has_password = state.hub.accounts().has_password(&signed_in.caller).await?;
    visitor.render(&Profile {
        frame: visitor.frame("Your account").unlisted(),
        tab: "profile",
        notice: notice::of(&visitor),
        full_name: account.full_name,
        since: account.created,
        is_operator: signed_in.caller.runs_the_hub(),
        memberships: state.hub.accounts().memberships(&signed_in.caller).await?,
        may_change_password: signed_in.caller.may_change_password()
            && (has_password || signed_in.caller.runs_the_hub()),
        has_password,
        name,
    })
}

async fn change_password(
    State(state): State<AppState>,
    visitor: Visitor,
    form: Form,
) -> Result<Response, Failure> {
    let signed_in = visitor.signed_in()?;
    let (new, again) = (form.text("new"), form.text("again"));
    if new != again {
        return Err(Failure::invalid("the two new passwords are not the same"));
    }
    let password = (!new.is_empty()).then_some(new.as_str());
    state
        .hub
        .accounts()
        .change_password(&signed_in.caller, &form.text("current"), password)
        .await?;
    // Every session has ended, this one too.
    Ok(Go::to("/login")
        .with(session::end(&visitor.base))
        .into_response())
}

async fn tokens(State(state): State<AppState>, visitor: Visitor) -> Result<Answer, Failure> {
    token_page(&state, &visitor, None).await
}

async fn token_page(
    state: &AppState,
    visitor: &Visitor,
    secret: Option<String>,
) -> Result<Answer, Failure> {
    let signed_in = visitor.signed_in()?;
    let name = signed_in.caller.name().unwrap_or_default();
    visitor.render(&TokensPage {
        frame: visitor.frame("Access tokens").unlisted(),
        tab: "tokens",
        notice: notice::of(visitor),
        secret,
        tokens: state.hub.accounts().tokens(&signed_in.caller, name).await?,
        is_operator: signed_in.caller.runs_the_hub(),
        now: state.web.clock.now(),
    })
}

async fn create_token(
    State(state): State<AppState>,
    visitor: Visitor,
    form: Form,
) -> Result<Answer, Failure> {
    let signed_in = visitor.signed_in()?;
    let name = signed_in.caller.name().unwrap_or_default().to_owned();
    let scope = match form.get("scope") {
        "read" => Scope::Read,
        "write" => Scope::Write,
        "admin" => Scope::Admin,
        "fine" => {
            let patterns: Result<Vec<_>, _> = form
                .get("only")
                .split_whitespace()
                .map(str::parse)
                .collect();
            Scope::Fine(patterns?)
        }
        _ => return Err(Failure::invalid("choose what the token may do")),
    };
    let expires = match form.get("days") {
        "" => None,
        days => Some(after_days(state.web.clock.now(), days)?),
    };
    let token = NewToken {
        label: form.get("label").to_owned(),
        scope,
        expires,
    };
    let (_, secret) = state
        .hub
        .accounts()
        .create_token(&signed_in.caller, &name, token)
        .await?;
    token_page(&state, &visitor, Some(secret.reveal().to_owned())).await
}

async fn revoke_token(
    State(state): State<AppState>,
    visitor: Visitor,
    PathParams(id): PathParams<i64>,
    _form: Form,
) -> Result<Response, Failure> {
    let signed_in = visitor.signed_in()?;
    let name = signed_in.caller.name().unwrap_or_default();
    state
        .hub
        .accounts()
        .revoke_token(&signed_in.caller, name, id)
        .await?;
    Ok(Go::to("/settings/tokens?done=revoked").into_response())
}

async fn sessions(State(state): State<AppState>, visitor: Visitor) -> Result<Answer, Failure> {
    let signed_in = visitor.signed_in()?;
    visitor.render(&SessionsPage {
        frame: visitor.frame("Sessions").unlisted(),
        tab: "sessions",
        notice: notice::of(&visitor),
        sessions: state.hub.accounts().web_sessions(&signed_in.caller).await?,
        current: signed_in.session,
    })
}

async fn end_session(
    State(state): State<AppState>,
    visitor: Visitor,
    PathParams(id): PathParams<i64>,
    _form: Form,
) -> Result<Response, Failure> {
    let signed_in = visitor.signed_in()?;
    state
        .hub
        .accounts()
        .end_web_session(&signed_in.caller, id)
        .await?;
    Ok(Go::to("/settings/sessions?done=ended").into_response())
}

async fn end_others(
    State(state): State<AppState>,
    visitor: Visitor,
    _form: Form,
) -> Result<Response, Failure> {
    state
        .hub
        .accounts()
        .end_other_web_sessions(visitor.signed_in()?)
        .await?;
    Ok(Go::to("/settings/sessions?done=ended").into_response())
}

async fn webhooks(State(state): State<AppState>, visitor: Visitor) -> Result<Answer, Failure> {
    let signed_in = visitor.signed_in()?;
    let name = signed_in.caller.name().unwrap_or_default().to_owned();
    let place = HookPlace::Account(name);
    visitor.render(&Webhooks {
        frame: visitor.frame("Webhooks").unlisted(),
        tab: "webhooks",
        notice: notice::of(&visitor),
        hooks: hooks::of(&state, &visitor, place).await?,
    })
}

/// Returns the scope of a token, in words.
pub(super) fn scope_words(scope: &Scope) -> String {
    match scope {
        Scope::Read => "read".to_owned(),
        Scope::Write => "read and write".to_owned(),
        Scope::Admin => "everything, and run the hub".to_owned(),
        Scope::Fine(patterns) => {
            let names: Vec<String> = patterns.iter().map(ToString::to_string).collect();
            format!("write to {} alone", names.join(", "))
        }
    }
}

fn after_days(now: Timestamp, days: &str) -> Result<Timestamp, Failure> {
    let days: i64 = days
        .parse()
        .ok()
        .filter(|days| (1..=MAX_DAYS).contains(days))
        .ok_or_else(|| Failure::invalid(format!("a token lasts 1 to {MAX_DAYS} days")))?;
    Ok(Timestamp::from_millis(now.millis() + days * DAY))
}
