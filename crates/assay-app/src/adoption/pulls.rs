//! Pull requests, as far as their refs tell.

use std::path::Path;
use std::sync::Arc;

use assay_git::{CommitInfo, Error as GitError, RefName, Repository};
use assay_model::{ObjectId, RepoKey};
use assay_store::Tx;

use crate::discussion::{FoundPull, record_found};
use crate::error::Error;
use crate::hub::{Hub, blocking};

/// Records the pull requests of a repository and returns how many there are.
pub(super) async fn record(hub: &Hub, tx: &mut Tx, key: RepoKey) -> Result<usize, Error> {
    let git = Arc::clone(&hub.git);
    let found = blocking(move || Ok(find(&git.get(key)?)?)).await?;
    for pull in &found {
        record_found(tx, key, pull, hub.now()).await?;
    }
    Ok(found.len())
}

/// Counts the pull requests of a repository that is not in its place.
pub(super) fn count(directory: &Path) -> Result<usize, Error> {
    let loose = fs_err::read_dir(directory.join("refs/pr"));
    let names = |entry: std::io::Result<fs_err::DirEntry>| {
        let name = entry.ok()?.file_name().into_string().ok()?;
        name.parse::<u32>().ok()
    };
    let mut numbers: std::collections::BTreeSet<u32> = loose
        .map(|entries| entries.filter_map(names).collect())
        .unwrap_or_default();
    let packed = fs_err::read_to_string(directory.join("packed-refs")).unwrap_or_default();
    let lines = packed
        .lines()
        .filter_map(|line| line.split_once(" refs/pr/"));
    numbers.extend(lines.filter_map(|(_, number)| number.parse::<u32>().ok()));
    Ok(numbers.len())
}

fn find(repository: &Repository) -> Result<Vec<FoundPull>, GitError> {
    let objects = repository.objects();
    let main = repository.find_ref(&RefName::main())?;
    let line = match &main {
        Some(head) => objects.first_parents(head.target, None)?,
        None => Vec::new(),
    };
    let mut found = Vec::new();
    for reference in repository.refs()? {
        let number = reference
            .name
            .as_pull()
            .and_then(|num| u32::try_from(num).ok());
        let Some(num) = number else { continue };
        let tip = reference.target;
        let merge = merge_of(&line, num, tip);
        let base = match (&merge, &main) {
            (Some(merge), _) => merge.parents.first().copied(),
            (None, Some(head)) => Some(head.target),
            (None, None) => None,
        };
        let opened_at = match base {
            Some(base) => objects.merge_base(base, tip)?,
            None => None,
        };
        let mut commits = objects.first_parents(tip, opened_at)?;
        if commits.is_empty() {
            commits.push(objects.commit(tip)?);
        }
        commits.reverse();
        found.push(FoundPull {
            num,
            opened_at,
            commits,
            merge: merge.map(|merge| merge.id),
        });
    }
    found.sort_by_key(|pull| pull.num);
    Ok(found)
}

/// The commit of the main branch that merged a pull request: it says so, and has its tip behind it.
fn merge_of(line: &[CommitInfo], num: u32, tip: ObjectId) -> Option<CommitInfo> {
    let mark = format!("(#{num})");
    let merges =
        |commit: &&CommitInfo| commit.parents.get(1) == Some(&tip) && commit.title.ends_with(&mark);
    line.iter().find(merges).cloned()
}
