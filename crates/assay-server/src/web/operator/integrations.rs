//! Pages of integrations, of tokens that were issued to them, and of refusals.

use askama::Template;
use assay_app::issuer::{
    CredentialInfo, EventFilter, IdentityInfo, IntegrationInfo, IssuerEvent, NewCredential,
};
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
use crate::web::{Pages, Visitor, links, show};

/// Number of events that are shown.
const EVENTS: u32 = 200;
/// The outcomes of requests of integrations, and of restraints.
const OUTCOMES: [&str; 6] = [
    "done",
    "refused",
    "limited",
    "slowed",
    "suspended",
    "resumed",
];

pub(super) fn pages() -> Pages {
    Pages::new()
        .page(
            "/admin/integrations",
            "Integrations with their identities and credentials, for the operator.",
            get(integrations).post(change),
        )
        .page(
            "/admin/tokens",
            "The evaluation tokens that were issued and refused, for the operator.",
            get(events),
        )
}

#[derive(Template)]
#[template(path = "admin/integrations.html")]
struct IntegrationsPage {
    frame: Frame,
    tabs: Vec<Tab>,
    notice: Notice,
    /// A secret that is shown this once, with whose it is.
    secret: Option<(String, String)>,
    integrations: Vec<IntegrationInfo>,
    identities: Vec<IdentityInfo>,
    credentials: Vec<CredentialInfo>,
}

#[derive(Template)]
#[template(path = "admin/tokens.html")]
struct TokensPage {
    frame: Frame,
    tabs: Vec<Tab>,
    integration: String,
    outcome: String,
    outcomes: [&'static str; 6],
    events: Vec<IssuerEvent>,
}

impl TokensPage {
    /// Returns the address at which the token of an event is revoked.
    fn revoke(event: &IssuerEvent) -> Option<String> {
        let jti = event.event.jti.as_deref()?;
        let is_issued = event.event.action == "issue" && event.event.outcome == "done";
        is_issued.then(|| format!("/admin/revocations?scope=token&value={}", links::part(jti)))
    }
}

async fn integrations(State(state): State<AppState>, visitor: Visitor) -> Result<Answer, Failure> {
    page(&state, &visitor, None).await
}

async fn page(
    state: &AppState,
    visitor: &Visitor,
    secret: Option<(String, String)>,
) -> Result<Answer, Failure> {
    let tabs = tabs(visitor)?;
    visitor.render(&IntegrationsPage {
        tabs,
        frame: visitor.frame("Integrations").unlisted(),
        notice: notice::of(visitor),
        secret,
        integrations: state.issuer.integrations().await?,
        identities: state.issuer.identities().await?,
        credentials: state.issuer.credentials().await?,
    })
}

async fn change(
    State(state): State<AppState>,
    visitor: Visitor,
    form: Form,
) -> Result<Response, Failure> {
    tabs(&visitor)?;
    let (issuer, caller, id) = (&state.issuer, &visitor.caller, form.get("id"));
    match form.get("do") {
        "add" => issuer.add_integration(caller, id).await?,
        "suspend" => {
            let reason = Some(reason(&form)?);
            issuer.suspend_integration(caller, id, reason).await?;
        }
        "resume" => issuer.suspend_integration(caller, id, None).await?,
        "add_identity" => {
            let definition = form.text("definition");
            issuer.add_identity(caller, id, &definition).await?;
        }
        "suspend_identity" => {
            let reason = Some(reason(&form)?);
            issuer.suspend_identity(caller, id, reason).await?;
        }
        "resume_identity" => issuer.suspend_identity(caller, id, None).await?,
        "add_credential" => {
            let (made, secret) = issuer
                .add_credential(caller, id, new_credential(&form)?)
                .await?;
            if let Some(secret) = secret {
                let secret = Some((made.identity, secret.reveal().to_owned()));
                return Ok(page(&state, &visitor, secret).await?.into_response());
            }
        }
        "revoke_credential" => {
            let question = Question {
                title: format!("Revoke the credential {id}?"),
                effect: "Whoever uses it gets no token any more. It cannot be brought back.",
                button: "Revoke",
                back: "/admin/integrations".to_owned(),
            };
            if let Some(asked) = confirm::ask(&visitor, &form, question)? {
                return Ok(asked);
            }
            issuer.revoke_credential(caller, id).await?;
        }
        _ => return Err(Failure::invalid("there is nothing like that to do")),
    }
    Ok(Go::to("/admin/integrations?done=saved").into_response())
}

fn reason(form: &Form) -> Result<&str, Failure> {
    match form.get("reason") {
        "" => Err(Failure::invalid("say why it is suspended")),
        reason => Ok(reason),
    }
}

fn new_credential(form: &Form) -> Result<NewCredential, Failure> {
    let days = form.get("days").parse();
    let public_key = form.text("public_key");
    Ok(NewCredential {
        label: form.get("label").to_owned(),
        days: days.map_err(|_| Failure::invalid("say how many days it lasts"))?,
        public_key: Some(public_key).filter(|text| !text.trim().is_empty()),
    })
}

async fn events(State(state): State<AppState>, visitor: Visitor) -> Result<Answer, Failure> {
    let tabs = tabs(&visitor)?;
    let asked = |name: &str| visitor.state.get(name).map(str::to_owned);
    let filter = EventFilter {
        integration: asked("integration"),
        identity: asked("identity"),
        outcome: asked("outcome"),
    };
    visitor.render(&TokensPage {
        tabs,
        frame: visitor.frame("Tokens issued and refused").unlisted(),
        events: state.issuer.events(&filter, EVENTS).await?,
        integration: filter.integration.unwrap_or_default(),
        outcome: filter.outcome.unwrap_or_default(),
        outcomes: OUTCOMES,
    })
}
