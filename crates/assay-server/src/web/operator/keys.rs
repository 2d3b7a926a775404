//! The keys that sign tokens, and the issuers whose tokens count.

use askama::Template;
use assay_app::{KeyInfo, KeyPurpose, KeyState, NewIssuer, TrustedIssuer, keys_of_jwks};
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;

use super::{Tab, tabs};
use crate::error::Failure;
use crate::rendered::Answer;
use crate::state::AppState;
use crate::web::confirm::{self, Question};
use crate::web::form::Form;
use crate::web::frame::Frame;
use crate::web::go::Go;
use crate::web::notice::{self, Notice};
use crate::web::{Pages, Visitor, links};

/// The most frameworks that are named for one issuer.
const FRAMEWORKS: usize = 64;

pub(super) fn pages() -> Pages {
    Pages::new()
        .page(
            "/admin/keys",
            "The keys that the control log knows, for the operator.",
            get(keys).post(change_key),
        )
        .page(
            "/admin/issuers",
            "The issuers whose tokens count here, for the operator.",
            get(issuers).post(change_issuer),
        )
}

#[derive(Template)]
#[template(path = "admin/keys.html")]
struct KeysPage {
    frame: Frame,
    tabs: Vec<Tab>,
    notice: Notice,
    keys: Vec<KeyInfo>,
}

#[derive(Template)]
#[template(path = "admin/issuers.html")]
struct IssuersPage {
    frame: Frame,
    tabs: Vec<Tab>,
    notice: Notice,
    own: String,
    issuers: Vec<TrustedIssuer>,
}

impl KeysPage {
    /// Returns whether it signs no more and could be retired.
    fn may_retire(key: &KeyInfo) -> bool {
        key.purpose == KeyPurpose::Token
            && match key.state {
                KeyState::Pending | KeyState::Retiring => true,
                KeyState::Active => !key.is_own,
                KeyState::Retired => false,
            }
    }

    /// Returns whether it could sign next.
    fn may_sign(key: &KeyInfo) -> bool {
        key.purpose == KeyPurpose::Token && key.is_own && key.state == KeyState::Pending
    }

    /// Returns the address at which it is revoked, if it can be.
    fn revoke(key: &KeyInfo) -> Option<String> {
        let is_for_tokens = key.purpose == KeyPurpose::Token && key.revoked_from.is_none();
        let kid = key.kid.to_string();
        is_for_tokens.then(|| format!("/admin/revocations?scope=key&value={}", links::part(&kid)))
    }
}

impl IssuersPage {
    fn frameworks(issuer: &TrustedIssuer) -> String {
        match &issuer.trust.frameworks {
            Some(names) => names.join(", "),
            None => "all".to_owned(),
        }
    }

    fn is_own(&self, issuer: &TrustedIssuer) -> bool {
        issuer.trust.issuer == self.own
    }
}

async fn keys(State(state): State<AppState>, visitor: Visitor) -> Result<Answer, Failure> {
    visitor.render(&KeysPage {
        tabs: tabs(&visitor)?,
        frame: visitor.frame("Keys").unlisted(),
        notice: notice::of(&visitor),
        keys: state.hub.evidence().keys(&visitor.caller).await?,
    })
}

async fn change_key(
    State(state): State<AppState>,
    visitor: Visitor,
    form: Form,
) -> Result<Response, Failure> {
    tabs(&visitor)?;
    let (hub, caller, kid) = (&state.hub, &visitor.caller, form.get("kid"));
    let no_key = || Failure::invalid(format!("`{kid}` is not the name of a key"));
    match form.get("do") {
        "generate" => {
            hub.evidence().generate_key(caller).await?;
        }
        "rotate" => {
            let question = Question {
                title: "Sign with another key from now on?".to_owned(),
                effect: "The hub signs with the standby key, or with the one that you chose. The present key is \
                         retired: what it signed stands, and it does not sign again.",
                button: "Rotate",
                back: "/admin/keys".to_owned(),
            };
            if let Some(asked) = confirm::ask(&visitor, &form, question)? {
                return Ok(asked);
            }
            let to = match kid {
                "" => None,
                _ => Some(kid.parse().map_err(|_| no_key())?),
            };
            hub.evidence().rotate_key(caller, to).await?;
        }
        "retire" => {
            let question = Question {
                title: format!("Retire the key {kid}?"),
                effect: "What it signed stands. It cannot sign again.",
                button: "Retire",
                back: "/admin/keys".to_owned(),
            };
            if let Some(asked) = confirm::ask(&visitor, &form, question)? {
                return Ok(asked);
            }
            let kid = kid.parse().map_err(|_| no_key())?;
            hub.evidence().retire_key(caller, kid).await?;
        }
        _ => return Err(Failure::invalid("there is nothing like that to do")),
    }
    Ok(Go::to("/admin/keys?done=saved").into_response())
}

async fn issuers(State(state): State<AppState>, visitor: Visitor) -> Result<Answer, Failure> {
    visitor.render(&IssuersPage {
        tabs: tabs(&visitor)?,
        frame: visitor.frame("Issuers").unlisted(),
        notice: notice::of(&visitor),
        own: state.issuer.name().to_owned(),
        issuers: state.hub.evidence().issuers(&visitor.caller).await?,
    })
}

async fn change_issuer(
    State(state): State<AppState>,
    visitor: Visitor,
    form: Form,
) -> Result<Response, Failure> {
    tabs(&visitor)?;
    let (hub, caller) = (&state.hub, &visitor.caller);
    match form.get("do") {
        "trust" => {
            hub.evidence()
                .trust_issuer(caller, new_issuer(&form)?)
                .await?;
        }
        "distrust" => {
            let question = Question {
                title: format!("Stop trusting {}?", form.get("issuer")),
                effect: "Everything that this issuer signed becomes unverified. The control log says so for ever.",
                button: "Stop trusting",
                back: "/admin/issuers".to_owned(),
            };
            if let Some(asked) = confirm::ask(&visitor, &form, question)? {
                return Ok(asked);
            }
            hub.evidence()
                .distrust_issuer(caller, form.get("issuer"))
                .await?;
        }
        _ => return Err(Failure::invalid("there is nothing like that to do")),
    }
    Ok(Go::to("/admin/issuers?done=saved").into_response())
}

fn new_issuer(form: &Form) -> Result<NewIssuer, Failure> {
    let name = form.get("issuer");
    if name.is_empty() {
        return Err(Failure::invalid("say what the issuer is called"));
    }
    let audience = Some(form.get("audience")).filter(|text| !text.is_empty());
    let frameworks: Vec<String> = form
        .get("frameworks")
        .split([',', ' '])
        .filter(|name| !name.is_empty())
        .take(FRAMEWORKS)
        .map(str::to_owned)
        .collect();
    Ok(NewIssuer {
        issuer: name.to_owned(),
        audience: audience.map(str::to_owned),
        frameworks: (!frameworks.is_empty()).then_some(frameworks),
        must_be_logged: form.has("logged"),
        keys: keys_of_jwks(&form.text("keys"))?,
    })
}
