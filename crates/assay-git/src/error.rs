use std::io;
use std::path::PathBuf;

use assay_model::{ObjectId, RepoKey, RepoPath};

use crate::{LargeFileId, RefName};

/// An operation that failed, and its object.
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
        /// The expected kind.
        wanted: &'static str,
    },
    /// A blob is larger than the caller wants to hold in memory.
    #[error("blob {id} has {size} bytes, more than {max}")]
    BlobTooLarge {
        /// The blob.
        id: ObjectId,
        /// The size of it.
        size: u64,
        /// The largest size allowed.
        max: u64,
    },
    /// A commit has more files than are told of.
    #[error("object {id} has more than {max} files")]
    TooManyFiles {
        /// The commit or tree.
        id: ObjectId,
        /// The largest number allowed.
        max: usize,
    },
    /// More commits come at once than are looked at.
    #[error("more than {0} commits come at once; push fewer")]
    TooManyCommits(usize),
    /// The name of a ref that may not be made.
    #[error(transparent)]
    RefName(#[from] crate::RefNameError),
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
        /// The current target; `None` when the ref does not exist.
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
    /// A ref points at an object that is not there: the repository is damaged, such as by a copy
    /// that was made while it was written.
    #[error("`{name}` of repository {key} points at object {missing}, which is not there")]
    BrokenRef {
        /// The repository.
        key: RepoKey,
        /// The ref.
        name: RefName,
        /// The object that it points at, or that an annotated tag leads to.
        missing: ObjectId,
    },
    /// One change names a ref twice.
    #[error("`{0}` is changed twice at once")]
    RefTwice(RefName),
    /// The refs of a repository could not be read or written.
    #[error("failed to {action} the refs of `{path}`")]
    Refs {
        /// The operation.
        action: &'static str,
        /// The repository.
        path: PathBuf,
        /// The cause.
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
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A file or directory could not be read or written.
    #[error("failed to {action} `{path}`")]
    Disk {
        /// The operation.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// `git` could not be run.
    #[error("failed to run `git {subcommand}`")]
    Spawn {
        /// The subcommand.
        subcommand: &'static str,
        /// The cause.
        source: io::Error,
    },
    /// `git` ran and said that it failed.
    #[error("`git {subcommand}` failed: {output}")]
    Git {
        /// The subcommand.
        subcommand: &'static str,
        /// The end of what it said.
        output: String,
    },
    /// As many processes of this kind run as may.
    #[error("{0} requests like this one are being answered, as many as may be at once")]
    TooManyProcesses(usize),
    /// `git` took longer than it may, and was ended.
    #[error("`git {subcommand}` took longer than {seconds} seconds and was ended")]
    OutOfTime {
        /// The subcommand.
        subcommand: &'static str,
        /// The time it had.
        seconds: u64,
    },
    /// A client sent something that is not the git protocol, or more than it may send.
    #[error(transparent)]
    Wire(#[from] crate::WireError),
    /// The body of a request could not be read to its end.
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

/// The message for a push that meets a full disk.
const FULL: &str =
    "the disk of the hub is full: nothing can be written until its operator has made room";
/// The message for a push that meets a disk that can only be read.
const READ_ONLY: &str =
    "the disk of the hub can only be read at the moment; nothing can be written";
/// Messages of `git` for the same, in the C locale.
const SAID_BY_GIT: [(&str, &str); 4] = [
    ("No space left on device", FULL),
    ("Out of diskspace", FULL),
    ("Disk quota exceeded", FULL),
    ("Read-only file system", READ_ONLY),
];

/// The sentence for a complaint of `git` that is about the disk.
pub(crate) fn disk_complaint(complaint: &str) -> Option<&'static str> {
    let found = SAID_BY_GIT
        .into_iter()
        .find(|(text, _)| complaint.contains(text));
    found.map(|(_, sentence)| sentence)
}

impl Error {
    /// The sentence for a failure that is about the disk.
    pub(crate) fn disk_sentence(&self) -> Option<&'static str> {
        if let Self::Git { output, .. } = self {
            return disk_complaint(output);
        }
        let mut next: Option<&(dyn std::error::Error + 'static)> = Some(self);
        while let Some(error) = next {
            match error.downcast_ref::<io::Error>().map(io::Error::kind) {
                Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) => {
                    return Some(FULL);
                }
                Some(io::ErrorKind::ReadOnlyFilesystem) => return Some(READ_ONLY),
                Some(_) | None => next = error.source(),
            }
        }
        None
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_push_that_meets_a_full_disk_is_told_so_in_a_sentence() {
        let by_git = disk_complaint("fatal: write error: No space left on device");
        let by_us = Error::disk("make", "x")(io::ErrorKind::StorageFull.into());
        let otherwise = Error::disk("make", "x")(io::ErrorKind::PermissionDenied.into());

        assert_eq!(by_git, Some(FULL));
        assert_eq!(
            disk_complaint("fatal: sha1 file 'x.idx' write error. Out of diskspace"),
            Some(FULL)
        );
        assert_eq!(by_us.disk_sentence(), Some(FULL));
        assert_eq!(otherwise.disk_sentence(), None);
        assert_eq!(disk_complaint("fatal: early EOF"), None);
    }
}
