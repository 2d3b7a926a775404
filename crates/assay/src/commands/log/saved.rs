//! The file that an audit keeps for the next one.

use std::io;
use std::path::{Path, PathBuf};

use assay_tlog::{SignedCheckpoint, VerifierKey};
use serde::{Deserialize, Serialize};

use crate::replace::replace;

/// The version of the file.
const VERSION: u32 = 1;

/// The checkpoints and keys of logs that were audited.
#[derive(Debug, Clone, Default)]
pub(super) struct Saved {
    logs: Vec<SavedLog>,
}

/// A log as it was.
#[derive(Debug, Clone)]
pub(super) struct SavedLog {
    /// The address of the log.
    pub(super) address: String,
    /// Its key, which the next audit relies on.
    pub(super) key: VerifierKey,
    /// The checkpoint that it signed.
    pub(super) checkpoint: SignedCheckpoint,
}

/// The reason why the file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum SavedError {
    /// It cannot be read.
    #[error("`{}` cannot be read: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// It is not what `--save` wrote.
    #[error("`{}` is not what an audit saved: {reason}", path.display())]
    Form { path: PathBuf, reason: String },
    /// It cannot be written.
    #[error("`{}` cannot be written: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedJson {
    version: u32,
    logs: Vec<SavedLogJson>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedLogJson {
    address: String,
    key: String,
    checkpoint: String,
}

impl Saved {
    /// Reads the file.
    pub(super) fn load(path: &Path) -> Result<Self, SavedError> {
        let text = std::fs::read_to_string(path).map_err(|source| SavedError::Read {
            path: path.to_owned(),
            source,
        })?;
        read(&text).map_err(|reason| SavedError::Form {
            path: path.to_owned(),
            reason,
        })
    }

    /// Reads the file if there is one.
    pub(super) fn load_if_there(path: &Path) -> Result<Option<Self>, SavedError> {
        match Self::load(path) {
            Ok(saved) => Ok(Some(saved)),
            Err(SavedError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// The log at an address.
    pub(super) fn at(&self, address: &str) -> Option<&SavedLog> {
        self.logs.iter().find(|log| log.address == address)
    }

    /// The log with a key, wherever it was: a mirror is the same log.
    pub(super) fn of(&self, key: &VerifierKey) -> Option<&SavedLog> {
        self.logs.iter().find(|log| log.key == *key)
    }

    /// Puts a log in the place of what was known of it.
    pub(super) fn put(&mut self, log: SavedLog) {
        self.logs.retain(|own| own.address != log.address);
        self.logs.push(log);
        self.logs.sort_by(|a, b| a.address.cmp(&b.address));
    }

    /// Writes the file, whole or not at all.
    pub(super) fn store(&self, path: &Path) -> Result<(), SavedError> {
        let logs = self.logs.iter().map(|log| SavedLogJson {
            address: log.address.clone(),
            key: log.key.to_string(),
            checkpoint: log.checkpoint.to_string(),
        });
        let json = SavedJson {
            version: VERSION,
            logs: logs.collect(),
        };
        replace(path, |out| {
            serde_json::to_writer_pretty(&mut *out, &json)?;
            writeln!(out)
        })
        .map_err(|source| SavedError::Write {
            path: path.to_owned(),
            source,
        })
    }
}

fn read(text: &str) -> Result<Saved, String> {
    let json: SavedJson = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if json.version != VERSION {
        return Err(format!("its version is {}, not {VERSION}", json.version));
    }
    let logs: Result<Vec<_>, String> = json.logs.into_iter().map(read_log).collect();
    Ok(Saved { logs: logs? })
}

fn read_log(log: SavedLogJson) -> Result<SavedLog, String> {
    let key: VerifierKey = log.key.parse().map_err(|error| format!("{error}"))?;
    let checkpoint: SignedCheckpoint =
        log.checkpoint.parse().map_err(|error| format!("{error}"))?;
    Ok(SavedLog {
        address: log.address,
        key,
        checkpoint,
    })
}
