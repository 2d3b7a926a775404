use std::collections::BTreeMap;
use std::io::{self, Read};

use assay_model::{ObjectId, RepoPath};

use crate::{Change, CommitInfo, Depth, Diff, Error, TreeEntry};

/// The objects of a repository, and of a quarantine if it was asked for them.
///
/// It may be shared between threads. Where a commit is wanted, an annotated tag of one will do. What lies at a path
/// that is no [`RepoPath`] is left out everywhere: nothing in a hub could name it.
#[derive(Debug)]
pub struct Objects {
    _private: (),
}

/// The bytes of a blob, as they are read.
pub struct BlobReader {
    _private: (),
}

impl Objects {
    /// Whether there is an object of this hash.
    pub fn contains(&self, _id: ObjectId) -> bool {
        todo!()
    }

    /// What lies at a path of a commit.
    pub fn entry(&self, _commit: ObjectId, _path: &RepoPath) -> Result<Option<TreeEntry>, Error> {
        todo!()
    }

    /// What lies in a folder of a commit (`None` is the whole of it), in git's order; `None` when there is no such
    /// folder.
    pub fn list(
        &self,
        _commit: ObjectId,
        _folder: Option<&RepoPath>,
        _depth: Depth,
    ) -> Result<Option<Vec<TreeEntry>>, Error> {
        todo!()
    }

    /// The bytes of a blob, if they are at most so many.
    pub fn read(&self, _blob: ObjectId, _max: u64) -> Result<Vec<u8>, Error> {
        todo!()
    }

    /// The size of a blob, without reading it.
    pub fn size(&self, _blob: ObjectId) -> Result<u64, Error> {
        todo!()
    }

    /// Opens a blob of any size.
    pub fn open(&self, _blob: ObjectId) -> Result<BlobReader, Error> {
        todo!()
    }

    /// A commit.
    pub fn commit(&self, _id: ObjectId) -> Result<CommitInfo, Error> {
        todo!()
    }

    /// The commits that led to one, itself first, newest first, as `git log` has them.
    pub fn log(
        &self,
        _from: ObjectId,
        _skip: usize,
        _limit: usize,
    ) -> Result<Vec<CommitInfo>, Error> {
        todo!()
    }

    /// How many commits led to one, with itself.
    pub fn count(&self, _from: ObjectId) -> Result<usize, Error> {
        todo!()
    }

    /// A commit, its first parent, that one's first parent and so on, until a commit that is left out, or the end.
    pub fn first_parents(
        &self,
        _from: ObjectId,
        _until: Option<ObjectId>,
    ) -> Result<Vec<CommitInfo>, Error> {
        todo!()
    }

    /// What differs between two commits (or trees), in the order of the paths; `None` has no files.
    pub fn changes(&self, _old: Option<ObjectId>, _new: ObjectId) -> Result<Vec<Change>, Error> {
        todo!()
    }

    /// For each path the newest commit on the first-parent line that changed it. Paths that are not there are left out.
    pub fn last_commits(
        &self,
        _commit: ObjectId,
        _paths: &[RepoPath],
    ) -> Result<BTreeMap<RepoPath, CommitInfo>, Error> {
        todo!()
    }

    /// The commit on the first-parent line that made a file which has been there ever since; `None` when it is not
    /// there.
    pub fn created(
        &self,
        _commit: ObjectId,
        _path: &RepoPath,
    ) -> Result<Option<CommitInfo>, Error> {
        todo!()
    }

    /// Whether one commit led to another, or is it.
    pub fn is_ancestor(&self, _ancestor: ObjectId, _of: ObjectId) -> Result<bool, Error> {
        todo!()
    }

    /// The newest commit that led to both.
    pub fn merge_base(&self, _one: ObjectId, _other: ObjectId) -> Result<Option<ObjectId>, Error> {
        todo!()
    }

    /// What changed between two commits, as a unified diff.
    pub fn diff(&self, _base: ObjectId, _tip: ObjectId, _max_bytes: usize) -> Result<Diff, Error> {
        todo!()
    }
}

impl BlobReader {
    /// How many bytes the blob has.
    pub fn size(&self) -> u64 {
        todo!()
    }
}

impl Read for BlobReader {
    fn read(&mut self, _buffer: &mut [u8]) -> io::Result<usize> {
        todo!()
    }
}
