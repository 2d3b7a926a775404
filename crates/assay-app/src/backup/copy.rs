use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use assay_git::{LargeFileId, RefName, Repositories, Repository, RepositorySnapshot, StoredFile};
use assay_model::{ObjectId, RepoKey, chain};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use parking_lot::Mutex;

use super::contents::{AT_ONCE, Contents, KeepError, KeptFile};
use super::fetch;
use super::files::{DataFile, LeftOut, REPOSITORIES, data_files, folder_of};
use super::files::{large_file_of, large_file_path, nanoseconds};
use super::manifest::{
    ListedFile, Listing, Manifest, StoredFolder, StoredListing, StoredRepository,
};
use crate::error::Error;
use crate::hub::{Hub, blocking};

/// Number of repositories that are copied at once.
const REPOSITORIES_AT_ONCE: usize = 4;
/// The age at which the time of a file shows that it has not changed since: clocks of file systems
/// stand still for some milliseconds.
const SETTLED_NS: i64 = 2_000_000_000;
/// The permissions of a file that git never changes.
const READ_ONLY: u32 = 0o444;
/// The permissions of a file that its owner may change.
const OWN: u32 = 0o644;
/// The one repository of the mirror of the logs.
const MIRROR: RepoKey = RepoKey(1);

/// Copies what a hub has to the contents of a backup.
pub(super) struct Copier<'h> {
    hub: &'h Hub,
    contents: Contents,
    previous: Previous,
    left_out: LeftOut,
    faults: Mutex<Vec<String>>,
}

/// The generation before, by path.
#[derive(Debug, Default)]
struct Previous {
    begun_ms: i64,
    repositories: BTreeMap<String, StoredRepository>,
    folders: BTreeMap<String, StoredListing>,
}

/// The files of a listing by their paths.
type ByPath<'l> = BTreeMap<&'l str, &'l ListedFile>;

/// The outcome of copying a repository.
#[derive(Debug)]
pub(super) enum CopiedRepository {
    /// It is in the backup.
    Kept {
        stored: StoredRepository,
        listing: Listing,
    },
    /// Its directory is not there.
    Absent { key: RepoKey },
    /// It could not be read, and the faults tell why.
    Unreadable,
}

/// The source of the bytes of a file.
enum Source {
    Path(PathBuf),
    /// The large file of this name, in the bucket of the hub.
    Bucket(LargeFileId),
}

/// A distinction between files that can change under their name and files that cannot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nature {
    /// It is named by a hash of what it has.
    Fixed,
    Changing,
}

impl<'h> Copier<'h> {
    pub(super) fn new(
        hub: &'h Hub,
        contents: Contents,
        previous: Option<Manifest>,
        left_out: LeftOut,
    ) -> Self {
        let previous = previous.map(|manifest| Previous {
            begun_ms: manifest.begun_ms,
            repositories: manifest
                .repositories
                .into_iter()
                .map(|stored| (stored.path.clone(), stored))
                .collect(),
            folders: manifest
                .folders
                .into_iter()
                .map(|stored| (stored.path, stored.listing))
                .collect(),
        });
        Self {
            hub,
            contents,
            previous: previous.unwrap_or_default(),
            left_out,
            faults: Mutex::default(),
        }
    }

    /// Returns missing or unreadable content, a sentence each.
    pub(super) fn faults(&self) -> Vec<String> {
        self.faults.lock().clone()
    }

    fn fault(&self, fault: String) {
        self.faults.lock().push(fault);
    }

    /// Copies the repositories of these keys.
    pub(super) async fn repositories(
        &self,
        keys: &[RepoKey],
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Vec<CopiedRepository>, Error> {
        let (done, total) = (AtomicU64::new(0), keys.len() as u64);
        progress(0, total);
        let copies = stream::iter(keys).map(|key| {
            let done = &done;
            async move {
                let copied = self.repository(&self.hub.git, REPOSITORIES[0], *key).await;
                progress(done.fetch_add(1, Ordering::Relaxed) + 1, total);
                copied
            }
        });
        copies.buffered(REPOSITORIES_AT_ONCE).try_collect().await
    }

    /// Copies the mirror of the logs, when there is one. It follows the logs, so it is copied
    /// before them.
    pub(super) async fn mirror(&self) -> Result<Option<CopiedRepository>, Error> {
        let root = self.hub.config.data.join(REPOSITORIES[1]);
        if !root.join(Repositories::relative_path(MIRROR)).is_dir() {
            return Ok(None);
        }
        let mirror = Arc::new(blocking(move || Ok(Repositories::new(root)?)).await?);
        let copied = self.repository(&mirror, REPOSITORIES[1], MIRROR).await?;
        Ok(Some(copied))
    }

    async fn repository(
        &self,
        git: &Arc<Repositories>,
        root: &str,
        key: RepoKey,
    ) -> Result<CopiedRepository, Error> {
        let path = format!("{root}/{}", Repositories::relative_path(key));
        let before = self.previous_repository(&path).await?;
        let (git, known) = (Arc::clone(git), before.clone());
        let settled_before = self.settled_before();
        let looked = blocking(move || {
            let looked = git.get(key).and_then(|repository| {
                if let Some((_, listing)) = &known
                    && is_unchanged(&repository, listing, settled_before)?
                {
                    return Ok(None);
                }
                repository.snapshot().map(Some)
            });
            // One that is deleted meanwhile fails in whatever was being read.
            Ok(match looked {
                Err(_) if !git.path(key).is_dir() => Err(assay_git::Error::NoRepository(key)),
                looked => looked,
            })
        });
        let snapshot = match looked.await? {
            Ok(snapshot) => snapshot,
            Err(assay_git::Error::NoRepository(_)) => return Ok(CopiedRepository::Absent { key }),
            Err(error) => {
                self.fault(format!("`{path}` cannot be read: {}", chain(&error)));
                return Ok(CopiedRepository::Unreadable);
            }
        };
        match (snapshot, before) {
            (None, Some((stored, listing))) => Ok(CopiedRepository::Kept { stored, listing }),
            (None, None) => Err(Error::internal("a repository is unchanged since never")),
            (Some(snapshot), before) => {
                let before = before.map(|(_, listing)| listing).unwrap_or_default();
                self.snapshot(&snapshot, path, &by_path(&before)).await
            }
        }
    }

    async fn snapshot(
        &self,
        snapshot: &RepositorySnapshot,
        path: String,
        before: &ByPath<'_>,
    ) -> Result<CopiedRepository, Error> {
        let files = snapshot.files().iter().map(|file| {
            let source = Source::Path(snapshot.path().join(&file.path));
            let nature = if file.is_object {
                Nature::Fixed
            } else {
                Nature::Changing
            };
            self.file(source, data_file(file), nature, before)
        });
        let files: Vec<Option<ListedFile>> =
            stream::iter(files).buffered(AT_ONCE).try_collect().await?;
        let listing = Listing {
            refs: ref_texts(snapshot.refs()),
            files: files.into_iter().flatten().collect(),
        };
        if let Some(missing) = snapshot.missing() {
            self.fault(format!(
                "a ref of `{path}` leads to an object that is not there: {missing}"
            ));
        }
        let stored = StoredRepository {
            path,
            complete: snapshot.missing().is_none() && listing.files.len() == snapshot.files().len(),
            listing: self.listing(&listing).await?,
        };
        Ok(CopiedRepository::Kept { stored, listing })
    }

    /// Copies all other files.
    pub(super) async fn folders(&self) -> Result<Vec<(StoredFolder, Listing)>, Error> {
        let (data, left_out) = (self.hub.config.data.clone(), self.left_out.clone());
        let mut found = blocking(move || data_files(&data, &left_out)).await?;
        self.add_large_files(&mut found).await?;
        let mut folders = Vec::with_capacity(found.len());
        for (path, files) in found {
            let before = self.previous_folder(&path).await?;
            let before = by_path(&before);
            // The files of a log are read one after the other; large files may come in any order.
            let (nature, at_once) = if path.is_empty() {
                (Nature::Changing, 1)
            } else {
                (Nature::Fixed, AT_ONCE)
            };
            let files = files.into_iter().map(|file| {
                let source = self.source(&file.path);
                self.file(source, file, nature, &before)
            });
            let files: Vec<Option<ListedFile>> =
                stream::iter(files).buffered(at_once).try_collect().await?;
            let listing = Listing {
                files: files.into_iter().flatten().collect(),
                ..Listing::default()
            };
            let stored = StoredFolder {
                path,
                listing: self.listing(&listing).await?,
            };
            folders.push((stored, listing));
        }
        Ok(folders)
    }

    fn source(&self, path: &str) -> Source {
        let in_bucket = self.hub.large_files.bucket().is_some();
        match large_file_of(path).filter(|_| in_bucket) {
            Some(oid) => Source::Bucket(oid),
            None => Source::Path(self.hub.config.data.join(path)),
        }
    }

    /// Adds the large files of a bucket to those of the data directory, by the paths that they
    /// would have there.
    async fn add_large_files(
        &self,
        found: &mut BTreeMap<String, Vec<DataFile>>,
    ) -> Result<(), Error> {
        if self.hub.large_files.bucket().is_none() {
            return Ok(());
        }
        // What an earlier place has left in the directory is not theirs any more.
        found.retain(|folder, _| folder.is_empty());
        let mut listed = self.hub.large_files.list().await?;
        listed.sort_by_key(|file| file.oid);
        for file in listed {
            let path = large_file_path(file.oid);
            let folder = folder_of(&path).to_owned();
            found.entry(folder).or_default().push(DataFile {
                path,
                size: file.size,
                modified_ns: nanoseconds(file.came),
                mode: OWN,
            });
        }
        Ok(())
    }

    /// Copies the bytes of a file to the contents; `None` when it is gone.
    async fn keep(&self, source: &Source, size: u64) -> Result<Option<KeptFile>, KeepError> {
        let oid = match source {
            Source::Path(path) => return self.contents.keep_file(path).await,
            Source::Bucket(oid) => *oid,
        };
        // It is read once, and hashed while it is cut into pieces; the disk has room for one.
        let scratch = tempfile::tempdir_in(self.hub.config.data.join("tmp"));
        let scratch = scratch.map_err(KeepError::Read)?;
        let path = scratch.path().join("file");
        let content = self.hub.large_files.content(oid);
        match content.copy_to(size, path.clone()).await {
            Ok(()) => self.contents.keep_file(&path).await,
            Err(error) => match self.hub.large_files.size(oid).await {
                Ok(None) => Ok(None),
                Ok(Some(_)) => Err(KeepError::Read(error)),
                Err(error) => Err(KeepError::Write(error)),
            },
        }
    }

    /// Copies a file unless the generation before has it; `None` when it is gone or cannot be read.
    async fn file(
        &self,
        source: Source,
        file: DataFile,
        nature: Nature,
        before: &ByPath<'_>,
    ) -> Result<Option<ListedFile>, Error> {
        let same = before.get(file.path.as_str()).filter(|own| {
            own.size == file.size
                && own.modified_ns == file.modified_ns
                && (nature == Nature::Fixed || own.modified_ns < self.settled_before())
                && self.contents.has_file(own.size, &own.chunks)
        });
        if let Some(own) = same {
            return Ok(Some(ListedFile {
                mode: file.mode,
                ..(*own).clone()
            }));
        }
        let kept = match self.keep(&source, file.size).await {
            Ok(kept) => kept,
            Err(KeepError::Read(error)) => {
                self.fault(format!("`{}` cannot be read: {error}", file.path));
                None
            }
            Err(KeepError::Write(error)) => return Err(error),
        };
        Ok(kept.map(|kept| ListedFile {
            path: file.path,
            size: kept.size,
            modified_ns: file.modified_ns,
            mode: file.mode,
            chunks: kept.chunks,
        }))
    }

    async fn listing(&self, listing: &Listing) -> Result<StoredListing, Error> {
        let bytes = serde_json::to_vec(listing).map_err(Error::internal)?;
        Ok(self.contents.keep_bytes(&bytes).await?.into())
    }

    /// The moment before which files that have the same time as in the generation before are the
    /// same files.
    fn settled_before(&self) -> i64 {
        let begun_ns = self.previous.begun_ms.saturating_mul(1_000_000);
        begun_ns.saturating_sub(SETTLED_NS)
    }

    /// A repository in the generation before, if everything of it is still there.
    async fn previous_repository(
        &self,
        path: &str,
    ) -> Result<Option<(StoredRepository, Listing)>, Error> {
        let Some(stored) = self.previous.repositories.get(path) else {
            return Ok(None);
        };
        let listing = fetch::listing(&self.contents, &stored.listing).await?.ok();
        let has = |file: &ListedFile| self.contents.has_file(file.size, &file.chunks);
        let whole = listing.filter(|own| stored.complete && own.files.iter().all(has));
        Ok(whole.map(|listing| (stored.clone(), listing)))
    }

    /// The files of a folder in the generation before.
    async fn previous_folder(&self, path: &str) -> Result<Listing, Error> {
        let Some(stored) = self.previous.folders.get(path) else {
            return Ok(Listing::default());
        };
        let listing = fetch::listing(&self.contents, stored).await?;
        Ok(listing.unwrap_or_default())
    }
}

/// Returns whether a repository has the refs and the files that it had. The refs are read first, as
/// when it is copied.
fn is_unchanged(
    repository: &Repository,
    before: &Listing,
    settled_before: i64,
) -> Result<bool, assay_git::Error> {
    if ref_texts(&repository.ref_values()?) != before.refs {
        return Ok(false);
    }
    let files = repository.stored_files()?;
    let same = |(file, own): (&StoredFile, &ListedFile)| {
        let modified_ns = nanoseconds(file.modified);
        // What has a hash for a name never changes; everything else could have, within a tick of
        // the clock.
        let is_settled = file.is_object || modified_ns < settled_before;
        is_settled
            && file.path == own.path
            && file.size == own.size
            && modified_ns == own.modified_ns
    };
    Ok(files.len() == before.files.len() && files.iter().zip(&before.files).all(same))
}

fn by_path(listing: &Listing) -> ByPath<'_> {
    let files = listing.files.iter();
    files.map(|file| (file.path.as_str(), file)).collect()
}

fn ref_texts(refs: &[(RefName, ObjectId)]) -> BTreeMap<String, String> {
    let texts = refs
        .iter()
        .map(|(name, target)| (name.to_string(), target.to_string()));
    texts.collect()
}

fn data_file(file: &StoredFile) -> DataFile {
    DataFile {
        path: file.path.clone(),
        size: file.size,
        modified_ns: nanoseconds(file.modified),
        mode: if file.is_object { READ_ONLY } else { OWN },
    }
}
