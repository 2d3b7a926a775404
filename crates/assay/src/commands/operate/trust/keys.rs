use assay_app::{Error, Hub, KeyInfo, NewRevocation, RevokedFrom};
use assay_cli::{Exit, Printer};
use assay_trust::Scope;
use serde_json::{Value as Json, json};

use super::args::{KeysAction, KeysArgs};
use super::{finish, parsed, told};
use crate::commands::operate::admin::Done;
use crate::commands::operate::with_hub;
use crate::table::table;

/// Lists, makes, rotates, retires and revokes keys.
pub(crate) fn run(command: &KeysArgs, printer: &mut Printer) -> Exit {
    let place = &command.place;
    let done = with_hub(&place.hub, printer, async |hub| {
        act(&hub, &command.action).await
    });
    finish(done, place.format, printer)
}

async fn act(hub: &Hub, action: &KeysAction) -> Result<Done, Error> {
    let shell = hub.shell();
    match action {
        KeysAction::List => {
            let keys = hub.evidence().keys(&shell).await?;
            let rows: Vec<Vec<String>> = keys.iter().map(cells).collect();
            let json: Vec<Json> = keys.iter().map(key_json).collect();
            Ok(Done::new(
                table(&["KEY", "SIGNS", "STATE", "OF", "HERE", "REVOKED"], &rows),
                json!({ "version": 1, "keys": json }),
            ))
        }
        KeysAction::Generate => {
            let key = hub.evidence().generate_key(&shell).await?;
            Ok(one(
                &key,
                "is published and waits; `assay keys rotate` lets it sign",
            ))
        }
        KeysAction::Rotate { to } => {
            let to = to.as_deref().map(parsed).transpose()?;
            let key = hub.evidence().rotate_key(&shell, to).await?;
            Ok(one(&key, "signs from now on; the one before it retires"))
        }
        KeysAction::Retire { key } => {
            let key = hub.evidence().retire_key(&shell, parsed(key)?).await?;
            Ok(one(&key, "is retired; what it signed stands"))
        }
        KeysAction::Revoke {
            key,
            from_index,
            reason,
            dry_run,
        } => {
            let new = NewRevocation {
                scope: Scope::Kid(parsed(key)?),
                from: from_index.map_or(RevokedFrom::Start, RevokedFrom::Index),
                reason: reason.clone(),
            };
            let revoked = hub.evidence().revoke(&shell, new, *dry_run).await?;
            Ok(told(&revoked, "revoked", "would be revoked"))
        }
    }
}

fn one(key: &KeyInfo, words: &str) -> Done {
    let text = format!("`{}` {words}\n", key.kid);
    Done::new(text, json!({ "version": 1, "key": key_json(key) }))
}

fn cells(key: &KeyInfo) -> Vec<String> {
    vec![
        key.kid.to_string(),
        key.purpose.to_string(),
        key.state.to_string(),
        key.issuer.clone(),
        if key.is_own { "yes" } else { "no" }.to_owned(),
        key.revoked_from
            .map_or_else(String::new, |index| format!("from index {index}")),
    ]
}

fn key_json(key: &KeyInfo) -> Json {
    json!({
        "kid": key.kid.to_string(),
        "purpose": key.purpose.to_string(),
        "state": key.state.to_string(),
        "issuer": key.issuer,
        "own": key.is_own,
        "revoked_from": key.revoked_from,
    })
}
