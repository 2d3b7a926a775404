use assay_model::{Entry, ObjectId, RepoKey, RepoPath, Standing, Timestamp};
use serde_json::Value as Json;

use crate::{AccountId, Board, Error, Tx};

/// Where in its repository an entry lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Branch {
    /// On the main branch: the repository's own.
    Main,
    /// In the pull request of this number: the community's.
    Pull(u32),
}

/// An entry of a result file, as it is to be indexed.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEntry {
    /// The file.
    pub file: RepoPath,
    /// Its place in the file, from 0.
    pub ordinal: u32,
    /// What it says.
    pub entry: Entry,
    /// When the evaluation ran: the date given, else when the file was created.
    pub moment: Timestamp,
    /// What the signed evidence says of it.
    pub standing: Standing,
    /// The entry as it was written, for clients that read the live keys.
    pub data: Json,
    /// The commit that introduced this version.
    pub commit: ObjectId,
    /// When that commit was made.
    pub committed: Timestamp,
    /// Who brought it to the hub, when it was one of its accounts.
    pub submitter: Option<AccountId>,
    /// The author that the commit names.
    pub author: String,
}

/// One version of an entry, and when it was current.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedEntry {
    /// Where it lives.
    pub branch: Branch,
    /// Since when it is current.
    pub since: Timestamp,
    /// When it ceased to be; none while it is current.
    pub until: Option<Timestamp>,
    /// The version.
    pub version: NewEntry,
}

impl Branch {
    /// The number of the pull request.
    pub fn pull(self) -> Option<u32> {
        match self {
            Self::Main => None,
            Self::Pull(num) => Some(num),
        }
    }
}

questions! {
    /// The entries of a model on its main branch and in pull requests, as they were at a moment or are now, in the order
    /// of branch, file and place.
    fn entries_of_model(key: RepoKey, at: Option<Timestamp>) -> Vec<IndexedEntry>;
    /// Every version that the entries of one branch ever had, in the order of file, place and time.
    fn history_of(key: RepoKey, branch: Branch) -> Vec<IndexedEntry>;
    /// The current entries of a model whose benchmark or task this hub does not know (yet).
    fn pending_entries(key: RepoKey) -> Vec<IndexedEntry>;
    /// How many current entries wait for their benchmark or task, in all models.
    fn count_pending() -> u64;
    /// The boards that the current entries of a model are on, or would be once the benchmark is known.
    fn boards_touched(key: RepoKey) -> Vec<Board>;
    /// The models with current entries for a benchmark, by any name it has or had, in the order of their keys.
    fn models_of_benchmark(dataset: &str) -> Vec<RepoKey>;
}

impl Tx {
    /// Makes these the current entries of a branch, at a moment. A version that is still as it was stays, with its
    /// commit; others end, and new ones begin. The moment counts as no earlier than the last change of the branch,
    /// because the clocks of committers may run backwards. It does what [`History::replace`](crate::History::replace)
    /// does.
    pub async fn replace_entries(
        &mut self,
        key: RepoKey,
        branch: Branch,
        at: Timestamp,
        entries: &[NewEntry],
    ) -> Result<(), Error> {
        let _ = (key, branch, at, entries);
        todo!()
    }

    /// Ends every current entry of a branch, as when a pull request is closed.
    pub async fn close_entries(
        &mut self,
        key: RepoKey,
        branch: Branch,
        at: Timestamp,
    ) -> Result<(), Error> {
        let _ = (key, branch, at);
        todo!()
    }

    /// Writes the whole history of a branch in place of what is there, as when it was read from git anew.
    pub async fn rewrite_entries(
        &mut self,
        key: RepoKey,
        branch: Branch,
        versions: &[IndexedEntry],
    ) -> Result<(), Error> {
        let _ = (key, branch, versions);
        todo!()
    }
}
