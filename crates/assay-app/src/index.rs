//! The index of one repository: what its refs and its pull requests say, derived from git and the
//! records alone.
//!
//! The index of a repository is a function of its refs, the history behind them and the events of
//! its pull requests, so it can be thrown away and made again. [`Hub::index_repository`] takes the
//! shortest way to it: it walks the commits that are new on the main branch, and reads the pull
//! requests that changed. When the main branch was forced elsewhere, it starts over.
//!
//! Results of a file are validated without regard to benchmarks: whether a result is on a board is
//! decided when the board is read, so a benchmark that is defined later finds the results that were
//! waiting for it.

mod derive;
mod digest;
mod files;
mod gather;
mod main_line;
mod provenance;
mod pull_line;
mod read;
mod records;
mod result_files;
mod write;

use std::collections::BTreeSet;
use std::sync::Arc;

use assay_git::{RefKind, Reference, Repositories};
use assay_model::{ObjectId, RepoId, RepoKey, RepoKind};
use assay_store::{AccountId, IndexedEntry, NewEntry, Store, Tx};
use tokio::sync::Semaphore;

pub(crate) use self::derive::MAX_ENTRIES;
pub(crate) use self::digest::digest;
pub(crate) use self::files::{Kind, ReadFile, ResultFiles};
use self::gather::plan;
use self::main_line::MainLine;
pub(crate) use self::read::{
    CARD_FILE, DEFINITION_FILE, MAX_BYTES, RESULTS_FOLDER, Submission, benchmark_of, definition,
    submissions_of_text,
};
pub(crate) use self::records::RECORDS_FOLDER;
pub(crate) use self::result_files::{ResultFileReader, results_folder};
use self::write::{Written, write};
use crate::error::{Busy, Error};
use crate::hub::Hub;
use crate::repo_lookup::Repo;
use crate::trust::Trust;
use crate::webhook::Telling;

/// The number of times that the index of a repository is planned again because another process
/// wrote it meanwhile.
const MAX_PLANS: usize = 5;
/// The number of repositories of a process that are read at a time. Each may hold all versions that
/// are kept of a branch.
const DERIVED_AT_ONCE: usize = 4;

/// The parts of the index that a change touched, for caches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Touched {
    /// The benchmarks whose results changed, as the entries name them, in lower case.
    pub(crate) boards: BTreeSet<String>,
    /// The models whose results, card or name changed.
    pub(crate) models: BTreeSet<RepoKey>,
    /// The names of these models, in lower case: before the change and after it.
    pub(crate) model_names: BTreeSet<String>,
    /// The datasets whose definition, name or visibility changed.
    pub(crate) datasets: BTreeSet<RepoKey>,
    /// True if somebody may see less than before, or under another name: no earlier answer may be
    /// given any more.
    pub(crate) visibility: bool,
}

impl Touched {
    /// Takes in what another change touched.
    pub(crate) fn merge(&mut self, other: Self) {
        self.boards.extend(other.boards);
        self.models.extend(other.models);
        self.model_names.extend(other.model_names);
        self.datasets.extend(other.datasets);
        self.visibility |= other.visibility;
    }

    /// A result of a model has become something else.
    pub(crate) fn add_entry(&mut self, key: RepoKey, id: &RepoId, entry: &NewEntry) {
        self.boards.insert(board_of(entry));
        self.add_model(key, id);
    }

    /// The refs or the records of a repository have changed, and its index not yet.
    pub(crate) fn touch_repository(&mut self, repo: &Repo) {
        match repo.kind {
            RepoKind::Model => self.add_model(repo.key, &repo.id),
            RepoKind::Dataset => {}
        }
    }

    fn add_model(&mut self, key: RepoKey, id: &RepoId) {
        self.models.insert(key);
        self.model_names.insert(id.as_str().to_ascii_lowercase());
    }
}

/// The part of the index of a repository that is derived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// New commits alone: those that the main branch gained, and the pull requests whose ref is not
    /// the one that is indexed.
    New,
    /// Everything, in place of what is there.
    Everything,
}

/// The sources of the index, and the way it is written.
#[derive(Clone)]
pub(crate) struct Sources {
    /// The repositories.
    pub(crate) git: Arc<Repositories>,
    /// The files with results that were read lately.
    pub(crate) files: ResultFiles,
    /// The keys and the logs.
    trust: Arc<Trust>,
    /// The turn to read a repository.
    deriving: Arc<Semaphore>,
    /// The number of rows that one transaction writes, when it need not write more.
    transaction_rows: usize,
}

impl Sources {
    /// Makes the sources of the index of a hub.
    pub(crate) fn new(git: Arc<Repositories>, trust: Arc<Trust>, transaction_rows: usize) -> Self {
        Self {
            git,
            files: ResultFiles::new(),
            trust,
            deriving: Arc::new(Semaphore::new(DERIVED_AT_ONCE)),
            transaction_rows: transaction_rows.max(1),
        }
    }
}

/// Brings the index of a repository up to its refs and records, for whoever holds the lock of the
/// repository. The result is the same whether it was kept up step by step or is made from nothing.
///
/// Everything is read before a transaction begins, and nothing is written unless the index is still
/// what it was then. An ordinary change is one transaction. A large one is several: first the
/// versions that are over already, then all that is current, in one. Until the last one the index
/// says that it is behind, so that a crash is caught up with.
pub(crate) async fn index(
    sources: &Sources,
    store: &Store,
    key: RepoKey,
    extent: Extent,
    telling: Option<&Telling<'_>>,
) -> Result<Touched, Error> {
    for _ in 0..MAX_PLANS {
        let Some(plan) = plan(sources, store, key, extent).await? else {
            return Ok(Touched::default());
        };
        match write(sources, store, plan, telling).await? {
            Written::Done(touched) => return Ok(touched),
            Written::Overtaken => {}
        }
    }
    Err(Error::Busy(Busy::Index(key)))
}

impl Hub {
    /// Brings the index of a repository up to its refs and records.
    pub(crate) async fn index_repository(
        &self,
        key: RepoKey,
        telling: Option<&Telling<'_>>,
    ) -> Result<(), Error> {
        let touched = index(&self.sources, &self.store, key, Extent::New, telling).await?;
        self.boards().touch(&touched);
        Ok(())
    }
}

/// Returns the parts that a change of a repository's name, visibility or existence touches: to be
/// called before it, and again after it.
pub(crate) async fn touched_by(
    tx: &mut Tx,
    key: RepoKey,
    kind: RepoKind,
    id: &RepoId,
) -> Result<Touched, Error> {
    let mut touched = Touched {
        visibility: true,
        ..Touched::default()
    };
    match kind {
        RepoKind::Model => {
            let boards = tx.boards_touched(key).await?;
            touched.boards = boards.into_iter().map(|board| board.dataset).collect();
            touched.add_model(key, id);
        }
        RepoKind::Dataset => {
            touched.datasets.insert(key);
        }
    }
    Ok(touched)
}

/// The refs that people know of. Others are the hub's own and say nothing of results.
pub(crate) fn public(mut refs: Vec<Reference>) -> Vec<Reference> {
    refs.retain(|reference| reference.kind != RefKind::Other);
    refs
}

/// The entries of main after a commit that follows on its head, as the index would derive them;
/// none when the commit does not touch the results.
pub(crate) fn entries_after(
    result_files: &ResultFileReader<'_>,
    head: ObjectId,
    current: &[IndexedEntry],
    commit: ObjectId,
    submitter: Option<AccountId>,
) -> Result<Option<Vec<NewEntry>>, assay_git::Error> {
    let mut line = MainLine::after(result_files, head, current)?;
    let step = line.advance(&result_files.objects.commit(commit)?, submitter)?;
    Ok(step.map(|step| step.entries))
}

/// The benchmark that an entry names, in lower case.
fn board_of(entry: &NewEntry) -> String {
    entry.entry.dataset.as_str().to_ascii_lowercase()
}
