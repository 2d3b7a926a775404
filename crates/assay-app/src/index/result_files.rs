//! The files with results of commits.

use std::sync::Arc;

use assay_git::{Depth, EntryKind, Error, Objects};
use assay_model::{ObjectId, RepoPath};

use super::files::{Kind, ReadFile, RepoFiles};
use super::read::{self, CARD_FILE, RESULTS_FOLDER};

/// Finds the files with results of commits, and reads them.
pub(crate) struct ResultFileReader<'o> {
    pub(crate) objects: &'o Objects,
    folder: RepoPath,
    card: RepoPath,
    files: RepoFiles,
}

/// By which a commit that changes no results is told cheaply: the folder of results, and the card.
pub(crate) type Mark = (Option<ObjectId>, Option<ObjectId>);

/// A file with results at a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommittedFile {
    pub(crate) path: RepoPath,
    pub(crate) blob: ObjectId,
    pub(crate) kind: Kind,
}

impl<'o> ResultFileReader<'o> {
    pub(crate) fn new(objects: &'o Objects, files: RepoFiles) -> Self {
        Self {
            objects,
            folder: folder_path(),
            card: CARD_FILE.parse().expect("the card has the name of a file"),
            files,
        }
    }

    /// Returns a mark that differs between commits with different results.
    pub(crate) fn mark(&self, commit: ObjectId) -> Result<Mark, Error> {
        Ok((self.folder(commit)?, self.card(commit)?))
    }

    /// The folder of results, by which a commit that changes nothing in it is told cheaply.
    pub(crate) fn folder(&self, commit: ObjectId) -> Result<Option<ObjectId>, Error> {
        directory(self.objects, commit, &self.folder)
    }

    fn card(&self, commit: ObjectId) -> Result<Option<ObjectId>, Error> {
        let card = self.objects.entry(commit, &self.card)?;
        let card = card.filter(|entry| matches!(entry.kind, EntryKind::File(_)));
        Ok(card.map(|entry| entry.oid))
    }

    /// The result files of a commit and its card, in the order of their names.
    pub(crate) fn files_and_card(&self, commit: ObjectId) -> Result<Vec<CommittedFile>, Error> {
        let mut files = self.files(commit)?;
        files.extend(self.card(commit)?.map(|blob| CommittedFile {
            path: self.card.clone(),
            blob,
            kind: Kind::Card,
        }));
        Ok(files)
    }

    /// The result files of a commit, in the order of their names.
    pub(crate) fn files(&self, commit: ObjectId) -> Result<Vec<CommittedFile>, Error> {
        let listed = self
            .objects
            .list(commit, Some(&self.folder), Depth::Direct)?;
        let mut files: Vec<CommittedFile> = listed
            .into_iter()
            .flatten()
            .filter(|entry| matches!(entry.kind, EntryKind::File(_)))
            .filter(|entry| read::is_result_file(entry.path.name()))
            .map(|entry| CommittedFile {
                path: entry.path,
                blob: entry.oid,
                kind: Kind::Results,
            })
            .collect();
        files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        Ok(files)
    }

    /// Reads a file, unless it was read lately.
    pub(crate) fn read(&self, kind: Kind, blob: ObjectId) -> Result<Arc<ReadFile>, Error> {
        self.files.read(self.objects, kind, blob)
    }
}

/// The folder of results of a commit.
pub(crate) fn results_folder(
    objects: &Objects,
    commit: ObjectId,
) -> Result<Option<ObjectId>, Error> {
    directory(objects, commit, &folder_path())
}

fn directory(
    objects: &Objects,
    commit: ObjectId,
    path: &RepoPath,
) -> Result<Option<ObjectId>, Error> {
    let found = objects.entry(commit, path)?;
    let found = found.filter(|entry| entry.kind == EntryKind::Directory);
    Ok(found.map(|entry| entry.oid))
}

fn folder_path() -> RepoPath {
    RESULTS_FOLDER
        .parse()
        .expect("the folder has the name of one")
}
