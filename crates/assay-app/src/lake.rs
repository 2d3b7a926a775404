//! The files that the hub exports to the lake, and the rows that it hides from callers there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use assay_model::{ObjectId, RepoKind};

use crate::access::Caller;
use crate::error::{Error, Missing};
use crate::file::BlobContent;
use crate::hub::blocking;
use crate::index::{DEFINITION_FILE, RECORDS_FOLDER};
use crate::listing::{ListQuery, ListSort};
use crate::repo_info::RepoInfo;
use crate::repo_lookup::Repo;
use crate::services::LakeService;

/// The folder of the result files of a model.
const RESULTS_FOLDER: &str = ".eval_results";
/// Number of repositories that are looked at in one go.
const PAGE: usize = 1000;
/// The file that says which commit a directory was made from. No search for records looks at it.
const MARK: &str = ".head";
/// The version of the choice of exported files. Another choice is another number, so that the
/// export of an older program is written again.
const EXPORT: u32 = 3;
/// The name of the directory of a repository until it is complete.
const UNFINISHED: &str = ".unfinished";

/// The outcome of [`LakeService::export_public`].
#[derive(Debug, Default)]
pub struct Exported {
    /// The directories that have changed, from the root.
    pub changed: Vec<PathBuf>,
    /// The repositories that could not be written. What was written of them before is still there.
    pub failed: Vec<FailedExport>,
}

/// A repository that could not be written.
#[derive(Debug)]
pub struct FailedExport {
    /// Its directory, from the root.
    pub directory: PathBuf,
    /// Its kind and name, for people.
    pub repository: String,
    /// The commit that could not be written.
    pub head: ObjectId,
    /// The reason.
    pub error: Error,
}

impl LakeService<'_> {
    /// Returns the directories of [`LakeService::export_public`] whose content everybody may see,
    /// from the root. This is asked for before every question to the lake: what is private, closed
    /// or deleted is not among them from that change on, whatever the lake still holds.
    pub async fn public_directories(self) -> Result<Vec<String>, Error> {
        let public = self.hub.store.public_repositories().await?;
        let directories = public.iter().map(|(kind, uid)| directory_of(*kind, uid));
        Ok(directories.collect())
    }

    /// A number that is another one after every change, whichever process made it.
    pub async fn change_number(self) -> Result<u64, Error> {
        Ok(self.hub.store.generation().await?)
    }

    /// Brings a directory up to what everybody sees of results and records: those of the main
    /// branch of every public repository, below `models/UID/NAMESPACE/NAME` and
    /// `datasets/UID/NAMESPACE/NAME`. What is not public, or no more, is not there. A repository
    /// that cannot be written is reported and does not keep others from being written or removed.
    /// Those that `waiting` names with the commit that they are at are passed over.
    pub async fn export_public(
        self,
        root: &Path,
        waiting: &BTreeMap<PathBuf, ObjectId>,
    ) -> Result<Exported, Error> {
        let mut exported = Exported::default();
        let mut known = BTreeMap::new();
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
                let page = self
                    .hub
                    .repositories()
                    .list(&Caller::anonymous(), &query)
                    .await?;
                for info in page.repositories {
                    if info.private || info.disabled {
                        continue;
                    }
                    let directory = PathBuf::from(directory_of(kind, &info.uid));
                    if waiting.get(&directory) != Some(&info.sha) {
                        let place = directory.join(info.id.as_str());
                        match self.export(&info, root, &place).await {
                            Ok(true) => exported.changed.push(directory.clone()),
                            Ok(false) => {}
                            Err(error) => exported.failed.push(FailedExport {
                                directory: directory.clone(),
                                repository: format!("{}/{}", kind.plural(), info.id),
                                head: info.sha,
                                error,
                            }),
                        }
                    }
                    known.insert(directory, info.id.as_str().to_owned());
                }
                cursor = page.next;
                if cursor.is_none() {
                    break;
                }
            }
        }
        let root = root.to_owned();
        let removed = blocking(move || remove_unknown(&root, &known)).await?;
        exported.changed.extend(removed);
        Ok(exported)
    }

    /// Writes a repository, unless it is there as it is.
    async fn export(self, info: &RepoInfo, root: &Path, place: &Path) -> Result<bool, Error> {
        let directory = root.join(place);
        let mark = format!("{} {EXPORT}", info.sha);
        let written = fs_err::read_to_string(directory.join(MARK));
        if written.is_ok_and(|written| written == mark) {
            return Ok(false);
        }
        let anybody = Caller::anonymous();
        let repo = match self.hub.repo(&anybody, info.kind, &info.id).await {
            Ok(repo) => repo,
            // It was deleted, renamed or hidden since it was listed; the next look finds that out.
            Err(Error::NotFound(_) | Error::Moved { .. } | Error::Denied(_)) => {
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
    async fn exported(self, repo: &Repo, commit: ObjectId) -> Result<Vec<String>, Error> {
        let commit = commit.to_string();
        let mut paths = Vec::new();
        for (folder, endings) in [
            (RESULTS_FOLDER, [".yaml", ".yml"]),
            (RECORDS_FOLDER, [".json", ".jsonl"]),
        ] {
            let found = self
                .hub
                .repositories()
                .tree(repo, &commit, Some(folder), true, false)
                .await;
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
        self,
        repo: &Repo,
        commit: ObjectId,
        path: &str,
        directory: &Path,
    ) -> Result<(), Error> {
        let blob = self
            .hub
            .repositories()
            .blob(repo, &commit.to_string(), path, true, false)
            .await;
        let (content, size) = match blob {
            Ok(blob) => (blob.content, blob.entry.size),
            // A large file that was never uploaded is nowhere.
            Err(Error::NotFound(_)) => return Ok(()),
            Err(error) => return Err(error),
        };
        let to = directory.join(path);
        if let BlobContent::Large(large) = content {
            let written = async {
                if let Some(parent) = to.parent() {
                    tokio::fs::create_dir_all(parent).await?;
                }
                large.copy_to(size, to).await
            };
            return told(written.await);
        }
        blocking(move || {
            let write = || {
                if let Some(parent) = to.parent() {
                    fs_err::create_dir_all(parent)?;
                }
                match content {
                    BlobContent::Memory(bytes) => fs_err::write(&to, &bytes),
                    BlobContent::Unpacked(blob) => {
                        let mut file = fs_err::File::create(&to)?;
                        std::io::copy(&mut blob.reader(), &mut file).map(|_| ())
                    }
                    BlobContent::Large(_) | BlobContent::NotRead => Ok(()),
                }
            };
            told(write())
        })
        .await
    }
}

/// The directory of a repository, from the root. It is named for the identity of the repository and
/// not for its name, which another repository may have one day.
fn directory_of(kind: RepoKind, uid: &[u8; 16]) -> String {
    format!("{}/{:032x}", kind.plural(), u128::from_be_bytes(*uid))
}

/// Removes what is written of repositories that are not public, or no more, and of names that they
/// no longer have. `known` has the name of each public repository by its directory. Returns the
/// directories that have changed.
fn remove_unknown(root: &Path, known: &BTreeMap<PathBuf, String>) -> Result<Vec<PathBuf>, Error> {
    let mut changed = Vec::new();
    for kind in [RepoKind::Model, RepoKind::Dataset] {
        for path in children(&root.join(kind.plural()))? {
            let directory = path.strip_prefix(root).map_err(Error::internal)?.to_owned();
            match known.get(&directory) {
                None => {
                    remove(&path)?;
                    changed.push(directory);
                }
                Some(name) if remove_former_names(&path, name)? => changed.push(directory),
                Some(_) => {}
            }
        }
    }
    Ok(changed)
}

/// Removes what is written of a repository under names that it no longer has. Returns whether there
/// was something.
fn remove_former_names(directory: &Path, name: &str) -> Result<bool, Error> {
    let current = directory.join(name);
    let mut removed = false;
    for namespace in children(directory)? {
        for path in children(&namespace)? {
            if path != current {
                remove(&path)?;
                removed = true;
            }
        }
    }
    Ok(removed)
}

/// Returns the entries of a directory; nothing when there is none.
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

/// Git takes longer names than the file system does. Such a file cannot come into the lake; the
/// others can.
fn told(written: std::io::Result<()>) -> Result<(), Error> {
    match written {
        Err(error) if error.kind() == std::io::ErrorKind::InvalidFilename => {
            tracing::warn!("a file does not come into the lake: {error}");
            Ok(())
        }
        written => written.map_err(Error::internal),
    }
}
