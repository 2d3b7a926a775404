use std::io;
use std::path::PathBuf;

use assay_model::{ObjectId, RepoKey, RepoPath};

use crate::{LargeFileId, RefName};

/// What did not work, and on what.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no repository of this key.
    #[error("there is no repository {0}")]
    NoRepository(RepoKey),
    /// There is a repository of this key already.
    #[error("there is a repository {0} already")]
    RepositoryExists(RepoKey),
    /// An object is not there.
    #[error("there is no object {0}")]
    NoObject(ObjectId),
    /// An object is there but is not what was asked for, or is damaged.
    #[error("object {id} cannot be read as a {wanted}")]
    BadObject {
        /// The object.
        id: ObjectId,
        /// What it was to be.
        wanted: &'static str,
    },
    /// A blob is larger than the caller wants to hold in memory.
    #[error("blob {id} has {size} bytes, more than {max}")]
    BlobTooLarge {
        /// The blob.
        id: ObjectId,
        /// How large it is.
        size: u64,
        /// How large it might be.
        max: u64,
    },
    /// A commit has more files than are told of.
    #[error("object {id} has more than {max} files")]
    TooManyFiles {
        /// The commit or tree.
        id: ObjectId,
        /// How many there might be.
        max: usize,
    },
    /// Bytes were made to have the hash of others.
    #[error("the bytes of a file were made to have the hash of others")]
    Collision,
    /// An operation deletes what is not there.
    #[error("there is no `{0}` to delete")]
    NothingToDelete(RepoPath),
    /// An operation would put a file where a folder is, or below a file.
    #[error("`{0}` cannot be a file and a folder at once")]
    FileAndFolder(RepoPath),
    /// Somebody else moved the ref first; nothing was changed.
    #[error("`{name}` is not where it was expected to be")]
    RefMoved {
        /// The ref.
        name: RefName,
        /// Where it is now; `None` when it does not exist.
        actual: Option<ObjectId>,
    },
    /// A ref cannot exist beside another, as `a` and `a/b` cannot; nothing was changed.
    #[error("`{name}` cannot exist beside `{existing}`")]
    RefConflict {
        /// The ref that was to be made.
        name: RefName,
        /// The ref that is in its way.
        existing: RefName,
    },
    /// One change names a ref twice.
    #[error("`{0}` is changed twice at once")]
    RefTwice(RefName),
    /// The refs of a repository could not be read or written.
    #[error("failed to {action} the refs of `{path}`")]
    Refs {
        /// What was tried.
        action: &'static str,
        /// The repository.
        path: PathBuf,
        /// Why not.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A ref of a repository leads to an object that is not there.
    #[error("the refs of `{path}` lead to objects that are not there: {output}")]
    Incomplete {
        /// The repository.
        path: PathBuf,
        /// The first complaint of git.
        output: String,
    },
    /// The objects of a repository could not be read.
    #[error("failed to read the objects of `{path}`")]
    Objects {
        /// The repository.
        path: PathBuf,
        /// Why not.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A file or directory could not be read or written.
    #[error("failed to {action} `{path}`")]
    Disk {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// `git` could not be run.
    #[error("failed to run `git {subcommand}`")]
    Spawn {
        /// What it was to do.
        subcommand: &'static str,
        /// Why not.
        source: io::Error,
    },
    /// `git` ran and said that it failed.
    #[error("`git {subcommand}` failed: {output}")]
    Git {
        /// What it was to do.
        subcommand: &'static str,
        /// The end of what it said.
        output: String,
    },
    /// What a client sent is not the git protocol, or is more than it may send.
    #[error(transparent)]
    Wire(#[from] crate::WireError),
    /// What a client sent could not be read to its end.
    #[error("failed to read what the client sent")]
    Body(#[source] io::Error),
    /// There is no large file of this name.
    #[error("there is no large file {0}")]
    NoLargeFile(LargeFileId),
    /// A large file is not what its name says.
    #[error("the bytes of large file {expected} have the hash {actual}")]
    WrongHash {
        /// Its name.
        expected: LargeFileId,
        /// The hash of what came.
        actual: LargeFileId,
    },
    /// A large file has not the size that was said.
    #[error("large file {oid} has not {expected} bytes as was said")]
    WrongSize {
        /// Its name.
        oid: LargeFileId,
        /// The size that was said.
        expected: u64,
    },
}

impl Error {
    /// For `map_err` on what the disk says.
    pub(crate) fn disk(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Disk {
            action,
            path,
            source,
        }
    }
}
