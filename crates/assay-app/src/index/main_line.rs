//! The entries of the main branch, from one commit to the next along its first parents.

use std::collections::BTreeMap;

use assay_git::{CommitInfo, Error};
use assay_model::{ObjectId, RepoPath, Timestamp};
use assay_store::{AccountId, IndexedEntry, NewEntry};

use super::derive::MAX_ENTRIES;
use super::provenance::{Provenance, Sayings, indexed};
use super::result_files::{Mark, ResultFileReader};

/// The state of main after one of its commits, when it differs from before.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Step {
    /// Time at which the commit was made.
    pub(super) at: Timestamp,
    /// All entries.
    pub(super) entries: Vec<NewEntry>,
}

/// Walks along the main branch.
pub(super) struct MainLine<'s, 'o> {
    result_files: &'s ResultFileReader<'o>,
    mark: Mark,
    sayings: Sayings,
    births: BTreeMap<RepoPath, Birth>,
}

/// The time at which a file was created that has been there ever since.
#[derive(Debug, Clone, Copy)]
enum Birth {
    At(Timestamp),
    /// Before the walk began; this commit has it.
    Before(ObjectId),
}

impl<'s, 'o> MainLine<'s, 'o> {
    /// From the first commit on.
    pub(super) fn from_the_start(result_files: &'s ResultFileReader<'o>) -> Self {
        Self {
            result_files,
            mark: Mark::default(),
            sayings: Sayings::default(),
            births: BTreeMap::new(),
        }
    }

    /// From a commit on whose entries are indexed already.
    pub(super) fn after(
        result_files: &'s ResultFileReader<'o>,
        commit: ObjectId,
        current: &[IndexedEntry],
    ) -> Result<Self, Error> {
        let births = result_files
            .files_and_card(commit)?
            .into_iter()
            .map(|file| (file.path, Birth::Before(commit)))
            .collect();
        Ok(Self {
            mark: result_files.mark(commit)?,
            result_files,
            sayings: Sayings::of(current.iter().map(|entry| &entry.version)),
            births,
        })
    }

    /// Returns the state of main after its next commit; none when the commit does not touch the
    /// results.
    pub(super) fn advance(
        &mut self,
        commit: &CommitInfo,
        submitter: Option<AccountId>,
    ) -> Result<Option<Step>, Error> {
        let mark = self.result_files.mark(commit.id)?;
        if mark == self.mark {
            return Ok(None);
        }
        self.mark = mark;
        let files = self.result_files.files_and_card(commit.id)?;
        let mut births = BTreeMap::new();
        let mut entries = Vec::new();
        for file in files {
            let mut birth = self
                .births
                .remove(&file.path)
                .unwrap_or(Birth::At(commit.committed));
            let read = (entries.len() < MAX_ENTRIES)
                .then(|| self.result_files.read(file.kind, file.blob))
                .transpose()?;
            let said = read.iter().flat_map(|read| read.submissions());
            for (ordinal, said) in (0..).zip(said) {
                let provenance = self
                    .sayings
                    .take(&file.path, said)
                    .unwrap_or_else(|| Provenance::of(commit, submitter));
                let created = match said.entry.date {
                    // The date that is given counts; when the file was created need not be looked
                    // for.
                    Some(_) => commit.committed,
                    None => self.time_of(&file.path, &mut birth, commit.committed)?,
                };
                entries.push(indexed(&file.path, ordinal, said, created, provenance));
            }
            births.insert(file.path, birth);
        }
        entries.truncate(MAX_ENTRIES);
        self.births = births;
        self.sayings = Sayings::of(entries.iter());
        Ok(Some(Step {
            at: commit.committed,
            entries,
        }))
    }

    fn time_of(
        &self,
        path: &RepoPath,
        birth: &mut Birth,
        fallback: Timestamp,
    ) -> Result<Timestamp, Error> {
        let at = match *birth {
            Birth::At(at) => at,
            Birth::Before(commit) => {
                let created = self.result_files.objects.created(commit, path)?;
                created.map_or(fallback, |created| created.committed)
            }
        };
        *birth = Birth::At(at);
        Ok(at)
    }
}
