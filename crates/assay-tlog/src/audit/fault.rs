use std::fmt::Write as _;

use crate::checkpoint::{CheckpointError, SignedCheckpoint};
use crate::source::SourceError;

/// A fault that an audit found, or the reason why it could not finish.
#[derive(Debug, thiserror::Error)]
pub enum AuditFault {
    /// The checkpoint of the log is malformed or not signed by its key.
    #[error("the checkpoint is not signed by the key of the log")]
    NotSigned(#[source] CheckpointError),
    /// There is no checkpoint, and none was ever seen.
    #[error("there is no checkpoint, so there is no log")]
    NoCheckpoint,
    /// The checkpoint to compare with proves nothing.
    #[error("the earlier checkpoint is not signed by the key of the log")]
    EarlierNotSigned(#[source] CheckpointError),
    /// The log is smaller than it was.
    #[error("entries were dropped: the log had {was} and has {is}")]
    Shrunk {
        /// Earlier number of entries.
        was: u64,
        /// Number of entries now.
        is: u64,
    },
    /// The log signed for an entry that it does not show.
    #[error("entry {index} was dropped: the log signed for it and does not have it")]
    Dropped {
        /// Index of the entry.
        index: u64,
    },
    /// The entries are not those that the log signed for.
    #[error("{}", rewritten(*index))]
    Rewritten {
        /// The first entry that is not the one its tile has the hash of; none when the tiles were
        /// changed as well.
        index: Option<u64>,
    },
    /// The log signed two checkpoints that cannot both be true. Together they prove it to anyone.
    #[error(
        "the history was forked: the log signed for other entries at size {} than it has now",
        old.claimed().size
    )]
    Forked {
        /// The one that was kept.
        old: Box<SignedCheckpoint>,
        /// The one that the log shows now.
        new: Box<SignedCheckpoint>,
    },
    /// A tile is not there. Proofs cannot be made without it.
    #[error("`{path}` is missing")]
    TileMissing {
        /// Path of the file.
        path: String,
    },
    /// The entries are right, and a tile is not made of them. Proofs that are made with it are
    /// wrong.
    #[error("`{path}` is not made of the entries of the log")]
    TileDiffers {
        /// Path of the file.
        path: String,
    },
    /// Too few of the witnesses have seen the history that the log shows: it may be one that others
    /// are not shown.
    #[error("{}", not_witnessed(*signed, *wanted, *stale))]
    NotWitnessed {
        /// Number of witnesses that signed in time.
        signed: usize,
        /// Number of witnesses that must have signed.
        wanted: usize,
        /// Number of witnesses that signed too long ago.
        stale: usize,
    },
    /// A file could not be asked for. That says nothing about the log.
    #[error(transparent)]
    Unreachable(#[from] SourceError),
}

impl AuditFault {
    /// The word by which machines know the fault.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotSigned(_) => "bad_signature",
            Self::NoCheckpoint => "no_checkpoint",
            Self::EarlierNotSigned(_) => "bad_earlier_checkpoint",
            Self::Shrunk { .. } | Self::Dropped { .. } => "dropped_entry",
            Self::Rewritten { .. } => "rewritten_entry",
            Self::Forked { .. } => "forked_history",
            Self::TileMissing { .. } => "missing_tile",
            Self::TileDiffers { .. } => "wrong_tile",
            Self::NotWitnessed { .. } => "not_witnessed",
            Self::Unreachable(_) => "unreachable",
        }
    }

    /// Returns whether the log is at fault, and not the connection to it or the input of the
    /// caller.
    pub fn is_about_the_log(&self) -> bool {
        match self {
            Self::NotSigned(_)
            | Self::Shrunk { .. }
            | Self::Dropped { .. }
            | Self::Rewritten { .. }
            | Self::Forked { .. }
            | Self::TileMissing { .. }
            | Self::TileDiffers { .. }
            | Self::NotWitnessed { .. } => true,
            Self::NoCheckpoint | Self::EarlierNotSigned(_) | Self::Unreachable(_) => false,
        }
    }
}

fn rewritten(index: Option<u64>) -> String {
    match index {
        Some(index) => format!("entry {index} was rewritten: it is not what the log signed for"),
        None => "entries were rewritten: they are not what the log signed for".to_owned(),
    }
}

fn not_witnessed(signed: usize, wanted: usize, stale: usize) -> String {
    let mut text = format!(
        "{signed} of the witnesses that were given signed for this history, and {wanted} are asked for"
    );
    if stale > 0 {
        let _ = write!(text, "; {stale} signed too long ago");
    }
    text
}
