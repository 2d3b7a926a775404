//! From git to the index: everything here blocks and reads git alone.

use std::collections::{BTreeMap, BTreeSet};

use assay_git::{CommitInfo, EntryKind, Error, Objects, Repository};
use assay_model::{ObjectId, RepoKind, RepoPath, Timestamp};
use assay_store::{AccountId, Branch, BranchChange, Card, History, IndexedEntry, NewBenchmark};
use serde_json::Value as Json;

use super::board_of;
use super::files::RepoFiles;
use super::main_line::MainLine;
use super::pull_line::{self, Pull};
use super::read::{self, CARD_FILE, DEFINITION_FILE, MAX_BYTES, MAX_CARD_BYTES, definition};
use super::records::{RecordsChange, records};
use super::result_files::ResultFileReader;

/// Number of entries of one branch that are indexed at one moment: those of the first files, by
/// name. A change with more is refused before it is made.
pub(crate) const MAX_ENTRIES: usize = 10_000;
/// The number of versions of a branch's entries that are kept after they ended: the latest ones.
/// With forty results that all change with every commit, five hundred commits.
pub(crate) const MAX_ENDED: u32 = 20_000;

/// The work of a derivation, and the facts that are known already.
pub(super) struct Task {
    pub(super) kind: RepoKind,
    pub(super) repository: Repository,
    /// The files that were read already.
    pub(super) files: RepoFiles,
    /// The main branch as it is indexed.
    pub(super) old: Option<ObjectId>,
    /// The main branch.
    pub(super) new: Option<ObjectId>,
    /// The entries of main as they are indexed.
    pub(super) current: Vec<IndexedEntry>,
    /// The time at which an entry of main last ended, as it is indexed.
    pub(super) last_end: Option<Timestamp>,
    /// The benchmarks of all entries that are indexed, as [`Derived::boards`] has them.
    pub(super) shown: BTreeSet<String>,
    /// The author of the pull request that a commit merged.
    pub(super) merges: BTreeMap<ObjectId, Option<AccountId>>,
    /// The pull requests that are to be read.
    pub(super) pulls: Vec<Pull>,
}

/// The new state of the index.
pub(super) struct Derived {
    /// The changes on main.
    pub(super) main: BranchChange,
    /// The whole history of each pull request that was read.
    pub(super) pulls: Vec<BranchChange>,
    pub(super) card: Change<Option<Card>>,
    pub(super) benchmark: Change<Option<NewBenchmark>>,
    pub(super) records: RecordsChange,
}

/// A change, or none.
pub(super) enum Change<T> {
    /// It stays.
    None,
    /// It becomes this.
    To(T),
}

impl Derived {
    /// The benchmarks that its entries name, in lower case.
    pub(super) fn boards(&self) -> BTreeSet<String> {
        let branches = std::iter::once(&self.main).chain(&self.pulls);
        branches
            .flat_map(BranchChange::versions)
            .map(|version| board_of(&version.version))
            .collect()
    }
}

/// Reads the repository as far as it is not known; none when main does not follow on what is
/// indexed.
pub(super) fn derive(task: &Task) -> Result<Option<Derived>, Error> {
    let objects = task.repository.objects();
    let result_files = ResultFileReader::new(&objects, task.files.clone());
    let main = match task.kind {
        RepoKind::Dataset => History::new(Branch::Main).into_change(),
        RepoKind::Model => match main(&result_files, task)? {
            Some(main) => main,
            None => return Ok(None),
        },
    };
    let mut pulls = Vec::new();
    for pull in &task.pulls {
        pulls.push(pull_line::history(&result_files, pull)?.into_change());
    }
    Ok(Some(Derived {
        main,
        pulls,
        card: card(&objects, task)?,
        benchmark: match task.kind {
            RepoKind::Dataset => benchmark(&objects, task)?,
            RepoKind::Model => Change::None,
        },
        records: records(&objects, task)?,
    }))
}

/// Walks the commits of main that are new, one at a time. Whatever their number, only the entries
/// of one commit and the versions that are kept are in memory.
fn main(result_files: &ResultFileReader<'_>, task: &Task) -> Result<Option<BranchChange>, Error> {
    let most_ended = MAX_ENDED as usize;
    let history = History::after(Branch::Main, task.current.clone(), task.last_end);
    let mut history = history.keeping(most_ended);
    let Some(new) = task.new else {
        // A branch that is gone has no history either.
        let is_known = task.old.is_some();
        return Ok((!is_known).then(|| history.into_change()));
    };
    if task.old == Some(new) {
        return Ok(Some(history.into_change()));
    }
    let objects = result_files.objects;
    let Some(ids) = objects.first_parent_ids(new, task.old)? else {
        return Ok(None);
    };
    let mut line = match task.old {
        Some(old) => MainLine::after(result_files, old, &task.current)?,
        None => MainLine::from_the_start(result_files),
    };
    for id in ids.into_iter().rev() {
        let commit = objects.commit(id)?;
        if let Some(step) = line.advance(&commit, submitter(task, &commit))? {
            history.replace(step.at, &step.entries);
        }
    }
    Ok(Some(history.into_change()))
}

/// Returns the account that brought the content of a commit of main, when it was one of the hub's:
/// the author of the pull request that it merged. Other commits can name any author.
fn submitter(task: &Task, commit: &CommitInfo) -> Option<AccountId> {
    task.merges.get(&commit.id).copied().flatten()
}

fn card(objects: &Objects, task: &Task) -> Result<Change<Option<Card>>, Error> {
    let new = file_at(objects, task.new, CARD_FILE)?;
    let known = still_there(objects, task.old)?;
    // What a card says follows from its bytes alone.
    if known.is_some() && file_at(objects, known, CARD_FILE)? == new {
        return Ok(Change::None);
    }
    Ok(Change::To(match new {
        Some(blob) => content(objects, blob, MAX_CARD_BYTES)?.and_then(|bytes| read::card(&bytes)),
        None => None,
    }))
}

fn benchmark(objects: &Objects, task: &Task) -> Result<Change<Option<NewBenchmark>>, Error> {
    let Some(head) = task.new else {
        return Ok(Change::To(None));
    };
    if stays(objects, head, task.old, DEFINITION_FILE)? {
        return Ok(Change::None);
    }
    let Some(blob) = file_at(objects, Some(head), DEFINITION_FILE)? else {
        return Ok(Change::To(None));
    };
    let path = path(DEFINITION_FILE);
    let commits = objects.last_commits(head, std::slice::from_ref(&path))?;
    let revision = commits.get(&path).map_or(head, |commit| commit.id);
    let (definition, tasks, valid) = match content(objects, blob, MAX_BYTES)?.and_then(definition) {
        Some((definition, benchmark)) => (definition, benchmark.tasks, true),
        None => (Json::Null, Vec::new(), false),
    };
    Ok(Change::To(Some(NewBenchmark {
        revision,
        definition,
        tasks: tasks.into_iter().map(|task| task.id).collect(),
        valid,
    })))
}

/// A commit that was indexed, unless it was lost since.
pub(super) fn still_there(
    objects: &Objects,
    commit: Option<ObjectId>,
) -> Result<Option<ObjectId>, Error> {
    match commit {
        Some(commit) if objects.contains(commit)? => Ok(Some(commit)),
        Some(_) | None => Ok(None),
    }
}

/// Returns whether no commit between the one that is indexed and the head touches a file. One that
/// was changed and changed back has another commit behind it.
fn stays(
    objects: &Objects,
    head: ObjectId,
    old: Option<ObjectId>,
    name: &str,
) -> Result<bool, Error> {
    let Some(old) = still_there(objects, old)? else {
        return Ok(false);
    };
    if old == head {
        return Ok(true);
    }
    let Some(commits) = objects.first_parent_ids(head, Some(old))? else {
        return Ok(false);
    };
    let before = file_at(objects, Some(old), name)?;
    for commit in commits {
        if file_at(objects, Some(commit), name)? != before {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The blob of a file at a commit.
fn file_at(
    objects: &Objects,
    commit: Option<ObjectId>,
    name: &str,
) -> Result<Option<ObjectId>, Error> {
    let Some(commit) = commit else {
        return Ok(None);
    };
    let entry = objects.entry(commit, &path(name))?;
    Ok(entry
        .filter(|entry| matches!(entry.kind, EntryKind::File(_)))
        .map(|entry| entry.oid))
}

/// The bytes of a file; none when it is too large to be read.
fn content(objects: &Objects, blob: ObjectId, max: u64) -> Result<Option<Vec<u8>>, Error> {
    match objects.read(blob, max) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(Error::BlobTooLarge { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

fn path(name: &str) -> RepoPath {
    name.parse().expect("the names of our own files are paths")
}
