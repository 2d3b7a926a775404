//! The limits that hold for every commit that comes to a repository, by whichever way and on
//! whichever branch of history.

use assay_git::{Arrival, Change, CommitInfo, EntryKind, Objects, Quarantine, is_checked_by_git};
use assay_model::{ObjectId, RepoPath};
use assay_render::visible;

use crate::config::Limits;
use crate::error::{Error, Limit, UnusablePath};

/// The most files that the commits of one push change, each counted as often as it is changed.
const MAX_CHANGES: usize = 2_000_000;
/// The number of parents that a merge is compared with. Files from one of them were counted when
/// they came.
const MAX_COMPARED_PARENTS: usize = 8;
/// The number of characters of a path that a message shows.
const TOLD_OF_PATH: usize = 100;

/// Checks every commit that no ref led to before, over all parents: its paths, and its files
/// against the limits of one commit.
pub(crate) fn check_commits(
    objects: &Objects,
    quarantine: &Quarantine,
    limits: &Limits,
    arrival: &Arrival,
) -> Result<(), Error> {
    let mut total: usize = 0;
    for &id in &arrival.commits {
        let commit = objects.commit(id)?;
        let changes = check_paths(objects, limits, &commit)?;
        total = total.saturating_add(changes.len());
        if total > MAX_CHANGES {
            return Err(Error::TooLarge(Limit::PushedChanges { most: MAX_CHANGES }));
        }
        if !quarantine.is_checked() {
            check_special(quarantine, &changes)?;
        }
        let own = own_changes(objects, &commit, changes)?;
        check_size(objects, limits, id, &own)?;
    }
    Ok(())
}

/// Returns what a commit changes, if every path can be named. By comparing with the first parent
/// every path of the commit is looked at, here or when that parent was.
fn check_paths(
    objects: &Objects,
    limits: &Limits,
    commit: &CommitInfo,
) -> Result<Vec<Change>, Error> {
    let set = objects.change_set(commit.parents.first().copied(), commit.id)?;
    if let Some(path) = set.unnamed {
        return Err(unnameable(&path, RepoPath::MAX));
    }
    let is_long =
        |change: &&Change| change.new.is_some() && change.path.as_str().len() > limits.path_bytes;
    match set.changes.iter().find(is_long) {
        Some(change) => Err(unnameable(change.path.as_str(), limits.path_bytes)),
        None => Ok(set.changes),
    }
}

/// Leaves out of the changes of a merge what another parent has just so.
fn own_changes(
    objects: &Objects,
    commit: &CommitInfo,
    mut changes: Vec<Change>,
) -> Result<Vec<Change>, Error> {
    for &parent in commit.parents.iter().skip(1).take(MAX_COMPARED_PARENTS) {
        let others = objects.changes(Some(parent), commit.id)?;
        changes.retain(|change| {
            let place = others.binary_search_by(|other| other.path.cmp(&change.path));
            place.is_ok()
        });
    }
    Ok(changes)
}

fn check_size(
    objects: &Objects,
    limits: &Limits,
    commit: ObjectId,
    changes: &[Change],
) -> Result<(), Error> {
    let short: String = commit.to_string().chars().take(10).collect();
    if changes.len() > limits.commit_files {
        return Err(Error::TooLarge(Limit::PushedFiles {
            commit: short.clone(),
            files: changes.len(),
            most: limits.commit_files,
        }));
    }
    let mut bytes = 0;
    for version in changes.iter().filter_map(|change| change.new) {
        if matches!(version.kind, EntryKind::File(_)) {
            bytes += objects.size(version.oid)?;
        }
    }
    if bytes > limits.commit_bytes {
        return Err(Error::TooLarge(Limit::PushedBytes {
            commit: short.clone(),
            bytes,
            most: limits.commit_bytes,
        }));
    }
    Ok(())
}

/// Has git look at files whose content it obeys, as it does for a push.
fn check_special(quarantine: &Quarantine, changes: &[Change]) -> Result<(), Error> {
    for change in changes {
        let name = change.path.name();
        let Some(version) = change.new.filter(|_| is_checked_by_git(name)) else {
            continue;
        };
        if !matches!(version.kind, EntryKind::File(_)) {
            continue;
        }
        if let Some(complaint) = quarantine.check_file(name, version.oid)? {
            return Err(Error::UnusablePath(UnusablePath::RefusedByGit {
                path: change.path.to_string(),
                complaint: visible(&complaint),
            }));
        }
    }
    Ok(())
}

fn unnameable(path: &str, max: usize) -> Error {
    let told: String = path.chars().take(TOLD_OF_PATH).collect();
    Error::UnusablePath(UnusablePath::Pushed {
        path: visible(&told),
        most: max,
    })
}
