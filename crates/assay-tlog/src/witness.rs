//! A witness: it remembers the newest checkpoint of every log that it watches, and signs the next
//! one only when that goes on from there. Whoever relies on a few of them cannot be shown a history
//! of their own.
//!
//! What is said between a log and a witness is C2SP tlog-witness.

mod request;
mod state;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

pub use self::request::AddCheckpoint;
use self::state::State;
pub use self::state::WitnessError;
use crate::checkpoint::{Checkpoint, SignedCheckpoint};
use crate::cosigner::Cosigner;
use crate::hash::TreeHash;
use crate::key::{VerifierKey, WitnessKey};
use crate::proof::ConsistencyProof;

/// A witness with the newest checkpoint of each log. A checkpoint is durable before its cosignature
/// is given out.
#[derive(Debug)]
pub struct Witness {
    cosigner: Cosigner,
    logs: Vec<VerifierKey>,
    state: State,
    /// The newest checkpoint of each log that has one, by its origin. The lock is held from the
    /// comparison until the new one is on disk: two requests at once must not lead back.
    seen: Mutex<BTreeMap<String, Checkpoint>>,
    /// Another process finds this file locked for as long as this one signs.
    _lock: File,
}

/// The reason why a witness does not cosign a checkpoint.
#[derive(Debug, thiserror::Error)]
pub enum WitnessRefusal {
    /// The request cannot be read.
    #[error("this is no request: `old` and a size, hashes, an empty line and a checkpoint")]
    Form,
    /// The checkpoint is that of a log that is not watched.
    #[error("the log `{0}` is not watched here")]
    UnknownLog(String),
    /// The checkpoint is not signed by the key of its log.
    #[error("the checkpoint is not signed by the key of its log")]
    NotSigned,
    /// The old size is larger than the new one.
    #[error("the old size {old} is larger than the checkpoint's {new}")]
    Backwards {
        /// The old size of the request.
        old: u64,
        /// The size of the new checkpoint.
        new: u64,
    },
    /// The request does not go on from what was signed last.
    #[error("the newest checkpoint that was signed here has size {known}")]
    NotNewest {
        /// The size of what was signed last.
        known: u64,
    },
    /// The log signed for two trees of one size.
    #[error("another tree of size {known} was signed here: the history was forked")]
    Forked {
        /// The size of both.
        known: u64,
    },
    /// The hashes do not lead from the old tree to the new one.
    #[error("the hashes do not show that the log goes on from size {known}")]
    Inconsistent {
        /// The size of what was signed last.
        known: u64,
    },
    /// The checkpoint could not be made durable, so it was not cosigned.
    #[error("what was seen cannot be kept: {0}")]
    NotKept(WitnessError),
}

impl Witness {
    /// Opens the witness in a directory; it is made, with a new key, when there is none. The name
    /// is asked for then, and later it must be the same.
    pub fn open(dir: &Path, name: &str, logs: Vec<VerifierKey>) -> Result<Self, WitnessError> {
        let state = State::open(dir)?;
        let lock = state.lock()?;
        let cosigner = state.cosigner(name)?;
        let mut seen = BTreeMap::new();
        for key in &logs {
            if let Some(newest) = state.newest(key)? {
                seen.insert(key.name().to_owned(), newest);
            }
        }
        Ok(Self {
            cosigner,
            logs,
            state,
            seen: Mutex::new(seen),
            _lock: lock,
        })
    }

    /// The key that others know it by.
    pub fn key(&self) -> &WitnessKey {
        self.cosigner.key()
    }

    /// The logs that it watches, and the size of what it signed last.
    pub fn logs(&self) -> Vec<(&VerifierKey, u64)> {
        let seen = self.seen.lock();
        let size = |key: &VerifierKey| seen.get(key.name()).map_or(0, |newest| newest.size);
        self.logs.iter().map(|key| (key, size(key))).collect()
    }

    /// Signs a checkpoint that goes on from the last signed one, as of a time in seconds since the
    /// year 1970. The answer is a line of a note. It is given after the checkpoint is on disk, and
    /// to any other request there is none.
    pub fn add_checkpoint(&self, request: &str, seconds: u64) -> Result<String, WitnessRefusal> {
        let request: AddCheckpoint = request.parse().map_err(|_| WitnessRefusal::Form)?;
        let new = self.checked(&request.checkpoint)?;
        if request.old > new.size {
            return Err(WitnessRefusal::Backwards {
                old: request.old,
                new: new.size,
            });
        }
        let mut seen = self.seen.lock();
        let before = seen.get(&new.origin);
        let (known, root) = before.map_or((0, TreeHash::of_nothing()), |own| (own.size, own.root));
        if request.old != known {
            return Err(WitnessRefusal::NotNewest { known });
        }
        if new.size == known && new.root != root {
            // Both are signed by the log, so together they prove to anyone what it did.
            self.state.keep_conflict(&request.checkpoint);
            return Err(WitnessRefusal::Forked { known });
        }
        let proof = ConsistencyProof {
            old: known,
            new: new.size,
            hashes: request.proof,
        };
        proof
            .verify(root, new.root)
            .map_err(|_| WitnessRefusal::Inconsistent { known })?;
        // What is known already is on disk: nobody keeps the disk busy by asking for the same
        // again.
        if before != Some(new) {
            let kept = self.state.keep(&request.checkpoint);
            kept.map_err(WitnessRefusal::NotKept)?;
            seen.insert(new.origin.clone(), new.clone());
        }
        let text = request.checkpoint.note().text();
        Ok(format!("{}\n", self.cosigner.sign(text, seconds)))
    }

    /// Returns the checkpoint if it is signed by the key of a log that is watched.
    fn checked<'c>(&self, signed: &'c SignedCheckpoint) -> Result<&'c Checkpoint, WitnessRefusal> {
        let origin = &signed.claimed().origin;
        let key = self.logs.iter().find(|key| key.name() == origin);
        let key = key.ok_or_else(|| WitnessRefusal::UnknownLog(origin.clone()))?;
        signed.verify(key).map_err(|_| WitnessRefusal::NotSigned)
    }

    /// Returns the directory of the witness.
    pub fn directory(&self) -> PathBuf {
        self.state.directory().to_owned()
    }
}

#[cfg(test)]
mod tests;
