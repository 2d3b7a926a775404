use std::io;

use assay_model::RepoPathError;

use super::CommitPrefixError;
use super::content::MAX_TEXT_BYTES;

/// The reason why the body of a commit is refused.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// A line is not the JSON that it should be.
    #[error("line {line} is not an operation: {reason}")]
    Syntax {
        /// The line, from 1.
        line: u64,
        /// The fault of the line.
        reason: String,
    },
    /// A line has too much beside the content of a file.
    #[error("line {line} has more than {limit} bytes beside its `content`")]
    LongLine {
        /// The line.
        line: u64,
        /// The limit.
        limit: usize,
    },
    /// A line asks for something that is not known.
    #[error("line {line} has the key {key}; `header`, `file`, `lfsFile`, `deletedFile` and `deletedFolder` are known", key = assay_model::quote(.key))]
    UnknownKey {
        /// The line.
        line: u64,
        /// The key that it asks for.
        key: String,
    },
    /// The first line is not the header.
    #[error("the first line must be the `header`")]
    NoHeader,
    /// There is a second header.
    #[error("line {line} is a second `header`")]
    SecondHeader {
        /// The line.
        line: u64,
    },
    /// Something is not there that must be.
    #[error("line {line} has no `{field}`")]
    Missing {
        /// The line.
        line: u64,
        /// The missing field.
        field: &'static str,
    },
    /// A path that cannot be one.
    #[error("line {line}: {reason}")]
    Path {
        /// The line.
        line: u64,
        /// The fault of the path.
        reason: RepoPathError,
    },
    /// A parent that cannot be a commit.
    #[error("line {line}: {reason}")]
    Parent {
        /// The line.
        line: u64,
        /// The fault of the prefix.
        reason: CommitPrefixError,
    },
    /// A large file that is not named by its digest.
    #[error(
        "line {line}: a large file is named by the 64 lower-case hexadecimal digits of its `sha256`"
    )]
    LargeFile {
        /// The line.
        line: u64,
    },
    /// Content in an encoding that is not known.
    #[error("line {line} has the encoding {encoding}; `base64` and `utf-8` are known", encoding = assay_model::quote(.encoding))]
    Encoding {
        /// The line.
        line: u64,
        /// The encoding that it names.
        encoding: String,
    },
    /// Content that is not a JSON string.
    #[error(
        "the `content` of line {line} is not closed, or holds a control character, a bad escape or a lone surrogate"
    )]
    Text {
        /// The line.
        line: u64,
    },
    /// Content that is not base64.
    #[error("the `content` of line {line} is not base64 with padding; text may have {limit} bytes", limit = MAX_TEXT_BYTES)]
    Base64 {
        /// The line.
        line: u64,
    },
    /// Content in plain text that is too long for it.
    #[error(
        "the `content` of line {line} has more than {limit} bytes of text; send it as `base64`"
    )]
    LongText {
        /// The line.
        line: u64,
        /// The limit.
        limit: usize,
    },
    /// A file that is too large.
    #[error("the file of line {line} is larger than {limit} bytes")]
    LargeContent {
        /// The line.
        line: u64,
        /// The limit.
        limit: u64,
    },
    /// Files that are too large together.
    #[error("the files of one commit may have {limit} bytes together")]
    LargeCommit {
        /// The limit.
        limit: u64,
    },
    /// Too many operations.
    #[error("one commit may have {limit} operations")]
    ManyOperations {
        /// The limit.
        limit: usize,
    },
    /// The bytes of a file could not be written where they belong.
    #[error("failed to keep the content of line {line}")]
    Write {
        /// The line.
        line: u64,
        /// The cause.
        source: io::Error,
    },
}

/// The party at fault, for the status of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitFault {
    /// The body cannot be understood.
    Malformed,
    /// A path would leave the repository or reach into git's own files.
    UnsafePath,
    /// There is too much of something.
    TooLarge,
    /// It is ours.
    Ours,
}

impl CommitError {
    /// Returns the party at fault.
    pub fn fault(&self) -> CommitFault {
        match self {
            Self::Syntax { .. }
            | Self::UnknownKey { .. }
            | Self::NoHeader
            | Self::SecondHeader { .. }
            | Self::Missing { .. }
            | Self::Parent { .. }
            | Self::LargeFile { .. }
            | Self::Encoding { .. }
            | Self::Text { .. }
            | Self::Base64 { .. } => CommitFault::Malformed,
            Self::Path { .. } => CommitFault::UnsafePath,
            Self::LongLine { .. }
            | Self::LongText { .. }
            | Self::LargeContent { .. }
            | Self::LargeCommit { .. }
            | Self::ManyOperations { .. } => CommitFault::TooLarge,
            Self::Write { .. } => CommitFault::Ours,
        }
    }
}
