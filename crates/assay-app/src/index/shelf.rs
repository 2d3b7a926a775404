//! The result files of commits, each read once however many commits have it.

use std::collections::HashMap;
use std::sync::Arc;

use assay_git::{Depth, EntryKind, Error, Objects};
use assay_model::{ObjectId, RepoPath};

use super::read::{self, CARD_FILE, MAX_BYTES, MAX_CARD_BYTES, RESULTS_FOLDER, Submission};

/// How many entries are held: a long history has more of them than fit in memory.
const MAX_HELD: usize = 10_000;

/// Reads result files.
pub(crate) struct Shelf<'o> {
    pub(crate) objects: &'o Objects,
    folder: RepoPath,
    card: RepoPath,
    read: HashMap<(Kind, ObjectId), Arc<Vec<Submission>>>,
    /// How many entries those are.
    held: usize,
}

/// By which a commit that changes no results is told cheaply: the folder of results, and the card.
pub(crate) type Mark = (Option<ObjectId>, Option<ObjectId>);

/// How a file says its results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// It is a result file.
    Results,
    /// It is a card, which may have a `model-index`.
    Card,
}

/// A file with results at a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResultFile {
    pub(crate) path: RepoPath,
    pub(crate) blob: ObjectId,
    pub(crate) kind: Kind,
}

impl<'o> Shelf<'o> {
    pub(crate) fn new(objects: &'o Objects) -> Self {
        Self {
            objects,
            folder: RESULTS_FOLDER
                .parse()
                .expect("the folder has the name of one"),
            card: CARD_FILE.parse().expect("the card has the name of a file"),
            read: HashMap::new(),
            held: 0,
        }
    }

    /// What tells commits with other results apart.
    pub(crate) fn mark(&self, commit: ObjectId) -> Result<Mark, Error> {
        Ok((self.folder(commit)?, self.card(commit)?))
    }

    /// The folder of results, by which a commit that changes nothing in it is told cheaply.
    pub(crate) fn folder(&self, commit: ObjectId) -> Result<Option<ObjectId>, Error> {
        let folder = self.objects.entry(commit, &self.folder)?;
        let folder = folder.filter(|entry| entry.kind == EntryKind::Directory);
        Ok(folder.map(|entry| entry.oid))
    }

    fn card(&self, commit: ObjectId) -> Result<Option<ObjectId>, Error> {
        let card = self.objects.entry(commit, &self.card)?;
        let card = card.filter(|entry| matches!(entry.kind, EntryKind::File(_)));
        Ok(card.map(|entry| entry.oid))
    }

    /// The result files of a commit and its card, in the order of their names.
    pub(crate) fn files_and_card(&self, commit: ObjectId) -> Result<Vec<ResultFile>, Error> {
        let mut files = self.files(commit)?;
        files.extend(self.card(commit)?.map(|blob| ResultFile {
            path: self.card.clone(),
            blob,
            kind: Kind::Card,
        }));
        Ok(files)
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
                kind: Kind::Results,
            })
            .collect();
        files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        Ok(files)
    }

    /// The entries of a file; none when it is too large or the judge refuses it.
    pub(crate) fn submissions(
        &mut self,
        kind: Kind,
        blob: ObjectId,
    ) -> Result<Arc<Vec<Submission>>, Error> {
        if let Some(read) = self.read.get(&(kind, blob)) {
            return Ok(Arc::clone(read));
        }
        let max = match kind {
            Kind::Results => MAX_BYTES,
            Kind::Card => MAX_CARD_BYTES,
        };
        let submissions = match (kind, self.objects.read(blob, max)) {
            (Kind::Results, Ok(bytes)) => read::submissions(bytes),
            (Kind::Card, Ok(bytes)) => read::legacy_submissions(&bytes),
            (_, Err(Error::BlobTooLarge { .. })) => Vec::new(),
            (_, Err(error)) => return Err(error),
        };
        let submissions = Arc::new(submissions);
        self.held += submissions.len();
        if self.held > MAX_HELD {
            self.read.clear();
            self.held = submissions.len();
        }
        self.read.insert((kind, blob), Arc::clone(&submissions));
        Ok(submissions)
    }
}
