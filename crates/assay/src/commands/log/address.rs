//! The logs that a command names, and the owners of their keys.

use std::path::Path;

use assay_hub_api::client::{Client, ClientError};
use assay_tlog::{Directory, LogSource, SignedCheckpoint, VerifierKey};
use assay_trust::proof::{TrustNote, TrustNoteError};

use super::args::{AuditArgs, LogName};
use super::saved::{Saved, SavedLog};
use super::source::Remote;

/// The path at which a hub publishes the keys of its logs.
const TRUST: &str = "/.well-known/eval-trust";

/// A log to audit.
pub(super) struct Target {
    /// The name of the log: `results`, or the address.
    pub(super) name: String,
    /// The address, as it is saved.
    pub(super) address: String,
    /// The source of its files.
    pub(super) source: Box<dyn LogSource>,
    /// Its key.
    pub(super) key: VerifierKey,
    /// The source of its key.
    pub(super) key_from: KeyFrom,
    /// The checkpoint that it signed before.
    pub(super) since: Option<SignedCheckpoint>,
    /// The key under the name that the log had at the earlier audit, when it was renamed since.
    pub(super) former: Option<VerifierKey>,
}

/// The source of the key of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyFrom {
    /// The one who asks.
    Flag,
    /// An earlier audit.
    Earlier,
    /// The hub itself.
    Hub,
}

/// The reason why the target of an audit is not known.
#[derive(Debug, thiserror::Error)]
pub(super) enum TargetError {
    /// The hub refused, or cannot be reached.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The trust note of the hub cannot be read.
    #[error("`{hub}{TRUST}` does not say what keys the logs have: {source}")]
    Note { hub: String, source: TrustNoteError },
    /// It is nothing that could be looked at.
    #[error(
        "`{0}` is neither a directory nor an address such as `https://hub.example/v1/log/results`"
    )]
    Nowhere(String),
    /// The earlier audit was of another log.
    #[error("the earlier audit has no checkpoint of `{0}`")]
    NoEarlier(String),
}

/// The logs that the arguments mean.
pub(super) fn targets(
    action: &AuditArgs,
    since: Option<&Saved>,
) -> Result<Vec<Target>, TargetError> {
    let address = action.address.trim_end_matches('/');
    match &action.key {
        Some(key) => Ok(vec![one(address, key, since)?]),
        None => of_hub(address, action.log, since),
    }
}

fn one(address: &str, key: &VerifierKey, since: Option<&Saved>) -> Result<Target, TargetError> {
    let known = since.map(|saved| saved.of(key));
    let since = match known {
        Some(None) => return Err(TargetError::NoEarlier(address.to_owned())),
        Some(Some(log)) => Some(log.checkpoint.clone()),
        None => None,
    };
    let source: Box<dyn LogSource> = if Path::new(address).is_dir() {
        Box::new(Directory::new(address))
    } else if !address.contains("://") {
        return Err(TargetError::Nowhere(address.to_owned()));
    } else {
        Box::new(Remote::new(address, "")?)
    };
    Ok(Target {
        name: key.name().to_owned(),
        address: address.to_owned(),
        source,
        key: key.clone(),
        key_from: KeyFrom::Flag,
        since,
        former: None,
    })
}

fn of_hub(
    hub: &str,
    log: Option<LogName>,
    since: Option<&Saved>,
) -> Result<Vec<Target>, TargetError> {
    let mut announced = None;
    let wanted = LogName::ALL
        .into_iter()
        .filter(|name| log.is_none_or(|own| own == *name));
    wanted
        .map(|name| {
            let prefix = format!("/v1/log/{}", name.as_str());
            let address = format!("{hub}{prefix}");
            let known = since.map(|saved| saved.at(&address).ok_or(&address));
            let earlier: Option<&SavedLog> = known
                .transpose()
                .map_err(|address| TargetError::NoEarlier(address.clone()))?;
            let now = announced_key(hub, name, &mut announced);
            let (key, key_from, former) = match (earlier, now) {
                (Some(earlier), Ok(now)) if is_renamed(&earlier.key, &now) => {
                    (now, KeyFrom::Earlier, Some(earlier.key.clone()))
                }
                // Of a log that is known, the hub need not say anything.
                (Some(earlier), _) => (earlier.key.clone(), KeyFrom::Earlier, None),
                (None, now) => (now?, KeyFrom::Hub, None),
            };
            Ok(Target {
                name: name.as_str().to_owned(),
                source: Box::new(Remote::new(hub, &prefix)?),
                address,
                key,
                key_from,
                since: earlier.map(|log| log.checkpoint.clone()),
                former,
            })
        })
        .collect()
}

/// Returns true when a log has another name than before and the key that it had: whoever has the
/// key gave it that name.
fn is_renamed(earlier: &VerifierKey, now: &VerifierKey) -> bool {
    earlier.name() != now.name() && earlier.public_bytes() == now.public_bytes()
}

/// The key that the hub announces for a log, asked for once.
fn announced_key(
    hub: &str,
    log: LogName,
    announced: &mut Option<TrustNote>,
) -> Result<VerifierKey, TargetError> {
    let note = match announced {
        Some(note) => note,
        None => announced.insert(trust_note(hub)?),
    };
    Ok(match log {
        LogName::Results => note.results.clone(),
        LogName::Control => note.control.clone(),
    })
}

fn trust_note(hub: &str) -> Result<TrustNote, TargetError> {
    let bytes = Client::new(hub, None)?.bytes(TRUST)?;
    let note = String::from_utf8_lossy(&bytes).parse();
    note.map_err(|source| TargetError::Note {
        hub: hub.to_owned(),
        source,
    })
}
