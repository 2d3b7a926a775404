use assay_model::{ObjectId, RepoPath, Timestamp};

use crate::{FileMode, LargeFile};

/// What lies at a path of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    /// Where.
    pub path: RepoPath,
    /// What it is.
    pub kind: EntryKind,
    /// The blob, the tree, or the commit of a submodule.
    pub oid: ObjectId,
    /// How many bytes the blob has; for a large file those of its pointer. 0 for what is no blob.
    pub size: u64,
    /// The file that the blob is a pointer to.
    pub large: Option<LargeFile>,
}

/// What a tree can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryKind {
    /// A file.
    File(FileMode),
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A commit of another repository.
    Submodule,
}

/// How far a listing goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// What lies directly in the directory.
    Direct,
    /// Everything below it, directories as well.
    Recursive,
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitInfo {
    /// Its hash.
    pub id: ObjectId,
    /// What it holds.
    pub tree: ObjectId,
    /// What it was made of.
    pub parents: Vec<ObjectId>,
    /// The first paragraph of its message, on one line.
    pub title: String,
    /// The rest of its message.
    pub body: String,
    /// Who wrote it.
    pub author_name: String,
    /// Their address.
    pub author_email: String,
    /// When it was written.
    pub authored: Timestamp,
    /// When it was committed.
    pub committed: Timestamp,
}

/// A file, link or submodule that differs between two commits. Directories are not told of: their files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Where.
    pub path: RepoPath,
    /// What was there; `None` when it is new.
    pub old: Option<Version>,
    /// What is there; `None` when it is gone.
    pub new: Option<Version>,
}

/// What differs between two commits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangeSet {
    /// The files, links and submodules that differ, in the order of their paths.
    pub changes: Vec<Change>,
    /// The first path, as text, that is new or changed and that nothing in a hub could name.
    pub unnamed: Option<String>,
}

/// One side of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    /// What it is, never a directory.
    pub kind: EntryKind,
    /// The blob, or the commit of a submodule.
    pub oid: ObjectId,
}

/// What changed between two commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Diff {
    /// A unified diff.
    Text {
        /// The text.
        text: String,
        /// Whether it was longer than it might be, and was cut after a whole line.
        cut: bool,
    },
    /// It would have been too much work.
    TooMuch {
        /// How many files changed.
        files: usize,
        /// How many bytes they have together, before and after.
        bytes: u64,
    },
}

impl CommitInfo {
    /// The whole message.
    pub fn message(&self) -> String {
        if self.body.is_empty() {
            self.title.clone()
        } else {
            format!("{}\n\n{}", self.title, self.body)
        }
    }
}
