use std::collections::BTreeMap;

use super::super::identity::{ClientAuth, Identity, IdentityKey, IdentityKind};
use super::super::policy_file::IdentityFile;
use super::super::provider::Provider;
use crate::{Assurance, Digest, IntegrationId};

/// The longest name of a client, in bytes.
const MAX_CLIENT: usize = 80;

/// An identity, or why it cannot be one.
pub(super) fn of(
    integration: &IntegrationId,
    file: IdentityFile,
    providers: &[Provider],
) -> Result<Identity, String> {
    let assurance = match &file.assurance {
        Some(word) => word
            .parse::<Assurance>()
            .map_err(|error| error.to_string())?,
        None => Assurance::Attributed,
    };
    let name = file.name.clone();
    let (kind, default) = match file.kind.as_str() {
        "oidc" => oidc(file, providers)?,
        "oauth_client" => client(file)?,
        "token" => {
            unexpected(&file, &["issuer", "require", "events", "client_id", "auth"])?;
            (IdentityKind::Token, None)
        }
        other => {
            return Err(format!(
                "`{other}` is no kind of identity: `oidc`, `oauth_client` or `token`"
            ));
        }
    };
    let name = name
        .or(default)
        .ok_or("give an identity of this kind a `name`")?;
    Ok(Identity {
        key: IdentityKey::new(integration, &name)?,
        kind,
        assurance,
    })
}

fn oidc(
    file: IdentityFile,
    providers: &[Provider],
) -> Result<(IdentityKind, Option<String>), String> {
    unexpected(&file, &["client_id", "auth"])?;
    let issuer = file.issuer.ok_or("say whose ID tokens with `issuer`")?;
    let provider = providers
        .iter()
        .find(|provider| provider.issuer == issuer)
        .ok_or_else(|| format!("there is no `[[issuer]]` with the url `{issuer}`"))?;
    let require = file.require.unwrap_or_default();
    if require.values().any(String::is_empty) {
        return Err("what a claim must be is not empty".to_owned());
    }
    for name in provider.class.must_require() {
        if !require.contains_key(*name) {
            return Err(format!(
                "`require` must fix `{name}`: without it somebody else could be meant"
            ));
        }
    }
    let events = file.events.unwrap_or_default();
    check_events(provider, &events)?;
    let name = default_name(&issuer, &require);
    let kind = IdentityKind::Oidc {
        issuer,
        require,
        events,
    };
    Ok((kind, Some(name)))
}

fn check_events(provider: &Provider, events: &[String]) -> Result<(), String> {
    let class = provider.class;
    if class.event().is_none() && !events.is_empty() {
        return Err("`events` is for `github` and `gitlab`".to_owned());
    }
    if class.event().is_some() && events.is_empty() {
        return Err("list what may start a run with `events`".to_owned());
    }
    let allowed = class.allowed_events();
    let other = events
        .iter()
        .find(|event| !allowed.contains(&event.as_str()));
    match other {
        Some(event) => Err(format!(
            "`{event}` is not among the events that strangers cannot bring about: `{}`",
            allowed.join("`, `")
        )),
        None => Ok(()),
    }
}

fn client(file: IdentityFile) -> Result<(IdentityKind, Option<String>), String> {
    unexpected(&file, &["issuer", "require", "events"])?;
    let client_id = file
        .client_id
        .ok_or("say what it calls itself with `client_id`")?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if client_id.is_empty() || client_id.len() > MAX_CLIENT || !client_id.bytes().all(is_plain) {
        return Err("a `client_id` has letters, digits, `-`, `_` and `.` of ASCII".to_owned());
    }
    let auth = match file.auth.as_deref() {
        Some(word) => word.parse::<ClientAuth>()?,
        None => ClientAuth::PrivateKeyJwt,
    };
    let name = client_id.clone();
    Ok((IdentityKind::Client { client_id, auth }, Some(name)))
}

fn unexpected(file: &IdentityFile, keys: &[&str]) -> Result<(), String> {
    let given = [
        ("issuer", file.issuer.is_some()),
        ("require", file.require.is_some()),
        ("events", file.events.is_some()),
        ("client_id", file.client_id.is_some()),
        ("auth", file.auth.is_some()),
    ];
    let wrong = given
        .iter()
        .find(|(key, is_given)| *is_given && keys.contains(key));
    match wrong {
        Some((key, _)) => Err(format!("`{key}` is not for identities of this kind")),
        None => Ok(()),
    }
}

/// A name that stays the same while an identity means the same, wherever it stands in the file: a
/// suspension must not move to another one.
fn default_name(issuer: &str, require: &BTreeMap<String, String>) -> String {
    let mut text = issuer.to_owned();
    for (name, value) in require {
        text.push('\n');
        text.push_str(name);
        text.push('=');
        text.push_str(value);
    }
    let digest = Digest::in_domain("identity-name/v1", text.as_bytes()).to_string();
    format!("oidc-{}", &digest["sha256:".len()..][..12])
}
