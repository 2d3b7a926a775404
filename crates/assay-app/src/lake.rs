//! What the hub hands to the lake, and what it keeps from those who ask there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use assay_model::{ObjectId, RepoKind};

use crate::access::{Caller, Need};
use crate::door::Repo;
use crate::error::{Error, Missing};
use crate::file::BlobContent;
use crate::hub::{Hub, blocking};
use crate::index::{DEFINITION_FILE, RECORDS_FOLDER};
use crate::listing::{ListQuery, ListSort};
use crate::repo_info::RepoInfo;

/// The folder of the result files of a model.
const RESULTS_FOLDER: &str = ".eval_results";
/// How many repositories are looked at in one go.
const PAGE: usize = 1000;
/// The file that says which commit a directory was made from. No search for records looks at it.
const MARK: &str = ".head";
/// Which files are written. Another choice is another number, so that what an older program has written is written again.
const EXPORT: u32 = 2;
/// Where a repository is written until it is complete.
const UNFINISHED: &str = ".unfinished";

/// The repositories that not everybody sees, by every name that they have or had, in lower case.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Unseen {
    /// Models.
    pub models: Vec<String>,
    /// Datasets.
    pub datasets: Vec<String>,
}

impl Hub {
    /// What no answer from the lake shows. It is asked for before every question: a repository that becomes private is hidden
    /// at once, whatever the lake still holds of it.
    pub async fn unseen(&self) -> Result<Unseen, Error> {
        let mut unseen = Unseen::default();
        for (kind, name) in self.store.unseen_names().await? {
            match kind {
                RepoKind::Model => unseen.models.push(name),
                RepoKind::Dataset => unseen.datasets.push(name),
            }
        }
        Ok(unseen)
    }

    /// A number that is another one after every change, whichever process made it.
    pub async fn change_number(&self) -> Result<u64, Error> {
        Ok(self.store.generation().await?)
    }

    /// Brings a directory up to what everybody sees of results and records: those of the main branch of every public
    /// repository, below `models/…` and `datasets/…`. What is not public, or no more, is not there. Returns which directories
    /// have changed, from the root.
    pub async fn export_public(&self, root: &Path) -> Result<Vec<PathBuf>, Error> {
        let mut changed = Vec::new();
        let mut known = BTreeSet::new();
        for kind in [RepoKind::Model, RepoKind::Dataset] {
            let mut cursor = None;
            loop {
                let query = ListQuery {
                    kind,
                    author: None,
                    search: Vec::new(),
                    tags: Vec::new(),
                    sort: ListSort::Name,
                    limit: Some(PAGE),
                    cursor,
                };
                let page = self.list(&Caller::anonymous(), &query).await?;
                for info in page.repositories {
                    if info.private || info.disabled {
                        continue;
                    }
                    let place = place_of(&info);
                    if self.export(&info, root, &place).await? {
                        changed.push(place.clone());
                    }
                    known.insert(place);
                }
                cursor = page.next;
                if cursor.is_none() {
                    break;
                }
            }
        }
        let root = root.to_owned();
        changed.extend(blocking(move || remove_unknown(&root, &known)).await?);
        Ok(changed)
    }

    /// Writes a repository, unless it is there as it is.
    async fn export(&self, info: &RepoInfo, root: &Path, place: &Path) -> Result<bool, Error> {
        let directory = root.join(place);
        let mark = format!("{} {EXPORT}", info.sha);
        let written = fs_err::read_to_string(directory.join(MARK));
        if written.is_ok_and(|written| written == mark) {
            return Ok(false);
        }
        let anybody = Caller::anonymous();
        let repo = match self.repo(&anybody, info.kind, &info.id, Need::Read).await {
            Ok(repo) => repo,
            // It was deleted, renamed or hidden since it was listed; the next look finds that out.
            Err(Error::NotFound(_) | Error::Moved { .. } | Error::Forbidden(_)) => {
                return Ok(false);
            }
            Err(error) => return Err(error),
        };
        let unfinished = root.join(UNFINISHED);
        let fresh = unfinished.clone();
        blocking(move || {
            remove(&fresh)?;
            fs_err::create_dir_all(&fresh).map_err(Error::internal)
        })
        .await?;
        for path in self.exported(&repo, info.sha).await? {
            self.write_out(&repo, info.sha, &path, &unfinished).await?;
        }
        blocking(move || {
            let write = || {
                fs_err::write(unfinished.join(MARK), mark)?;
                if let Some(parent) = directory.parent() {
                    fs_err::create_dir_all(parent)?;
                }
                Ok::<_, std::io::Error>(())
            };
            write().map_err(Error::internal)?;
            remove(&directory)?;
            fs_err::rename(&unfinished, &directory).map_err(Error::internal)?;
            Ok(true)
        })
        .await
    }

    /// The files of a repository that the lake can read.
    async fn exported(&self, repo: &Repo, commit: ObjectId) -> Result<Vec<String>, Error> {
        let commit = commit.to_string();
        let mut paths = Vec::new();
        for (folder, endings) in [
            (RESULTS_FOLDER, [".yaml", ".yml"]),
            (RECORDS_FOLDER, [".json", ".jsonl"]),
        ] {
            let found = self.tree(repo, &commit, Some(folder), true, false).await;
            let files = match found {
                Ok(files) => files,
                Err(Error::NotFound(Missing::Entry { .. })) => continue,
                Err(error) => return Err(error),
            };
            let files = files.into_iter().filter(|file| !file.is_folder);
            let paths_of = files.map(|file| file.path.to_string());
            paths.extend(paths_of.filter(|path| endings.iter().any(|end| path.ends_with(end))));
        }
        if repo.kind == RepoKind::Dataset {
            // Which way the metrics of a benchmark improve. One that is not there is not written.
            paths.push(DEFINITION_FILE.to_owned());
        }
        Ok(paths)
    }

    async fn write_out(
        &self,
        repo: &Repo,
        commit: ObjectId,
        path: &str,
        directory: &Path,
    ) -> Result<(), Error> {
        let blob = self
            .blob(repo, &commit.to_string(), path, true, false)
            .await;
        let content = match blob {
            Ok(blob) => blob.content,
            // A large file that was never uploaded is nowhere.
            Err(Error::NotFound(_)) => return Ok(()),
            Err(error) => return Err(error),
        };
        let to = directory.join(path);
        blocking(move || {
            let write = || {
                if let Some(parent) = to.parent() {
                    fs_err::create_dir_all(parent)?;
                }
                match content {
                    BlobContent::Memory(bytes) => fs_err::write(&to, &bytes),
                    // Large files never change, so one file serves both where the file system can do that.
                    BlobContent::Disk(from) => match fs_err::hard_link(&from, &to) {
                        Ok(()) => Ok(()),
                        Err(_) => fs_err::copy(&from, &to).map(|_| ()),
                    },
                    BlobContent::Unpacked(blob) => {
                        let mut file = fs_err::File::create(&to)?;
                        std::io::copy(&mut blob.reader(), &mut file).map(|_| ())
                    }
                    BlobContent::NotRead => Ok(()),
                }
            };
            write().map_err(Error::internal)
        })
        .await
    }
}

/// Where a repository is written.
fn place_of(info: &RepoInfo) -> PathBuf {
    Path::new(info.kind.plural()).join(info.id.as_str())
}

/// Removes what is written of repositories that are not public, or no more. Returns where that was.
fn remove_unknown(root: &Path, known: &BTreeSet<PathBuf>) -> Result<Vec<PathBuf>, Error> {
    let mut gone = Vec::new();
    for kind in [RepoKind::Model, RepoKind::Dataset] {
        for namespace in children(&root.join(kind.plural()))? {
            for name in children(&namespace)? {
                let place = name.strip_prefix(root).map_err(Error::internal)?;
                if !known.contains(place) {
                    remove(&name)?;
                    gone.push(place.to_owned());
                }
            }
        }
    }
    Ok(gone)
}

/// What lies in a directory; nothing when there is none.
fn children(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = match fs_err::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::internal(error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(Error::internal)?.path());
    }
    Ok(paths)
}

fn remove(directory: &Path) -> Result<(), Error> {
    match fs_err::remove_dir_all(directory) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Error::internal(error)),
    }
}
