use std::path::PathBuf;

use assay_model::{Diagnostic, ObjectId, RepoPath};

/// A commit to make through the API.
#[derive(Debug)]
pub struct CommitRequest {
    /// The branch, or `refs/pr/N`.
    pub revision: String,
    /// The first line of the message.
    pub summary: String,
    /// The rest of the message.
    pub description: String,
    /// What the caller believes the head to be, in full or cut short.
    pub parent: Option<String>,
    /// Whether to open a pull request instead of moving the branch.
    pub create_pull: bool,
    /// What to change, in order.
    pub operations: Vec<Operation>,
}

/// One change of a commit.
#[derive(Debug)]
pub enum Operation {
    /// Write a file.
    Put {
        /// Where.
        path: RepoPath,
        /// What.
        content: FileSource,
    },
    /// Write the pointer of a large file that was uploaded before.
    PutLarge {
        /// Where.
        path: RepoPath,
        /// The SHA-256 of the content.
        sha256: String,
        /// Its size; looked up when absent.
        size: Option<u64>,
    },
    /// Remove a file.
    Delete(RepoPath),
    /// Remove a folder.
    DeleteFolder(RepoPath),
}

/// Where the bytes of an uploaded file are.
#[derive(Debug)]
pub enum FileSource {
    /// Here.
    Memory(Vec<u8>),
    /// In a temporary file, which the commit takes over.
    Disk(tempfile::TempPath),
    /// In a file that stays.
    Path(PathBuf),
}

/// What became of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// The new commit.
    pub commit: ObjectId,
    /// The pull request that was opened.
    pub pull: Option<i64>,
    /// Warnings about the files: they never refuse.
    pub warnings: Vec<Diagnostic>,
}

/// What a client is about to upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preupload {
    /// The branch, or `refs/pr/N`.
    pub revision: String,
    /// Whether a pull request will be opened.
    pub create_pull: bool,
    /// The files: path and size.
    pub files: Vec<(String, u64)>,
    /// The `.gitignore` that the client is about to commit.
    pub git_ignore: Option<String>,
}

/// How each file is to be uploaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreuploadPlan {
    /// The head of the branch.
    pub head: ObjectId,
    /// The files, in the order asked.
    pub files: Vec<PreuploadFile>,
}

/// How one file is to be uploaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreuploadFile {
    /// The path, as asked.
    pub path: String,
    /// Whether it goes through git-lfs.
    pub large: bool,
    /// Whether `.gitignore` says to leave it out.
    pub ignore: bool,
    /// The content at this path now: the blob, or the SHA-256 of a large file.
    pub oid: Option<String>,
}
