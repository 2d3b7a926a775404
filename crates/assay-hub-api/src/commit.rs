//! The body of `POST …/commit/{rev}`: one JSON object a line, read as it arrives.

mod content;
mod error;
mod line;
mod reader;

use std::fmt;
use std::str::FromStr;

use assay_model::{ObjectId, RepoPath};
use serde::{Deserialize, Serialize};

pub use error::{CommitError, CommitFault};
pub use reader::{CommitLimits, CommitReader};

/// A commit that a client asks for; what its files hold was written to `W`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit<W> {
    /// The first line of the message.
    pub summary: String,
    /// The rest of the message.
    pub description: String,
    /// The head that the client has seen; the commit is refused when the branch has moved on.
    pub parent: Option<CommitPrefix>,
    /// The operations, in order.
    pub operations: Vec<CommitOperation<W>>,
}

/// One change of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitOperation<W> {
    /// Put a file.
    File {
        /// The path of the file.
        path: RepoPath,
        /// The old path, when it is moved.
        old_path: Option<RepoPath>,
        /// The content of the file.
        content: FileContent<W>,
    },
    /// Put a large file that was sent before.
    LargeFile {
        /// The path of the file.
        path: RepoPath,
        /// The old path, when it is moved.
        old_path: Option<RepoPath>,
        /// The SHA-256 digest of its bytes: 64 lower-case hexadecimal digits.
        oid: String,
        /// The size in bytes, unless it is a copy of an existing file.
        size: Option<u64>,
    },
    /// Delete a file.
    DeleteFile {
        /// The path of the folder.
        path: RepoPath,
    },
    /// Delete a directory and all in it.
    DeleteFolder {
        /// The path of the folder.
        path: RepoPath,
    },
}

impl<W> CommitOperation<W> {
    /// Returns the same operation, with what was written to a `W` as a `V`.
    pub fn map<V>(self, with: impl FnOnce(W) -> V) -> CommitOperation<V> {
        match self {
            Self::File {
                path,
                old_path,
                content: FileContent { written, size },
            } => CommitOperation::File {
                path,
                old_path,
                content: FileContent {
                    written: with(written),
                    size,
                },
            },
            Self::LargeFile {
                path,
                old_path,
                oid,
                size,
            } => CommitOperation::LargeFile {
                path,
                old_path,
                oid,
                size,
            },
            Self::DeleteFile { path } => CommitOperation::DeleteFile { path },
            Self::DeleteFolder { path } => CommitOperation::DeleteFolder { path },
        }
    }
}

impl<W: From<Vec<u8>>> CommitOperation<W> {
    /// Returns the operation that puts a file whose content is in memory.
    pub fn put(path: RepoPath, bytes: Vec<u8>) -> Self {
        let size = bytes.len() as u64;
        Self::File {
            path,
            old_path: None,
            content: FileContent {
                written: bytes.into(),
                size,
            },
        }
    }
}

/// The content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileContent<W> {
    /// The writer that received the bytes.
    pub written: W,
    /// The size in bytes.
    pub size: u64,
}

/// The beginning of a commit's hash, or all of it.
///
/// ```
/// # use assay_hub_api::CommitPrefix;
/// # use assay_model::ObjectId;
/// let prefix: CommitPrefix = "abababa".parse()?;
/// assert!(prefix.is_of(&ObjectId::from_bytes([0xab; 20])));
/// assert!("abc".parse::<CommitPrefix>().is_err());
/// # Ok::<(), assay_hub_api::CommitPrefixError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitPrefix(String);

/// The text is not the beginning of a commit's hash.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a parent commit has {} to {} lower-case hexadecimal digits",
    CommitPrefix::MIN,
    ObjectId::DIGITS
)]
pub struct CommitPrefixError;

impl CommitPrefix {
    /// The least number of digits.
    pub const MIN: usize = 5;

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether the hash of a commit begins so.
    pub fn is_of(&self, commit: &ObjectId) -> bool {
        commit.to_string().starts_with(&self.0)
    }
}

impl FromStr for CommitPrefix {
    type Err = CommitPrefixError;

    fn from_str(text: &str) -> Result<Self, CommitPrefixError> {
        let is_hash = (Self::MIN..=ObjectId::DIGITS).contains(&text.len()) && line::is_hex(text);
        if is_hash {
            Ok(Self(text.to_owned()))
        } else {
            Err(CommitPrefixError)
        }
    }
}

impl fmt::Display for CommitPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The answer to a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CommitAnswer {
    /// Always true.
    pub success: bool,
    /// The commit.
    pub commit_oid: ObjectId,
    /// Its page. Clients parse it and insist on their own host name.
    pub commit_url: String,
    /// Messages about the commit, such as warnings.
    pub hook_output: String,
    /// The page of the pull request, when one was asked for: it ends in `/discussions/` and the
    /// number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull_request_url: Option<String>,
}
