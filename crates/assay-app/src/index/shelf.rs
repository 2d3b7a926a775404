//! The result files of commits, each read once however many commits have it.

use std::collections::HashMap;
use std::sync::Arc;

use assay_git::{Depth, EntryKind, Error, Objects};
use assay_model::{ObjectId, RepoPath};

use super::read::{self, MAX_BYTES, RESULTS_FOLDER, Submission};

/// How many entries are held: a long history has more of them than fit in memory.
const MAX_HELD: usize = 10_000;

/// Reads result files.
pub(crate) struct Shelf<'o> {
    pub(crate) objects: &'o Objects,
    folder: RepoPath,
    read: HashMap<ObjectId, Arc<Vec<Submission>>>,
    /// How many entries those are.
    held: usize,
}

/// A result file at a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResultFile {
    pub(crate) path: RepoPath,
    pub(crate) blob: ObjectId,
}

impl<'o> Shelf<'o> {
    pub(crate) fn new(objects: &'o Objects) -> Self {
        Self {
            objects,
            folder: RESULTS_FOLDER
                .parse()
                .expect("the folder has the name of one"),
            read: HashMap::new(),
            held: 0,
        }
    }

    /// The folder of results, by which a commit that changes nothing in it is told cheaply.
    pub(crate) fn folder(&self, commit: ObjectId) -> Result<Option<ObjectId>, Error> {
        let entry = self.objects.entry(commit, &self.folder)?;
        Ok(entry
            .filter(|entry| entry.kind == EntryKind::Directory)
            .map(|entry| entry.oid))
    }

    /// The result files of a commit, in the order of their names.
    pub(crate) fn files(&self, commit: ObjectId) -> Result<Vec<ResultFile>, Error> {
        let listed = self
            .objects
            .list(commit, Some(&self.folder), Depth::Direct)?;
        let mut files: Vec<ResultFile> = listed
            .into_iter()
            .flatten()
            .filter(|entry| matches!(entry.kind, EntryKind::File(_)))
            .filter(|entry| read::is_result_file(entry.path.name()))
            .map(|entry| ResultFile {
                path: entry.path,
                blob: entry.oid,
            })
            .collect();
        files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        Ok(files)
    }

    /// The entries of a file; none when it is too large or the judge refuses it.
    pub(crate) fn submissions(&mut self, blob: ObjectId) -> Result<Arc<Vec<Submission>>, Error> {
        if let Some(read) = self.read.get(&blob) {
            return Ok(Arc::clone(read));
        }
        let submissions = match self.objects.read(blob, MAX_BYTES) {
            Ok(bytes) => read::submissions(bytes),
            Err(Error::BlobTooLarge { .. }) => Vec::new(),
            Err(error) => return Err(error),
        };
        let submissions = Arc::new(submissions);
        self.held += submissions.len();
        if self.held > MAX_HELD {
            self.read.clear();
            self.held = submissions.len();
        }
        self.read.insert(blob, Arc::clone(&submissions));
        Ok(submissions)
    }
}
