use std::sync::Arc;

use parking_lot::{RwLock, RwLockReadGuard};

use crate::checkpoint::SignedCheckpoint;
use crate::disk::Disk;
use crate::error::LogError;
use crate::key::VerifierKey;
use crate::slots::Record;
use crate::tile::{Bundle, split_entry};

/// State shared by the writer and all readers.
pub(crate) struct Shared {
    pub(crate) disk: Disk,
    pub(crate) key: VerifierKey,
    state: RwLock<State>,
}

/// The part of the log that is durable and under a signed checkpoint.
struct State {
    end: u64,
    /// Offsets of all bundles, including the one that the next leaf goes to.
    starts: Vec<u64>,
    checkpoint: Arc<SignedCheckpoint>,
}

impl Shared {
    /// Creates the state from a record and the files.
    pub(crate) fn new(disk: Disk, key: VerifierKey, record: &Record, starts: Vec<u64>) -> Self {
        Self {
            disk,
            key,
            state: RwLock::new(State {
                end: record.end,
                starts,
                checkpoint: Arc::new(record.checkpoint.clone()),
            }),
        }
    }

    /// The last checkpoint.
    pub(crate) fn checkpoint(&self) -> Arc<SignedCheckpoint> {
        Arc::clone(&self.state().checkpoint)
    }

    /// Lets everyone see what has become durable.
    pub(crate) fn publish(&self, end: u64, starts: Vec<u64>, checkpoint: SignedCheckpoint) {
        let mut state = self.state.write();
        state.end = end;
        state.starts.extend(starts);
        state.checkpoint = Arc::new(checkpoint);
    }

    /// The bytes of a bundle, which must be in the log.
    pub(crate) fn bundle(&self, bundle: Bundle) -> Result<Vec<u8>, LogError> {
        let number = usize::try_from(bundle.index).map_err(|_| self.damaged())?;
        let (start, end) = {
            let state = self.state();
            let start = state.starts.get(number).copied();
            let end = state.starts.get(number + 1).copied();
            (
                start.ok_or_else(|| self.damaged())?,
                end.unwrap_or(state.end),
            )
        };
        let mut bytes = self.disk.read_entries(start, end)?;
        let mut rest = bytes.as_slice();
        for _ in 0..bundle.width {
            rest = split_entry(rest).ok_or_else(|| self.damaged())?.1;
        }
        let length = bytes.len() - rest.len();
        bytes.truncate(length);
        Ok(bytes)
    }

    /// The entries are not as the log wrote them.
    pub(crate) fn damaged(&self) -> LogError {
        LogError::Damaged(self.disk.dir().join("entries"))
    }

    fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read()
    }
}
