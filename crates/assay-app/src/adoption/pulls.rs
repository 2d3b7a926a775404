//! Pull requests, as far as their refs tell.

use std::path::Path;
use std::sync::Arc;

use assay_git::{CommitInfo, Error as GitError, Expected, Objects, RefChange, RefName, Repository};
use assay_model::{ObjectId, PullNumber, RepoId, RepoKey, RepoKind};
use assay_store::Tx;

use crate::discussion::{FoundPull, UNRECORDED, record_found};
use crate::error::{Error, Missing};
use crate::hub::{Hub, blocking};
use crate::services::OperationService;

/// The number of repositories read from the database at a time.
const CHUNK: u32 = 512;

/// A pull request that has a record again. It is closed, unless it was merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdoptedPull {
    /// The kind of its repository.
    pub kind: RepoKind,
    /// The name of its repository.
    pub id: RepoId,
    /// Its number.
    pub num: PullNumber,
}

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
pub(super) fn count(directory: &Path) -> usize {
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
    numbers.len()
}

fn find(repository: &Repository) -> Result<Vec<FoundPull>, GitError> {
    let main = MainBranch::read(repository)?;
    let mut found = Vec::new();
    for reference in repository.refs()? {
        if let Some(num) = reference.name.as_pull() {
            found.push(main.describe(num, reference.target)?);
        }
    }
    found.sort_by_key(|pull| pull.num);
    Ok(found)
}

/// The main branch, which tells what was merged.
struct MainBranch {
    objects: Objects,
    head: Option<ObjectId>,
    line: Vec<CommitInfo>,
}

impl MainBranch {
    fn read(repository: &Repository) -> Result<Self, GitError> {
        let objects = repository.objects();
        let head = repository.find_ref(&RefName::main())?;
        let head = head.map(|head| head.target);
        let line = match head {
            Some(head) => objects.first_parents(head, None)?,
            None => Vec::new(),
        };
        Ok(Self {
            objects,
            head,
            line,
        })
    }

    /// Describes a pull request as far as git tells.
    fn describe(&self, num: PullNumber, tip: ObjectId) -> Result<FoundPull, GitError> {
        let objects = &self.objects;
        let merge = merge_of(&self.line, num, tip);
        let base = match &merge {
            Some(merge) => merge.parents.first().copied(),
            None => self.head,
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
        Ok(FoundPull {
            num,
            opened_at,
            commits,
            merge: merge.map(|merge| merge.id),
        })
    }
}

/// The pull requests of a repository whose refs were set aside: number and tip.
fn set_aside(repository: &Repository) -> Result<Vec<(u32, RefName, ObjectId)>, GitError> {
    let mut found = Vec::new();
    for (name, target) in repository.ref_values()? {
        let number = name.as_str().strip_prefix(UNRECORDED);
        let number = number.and_then(|rest| rest.strip_prefix('/')?.split('/').next());
        if let Some(num) = number.and_then(|num| num.parse().ok()) {
            found.push((num, name, target));
        }
    }
    Ok(found)
}

impl OperationService<'_> {
    /// Gives a record to the pull requests that were set aside in repositories that have one.
    pub(super) async fn adopt_pulls(self, dry_run: bool) -> Result<Vec<AdoptedPull>, Error> {
        let (mut adopted, mut last) = (Vec::new(), None);
        loop {
            let keys = self.hub.store.repository_keys(last, CHUNK).await?;
            last = keys.last().copied();
            if last.is_none() {
                return Ok(adopted);
            }
            for key in keys {
                // What is wrong with a damaged one is told elsewhere.
                let aside = self.hub.with_git(key, |git| Ok(set_aside(git)?)).await;
                let aside = aside.unwrap_or_default();
                if aside.is_empty() {
                    continue;
                }
                let Some(repository) = self.hub.store.repository(key).await? else {
                    continue;
                };
                for (num, name, tip) in aside {
                    let num = if dry_run {
                        num
                    } else {
                        self.adopt_pull(key, num, name, tip).await?
                    };
                    adopted.push(AdoptedPull {
                        kind: repository.kind,
                        id: repository.id.clone(),
                        num,
                    });
                }
            }
        }
    }

    /// Gives one pull request a record, under its number or the next that is free.
    async fn adopt_pull(
        self,
        key: RepoKey,
        num: PullNumber,
        name: RefName,
        tip: ObjectId,
    ) -> Result<u32, Error> {
        let _locked = self.hub.lock(key).await?;
        let mut tx = self.hub.store.begin().await?;
        let num = match tx.discussion(key, num).await? {
            None => num,
            Some(_) => tx
                .next_number(key)
                .await?
                .ok_or(Error::NotFound(Missing::Repo))?,
        };
        let found = self
            .hub
            .with_git(key, move |git| {
                let found = MainBranch::read(git)?.describe(num, tip)?;
                git.update_refs(&[RefChange {
                    name: RefName::pull(num),
                    expected: Expected::Absent,
                    new: Some(tip),
                }])?;
                git.update_refs(&[RefChange {
                    name,
                    expected: Expected::At(tip),
                    new: None,
                }])?;
                Ok(found)
            })
            .await?;
        record_found(&mut tx, key, &found, self.hub.now()).await?;
        tx.commit().await?;
        self.hub.index_repository(key, None).await?;
        Ok(num)
    }
}

/// The commit of the main branch that merged a pull request: it says so, and has its tip behind it.
fn merge_of(line: &[CommitInfo], num: PullNumber, tip: ObjectId) -> Option<CommitInfo> {
    let mark = format!("(#{num})");
    let merges =
        |commit: &&CommitInfo| commit.parents.get(1) == Some(&tip) && commit.title.ends_with(&mark);
    line.iter().find(merges).cloned()
}
