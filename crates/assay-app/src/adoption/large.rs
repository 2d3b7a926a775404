//! Large files, as far as the pointers in the history tell.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assay_git::{Error as GitError, LargeFile, LargeFileId, Objects, Repositories, Repository};
use assay_model::ObjectId;

use super::Candidate;
use crate::error::Error;
use crate::hub::blocking;
use crate::repository::Visibility;
use crate::services::OperationService;

/// The large files that the repositories to be adopted name, and that are there.
#[derive(Debug, Default)]
pub(super) struct LargeFilesFound {
    by_path: BTreeMap<PathBuf, Vec<LargeFile>>,
    unclaimed: BTreeSet<LargeFileId>,
}

impl LargeFilesFound {
    /// The files that a repository is given.
    pub(super) fn of(&self, path: &Path) -> Vec<LargeFile> {
        let named = self.by_path.get(path).into_iter().flatten();
        let is_claimed = |file: &&LargeFile| !self.unclaimed.contains(&file.oid);
        named.filter(is_claimed).copied().collect()
    }

    /// The files that nobody is given. Whoever knows the digest of a private file can write a
    /// pointer to it, and who was first is not known any more.
    pub(super) fn unclaimed(&self) -> Vec<String> {
        self.unclaimed.iter().map(ToString::to_string).collect()
    }
}

impl OperationService<'_> {
    /// Looks for pointers in the history of repositories that are to be adopted.
    pub(super) async fn large_files_of(
        self,
        candidates: &[Candidate],
    ) -> Result<LargeFilesFound, Error> {
        let mut found = LargeFilesFound::default();
        let mut owners: BTreeMap<LargeFileId, (BTreeSet<String>, bool)> = BTreeMap::new();
        for candidate in candidates {
            let Some(facts) = &candidate.facts else {
                continue;
            };
            let git = Arc::clone(&self.hub.git);
            let path = candidate.path.clone();
            // One that cannot be read is refused with the reason when its turn comes.
            let named = blocking(move || Ok(pointers(&git, &path).unwrap_or_default())).await?;
            let mut files = Vec::new();
            for file in named {
                if self.hub.large_files.size(file.oid).await? == Some(file.size) {
                    files.push(file);
                }
            }
            for file in &files {
                let (names, is_private) = owners.entry(file.oid).or_default();
                names.insert(facts.owner.to_ascii_lowercase());
                *is_private |= facts.visibility == Visibility::Private || facts.disabled;
            }
            found.by_path.insert(candidate.path.clone(), files);
        }
        let disputed =
            |(names, is_private): &(BTreeSet<String>, bool)| *is_private && names.len() > 1;
        let unclaimed = owners.into_iter().filter(|(_, claim)| disputed(claim));
        found.unclaimed = unclaimed.map(|(oid, _)| oid).collect();
        Ok(found)
    }
}

/// The large files that any commit of a repository names, wherever its directory lies.
fn pointers(git: &Repositories, path: &Path) -> Result<Vec<LargeFile>, GitError> {
    let repository: Repository = git.open_at(path)?;
    let objects = repository.objects();
    let (mut seen, mut files) = (HashSet::new(), BTreeMap::new());
    for reference in repository.refs()? {
        walk(&objects, reference.target, &mut seen, &mut files)?;
    }
    Ok(files.into_values().collect())
}

fn walk(
    objects: &Objects,
    tip: ObjectId,
    seen: &mut HashSet<ObjectId>,
    files: &mut BTreeMap<LargeFileId, LargeFile>,
) -> Result<(), GitError> {
    let mut waiting = vec![tip];
    while let Some(id) = waiting.pop() {
        if !seen.insert(id) {
            continue;
        }
        let commit = objects.commit(id)?;
        for change in objects.changes(commit.parents.first().copied(), id)? {
            if change.new.is_none() {
                continue;
            }
            let entry = objects.entry(id, &change.path)?;
            if let Some(large) = entry.and_then(|entry| entry.large) {
                files.insert(large.oid, large);
            }
        }
        waiting.extend(commit.parents);
    }
    Ok(())
}
