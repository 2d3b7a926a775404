//! The submitter and commit of an entry: they stay with the entry when it moves inside its file.

use std::collections::{HashMap, VecDeque};

use assay_git::CommitInfo;
use assay_model::{ObjectId, RepoPath, Standing, Timestamp};
use assay_store::{AccountId, NewEntry};

use super::digest::digest;
use super::read::Submission;

/// The origin of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Provenance {
    commit: ObjectId,
    committed: Timestamp,
    submitter: Option<AccountId>,
    author: String,
}

/// The entries of a branch as they are, by what they say: from one commit to the next, what is
/// still said keeps its provenance.
#[derive(Debug, Default)]
pub(super) struct Sayings(HashMap<(RepoPath, [u8; 32]), VecDeque<Provenance>>);

impl Provenance {
    pub(super) fn of(commit: &CommitInfo, submitter: Option<AccountId>) -> Self {
        Self {
            commit: commit.id,
            committed: commit.committed,
            submitter,
            author: commit.author_name.clone(),
        }
    }
}

impl Sayings {
    /// Returns the origins of these entries, in the order of file and place.
    pub(super) fn of<'e>(entries: impl Iterator<Item = &'e NewEntry>) -> Self {
        let mut sayings = Self::default();
        for entry in entries {
            let provenance = Provenance {
                commit: entry.commit,
                committed: entry.committed,
                submitter: entry.submitter,
                author: entry.author.clone(),
            };
            let said = (entry.file.clone(), digest(&entry.data));
            sayings.0.entry(said).or_default().push_back(provenance);
        }
        sayings
    }

    /// The provenance of what a file says, when it was said before; each saying is given out once.
    pub(super) fn take(&mut self, file: &RepoPath, said: &Submission) -> Option<Provenance> {
        self.0
            .get_mut(&(file.clone(), said.digest))
            .and_then(VecDeque::pop_front)
    }
}

/// An entry as it is to be indexed.
pub(super) fn indexed(
    file: &RepoPath,
    ordinal: u32,
    said: &Submission,
    created: Timestamp,
    provenance: Provenance,
) -> NewEntry {
    let given = said.entry.date.as_ref().and_then(Timestamp::of_date);
    NewEntry {
        file: file.clone(),
        ordinal,
        moment: given.unwrap_or(created),
        evidence: said.evidence.clone(),
        // What the logs say of it is looked up when everything is read.
        standing: said.standing.clone().unwrap_or_else(Standing::no_token),
        entry: said.entry.clone(),
        findings: said.findings.clone(),
        data: said.data.clone(),
        commit: provenance.commit,
        committed: provenance.committed,
        submitter: provenance.submitter,
        author: provenance.author,
    }
}
