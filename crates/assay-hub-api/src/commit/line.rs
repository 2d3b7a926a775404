//! The content of one line, once it is whole.

use std::str::FromStr;

use assay_model::RepoPath;
use serde::Deserialize;

use super::{Commit, CommitError, CommitOperation, CommitPrefix, FileContent};

/// A line as it is written. Every operation is read into the same keys, so that their order never
/// matters.
#[derive(Debug, Deserialize)]
pub(super) struct Line {
    key: String,
    #[serde(default)]
    pub(super) value: Fields,
}

/// The fields beside the key.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Fields {
    #[serde(default)]
    summary: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    parent_commit: Option<String>,
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    old_path: Option<String>,
    /// Empty when the content was led past the line.
    #[serde(default)]
    pub(super) content: Option<String>,
    #[serde(default)]
    pub(super) encoding: Option<String>,
    #[serde(default)]
    algo: Option<String>,
    #[serde(default)]
    oid: Option<String>,
    #[serde(default)]
    size: Option<u64>,
}

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Header,
    File,
    LargeFile,
    DeletedFile,
    DeletedFolder,
}

/// The only hash that large files are named by.
const ALGORITHM: &str = "sha256";
/// The number of its hexadecimal digits.
const DIGITS: usize = 64;

impl Line {
    pub(super) fn kind(&self, line: u64) -> Result<Kind, CommitError> {
        match self.key.as_str() {
            "header" => Ok(Kind::Header),
            "file" => Ok(Kind::File),
            "lfsFile" => Ok(Kind::LargeFile),
            "deletedFile" => Ok(Kind::DeletedFile),
            "deletedFolder" => Ok(Kind::DeletedFolder),
            other => Err(CommitError::UnknownKey {
                line,
                key: other.to_owned(),
            }),
        }
    }
}

impl Fields {
    /// The beginning of a commit.
    pub(super) fn header<W>(self, line: u64) -> Result<Commit<W>, CommitError> {
        let parent = self.parent_commit.as_deref().map(CommitPrefix::from_str);
        Ok(Commit {
            summary: required(self.summary, line, "summary")?,
            description: self.description.unwrap_or_default(),
            parent: parent
                .transpose()
                .map_err(|reason| CommitError::Parent { line, reason })?,
            operations: Vec::new(),
        })
    }

    pub(super) fn file<W>(
        self,
        content: FileContent<W>,
        line: u64,
    ) -> Result<CommitOperation<W>, CommitError> {
        Ok(CommitOperation::File {
            old_path: self.old_path(line)?,
            path: path(self.path, line)?,
            content,
        })
    }

    pub(super) fn large_file<W>(self, line: u64) -> Result<CommitOperation<W>, CommitError> {
        let old_path = self.old_path(line)?;
        let path = path(self.path, line)?;
        let oid = required(self.oid, line, "oid")?;
        let is_sha256 = self.algo.as_deref().is_none_or(|algo| algo == ALGORITHM);
        if !is_sha256 || oid.len() != DIGITS || !is_hex(&oid) {
            return Err(CommitError::LargeFile { line });
        }
        Ok(CommitOperation::LargeFile {
            path,
            old_path,
            oid,
            size: self.size,
        })
    }

    pub(super) fn deleted_file<W>(self, line: u64) -> Result<CommitOperation<W>, CommitError> {
        let path = path(self.path, line)?;
        Ok(CommitOperation::DeleteFile { path })
    }

    /// Clients end the path of a directory with a slash, which is no part of its name.
    pub(super) fn deleted_folder<W>(self, line: u64) -> Result<CommitOperation<W>, CommitError> {
        let name = self.path.map(|path| match path.strip_suffix('/') {
            Some(name) => name.to_owned(),
            None => path,
        });
        let path = path(name, line)?;
        Ok(CommitOperation::DeleteFolder { path })
    }

    fn old_path(&self, line: u64) -> Result<Option<RepoPath>, CommitError> {
        let old = self.old_path.as_deref().map(RepoPath::from_str);
        old.transpose()
            .map_err(|reason| CommitError::Path { line, reason })
    }
}

fn required(field: Option<String>, line: u64, name: &'static str) -> Result<String, CommitError> {
    field.ok_or(CommitError::Missing { line, field: name })
}

fn path(text: Option<String>, line: u64) -> Result<RepoPath, CommitError> {
    required(text, line, "path")?
        .parse()
        .map_err(|reason| CommitError::Path { line, reason })
}

/// Returns whether all of a text is lower-case hexadecimal digits.
pub(super) fn is_hex(text: &str) -> bool {
    text.bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
