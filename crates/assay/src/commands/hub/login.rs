use std::io::{IsTerminal as _, Read as _};

use assay_cli::Printer;
use assay_hub_api::client::{Client, Document};
use assay_render::visible;
use serde_json::json;

use super::args::Login;
use super::{Answer, HubCommandError, device, git_credential};
use crate::config::Config;
use crate::credentials::Credentials;
use crate::issuer::Credential;

/// The longest token that is read from standard input, in bytes.
const MAX_TOKEN: u64 = 4096;

/// Keeps a token, once the hub has said whose it is.
pub(super) fn login(
    action: &Login,
    named: Option<&str>,
    config: &Config,
    printer: &mut Printer,
) -> Result<Answer, HubCommandError> {
    let mut kept = Credentials::load(config.credentials.as_deref())?;
    let hub = named
        .or(config.hub.as_deref())
        .or(kept.hub.as_deref())
        .ok_or(HubCommandError::NoHub)?
        .trim_end_matches('/')
        .to_owned();
    let (token, source) = match &action.token {
        Some(token) => (token.trim().to_owned(), "given with `--token`"),
        None if action.browser => (device::sign_in(&hub, printer)?, "of this sign-in"),
        None => match typed(&hub) {
            Some(token) => (token, "that was typed or read"),
            // Whoever presses Enter has no token at hand.
            None if std::io::stdin().is_terminal() => {
                (device::sign_in(&hub, printer)?, "of this sign-in")
            }
            None => return Err(HubCommandError::NoToken),
        },
    };
    if Credential::is_for_issuers(&token) {
        return keep_credential(kept, &hub, token, config);
    }
    let client = Client::new(&hub, Some(&token))?.with_token_source(source);
    let who = client.whoami()?.value;
    kept.tokens.insert(hub.clone(), token);
    kept.hub = Some(hub.clone());
    let path = kept.save(config.credentials.as_deref())?;
    let for_git = if action.git {
        git_credential::set_up(&hub)?;
        format!("git uses the token for {hub} from now on\n")
    } else {
        format!("for git: `assay hub login --hub {hub} --git`\n")
    };
    let role = &who.auth.access_token.role;
    Ok(Answer {
        text: format!(
            "signed in to {hub} as `{}`, with a token that may {role}; it is kept in {}\n{for_git}\
             for hf: export HF_ENDPOINT={hub} HF_TOKEN=\"$(assay hub token --hub {hub})\"\n",
            visible(&who.name),
            path.display()
        ),
        json: json!({
            "hub": hub, "name": who.name, "role": role, "credentials": path, "git": action.git,
        }),
    })
}

/// Prints the token that is kept for a hub.
pub(super) fn token(named: Option<&str>, config: &Config) -> Result<Answer, HubCommandError> {
    let kept = Credentials::load(config.credentials.as_deref())?;
    let hub = named
        .or(config.hub.as_deref())
        .or(kept.hub.as_deref())
        .ok_or(HubCommandError::NoHub)?
        .trim_end_matches('/');
    let token = kept.tokens.get(hub);
    let token = token.ok_or_else(|| HubCommandError::NotSignedIn(hub.to_owned()))?;
    Ok(Answer {
        text: format!("{token}\n"),
        json: json!({ "hub": hub, "token": token }),
    })
}

/// Keeps what an issuer gave a machine. It is no token of a person, so there is nobody to ask for;
/// whether it is good shows when the first entry is signed with it.
fn keep_credential(
    mut kept: Credentials,
    hub: &str,
    credential: String,
    config: &Config,
) -> Result<Answer, HubCommandError> {
    kept.issuers.insert(hub.to_owned(), credential);
    let path = kept.save(config.credentials.as_deref())?;
    Ok(Answer {
        text: format!(
            "entries are signed by {hub} with this credential from now on; it is kept in {}\n",
            path.display()
        ),
        json: json!({ "issuer": hub, "credentials": path }),
    })
}

/// Forgets the token of a hub.
pub(super) fn logout(named: Option<&str>, config: &Config) -> Result<Answer, HubCommandError> {
    let mut kept = Credentials::load(config.credentials.as_deref())?;
    let hub = named
        .or(config.hub.as_deref())
        .or(kept.hub.as_deref())
        .ok_or(HubCommandError::NoHub)?
        .trim_end_matches('/')
        .to_owned();
    let credential = kept.issuers.remove(&hub).is_some();
    let forgotten = kept.tokens.remove(&hub).is_some() || credential;
    if kept.hub.as_deref() == Some(&hub) {
        kept.hub = None;
    }
    kept.save(config.credentials.as_deref())?;
    let text = if forgotten {
        format!("the token for {hub} is forgotten; it stays valid until it is revoked on the hub\n")
    } else {
        format!("there was no token for {hub}\n")
    };
    Ok(Answer {
        text,
        json: json!({ "hub": hub, "forgotten": forgotten }),
    })
}

/// Says who the token belongs to.
pub(super) fn whoami(client: &Client) -> Result<Answer, HubCommandError> {
    let Document { value: who, json } = client.whoami()?;
    let organisations: Vec<String> = who
        .orgs
        .iter()
        .map(|organisation| {
            let name = visible(&organisation.name);
            format!("{name} ({})", organisation.role_in_org)
        })
        .collect();
    let text = format!(
        "{} on {}, with a token that may {}\n{}",
        visible(&who.name),
        client.origin(),
        who.auth.access_token.role,
        if organisations.is_empty() {
            String::new()
        } else {
            format!("organisations: {}\n", organisations.join(", "))
        }
    );
    Ok(Answer { text, json })
}

/// Returns the token that a person types, unseen, or the first line of a standard input that is no
/// terminal.
fn typed(hub: &str) -> Option<String> {
    let text = if std::io::stdin().is_terminal() {
        let terminal = console::Term::stderr();
        terminal
            .write_str(&format!(
                "Token for {hub} (hidden; from {hub}/settings/tokens), or Enter to sign in by browser: "
            ))
            .ok()?;
        terminal.read_secure_line().ok()?
    } else {
        let mut text = String::new();
        std::io::stdin()
            .take(MAX_TOKEN)
            .read_to_string(&mut text)
            .ok()?;
        text
    };
    let token = text.lines().next()?.trim();
    (!token.is_empty()).then(|| token.to_owned())
}
