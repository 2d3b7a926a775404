//! The content to be written to the index of a repository: read from git, the records and the index
//! before any transaction begins.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use assay_git::{Reference, Repository};
use assay_model::{ObjectId, RepoKey, RepoKind};
use assay_store::{
    AccountId, Branch, BranchChange, Discussion, Event, EventKind, IndexedEntry, Status, Store,
};
use serde_json::Value as Json;

use super::derive::{Derived, Task, derive};
use super::files::{RepoFiles, ResultFiles};
use super::pull_line::{Happening, Pull};
use super::{Extent, Sources, board_of, public};
use crate::error::Error;
use crate::hub::blocking;

/// The name of the main branch, as the index spells it.
const MAIN: &str = "refs/heads/main";
/// The name, among the indexed refs, of the mark that a change was written in part. No ref of git
/// has such a name.
pub(super) const UNFINISHED: &str = "unfinished";

/// A change of the index of one repository.
pub(super) struct Plan {
    pub(super) key: RepoKey,
    /// The refs as they are indexed. The plan holds while they are.
    pub(super) indexed: BTreeMap<String, ObjectId>,
    /// The refs as they are.
    pub(super) refs: Vec<Reference>,
    /// True if everything is written in place of what is there.
    pub(super) is_anew: bool,
    /// The branches whose rows all go, with their number.
    pub(super) removed: Vec<(Branch, u64)>,
    pub(super) derived: Derived,
    /// The benchmarks of all entries that are indexed.
    pub(super) shown: BTreeSet<String>,
}

/// Finds out what is to be written; none when there is no such repository.
pub(super) async fn plan(
    sources: &Sources,
    store: &Store,
    key: RepoKey,
    extent: Extent,
) -> Result<Option<Plan>, Error> {
    let Some(record) = store.repository(key).await? else {
        return Ok(None);
    };
    let indexed = indexed_refs(store.indexed_refs(key).await?);
    let git = Arc::clone(&sources.git);
    let (repository, refs) = blocking(move || {
        let repository = git.get(key)?;
        let refs = public(repository.refs()?);
        Ok((repository, refs))
    })
    .await?;
    let turn = sources.deriving.acquire().await.map_err(Error::internal)?;
    let files = match extent {
        Extent::New => sources.files.clone(),
        // Who makes the index again wants to know what git says now.
        Extent::Everything => ResultFiles::new(),
    };
    let files = files.of_repository(key);
    let is_anew = extent == Extent::Everything || indexed.contains_key(UNFINISHED);
    let mut found = None;
    if !is_anew {
        let known = &indexed;
        let place = (repository.clone(), files.clone());
        found = read(store, record.kind, place, &refs, known).await?;
    }
    // Main was moved to where it had not been, or nothing that is indexed counts.
    let is_anew = found.is_none();
    let (derived, shown) = if let Some(found) = found {
        found
    } else {
        let nothing = BTreeMap::new();
        let read = read(store, record.kind, (repository, files), &refs, &nothing).await?;
        let (derived, _) = read.ok_or_else(|| {
            Error::internal("a branch that follows on nothing was not read to its end")
        })?;
        let shown = store.entries_of_model(key, None).await?;
        (derived, boards(&shown))
    };
    drop(turn);
    let mut plan = Plan {
        key,
        removed: Vec::new(),
        indexed,
        refs,
        is_anew,
        derived,
        shown,
    };
    plan.compare(store).await?;
    Ok(Some(plan))
}

impl Plan {
    /// Finds the rows that go, and leaves out pull requests that have their rows already.
    async fn compare(&mut self, store: &Store) -> Result<(), Error> {
        if self.is_anew {
            self.removed = store.branches_of(self.key).await?;
            return Ok(());
        }
        if self.indexed.is_empty() {
            // A repository without indexed refs has no index at all.
            return Ok(());
        }
        let mut changed = Vec::new();
        for pull in std::mem::take(&mut self.derived.pulls) {
            let held = store.history_of(self.key, pull.branch).await?;
            if is_written(&held, &pull) {
                continue;
            }
            if !held.is_empty() {
                self.removed.push((pull.branch, held.len() as u64));
            }
            changed.push(pull);
        }
        self.derived.pulls = changed;
        Ok(())
    }

    /// The number of rows that are written or removed.
    pub(super) fn rows(&self) -> usize {
        let removed: u64 = self.removed.iter().map(|(_, rows)| rows).sum();
        let branches = std::iter::once(&self.derived.main).chain(&self.derived.pulls);
        let written: usize = branches.map(BranchChange::rows).sum();
        let removed = usize::try_from(removed).unwrap_or(usize::MAX);
        removed
            .saturating_add(written)
            .saturating_add(self.derived.records.rows())
    }
}

/// The indexed refs by their names.
pub(super) fn indexed_refs(held: Vec<assay_store::IndexedRef>) -> BTreeMap<String, ObjectId> {
    let pairs = held.into_iter().map(|held| (held.name, held.target));
    pairs.collect()
}

/// Returns whether a branch has these versions. What their evidence came to is not compared: the
/// index keeps that up by itself.
fn is_written(held: &[IndexedEntry], change: &BranchChange) -> bool {
    let mut new: Vec<&IndexedEntry> = change.versions().collect();
    let place = |indexed: &IndexedEntry| {
        let version = &indexed.version;
        (version.file.clone(), version.ordinal, indexed.since)
    };
    new.sort_by_key(|indexed| place(indexed));
    held.len() == new.len()
        && held.iter().zip(new).all(|(held, new)| {
            let mut version = new.version.clone();
            version.standing = held.version.standing.clone();
            (held.since, held.until) == (new.since, new.until) && held.version == version
        })
}

/// Reads what follows on the refs that are indexed; none when main does not.
async fn read(
    store: &Store,
    kind: RepoKind,
    place: (Repository, RepoFiles),
    refs: &[Reference],
    indexed: &BTreeMap<String, ObjectId>,
) -> Result<Option<(Derived, BTreeSet<String>)>, Error> {
    let task = gather(store, kind, place, refs, indexed).await?;
    let shown = task.shown.clone();
    let derived = blocking(move || Ok(derive(&task)?)).await?;
    Ok(derived.map(|derived| (derived, shown)))
}

/// Collects what the records and the index say of a repository.
async fn gather(
    store: &Store,
    kind: RepoKind,
    (repository, files): (Repository, RepoFiles),
    refs: &[Reference],
    indexed: &BTreeMap<String, ObjectId>,
) -> Result<Task, Error> {
    let key = repository.key();
    let targets: BTreeMap<&str, ObjectId> = refs
        .iter()
        .map(|reference| (reference.name.as_str(), reference.target))
        .collect();
    let mut task = Task {
        kind,
        old: indexed.get(MAIN).copied(),
        new: targets.get(MAIN).copied(),
        current: Vec::new(),
        last_end: None,
        shown: BTreeSet::new(),
        merges: BTreeMap::new(),
        pulls: Vec::new(),
        repository,
        files,
    };
    if kind == RepoKind::Dataset {
        return Ok(task);
    }
    let mut shown = BTreeSet::new();
    // A repository without indexed refs has no index at all.
    if !indexed.is_empty() {
        let rows = store.entries_of_model(key, None).await?;
        task.shown = boards(&rows);
        shown.extend(rows.iter().filter_map(|row| row.branch.pull()));
    }
    if task.old.is_some() {
        (task.current, task.last_end) = store.branch_entries(key, Branch::Main).await?;
    }
    for pull in store.pulls_of(key).await? {
        if let Some(commit) = pull.merge_commit {
            task.merges.insert(commit, author(&pull));
        }
        let name = format!("refs/pr/{}", pull.num);
        let tip = targets.get(name.as_str()).copied();
        let moved = indexed.get(&name).copied() != tip;
        let ended = !is_live(pull.status) && shown.contains(&pull.num);
        if moved || ended {
            let events = store.events_of(key, pull.num).await?;
            task.pulls.push(pull_of(&pull, &events, tip));
        }
    }
    Ok(task)
}

fn boards(rows: &[IndexedEntry]) -> BTreeSet<String> {
    rows.iter().map(|row| board_of(&row.version)).collect()
}

/// Returns whether the results of a pull request count. A draft counts from its first commit on:
/// many tools never publish theirs.
fn is_live(status: Status) -> bool {
    match status {
        Status::Draft | Status::Open => true,
        Status::Closed | Status::Merged => false,
    }
}

fn author(pull: &Discussion) -> Option<AccountId> {
    pull.author.as_ref().map(|author| author.id)
}

fn pull_of(pull: &Discussion, events: &[Event], tip: Option<ObjectId>) -> Pull {
    let is_for_main = pull.base.as_deref() == Some(MAIN);
    let happenings = events
        .iter()
        .filter_map(|event| Some((event.created, happening(event)?)));
    Pull {
        num: pull.num,
        author: author(pull),
        created: pull.created,
        opened_at: pull.opened_at,
        happenings: happenings.filter(|_| is_for_main).collect(),
        tip: tip.filter(|_| is_for_main),
    }
}

/// Returns the meaning of an event for the index. The keys are those of `discussion.rs`, which
/// writes them.
fn happening(event: &Event) -> Option<Happening> {
    let text = |key: &str| event.data.get(key).and_then(Json::as_str);
    match event.kind {
        EventKind::Commit => text("oid")?.parse().ok().map(Happening::Commit),
        EventKind::StatusChange => {
            let status = Status::ALL
                .into_iter()
                .find(|status| Some(status.as_str()) == text("status"))?;
            Some(if is_live(status) {
                Happening::Opened
            } else {
                Happening::Ended
            })
        }
        EventKind::Comment | EventKind::TitleChange => None,
    }
}
