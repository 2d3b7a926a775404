//! Taking back what was signed: nothing is written before its effect was shown and confirmed.

use std::fmt::Display;
use std::str::FromStr;

use askama::Template;
use assay_app::{
    AffectedRow, NewRevocation, RevocationInfo, RevocationScope, Revoked, RevokedFrom,
};
use assay_formats::rows::hex;
use assay_model::{Date, Timestamp};
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};

use super::{Tab, tabs};
use crate::error::Failure;
use crate::rendered::Answer;
use crate::state::AppState;
use crate::web::form::Form;
use crate::web::frame::Frame;
use crate::web::go::Go;
use crate::web::notice::{self, Notice};
use crate::web::{Pages, Visitor, links};

/// The scopes of revocation: the word in a form, and for people.
const SCOPES: [(&str, &str); 7] = [
    ("key", "what a key signed"),
    ("issuer", "what an issuer issued"),
    ("integration", "what an integration was given"),
    ("identity", "what a machine identity was given"),
    ("token", "one token"),
    ("framework", "what versions of a framework produced"),
    ("benchmark", "what was measured on a commit of a benchmark"),
];
/// The number of results that a preview lists; all of them are counted.
const ROWS: usize = 200;

pub(super) fn pages() -> Pages {
    Pages::new()
        .page(
            "/admin/revocations",
            "The revocations in force, for the operator.",
            get(list).post(revoke),
        )
        .page(
            "/admin/revocations/back",
            "Takes a revocation back, after showing what that does.",
            post(take_back),
        )
}

#[derive(Template)]
#[template(path = "admin/revocations.html")]
struct ListPage {
    frame: Frame,
    tabs: Vec<Tab>,
    notice: Notice,
    revocations: Vec<RevocationInfo>,
    scopes: [(&'static str, &'static str); 7],
    scope: String,
    value: String,
}

#[derive(Template)]
#[template(path = "admin/revoke.html")]
struct PreviewPage {
    frame: Frame,
    tabs: Vec<Tab>,
    /// The act that is about to happen, in words.
    what: String,
    reason: String,
    from_index: u64,
    action: &'static str,
    /// The fields that the form sends again when it is confirmed.
    fields: Vec<(&'static str, String)>,
    /// True if the effect is not the one that was shown before.
    changed: bool,
    total: usize,
    rows: Vec<AffectedRow>,
}

/// The act that the operator is about to do.
struct Act {
    title: &'static str,
    /// The same in words.
    what: String,
    reason: String,
    action: &'static str,
    /// The fields that the form sends again when it is confirmed.
    fields: Vec<(&'static str, String)>,
}

impl ListPage {
    fn words(revocation: &RevocationInfo) -> String {
        in_words(&revocation.scope)
    }
}

impl PreviewPage {
    fn address(row: &AffectedRow) -> String {
        let parts: Vec<String> = row.file.as_str().split('/').map(links::part).collect();
        let pull = match row.pull {
            Some(number) => format!("?pr={number}"),
            None => String::new(),
        };
        let (model, place) = (links::model(&row.model), parts.join("/"));
        format!("{model}/results/at/{}/{place}{pull}", row.ordinal)
    }
}

async fn list(State(state): State<AppState>, visitor: Visitor) -> Result<Answer, Failure> {
    let asked = |name: &str| visitor.state.get(name).unwrap_or_default().to_owned();
    visitor.render(&ListPage {
        tabs: tabs(&visitor)?,
        frame: visitor.frame("Revocations").unlisted(),
        notice: notice::of(&visitor),
        revocations: state.hub.evidence().revocations(&visitor.caller).await?,
        scopes: SCOPES,
        scope: asked("scope"),
        value: asked("value"),
    })
}

async fn revoke(
    State(state): State<AppState>,
    visitor: Visitor,
    form: Form,
) -> Result<Response, Failure> {
    let tabs = tabs(&visitor)?;
    let (hub, caller) = (&state.hub, &visitor.caller);
    let new = NewRevocation {
        scope: scope(&form)?,
        from: from(&form)?,
        reason: form.get("reason").to_owned(),
    };
    let effect = hub.evidence().revoke(caller, new.clone(), true).await?;
    if is_confirmed(&form, &effect) {
        hub.evidence().revoke(caller, new, false).await?;
        return Ok(Go::to("/admin/revocations?done=withdrawn").into_response());
    }
    let fields = vec![
        ("scope", form.get("scope").to_owned()),
        ("value", form.get("value").to_owned()),
        ("versions", form.get("versions").to_owned()),
        // What was shown is what is confirmed, whatever the log has got since.
        ("from", "index".to_owned()),
        ("position", effect.from_index.to_string()),
        ("reason", new.reason.clone()),
    ];
    let act = Act {
        title: "Revoke",
        what: format!("Revoke {}", in_words(&new.scope)),
        reason: new.reason,
        action: "/admin/revocations",
        fields,
    };
    preview(&visitor, tabs, &form, act, effect)
}

async fn take_back(
    State(state): State<AppState>,
    visitor: Visitor,
    form: Form,
) -> Result<Response, Failure> {
    let tabs = tabs(&visitor)?;
    let (hub, caller, reason) = (&state.hub, &visitor.caller, form.get("reason"));
    let index: u64 = parsed(form.get("index"))?;
    if reason.is_empty() {
        return Err(Failure::invalid("say why it is taken back"));
    }
    let effect = hub.evidence().unrevoke(caller, index, reason, true).await?;
    if is_confirmed(&form, &effect) {
        hub.evidence()
            .unrevoke(caller, index, reason, false)
            .await?;
        return Ok(Go::to("/admin/revocations?done=restored").into_response());
    }
    let act = Act {
        title: "Take a revocation back",
        what: format!("Take back the revocation at position {index} of the control log"),
        reason: reason.to_owned(),
        action: "/admin/revocations/back",
        fields: vec![("index", index.to_string()), ("reason", reason.to_owned())],
    };
    preview(&visitor, tabs, &form, act, effect)
}

/// Returns whether the operator has seen this very effect and wants it.
fn is_confirmed(form: &Form, effect: &Revoked) -> bool {
    form.get("do") == "confirm" && form.get("effect") == fingerprint(effect)
}

/// Shows what an act would do, with a form that does it.
fn preview(
    visitor: &Visitor,
    tabs: Vec<Tab>,
    form: &Form,
    mut act: Act,
    effect: Revoked,
) -> Result<Response, Failure> {
    act.fields.push(("effect", fingerprint(&effect)));
    let page = visitor.render(&PreviewPage {
        tabs,
        frame: visitor.frame(act.title).unlisted(),
        what: act.what,
        reason: act.reason,
        from_index: effect.from_index,
        action: act.action,
        fields: act.fields,
        changed: form.get("do") == "confirm",
        total: effect.rows.len(),
        rows: effect.rows.into_iter().take(ROWS).collect(),
    })?;
    Ok(page.into_response())
}

/// Returns a text that tells one effect from another: the number of changed results, and which.
fn fingerprint(effect: &Revoked) -> String {
    use sha2::{Digest as _, Sha256};
    let mut hasher = Sha256::new();
    for row in &effect.rows {
        let text = format!(
            "{} {:?} {} {} {} {}\n",
            row.model,
            row.pull,
            row.file.as_str(),
            row.ordinal,
            row.before.state(),
            row.after.state()
        );
        hasher.update(text.as_bytes());
    }
    let digest = hasher.finalize();
    format!("{}-{}", effect.rows.len(), hex(&digest[..8]))
}

fn scope(form: &Form) -> Result<RevocationScope, Failure> {
    let value = form.get("value");
    if value.is_empty() {
        return Err(Failure::invalid("say what is to be revoked"));
    }
    Ok(match form.get("scope") {
        "key" => RevocationScope::Kid(parsed(value)?),
        "issuer" => RevocationScope::Issuer(value.to_owned()),
        "integration" => RevocationScope::Integration(parsed(value)?),
        "identity" => RevocationScope::Identity(value.to_owned()),
        "token" => RevocationScope::Jti(parsed(value)?),
        "benchmark" => RevocationScope::BenchmarkRevision(parsed(value)?),
        "framework" => RevocationScope::Framework {
            name: value.to_owned(),
            versions: match form.get("versions") {
                "" => parsed("*")?,
                versions => parsed(versions)?,
            },
        },
        _ => return Err(Failure::invalid("say what is to be revoked")),
    })
}

fn from(form: &Form) -> Result<RevokedFrom, Failure> {
    Ok(match form.get("from") {
        "index" => RevokedFrom::Index(parsed(form.get("position"))?),
        "after" => {
            let date: Date = parsed(form.get("position"))?;
            let moment = Timestamp::of_date(&date);
            RevokedFrom::After(moment.ok_or_else(|| Failure::invalid("this is no moment"))?)
        }
        _ => RevokedFrom::Start,
    })
}

fn parsed<T: FromStr<Err: Display>>(text: &str) -> Result<T, Failure> {
    let wrong = |error: T::Err| Failure::invalid(format!("`{text}`: {error}"));
    text.parse().map_err(wrong)
}

fn in_words(scope: &RevocationScope) -> String {
    match scope {
        RevocationScope::Kid(kid) => format!("key {kid}"),
        RevocationScope::Issuer(issuer) => format!("issuer {issuer}"),
        RevocationScope::Integration(id) => format!("integration {id}"),
        RevocationScope::Identity(identity) => format!("identity {identity}"),
        RevocationScope::Jti(jti) => format!("token {jti}"),
        RevocationScope::Framework { name, versions } => format!("framework {name} {versions}"),
        RevocationScope::BenchmarkRevision(revision) => format!("benchmark commit {revision}"),
    }
}
