//! Commands of an operator on keys, revocations and trusted issuers.

pub(crate) mod args;
mod keys;
mod rename;

use std::fmt::Display;
use std::str::FromStr;

use assay_app::{
    AffectedRow, Error, Hub, NewIssuer, NewRevocation, Revoked, RevokedFrom, keys_of_jwks,
};
use assay_cli::{Exit, Printer};
use assay_model::Timestamp;
use assay_trust::{Scope, TrustedIssuer};
use serde_json::{Value as Json, json};

use self::args::{IssuerAction, RevokeArgs, TrustAction, TrustArgs, UnrevokeArgs};
use super::admin::Done;
use super::with_hub;
use crate::args::ShowFormat;
use crate::plural::count;
use crate::table::table;

pub(crate) use self::keys::run as run_keys;

/// Revokes, takes back, trusts and distrusts.
pub(crate) fn run(command: &TrustArgs, printer: &mut Printer) -> Exit {
    let place = &command.place;
    if let TrustAction::Rename(action) = &command.action {
        let done = rename::run(action, &place.hub, printer);
        return finish(done, place.format, printer);
    }
    let done = with_hub(&place.hub, printer, async |hub| match &command.action {
        TrustAction::Revoke(action) => revoke(&hub, action).await,
        TrustAction::Unrevoke(action) => unrevoke(&hub, action).await,
        TrustAction::List => list(&hub).await,
        TrustAction::Issuer(action) => issuer(&hub, action).await,
        TrustAction::Rename(_) => Err(Error::internal("a hub that is open cannot be renamed")),
    });
    finish(done, place.format, printer)
}

/// Prints what was done.
fn finish(done: Result<Done, Exit>, format: ShowFormat, printer: &mut Printer) -> Exit {
    match done {
        Ok(done) => {
            match format {
                ShowFormat::Text => printer.data(&done.text),
                ShowFormat::Json => printer.json(&done.json),
            }
            Exit::Clean
        }
        Err(exit) => exit,
    }
}

async fn revoke(hub: &Hub, action: &RevokeArgs) -> Result<Done, Error> {
    let new = NewRevocation {
        scope: scope(action)?,
        from: from(action)?,
        reason: action.reason.clone(),
    };
    let revoked = hub
        .evidence()
        .revoke(&hub.shell(), new, action.dry_run)
        .await?;
    Ok(told(&revoked, "revoked", "would be revoked"))
}

async fn unrevoke(hub: &Hub, action: &UnrevokeArgs) -> Result<Done, Error> {
    let shell = hub.shell();
    let back = hub
        .evidence()
        .unrevoke(&shell, action.index, &action.reason, action.dry_run)
        .await?;
    Ok(told(&back, "taken back", "would be taken back"))
}

/// Returns the scope of a revocation. One thing is named, which clap has seen to.
fn scope(action: &RevokeArgs) -> Result<Scope, Error> {
    let named = &action.scope;
    if let Some(kid) = &named.kid {
        return parsed(kid).map(Scope::Kid);
    }
    if let Some(name) = &named.integration {
        return parsed(name).map(Scope::Integration);
    }
    if let Some(jti) = &named.jti {
        return parsed(jti).map(Scope::Jti);
    }
    if let Some(issuer) = &named.issuer {
        return Ok(Scope::Issuer(issuer.clone()));
    }
    if let Some(identity) = &named.identity {
        return Ok(Scope::Identity(identity.clone()));
    }
    if let Some(revision) = &named.benchmark_revision {
        return Ok(Scope::BenchmarkRevision(revision.clone()));
    }
    match &named.framework {
        Some(name) => Ok(Scope::Framework {
            name: name.clone(),
            versions: parsed(&action.versions)?,
        }),
        None => Err(Error::Invalid("say what is to be revoked".to_owned())),
    }
}

fn parsed<T: FromStr<Err: Display>>(text: &str) -> Result<T, Error> {
    let wrong = |error: T::Err| Error::Invalid(format!("`{text}`: {error}"));
    text.parse().map_err(wrong)
}

fn from(action: &RevokeArgs) -> Result<RevokedFrom, Error> {
    match (action.from_index, &action.after) {
        (Some(index), _) => Ok(RevokedFrom::Index(index)),
        (None, Some(date)) => {
            let moment = Timestamp::of_date(date);
            let moment = moment.ok_or_else(|| Error::Invalid(format!("`{date}` is no moment")))?;
            Ok(RevokedFrom::After(moment))
        }
        (None, None) => Ok(RevokedFrom::Start),
    }
}

/// Returns the effect of a leaf of the control log on results, done or planned.
fn told(revoked: &Revoked, done: &str, planned: &str) -> Done {
    let rows: Vec<Vec<String>> = revoked.rows.iter().map(cells).collect();
    let results = count(revoked.rows.len() as u64, "result", "results");
    let from = revoked.from_index;
    let mut text = match revoked.index {
        Some(index) => format!(
            "{done}, from index {from} of the results log on; leaf {index} of the control log; {results} changed\n"
        ),
        None => format!(
            "{planned}, from index {from} of the results log on; {results} would change; nothing was written\n"
        ),
    };
    if !rows.is_empty() {
        text.push_str(&table(
            &[
                "MODEL",
                "FILE",
                "BENCHMARK",
                "TASK",
                "TOKEN",
                "WAS",
                "BECOMES",
            ],
            &rows,
        ));
    }
    let json = json!({
        "version": 1,
        "index": revoked.index,
        "from_index": from,
        "rows": revoked.rows.iter().map(row_json).collect::<Vec<_>>(),
    });
    Done::new(text, json)
}

fn cells(row: &AffectedRow) -> Vec<String> {
    let place = match row.pull {
        Some(pull) => format!("{}#{} (pull request {pull})", row.file, row.ordinal),
        None => format!("{}#{}", row.file, row.ordinal),
    };
    vec![
        row.model.to_string(),
        place,
        row.dataset.to_string(),
        row.task.to_string(),
        row.jti.clone().unwrap_or_default(),
        row.before.reason().unwrap_or("verified").to_owned(),
        row.after.reason().unwrap_or("verified").to_owned(),
    ]
}

fn row_json(row: &AffectedRow) -> Json {
    json!({
        "model": row.model,
        "pull_request": row.pull,
        "file": row.file.as_str(),
        "position": row.ordinal,
        "benchmark": row.dataset,
        "task": row.task,
        "jti": row.jti,
        "before": row.before,
        "after": row.after,
    })
}

async fn list(hub: &Hub) -> Result<Done, Error> {
    let revocations = hub.evidence().revocations(&hub.shell()).await?;
    let rows: Vec<Vec<String>> = revocations
        .iter()
        .map(|own| {
            vec![
                own.index.to_string(),
                shown(&own.scope),
                own.from_index.to_string(),
                own.actor.clone(),
                own.reason.clone(),
            ]
        })
        .collect();
    let json = revocations.iter().map(|own| {
        json!({
            "index": own.index,
            "scope": shown(&own.scope),
            "from_index": own.from_index,
            "actor": own.actor,
            "reason": own.reason,
        })
    });
    let json = json!({ "version": 1, "revocations": json.collect::<Vec<_>>() });
    Ok(Done::new(
        table(&["LEAF", "WHAT", "FROM INDEX", "BY", "WHY"], &rows),
        json,
    ))
}

/// A scope in one word and what it names.
fn shown(scope: &Scope) -> String {
    match scope {
        Scope::Kid(kid) => format!("key {kid}"),
        Scope::Issuer(issuer) => format!("issuer {issuer}"),
        Scope::Integration(id) => format!("integration {id}"),
        Scope::Identity(identity) => format!("identity {identity}"),
        Scope::Jti(jti) => format!("token {jti}"),
        Scope::Framework { name, versions } => format!("framework {name} {versions}"),
        Scope::BenchmarkRevision(revision) => format!("benchmark revision {revision}"),
    }
}

async fn issuer(hub: &Hub, action: &IssuerAction) -> Result<Done, Error> {
    let shell = hub.shell();
    match action {
        IssuerAction::Add {
            issuer,
            jwks,
            audience,
            framework,
            logged,
        } => {
            let text =
                fs_err::read_to_string(jwks).map_err(|error| Error::Invalid(error.to_string()))?;
            let keys = keys_of_jwks(&text)?;
            let number = keys.len() as u64;
            hub.evidence()
                .trust_issuer(
                    &shell,
                    NewIssuer {
                        issuer: issuer.clone(),
                        audience: audience.clone(),
                        frameworks: (!framework.is_empty()).then(|| framework.clone()),
                        must_be_logged: *logged,
                        keys,
                    },
                )
                .await?;
            Ok(Done::new(
                format!(
                    "`{issuer}` is trusted with {}\n",
                    count(number, "key", "keys")
                ),
                json!({ "version": 1, "trusted": issuer, "keys": number }),
            ))
        }
        IssuerAction::List => {
            let issuers = hub.evidence().issuers(&shell).await?;
            let rows: Vec<Vec<String>> = issuers.iter().map(issuer_cells).collect();
            let json: Vec<Json> = issuers.iter().map(issuer_json).collect();
            Ok(Done::new(
                table(
                    &[
                        "ISSUER",
                        "TRUSTED",
                        "FRAMEWORKS",
                        "AUDIENCES",
                        "LOGGED HERE",
                    ],
                    &rows,
                ),
                json!({ "version": 1, "issuers": json }),
            ))
        }
        IssuerAction::Remove { issuer } => {
            hub.evidence().distrust_issuer(&shell, issuer).await?;
            Ok(Done::new(
                format!("`{issuer}` is trusted no more: what it signed is unverified\n"),
                json!({ "version": 1, "distrusted": issuer }),
            ))
        }
    }
}

fn issuer_cells(issuer: &TrustedIssuer) -> Vec<String> {
    let word = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    let audiences: Vec<&str> = issuer.audiences.iter().map(String::as_str).collect();
    vec![
        issuer.trust.issuer.clone(),
        word(issuer.trust.is_trusted),
        issuer
            .trust
            .frameworks
            .as_ref()
            .map_or_else(|| "all".to_owned(), |names| names.join(", ")),
        audiences.join(", "),
        word(issuer.trust.must_be_logged),
    ]
}

fn issuer_json(issuer: &TrustedIssuer) -> Json {
    json!({
        "issuer": issuer.trust.issuer,
        "trusted": issuer.trust.is_trusted,
        "frameworks": issuer.trust.frameworks,
        "audiences": issuer.audiences,
        "logged": issuer.trust.must_be_logged,
    })
}
