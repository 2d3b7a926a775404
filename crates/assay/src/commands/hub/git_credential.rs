//! Git's credential helper protocol, and how git learns of it.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::process::Command;

use serde_json::json;

use super::{Answer, HubCommandError};
use crate::config::Config;
use crate::credentials::Credentials;

/// The longest request that is read from git, in bytes.
const MAX_REQUEST: u64 = 64 << 10;
/// The user name for git when it names none: a hub reads the token alone.
const USER: &str = "token";

/// Answers a request of git. Without a token for the host the answer is empty, and git asks others
/// or the person.
pub(super) fn answer(operation: &str, config: &Config) -> Result<Answer, HubCommandError> {
    let mut request = String::new();
    let read = std::io::stdin()
        .take(MAX_REQUEST)
        .read_to_string(&mut request);
    read.map_err(|error| HubCommandError::Git(error.to_string()))?;
    let kept = Credentials::load(config.credentials.as_deref())?;
    let text = match operation {
        "get" => reply(&request, &kept),
        _ => String::new(),
    };
    let json = json!({ "answered": !text.is_empty() });
    Ok(Answer { text, json })
}

/// Returns the lines for git: user name and token, when one is kept for this protocol and host.
fn reply(request: &str, kept: &Credentials) -> String {
    let fields: BTreeMap<&str, &str> = request
        .lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_once('='))
        .collect();
    let (Some(protocol), Some(host)) = (fields.get("protocol"), fields.get("host")) else {
        return String::new();
    };
    let Some(token) = kept.tokens.get(&format!("{protocol}://{host}")) else {
        return String::new();
    };
    let user = fields.get("username").copied().unwrap_or(USER);
    format!("username={user}\npassword={token}\n")
}

/// Makes this program the only credential helper that git asks for a hub.
pub(super) fn set_up(hub: &str) -> Result<(), HubCommandError> {
    let program =
        std::env::current_exe().map_err(|error| HubCommandError::Git(error.to_string()))?;
    let program = program.display().to_string().replace('\'', r"'\''");
    let key = format!("credential.{hub}.helper");
    // An empty helper first: it forgets those that are set for every host.
    git_config(&["--replace-all", &key, ""])?;
    git_config(&["--add", &key, &format!("!'{program}' hub credential")])
}

#[expect(
    clippy::disallowed_methods,
    reason = "the person's own git configuration is changed"
)]
fn git_config(arguments: &[&str]) -> Result<(), HubCommandError> {
    let output = Command::new("git")
        .args(["config", "--global"])
        .args(arguments)
        .output()
        .map_err(|error| HubCommandError::Git(error.to_string()))?;
    if output.status.success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&output.stderr);
    Err(HubCommandError::Git(words.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_given_for_its_own_scheme_and_host_alone() {
        let mut kept = Credentials::default();
        let hub = "https://hub.example:8443".to_owned();
        kept.tokens.insert(hub, "hf_secret".to_owned());

        let asked = "protocol=https\nhost=hub.example:8443\nusername=alice\n\n";
        assert_eq!(reply(asked, &kept), "username=alice\npassword=hf_secret\n");
        for other in [
            "protocol=http\nhost=hub.example:8443\n\n",
            "protocol=https\nhost=hub.example\n\n",
            "protocol=https\nhost=evil.example\n\n",
            "protocol=https\n\nhost=hub.example:8443\n",
            "",
        ] {
            assert_eq!(reply(other, &kept), "", "{other}");
        }
    }
}
