use std::path::PathBuf;

use assay_model::{ObjectId, RepoPath, Timestamp};

/// A file or folder at a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// Where it is.
    pub path: RepoPath,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// The blob or tree.
    pub oid: ObjectId,
    /// Its size; that of the content for a large file, 0 for a folder.
    pub size: u64,
    /// The SHA-256 and pointer size of a large file.
    pub large: Option<LargePointer>,
    /// The commit that last changed it, when that was asked for.
    pub last_commit: Option<LastCommit>,
}

/// How a large file stands in git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LargePointer {
    /// The SHA-256 of the content, in hexadecimal digits.
    pub sha256: String,
    /// The size of the pointer.
    pub pointer_size: u64,
}

/// The commit that last changed a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastCommit {
    /// The commit.
    pub id: ObjectId,
    /// Its first line.
    pub title: String,
    /// When.
    pub date: Timestamp,
    /// The rest of its message.
    pub body: String,
    /// Who made it.
    pub author: String,
}

/// Some commits, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitPage {
    /// The commits.
    pub commits: Vec<LastCommit>,
    /// Whether there are more.
    pub more: bool,
    /// How many there are in all.
    pub total: u64,
}

/// The refs of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RefList {
    /// Branches.
    pub branches: Vec<RefInfo>,
    /// Tags.
    pub tags: Vec<RefInfo>,
    /// Pull requests.
    pub pulls: Vec<RefInfo>,
}

/// One ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefInfo {
    /// Its short name.
    pub name: String,
    /// Its full name.
    pub full: String,
    /// The commit it names.
    pub target: ObjectId,
}

/// The content of a file, and where it was found.
#[derive(Debug)]
pub struct Blob {
    /// The commit that the revision named.
    pub commit: ObjectId,
    /// The file.
    pub entry: FileEntry,
    /// Its bytes.
    pub content: BlobContent,
}

/// Where the bytes of a file are.
#[derive(Debug)]
pub enum BlobContent {
    /// Here.
    Memory(bytes::Bytes),
    /// In a file of the hub.
    Disk(PathBuf),
    /// Not read: only the facts were asked for.
    NotRead,
}
