//! From git to the index: everything here blocks and reads git alone.

use std::collections::{BTreeMap, BTreeSet};

use assay_git::{CommitInfo, EntryKind, Error, Objects, Repository};
use assay_model::{ObjectId, RepoKind, RepoPath};
use assay_store::{AccountId, Branch, Card, History, IndexedEntry, NewBenchmark, NewEntry};
use serde_json::Value as Json;

use super::board_of;
use super::main_line::{MainLine, Step};
use super::pull_line::{self, Pull};
use super::read::{self, CARD_FILE, DEFINITION_FILE, MAX_BYTES, definition};
use super::shelf::Shelf;

/// How many commits are walked step by step. Each step holds all entries of main, so for more the history is made anew,
/// which holds only what changed.
const MAX_STEPS: usize = 64;
/// How long a `README.md` may be whose card is read, in bytes.
const MAX_CARD_BYTES: u64 = 8 << 20;

/// What is to be derived, and what is known already.
pub(super) struct Task {
    pub(super) kind: RepoKind,
    pub(super) repository: Repository,
    /// The main branch as it is indexed.
    pub(super) old: Option<ObjectId>,
    /// The main branch.
    pub(super) new: Option<ObjectId>,
    /// The entries of main as they are indexed.
    pub(super) current: Vec<IndexedEntry>,
    /// The benchmarks of all entries that are indexed, as [`Derived::boards`] has them.
    pub(super) shown: BTreeSet<String>,
    /// Who opened the pull request that a commit merged.
    pub(super) merges: BTreeMap<ObjectId, Option<AccountId>>,
    /// The pull requests that are to be read.
    pub(super) pulls: Vec<Pull>,
    /// The refs as they are indexed.
    pub(super) indexed: BTreeMap<String, ObjectId>,
}

/// What the index is to say.
pub(super) struct Derived {
    pub(super) main: MainChange,
    pub(super) pulls: Vec<(u32, Vec<IndexedEntry>)>,
    pub(super) card: Change<Option<Card>>,
    pub(super) benchmark: Change<Option<NewBenchmark>>,
}

/// How the entries of main change.
pub(super) enum MainChange {
    /// By steps from what is indexed.
    Steps(Vec<Step>),
    /// To this, whatever is indexed.
    Anew(Vec<IndexedEntry>),
}

/// Whether something changes.
pub(super) enum Change<T> {
    /// It stays.
    None,
    /// It becomes this.
    To(T),
}

impl Derived {
    /// Its entries, to be judged.
    pub(super) fn entries(&mut self) -> Vec<&mut NewEntry> {
        let mut entries: Vec<&mut NewEntry> = match &mut self.main {
            MainChange::Steps(steps) => steps
                .iter_mut()
                .flat_map(|step| &mut step.entries)
                .collect(),
            MainChange::Anew(versions) => versions
                .iter_mut()
                .map(|indexed| &mut indexed.version)
                .collect(),
        };
        let pulls = self.pulls.iter_mut().flat_map(|(_, versions)| versions);
        entries.extend(pulls.map(|indexed| &mut indexed.version));
        entries
    }

    /// The benchmarks that its entries name, in lower case.
    pub(super) fn boards(&self) -> BTreeSet<String> {
        let mut boards = BTreeSet::new();
        match &self.main {
            MainChange::Steps(steps) => {
                let entries = steps.iter().flat_map(|step| &step.entries);
                boards.extend(entries.map(board_of));
            }
            MainChange::Anew(versions) => {
                boards.extend(versions.iter().map(|version| board_of(&version.version)));
            }
        }
        let pulls = self.pulls.iter().flat_map(|(_, versions)| versions);
        boards.extend(pulls.map(|version| board_of(&version.version)));
        boards
    }
}

/// Reads the repository as far as it is not known.
pub(super) fn derive(task: &Task) -> Result<Derived, Error> {
    let objects = task.repository.objects();
    let mut derived = Derived {
        main: MainChange::Steps(Vec::new()),
        pulls: Vec::new(),
        card: card(&objects, task)?,
        benchmark: Change::None,
    };
    match task.kind {
        RepoKind::Dataset => derived.benchmark = benchmark(&objects, task)?,
        RepoKind::Model => {
            let mut shelf = Shelf::new(&objects);
            derived.main = main(&mut shelf, task)?;
            for pull in &task.pulls {
                let versions = pull_line::versions(&mut shelf, pull)?;
                derived.pulls.push((pull.num, versions));
            }
        }
    }
    Ok(derived)
}

fn main(shelf: &mut Shelf<'_>, task: &Task) -> Result<MainChange, Error> {
    let Some(new) = task.new else {
        return Ok(MainChange::Anew(Vec::new()));
    };
    if task.old == Some(new) {
        return Ok(MainChange::Steps(Vec::new()));
    }
    let mut commits = shelf.objects.first_parents(new, task.old)?;
    let known = task.old.filter(|old| joins(&commits, *old));
    match known {
        Some(old) if commits.len() <= MAX_STEPS => {
            let mut line = MainLine::after(shelf, old, &task.current)?;
            let mut steps = Vec::new();
            for commit in commits.iter().rev() {
                steps.extend(line.advance(commit, submitter(task, commit))?);
            }
            return Ok(MainChange::Steps(steps));
        }
        Some(_) => commits = shelf.objects.first_parents(new, None)?,
        None => {}
    }
    let mut line = MainLine::from_the_start(shelf);
    let mut history = History::new(Branch::Main);
    for commit in commits.iter().rev() {
        if let Some(step) = line.advance(commit, submitter(task, commit))? {
            history.replace(step.at, &step.entries);
        }
    }
    Ok(MainChange::Anew(history.into_versions()))
}

/// Who brought what a commit of main brings, when it was one of the hub's accounts: whoever opened the pull request that
/// it merged. What other commits say of their authors anyone can write.
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
fn still_there(objects: &Objects, commit: Option<ObjectId>) -> Result<Option<ObjectId>, Error> {
    match commit {
        Some(commit) if objects.contains(commit)? => Ok(Some(commit)),
        Some(_) | None => Ok(None),
    }
}

/// Whether no commit between the one that is indexed and the head touches a file. One that was changed and changed back
/// has another commit behind it.
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
    let commits = objects.first_parents(head, Some(old))?;
    if !joins(&commits, old) {
        return Ok(false);
    }
    let before = file_at(objects, Some(old), name)?;
    for commit in &commits {
        if file_at(objects, Some(commit.id), name)? != before {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a walk along first parents, newest first, came to an end at this commit, or went past it because it is no
/// longer on the line.
fn joins(commits: &[CommitInfo], old: ObjectId) -> bool {
    commits
        .last()
        .is_some_and(|first| first.parents.first() == Some(&old))
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
