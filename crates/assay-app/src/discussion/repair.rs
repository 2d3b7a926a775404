//! Repair of records after a crash between the refs and the records.

use std::collections::BTreeMap;

use assay_git::{CommitInfo, Error as GitError, Expected, Objects, RefChange, RefName, Repository};
use assay_model::{ObjectId, PullNumber, RepoKey, Timestamp};
use assay_store::{Discussion, NewDiscussion, Status as Stored, Tx};

use super::Status;
use super::events::{self, DiscussionEvent, Scene};
use super::limits;
use super::record::{merged, publish_draft, tell_commits};
use crate::error::Error;
use crate::hub::{alongside, blocking};

/// The facts that git has and the records do not.
#[derive(Default)]
struct Unrecorded {
    /// Commits of pull requests, oldest first.
    commits: BTreeMap<u32, Vec<CommitInfo>>,
    /// Pull requests that were merged, with the commit.
    merges: BTreeMap<u32, ObjectId>,
}

/// A pull request without a record, as far as git tells.
#[derive(Debug)]
pub(crate) struct FoundPull {
    /// Its number.
    pub(crate) num: PullNumber,
    /// The commit of the main branch that it began at.
    pub(crate) opened_at: Option<ObjectId>,
    /// Its commits, oldest first; at least one.
    pub(crate) commits: Vec<CommitInfo>,
    /// The commit that merged it.
    pub(crate) merge: Option<ObjectId>,
}

/// Records a pull request that has none. Whether one that was not merged was open is not known: it
/// is closed, so that its results count only when somebody opens it again.
pub(crate) async fn record_found(
    tx: &mut Tx,
    key: RepoKey,
    pull: &FoundPull,
    now: Timestamp,
) -> Result<(), Error> {
    let first = pull.commits.first();
    let title = first.map_or_else(String::new, |commit| commit.title.clone());
    tx.add_discussion(&NewDiscussion {
        key,
        num: pull.num,
        title: limits::pull_title(&title),
        status: Stored::Open,
        is_pull: true,
        author: None,
        created: first.map_or(now, |commit| commit.committed.min(now)),
        base: Some(RefName::main().as_str().to_owned()),
        opened_at: pull.opened_at,
    })
    .await?;
    let scene = Scene {
        key,
        num: pull.num,
        actor: None,
        now,
    };
    tell_commits(tx, scene, &pull.commits).await?;
    if pull.merge.is_some() {
        return merged(tx, scene, None, pull.merge).await;
    }
    tx.move_discussion(key, pull.num, Stored::Open, Stored::Closed, None, now)
        .await?;
    scene
        .tell(tx, &DiscussionEvent::Status(Status::Closed))
        .await?;
    Ok(())
}

/// Makes the records of discussions say what the refs say, inside a transaction that keeps everyone
/// else from opening pull requests: so a ref without a record is one whose opening was cut short,
/// and which nobody was told of.
pub(crate) async fn repair(
    tx: &mut Tx,
    repository: Repository,
    key: RepoKey,
    now: Timestamp,
) -> Result<(), Error> {
    let pulls = tx.pulls_of(key).await?;
    let indexed: BTreeMap<String, ObjectId> = tx
        .indexed_refs(key)
        .await?
        .into_iter()
        .map(|held| (held.name, held.target))
        .collect();
    let found = blocking(move || {
        set_orphans_aside(&repository, &pulls)?;
        Ok(unrecorded(&repository, &pulls, &indexed)?)
    });
    let mut unrecorded = alongside(tx, found).await?;
    unrecorded.forget_recorded(tx, key).await?;
    let scene = |num: PullNumber| Scene {
        key,
        num,
        actor: None,
        now,
    };
    for (num, commits) in unrecorded.commits {
        tell_commits(tx, scene(num), &commits).await?;
        publish_draft(tx, scene(num)).await?;
    }
    for (num, commit) in unrecorded.merges {
        merged(tx, scene(num), None, Some(commit)).await?;
    }
    Ok(())
}

impl Unrecorded {
    /// Leaves out pull requests whose last commit is recorded already: only their index is behind.
    async fn forget_recorded(&mut self, tx: &mut Tx, key: RepoKey) -> Result<(), Error> {
        let mut recorded = Vec::new();
        for (num, commits) in &self.commits {
            let happened = tx.events_of(key, *num).await?;
            let last = happened.iter().rev().find_map(events::commit_of);
            if last == commits.last().map(|commit| commit.id) {
                recorded.push(*num);
            }
        }
        for num in recorded {
            self.commits.remove(&num);
        }
        Ok(())
    }
}

/// The refs of pull requests that no record knows, below this. Their commits stay.
pub(crate) const UNRECORDED: &str = "refs/unrecorded/pr";

/// Moves the refs of pull requests without a record out of the way. Mostly their opening was cut
/// short and nobody was told of them; but the records may also be older than the repository, so
/// nothing is lost.
fn set_orphans_aside(repository: &Repository, pulls: &[Discussion]) -> Result<(), GitError> {
    let (mut kept, mut gone) = (Vec::new(), Vec::new());
    for reference in repository.refs()? {
        let Some(num) = reference.name.as_pull() else {
            continue;
        };
        if pulls.iter().any(|pull| pull.num == num) {
            continue;
        }
        let aside = format!("{UNRECORDED}/{num}/{}", reference.target);
        if let Ok(name) = aside.parse::<RefName>() {
            tracing::warn!(key = %repository.key(), "pull request {num} of repository {} is not recorded; its commits are kept at `{name}`", repository.key());
            kept.push(RefChange {
                name,
                expected: Expected::Any,
                new: Some(reference.target),
            });
        }
        gone.push(RefChange {
            expected: Expected::At(reference.target),
            name: reference.name,
            new: None,
        });
    }
    if gone.is_empty() {
        return Ok(());
    }
    repository.update_refs(&kept)?;
    repository.update_refs(&gone)
}

fn unrecorded(
    repository: &Repository,
    pulls: &[Discussion],
    indexed: &BTreeMap<String, ObjectId>,
) -> Result<Unrecorded, GitError> {
    let objects = repository.objects();
    let mut found = Unrecorded::default();
    let main = RefName::main();
    let new_on_main = match repository.find_ref(&main)? {
        Some(head) => since(&objects, head.target, indexed.get(main.as_str()).copied())?,
        None => Vec::new(),
    };
    for pull in pulls {
        let name = RefName::pull(pull.num);
        let Some(tip) = repository.find_ref(&name)? else {
            continue;
        };
        let known = indexed.get(name.as_str()).copied();
        if known != Some(tip.target) {
            let from = known.or(pull.opened_at);
            let commits = since(&objects, tip.target, from)?;
            found.commits.insert(pull.num, commits);
        }
        if pull.status != Stored::Open {
            continue;
        }
        // The commit that merges a pull request says so, and has its tip behind it.
        let mark = format!("(#{})", pull.num);
        let merge = new_on_main.iter().find(|commit| {
            commit.parents.get(1) == Some(&tip.target) && commit.title.ends_with(&mark)
        });
        if let Some(merge) = merge {
            found.merges.insert(pull.num, merge.id);
        }
    }
    Ok(found)
}

/// The commits of the first-parent line that are new since another, oldest first; none when nothing
/// is known of before.
fn since(
    objects: &Objects,
    tip: ObjectId,
    old: Option<ObjectId>,
) -> Result<Vec<CommitInfo>, GitError> {
    let base = match old {
        Some(old) if objects.contains(old)? => objects.merge_base(old, tip)?,
        Some(_) | None => None,
    };
    let Some(base) = base else {
        return Ok(Vec::new());
    };
    let mut commits = objects.first_parents(tip, Some(base))?;
    commits.reverse();
    Ok(commits)
}
