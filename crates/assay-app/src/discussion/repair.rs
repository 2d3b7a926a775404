//! What a crash between the refs and the records left undone.

use std::collections::BTreeMap;

use assay_git::{CommitInfo, Error as GitError, Expected, Objects, RefChange, RefName, Repository};
use assay_model::{ObjectId, RepoKey, Timestamp};
use assay_store::{Discussion, Status as Stored, Tx};

use super::events::{self, Scene};
use super::record::{merged, publish_draft, tell_commits};
use crate::error::Error;
use crate::hub::blocking;

/// What git knows that the records do not.
#[derive(Default)]
struct Unrecorded {
    /// Commits of pull requests, oldest first.
    commits: BTreeMap<u32, Vec<CommitInfo>>,
    /// Pull requests that were merged, with the commit.
    merges: BTreeMap<u32, ObjectId>,
}

/// Makes the records of discussions say what the refs say, inside a transaction that keeps everyone else from opening
/// pull requests: so a ref without a record is one whose opening was cut short, and which nobody was told of.
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
    let mut unrecorded = blocking(move || {
        remove_orphans(&repository, &pulls)?;
        Ok(unrecorded(&repository, &pulls, &indexed)?)
    })
    .await?;
    unrecorded.forget_recorded(tx, key).await?;
    let scene = |num: u32| Scene {
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

fn remove_orphans(repository: &Repository, pulls: &[Discussion]) -> Result<(), GitError> {
    let is_orphan = |name: &RefName| {
        let num = name.as_pull();
        num.is_some_and(|num| !pulls.iter().any(|pull| u64::from(pull.num) == num))
    };
    let orphans: Vec<RefChange> = repository
        .refs()?
        .into_iter()
        .filter(|reference| is_orphan(&reference.name))
        .map(|reference| RefChange {
            expected: Expected::At(reference.target),
            name: reference.name,
            new: None,
        })
        .collect();
    if orphans.is_empty() {
        return Ok(());
    }
    repository.update_refs(&orphans)
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
        let name = RefName::pull(u64::from(pull.num));
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

/// The commits of the first-parent line that are new since another, oldest first; none when nothing is known of before.
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
