//! The index of one repository: what its refs and its pull requests say, derived from git and the records alone.
//!
//! The index of a repository is a function of its refs, the history behind them and the events of its pull requests, so
//! it can be thrown away and made again. [`index_repository`] takes the shortest way to it: it walks the commits that
//! are new on the main branch, and reads the pull requests that changed. When the main branch was forced elsewhere, it
//! starts over.
//!
//! Results of a file are judged without regard to benchmarks: whether a result is on a board is decided when the board is
//! read, so a benchmark that is defined later finds the results that were waiting for it.

mod derive;
mod main_line;
mod plain;
mod provenance;
mod pull_line;
mod read;
mod records;
mod shelf;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use assay_git::{Objects, RefKind, Reference, Repositories, Repository};
use assay_model::{ObjectId, RepoId, RepoKey, RepoKind};
use assay_store::{
    AccountId, Branch, Discussion, Event, EventKind, IndexedEntry, IndexedRef, NewEntry, Status, Tx,
};
use serde_json::Value as Json;

use self::derive::{Change, Derived, MainChange, Task, derive};
use self::main_line::MainLine;
pub(crate) use self::plain::digest;
use self::pull_line::{Happening, Pull};
pub(crate) use self::read::{
    CARD_FILE, DEFINITION_FILE, MAX_BYTES, RESULTS_FOLDER, Submission, benchmark_of, definition,
    submissions,
};
pub(crate) use self::records::RECORDS_FOLDER;
use self::records::RecordsChange;
pub(crate) use self::shelf::Shelf;
use crate::error::Error;
use crate::hub::{Hub, blocking};
use crate::trust::{Trust, judge};

/// What a change of the index touched, for those who keep some of it in memory.
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
    /// Whether somebody may see less than before, or under another name: no answer from before may be given any more.
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

    fn add_model(&mut self, key: RepoKey, id: &RepoId) {
        self.models.insert(key);
        self.model_names.insert(id.as_str().to_ascii_lowercase());
    }
}

/// Which pull requests are read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Afresh {
    /// Those whose ref moved, or which have ended.
    Moved,
    /// Those, and this one, whose status changed.
    Pull(u32),
}

/// Brings the index of a repository up to its refs and records. The result is the same whether it was kept up step by
/// step or is made from nothing.
pub(crate) async fn index_repository(
    hub: &Hub,
    tx: &mut Tx,
    key: RepoKey,
) -> Result<Touched, Error> {
    index(&hub.sources(), tx, key, Afresh::Moved).await
}

/// What the index is made of.
#[derive(Clone)]
pub(crate) struct Sources {
    /// The repositories.
    pub(crate) git: Arc<Repositories>,
    /// The keys and the logs.
    pub(crate) trust: Arc<Trust>,
}

/// What [`index_repository`] does, with a pull request that is to be read again.
pub(crate) async fn index(
    sources: &Sources,
    tx: &mut Tx,
    key: RepoKey,
    afresh: Afresh,
) -> Result<Touched, Error> {
    let Some(record) = tx.repository(key).await? else {
        return Ok(Touched::default());
    };
    let git = Arc::clone(&sources.git);
    let (repository, refs) = blocking(move || {
        let repository = git.get(key)?;
        let refs = public(repository.refs()?);
        Ok((repository, refs))
    })
    .await?;
    let task = gather(tx, record.kind, repository, &refs, afresh).await?;
    let mut touched = Touched {
        boards: task.shown.clone(),
        ..Touched::default()
    };
    let indexed = task.indexed.clone();
    let mut derived = blocking(move || Ok(derive(&task)?)).await?;
    judge(&sources.trust, tx, &record, derived.entries()).await?;
    touched.boards.extend(derived.boards());
    match record.kind {
        RepoKind::Model => touched.add_model(key, &record.id),
        // Files beside the definition, such as records, change no board.
        RepoKind::Dataset => {
            if let Change::To(_) = derived.benchmark {
                touched.datasets.insert(key);
            }
        }
    }
    write(tx, key, &derived, indexed.is_empty()).await?;
    write_refs(tx, key, &indexed, &refs).await?;
    Ok(touched)
}

/// What a change of a repository's name, visibility or existence touches: ask before it, and again after it.
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

/// The entries of main after a commit that follows on its head, as the index would derive them; none when the commit
/// does not touch the results.
pub(crate) fn entries_after(
    objects: &Objects,
    head: ObjectId,
    current: &[IndexedEntry],
    commit: ObjectId,
    submitter: Option<AccountId>,
) -> Result<Option<Vec<NewEntry>>, assay_git::Error> {
    let mut shelf = Shelf::new(objects);
    let mut line = MainLine::after(&mut shelf, head, current)?;
    let step = line.advance(&objects.commit(commit)?, submitter)?;
    Ok(step.map(|step| step.entries))
}

/// Collects what the records and the index say of a repository.
async fn gather(
    tx: &mut Tx,
    kind: RepoKind,
    repository: Repository,
    refs: &[Reference],
    afresh: Afresh,
) -> Result<Task, Error> {
    let key = repository.key();
    let targets: BTreeMap<&str, ObjectId> = refs
        .iter()
        .map(|reference| (reference.name.as_str(), reference.target))
        .collect();
    let indexed: BTreeMap<String, ObjectId> = tx
        .indexed_refs(key)
        .await?
        .into_iter()
        .map(|held| (held.name, held.target))
        .collect();
    let mut task = Task {
        kind,
        old: indexed.get(MAIN).copied(),
        new: targets.get(MAIN).copied(),
        current: Vec::new(),
        shown: BTreeSet::new(),
        merges: BTreeMap::new(),
        pulls: Vec::new(),
        indexed,
        repository,
    };
    if kind == RepoKind::Dataset {
        return Ok(task);
    }
    // A repository without indexed refs has no index at all.
    let rows = if task.indexed.is_empty() {
        Vec::new()
    } else {
        tx.entries_of_model(key, None).await?
    };
    task.shown = rows.iter().map(|row| board_of(&row.version)).collect();
    let (main, community): (Vec<IndexedEntry>, Vec<IndexedEntry>) = rows
        .into_iter()
        .partition(|entry| entry.branch == Branch::Main);
    task.current = main;
    let shown: BTreeSet<u32> = community
        .iter()
        .filter_map(|entry| entry.branch.pull())
        .collect();
    for pull in tx.pulls_of(key).await? {
        if let Some(commit) = pull.merge_commit {
            task.merges.insert(commit, author(&pull));
        }
        let name = format!("refs/pr/{}", pull.num);
        let tip = targets.get(name.as_str()).copied();
        let moved = task.indexed.get(&name).copied() != tip;
        let ended = !is_live(pull.status) && shown.contains(&pull.num);
        if moved || ended || afresh == Afresh::Pull(pull.num) {
            let events = tx.events_of(key, pull.num).await?;
            task.pulls.push(pull_of(&pull, &events, tip));
        }
    }
    Ok(task)
}

/// The name of the main branch, as the index spells it.
const MAIN: &str = "refs/heads/main";

/// Whether the results of a pull request count. A draft counts from its first commit on: many tools never publish theirs.
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

/// What an event means for the index. The keys are those of `discussion.rs`, which writes them.
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

/// The benchmark that an entry names, in lower case.
fn board_of(entry: &NewEntry) -> String {
    entry.entry.dataset.as_str().to_ascii_lowercase()
}

/// Writes what was derived. Where nothing is indexed yet, there is nothing to remove.
async fn write(tx: &mut Tx, key: RepoKey, derived: &Derived, is_new: bool) -> Result<(), Error> {
    match &derived.main {
        MainChange::Steps(steps) => {
            for step in steps {
                tx.replace_entries(key, Branch::Main, step.at, &step.entries)
                    .await?;
            }
        }
        MainChange::Anew(versions) if is_new && versions.is_empty() => {}
        MainChange::Anew(versions) => tx.rewrite_entries(key, Branch::Main, versions).await?,
    }
    for (num, versions) in &derived.pulls {
        if is_new && versions.is_empty() {
            continue;
        }
        tx.rewrite_entries(key, Branch::Pull(*num), versions)
            .await?;
    }
    if let Change::To(card) = &derived.card
        && !(is_new && card.is_none())
    {
        tx.set_card(key, card.as_ref()).await?;
    }
    if let Change::To(benchmark) = &derived.benchmark
        && !(is_new && benchmark.is_none())
    {
        tx.set_benchmark(key, benchmark.as_ref()).await?;
    }
    write_records(tx, key, &derived.records, is_new).await
}

async fn write_records(
    tx: &mut Tx,
    key: RepoKey,
    change: &RecordsChange,
    is_new: bool,
) -> Result<(), Error> {
    let written = match change {
        RecordsChange::Steps(written, gone) => {
            for path in gone {
                tx.remove_record(key, path).await?;
            }
            written
        }
        RecordsChange::Anew(all) => {
            if !is_new {
                tx.clear_records(key).await?;
            }
            all
        }
    };
    tx.set_records(key, written).await?;
    Ok(())
}

/// Writes the refs that differ: a repository may have thousands, and a push moves one.
async fn write_refs(
    tx: &mut Tx,
    key: RepoKey,
    indexed: &BTreeMap<String, ObjectId>,
    refs: &[Reference],
) -> Result<(), Error> {
    if indexed.is_empty() {
        let all: Vec<IndexedRef> = refs
            .iter()
            .map(|reference| IndexedRef {
                name: reference.name.as_str().to_owned(),
                target: reference.target,
            })
            .collect();
        tx.set_indexed_refs(key, &all).await?;
        return Ok(());
    }
    let mut gone: BTreeSet<&str> = indexed.keys().map(String::as_str).collect();
    for reference in refs {
        let name = reference.name.as_str();
        gone.remove(name);
        if indexed.get(name) != Some(&reference.target) {
            tx.set_indexed_ref(key, name, Some(&reference.target))
                .await?;
        }
    }
    for name in gone {
        tx.set_indexed_ref(key, name, None).await?;
    }
    Ok(())
}
