use assay_model::{ObjectId, RepoPath, Timestamp};

use crate::{FileMode, LargeFile};

/// An entry at a path of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    /// The path.
    pub path: RepoPath,
    /// The kind of the entry.
    pub kind: EntryKind,
    /// The blob, the tree, or the commit of a submodule.
    pub oid: ObjectId,
    /// The size of the blob in bytes; for a large file that of its pointer. 0 for anything else.
    pub size: u64,
    /// The file that the blob is a pointer to.
    pub large: Option<LargeFile>,
}

/// A kind of entry of a tree.
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

/// The depth of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Entries directly in the directory.
    Direct,
    /// Everything below it, directories as well.
    Recursive,
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitInfo {
    /// Its hash.
    pub id: ObjectId,
    /// The tree of the commit.
    pub tree: ObjectId,
    /// The parents of the commit.
    pub parents: Vec<ObjectId>,
    /// The first paragraph of its message, on one line.
    pub title: String,
    /// The rest of its message.
    pub body: String,
    /// The name of the author.
    pub author_name: String,
    /// Their address.
    pub author_email: String,
    /// Time at which it was written.
    pub authored: Timestamp,
    /// Time at which it was committed.
    pub committed: Timestamp,
}

/// A file, link or submodule that differs between two commits. Directories are not told of: their
/// files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The path.
    pub path: RepoPath,
    /// The version before; `None` when it is new.
    pub old: Option<Version>,
    /// The version now; `None` when it is gone.
    pub new: Option<Version>,
}

/// The differences between two commits.
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
    /// The kind of the entry, never a directory.
    pub kind: EntryKind,
    /// The blob, or the commit of a submodule.
    pub oid: ObjectId,
}

/// The changes between two commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Diff {
    /// A unified diff.
    Text {
        /// The text.
        text: String,
        /// True if it was longer than it might be, and was cut after a whole line.
        cut: bool,
    },
    /// It would have been too much work.
    TooMuch {
        /// The number of changed files.
        files: usize,
        /// Number of bytes that they have together, before and after.
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
