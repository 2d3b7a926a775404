use assay_app::issuer::{CredentialInfo, IdentityInfo, IntegrationInfo, Issuer, NewCredential};
use assay_cli::{Exit, Printer};
use assay_model::Timestamp;
use assay_render::visible;
use serde_json::{Map, Value as Json, json};

use super::args::{CredentialAction, IdentityAction, IntegrationAction, NewIdentity, Place};
use super::done::{Done, with_issuer};
use crate::table::table;

/// What is said beside an empty list of identities.
const NO_IDENTITIES: &str = "there are none: identities come from the policy, which `--policy FILE` or `issuer.policy` names, or \
     from `assay issuer identity create`";
/// What is said beside an empty list of integrations.
const NO_INTEGRATIONS: &str =
    "there are none: register those of the policy with `assay issuer integration create NAME`";

/// Returns true when the policy names an integration.
fn is_in_policy(issuer: &Issuer, id: &str) -> bool {
    let policy = issuer.policy();
    policy.integrations().any(|own| own.id.as_str() == id)
}

/// Integrations.
pub(super) fn integration(
    action: &IntegrationAction,
    place: &Place,
    printer: &mut Printer,
) -> Exit {
    with_issuer(place, printer, async |hub, issuer| {
        let shell = hub.shell();
        let (id, word) = match action {
            IntegrationAction::List => {
                let listed = issuer.integrations().await?;
                return Ok(integrations(&listed).with_hint(listed.is_empty(), NO_INTEGRATIONS));
            }
            IntegrationAction::Add { id } => {
                issuer.add_integration(&shell, id).await?;
                if !is_in_policy(&issuer, id) {
                    return Ok(Done::new(
                        format!(
                            "`{id}` is registered\nwarning: the policy does not name it, so it gets no tokens; add it under \
                             `[[integration]]`, or give the policy with `--policy FILE`\n"
                        ),
                        json!({ "integration": id, "done": "is registered", "in_policy": false }),
                    ));
                }
                (id, "is registered")
            }
            IntegrationAction::Suspend { id, reason } => {
                let reason = Some(reason.as_str());
                issuer.suspend_integration(&shell, id, reason).await?;
                (id, "is suspended")
            }
            IntegrationAction::Resume { id } => {
                issuer.suspend_integration(&shell, id, None).await?;
                (id, "may go on")
            }
        };
        Ok(Done::new(
            format!("`{id}` {word}\n"),
            json!({ "integration": id, "done": word }),
        ))
    })
}

/// Identities.
pub(super) fn identity(action: &IdentityAction, place: &Place, printer: &mut Printer) -> Exit {
    with_issuer(place, printer, async |hub, issuer| {
        let shell = hub.shell();
        let (key, word) = match action {
            IdentityAction::List => {
                let listed = issuer.identities().await?;
                return Ok(identities(&listed).with_hint(listed.is_empty(), NO_IDENTITIES));
            }
            IdentityAction::Add(new) => {
                let definition = definition(new).to_string();
                let added = issuer
                    .add_identity(&shell, &new.integration, &definition)
                    .await?;
                (added.key, "is added")
            }
            IdentityAction::Suspend { identity, reason } => {
                let reason = Some(reason.as_str());
                issuer.suspend_identity(&shell, identity, reason).await?;
                (identity.clone(), "is suspended")
            }
            IdentityAction::Resume { identity } => {
                issuer.suspend_identity(&shell, identity, None).await?;
                (identity.clone(), "may go on")
            }
            IdentityAction::Remove { identity } => {
                issuer.remove_identity(&shell, identity).await?;
                (identity.clone(), "is removed, with its credentials")
            }
        };
        Ok(Done::new(
            format!("`{key}` {word}\n"),
            json!({ "identity": key, "done": word }),
        ))
    })
}

/// Credentials.
pub(super) fn credential(action: &CredentialAction, place: &Place, printer: &mut Printer) -> Exit {
    let public_key = match action {
        CredentialAction::Add {
            public_key: Some(file),
            ..
        } => match fs_err::read_to_string(file) {
            Ok(text) => Some(text),
            Err(error) => {
                printer.error(&visible(&error.to_string()));
                return Exit::Failed;
            }
        },
        CredentialAction::Add { .. } | CredentialAction::List | CredentialAction::Revoke { .. } => {
            None
        }
    };
    with_issuer(place, printer, async |hub, issuer| {
        let shell = hub.shell();
        match action {
            CredentialAction::List => Ok(credentials(&issuer.credentials().await?)),
            CredentialAction::Revoke { id } => {
                issuer.revoke_credential(&shell, id).await?;
                Ok(Done::new(
                    format!("`{id}` is revoked\n"),
                    json!({ "revoked": id }),
                ))
            }
            CredentialAction::Add {
                identity,
                label,
                days,
                ..
            } => {
                let new = NewCredential {
                    label: label.clone(),
                    days: *days,
                    public_key,
                };
                let (info, secret) = issuer.add_credential(&shell, identity, new).await?;
                let mut json = credential_json(&info);
                let text = match &secret {
                    Some(secret) => {
                        json["secret"] = json!(secret.reveal());
                        let (id, text) = (&info.id, secret.reveal());
                        format!("credential {id} of `{identity}`, shown once:\n  {text}\n")
                    }
                    None => format!("key {} of `{identity}` is known\n", info.id),
                };
                Ok(Done::new(text, json))
            }
        }
    })
}

/// An identity in the words of a policy.
fn definition(new: &NewIdentity) -> Json {
    let mut json = Map::new();
    json.insert("kind".to_owned(), json!(new.kind));
    let texts = [
        ("name", &new.name),
        ("issuer", &new.issuer),
        ("client_id", &new.client_id),
        ("auth", &new.auth),
        ("assurance", &new.assurance),
    ];
    for (key, value) in texts {
        if let Some(value) = value {
            json.insert(key.to_owned(), json!(value));
        }
    }
    if !new.require.is_empty() {
        let pairs = new.require.iter();
        let require: Map<String, Json> = pairs
            .map(|pair| (pair.key.clone(), json!(pair.value)))
            .collect();
        json.insert("require".to_owned(), Json::Object(require));
    }
    if !new.event.is_empty() {
        json.insert("events".to_owned(), json!(new.event));
    }
    Json::Object(json)
}

fn integrations(all: &[IntegrationInfo]) -> Done {
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|one| {
            vec![
                one.id.clone(),
                moment(one.registered, "not registered"),
                if one.in_policy { "yes" } else { "no" }.to_owned(),
                suspension(one.suspended.as_ref()),
            ]
        })
        .collect();
    let json = all
        .iter()
        .map(|one| {
            json!({
                "id": one.id,
                "registered": one.registered,
                "in_policy": one.in_policy,
                "suspended": suspension_json(one.suspended.as_ref()),
            })
        })
        .collect();
    let head = ["INTEGRATION", "REGISTERED", "IN THE POLICY", "SUSPENDED"];
    Done::new(table(&head, &rows), Json::Array(json))
}

fn identities(all: &[IdentityInfo]) -> Done {
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|one| {
            vec![
                one.key.clone(),
                one.kind.to_owned(),
                if one.in_policy { "policy" } else { "shell" }.to_owned(),
                one.assurance.clone(),
                restraint(one),
            ]
        })
        .collect();
    let json = all
        .iter()
        .map(|one| {
            json!({
                "identity": one.key,
                "kind": one.kind,
                "in_policy": one.in_policy,
                "assurance": one.assurance,
                "suspended": suspension_json(one.suspended.as_ref()),
                "slowed": one.slowed.as_ref().map(|(until, reason)| json!({ "until": until, "reason": reason })),
            })
        })
        .collect();
    let head = ["IDENTITY", "KIND", "FROM", "ASSURANCE", "RESTRAINED"];
    Done::new(table(&head, &rows), Json::Array(json))
}

fn credentials(all: &[CredentialInfo]) -> Done {
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|one| {
            vec![
                one.id.clone(),
                one.identity.clone(),
                one.kind.to_string(),
                one.label.clone(),
                one.expires.to_string(),
                moment(one.last_used, "never"),
                moment(one.revoked, ""),
            ]
        })
        .collect();
    let json = all.iter().map(credential_json).collect();
    let head = [
        "ID",
        "IDENTITY",
        "KIND",
        "LABEL",
        "ENDS",
        "LAST USED",
        "REVOKED",
    ];
    Done::new(table(&head, &rows), Json::Array(json))
}

fn credential_json(one: &CredentialInfo) -> Json {
    json!({
        "id": one.id,
        "identity": one.identity,
        "kind": one.kind.as_str(),
        "label": one.label,
        "created": one.created,
        "expires": one.expires,
        "last_used": one.last_used,
        "revoked": one.revoked,
    })
}

/// Returns whether an identity is suspended or slowed, and why.
fn restraint(one: &IdentityInfo) -> String {
    match (&one.suspended, &one.slowed) {
        (Some((since, reason)), _) => format!("suspended since {since}: {reason}"),
        (None, Some((until, reason))) => format!("slowed until {until}: {reason}"),
        (None, None) => String::new(),
    }
}

fn suspension(suspended: Option<&(Timestamp, String)>) -> String {
    suspended.map_or_else(String::new, |(since, reason)| format!("{since}: {reason}"))
}

fn suspension_json(suspended: Option<&(Timestamp, String)>) -> Json {
    suspended.map_or(
        Json::Null,
        |(since, reason)| json!({ "since": since, "reason": reason }),
    )
}

fn moment(at: Option<Timestamp>, otherwise: &str) -> String {
    at.map_or_else(|| otherwise.to_owned(), |at| at.to_string())
}
