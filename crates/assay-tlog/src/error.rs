use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::checkpoint::CheckpointError;
use crate::tile::Bundle;

/// An error of a log. It can be cloned, because one failure may concern many pending leaves.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LogError {
    /// A file of the log cannot be used.
    #[error("failed to {doing} `{}`", path.display())]
    Io {
        /// The operation that failed.
        doing: &'static str,
        /// On which file.
        path: PathBuf,
        /// The cause.
        source: Arc<io::Error>,
    },
    /// Another process writes it.
    #[error("another process has the log in `{}` open", .0.display())]
    InUse(PathBuf),
    /// It was signed by another key or under another name.
    #[error("the last checkpoint of the log in `{}` is not ours", dir.display())]
    NotOurs {
        /// Directory of the log.
        dir: PathBuf,
        /// The fault of the checkpoint.
        source: CheckpointError,
    },
    /// There are fewer entries than were signed for.
    #[error("the log in `{}` is smaller than its last checkpoint says: {found} of {signed} bytes of entries are there", dir.display())]
    Smaller {
        /// Directory of the log.
        dir: PathBuf,
        /// Bytes of `entries` that the last checkpoint covers.
        signed: u64,
        /// Bytes of `entries` that are there.
        found: u64,
    },
    /// The entries are not those that were signed for.
    #[error("the entries of the log in `{}` are not those that its checkpoint of size {size} was signed for", dir.display())]
    Differs {
        /// Directory of the log.
        dir: PathBuf,
        /// At which size.
        size: u64,
    },
    /// A larger checkpoint was signed once: this is an old copy of the log.
    #[error("the log in `{}` ends at {found}, but a checkpoint of size {remembered} was signed before: this is an old copy", dir.display())]
    Rollback {
        /// Directory of the log.
        dir: PathBuf,
        /// The largest size that was ever signed.
        remembered: u64,
        /// The size of the log as it is.
        found: u64,
    },
    /// A file that only the log writes is not as it wrote it.
    #[error("`{}` is damaged", .0.display())]
    Damaged(PathBuf),
    /// A leaf is longer than a bundle can hold.
    #[error("a leaf has at most {max} bytes, not {0}", max = Bundle::MAX_ENTRY)]
    TooLarge(usize),
    /// Too many leaves wait already.
    #[error("too many leaves wait to be logged; try again in a moment")]
    Busy,
    /// An earlier failure left it open what is on disk; only opening the log again can tell.
    #[error("the log writes no more since it failed to make leaves durable: {0}")]
    Broken(Arc<LogError>),
    /// The log was closed before the leaf was written.
    #[error("the log was closed before the leaf was written")]
    Stopped,
    /// The log was opened for reading only.
    #[error("the log was opened for reading only")]
    ReadOnly,
    /// There is no such leaf.
    #[error("the log has no leaf {index} at size {size}")]
    NoLeaf {
        /// The index that was asked for.
        index: u64,
        /// In a tree of which size.
        size: u64,
    },
    /// The log was never of that size, or not yet.
    #[error("the log has no size {asked}; it has {size} leaves")]
    NoSize {
        /// The size that was asked for.
        asked: u64,
        /// Number of leaves.
        size: u64,
    },
}

impl LogError {
    /// The word by which machines know the failure.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Io { .. } => "log_io",
            Self::InUse(_) => "log_in_use",
            Self::NotOurs { .. } => "log_not_ours",
            Self::Smaller { .. } => "log_smaller_than_checkpoint",
            Self::Differs { .. } => "log_differs_from_checkpoint",
            Self::Rollback { .. } => "log_rollback_refused",
            Self::Damaged(_) => "log_damaged",
            Self::TooLarge(_) => "leaf_too_large",
            Self::Busy => "log_busy",
            Self::Broken(_) => "log_broken",
            Self::Stopped => "log_stopped",
            Self::ReadOnly => "log_read_only",
            Self::NoLeaf { .. } => "no_such_leaf",
            Self::NoSize { .. } => "no_such_size",
        }
    }

    /// A failure to do something with a file.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl Fn(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io {
            doing,
            path: path.clone(),
            source: Arc::new(source),
        }
    }
}
