//! A lake: tables whose versions belong together, any number of writers and readers, in a directory or in object storage.
//!
//! Each table is a Delta table. A commit of the table of sources is the commit of the lake: it names the versions of the other tables
//! that belong to it. Readers take its last version, and those that it names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use assay_formats::each;
use futures_util::future::try_join_all;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use url::Url;

use crate::bucket::{Bucket, Storage};
use crate::compact::rows_without;
use crate::delta::{TableLog, TableVersion};
use crate::error::{Error, Result};
use crate::manifest::{DataFile, Manifest, Source};
use crate::names::Names;
use crate::sources::{read_sources, rows_of_sources};
use crate::store::{LakeStore, UNFINISHED};
use crate::table::{TABLES, Table};
use crate::writer::Writer;

/// The version of the layout. It changes when a reader of the old one could be misled.
const VERSION: u32 = 2;
/// The format of a lake.
const FORMAT: &str = "assay-lake";
/// The file that says that a directory is a lake.
const HEAD: &str = "lake.json";
/// The property of the table of sources that has the versions of the other tables, as JSON.
const VERSIONS: &str = "assay.versions";
/// How often a change is tried again when other writers are faster.
pub(crate) const ATTEMPTS: usize = 100;
/// How many files are brought to the disk, or to object storage, at once.
const STORED_AT_ONCE: usize = 8;
/// How long files are kept that no version has any more: for readers that began before, and writers that have not committed yet.
pub const RETENTION: Duration = Duration::from_hours(24);
/// The number of commits after which old files are removed.
const CLEANED_EVERY: u64 = 10;

/// The file that says that a directory is a lake.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    format: String,
    version: u32,
}

/// The place of a lake.
#[derive(Debug, Clone)]
pub struct Lake {
    address: PathBuf,
    storage: Storage,
}

/// What a lake holds at one moment.
#[derive(Debug)]
pub struct Snapshot {
    /// The files.
    pub manifest: Manifest,
    store: LakeStore,
    storage: Storage,
}

/// A lake that is being changed.
pub struct Writing {
    /// What the lake holds since this writer looked at it last.
    pub manifest: Manifest,
    /// The version of the table of sources that this is, and that the next commit has to follow.
    base: TableVersion,
    logs: LakeLogs,
    /// The directory that new files are written to: that of the lake, or one of this writer.
    directory: PathBuf,
    /// The directory of this writer, when the lake lies in object storage.
    _staging: Option<TempDir>,
    /// The files that are known to be in the lake for good.
    stored: BTreeSet<String>,
}

/// Sources that come in or go, together.
#[derive(Debug, Default)]
pub(crate) struct Change {
    /// The files with the rows of the sources that come in.
    pub(crate) files: Vec<DataFile>,
    /// The sources that come in. What the lake has of them goes.
    pub(crate) sources: BTreeMap<String, Source>,
    /// The sources that go.
    pub(crate) removed: BTreeSet<String>,
}

/// The logs of all tables of a lake.
struct LakeLogs {
    store: LakeStore,
    tables: Vec<(Table, TableLog)>,
    sources: TableLog,
}

impl Lake {
    /// The lake at a directory, which need not exist yet.
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self {
            address: directory.into(),
            storage: Storage::default(),
        }
    }

    /// The lake that an address names: a directory, `file:///DIRECTORY`, or `s3://BUCKET/PREFIX`.
    pub fn named(address: &Path, storage: &Storage) -> Result<Self> {
        let is_url = address.to_str().filter(|text| text.starts_with("file:"));
        let address = match is_url {
            None => address.to_owned(),
            Some(text) => Url::parse(text)
                .ok()
                .and_then(|url| url.to_file_path().ok())
                .ok_or_else(|| Error::NoAddress(text.to_owned()))?,
        };
        Ok(Self {
            address,
            storage: storage.clone(),
        })
    }

    /// Returns `true` if it lies in object storage.
    pub fn is_remote(&self) -> bool {
        Bucket::named(&self.address).is_some()
    }

    /// The directory, or the address.
    pub fn directory(&self) -> &Path {
        &self.address
    }

    /// Reads what the lake holds now.
    pub async fn fetch(&self) -> Result<Snapshot> {
        let store = LakeStore::open(&self.address, &self.storage)?;
        let head = store.fetch(HEAD).await?;
        let head = head.ok_or_else(|| Error::NoLake(self.address.clone()))?;
        check_head(&head, &self.address)?;
        let logs = LakeLogs::new(&store)?;
        let manifest = match logs.sources.load(None).await? {
            Some(base) => logs.read(&base).await?,
            // Its writer has not come further than the first file.
            None => Manifest::default(),
        };
        Ok(Snapshot {
            manifest,
            store,
            storage: self.storage.clone(),
        })
    }

    /// Reads what the lake holds now, and waits for it.
    pub fn read(&self) -> Result<Snapshot> {
        wait(self.fetch())
    }

    /// Begins to change the lake, which is made if there is none.
    pub fn write(&self) -> Result<Writing> {
        let store = LakeStore::open(&self.address, &self.storage)?;
        if let Some(directory) = store.directory() {
            fs_err::create_dir_all(directory).map_err(Error::io("make", directory))?;
            if !directory.join(HEAD).is_file() && has_strangers(directory)? {
                return Err(Error::NotALake(self.address.clone()));
            }
        }
        let staging = match store.directory() {
            Some(_) => None,
            None => Some(temporary_directory()?),
        };
        let directory = match (store.directory(), &staging) {
            (Some(directory), _) => directory.to_owned(),
            (None, staging) => staging
                .as_ref()
                .map_or_else(PathBuf::new, |staging| staging.path().to_owned()),
        };
        wait(async {
            let head = match store.fetch(HEAD).await? {
                Some(head) => head,
                None => {
                    let head = serde_json::json!({"format": FORMAT, "version": VERSION});
                    store.create(HEAD, head.to_string()).await?;
                    let written = store.fetch(HEAD).await?;
                    written.ok_or_else(|| Error::NoLake(self.address.clone()))?
                }
            };
            check_head(&head, &self.address)?;
            let logs = LakeLogs::new(&store)?;
            let base = logs.sources.open().await?;
            let manifest = logs.read(&base).await?;
            Ok(Writing {
                stored: paths(&manifest.files),
                manifest,
                base,
                logs,
                directory,
                _staging: staging,
            })
        })
    }
}

impl Snapshot {
    /// Where a file of the lake lies.
    pub fn path_of(&self, relative: &str) -> PathBuf {
        self.store.address().join(relative)
    }

    /// The directory of the lake, or its address.
    pub fn directory(&self) -> &Path {
        self.store.address()
    }

    /// The address of a table, which other engines read as a Delta table.
    pub fn address_of(&self, table: Table) -> String {
        self.path_of(&table.directory()).display().to_string()
    }

    /// How the files are reached, when they lie in object storage.
    pub(crate) fn storage(&self) -> &Storage {
        &self.storage
    }

    /// Returns the path of a file on this machine. A file in object storage is copied to a directory that is removed with the second value.
    pub(crate) fn local_path(&self, file: &DataFile) -> Result<(PathBuf, Option<TempDir>)> {
        if let Some(directory) = self.store.directory() {
            return Ok((directory.join(&file.path), None));
        }
        let copies = temporary_directory()?;
        let path = copies.path().join(&file.path);
        wait(self.store.download(&file.path, &path))?;
        Ok((path, Some(copies)))
    }
}

impl Writing {
    /// The directory that new files are written to.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The number that the next snapshot will have, unless another writer is faster.
    pub(crate) fn next_snapshot(&self) -> u64 {
        self.manifest.snapshot + 1
    }

    /// Returns the path of a file on this machine. It is copied from object storage unless it is there already.
    pub(crate) fn local_path(&self, file: &DataFile) -> Result<PathBuf> {
        let path = self.directory.join(&file.path);
        if self.logs.store.directory().is_none() && !path.is_file() {
            wait(self.logs.store.download(&file.path, &path))?;
        }
        Ok(path)
    }

    /// Makes a change. Returns how many of the sources that come in replaced another, or how many went.
    pub(crate) fn commit(&mut self, mut change: Change) -> Result<u64> {
        let names = Names::new(self, "s");
        let writer = Writer::create(&self.directory, Table::Sources, &names.next())?;
        writer.add(rows_of_sources(&change.sources))?;
        change.files.extend(writer.finish()?);
        let mut gone = 0;
        self.update(|writing| {
            let ids = change.removed.iter().chain(change.sources.keys());
            let known = ids.filter(|id| writing.manifest.sources.contains_key(*id));
            let known: BTreeSet<String> = known.cloned().collect();
            if change.sources.is_empty() && known.is_empty() {
                return Ok(None);
            }
            gone = known.len() as u64;
            let mut next = Manifest {
                files: rows_without(writing, &known)?,
                ..writing.manifest.clone()
            };
            next.files.extend(change.files.iter().cloned());
            next.sources.retain(|id, _| !known.contains(id));
            next.sources.extend(change.sources.clone());
            Ok(Some(next))
        })?;
        Ok(gone)
    }

    /// Commits what a function makes of the lake. It is asked again when another writer was faster. Nothing is committed when it returns
    /// `None`.
    pub(crate) fn update(
        &mut self,
        mut next: impl FnMut(&Self) -> Result<Option<Manifest>>,
    ) -> Result<()> {
        for _ in 0..ATTEMPTS {
            let Some(mut manifest) = next(self)? else {
                return Ok(());
            };
            manifest
                .files
                .sort_by(|a, b| (a.table, &a.bounds, &a.path).cmp(&(b.table, &b.bounds, &b.path)));
            self.store(&manifest.files)?;
            let committed = wait(self.logs.commit(&self.base, &manifest))?;
            self.reload()?;
            if committed {
                self.remove_copies()?;
                return Ok(());
            }
        }
        Err(Error::Contended)
    }

    /// Removes files that no version has had for some time, and commits that are summed up. Returns how many files are gone.
    pub(crate) fn clean(&self, retention: Duration) -> Result<u64> {
        wait(self.logs.clean(&self.base, retention))
    }

    /// The same after every so many commits.
    pub(crate) fn clean_now_and_then(&self) -> Result<()> {
        if self.manifest.snapshot.is_multiple_of(CLEANED_EVERY) {
            self.clean(RETENTION)?;
        }
        Ok(())
    }

    /// Takes the lake as it is now.
    fn reload(&mut self) -> Result<()> {
        let logs = &self.logs;
        (self.base, self.manifest) = wait(async {
            let base = logs.sources.open().await?;
            let manifest = logs.read(&base).await?;
            Ok((base, manifest))
        })?;
        self.stored.extend(paths(&self.manifest.files));
        Ok(())
    }

    /// Brings the files that are new to the disk, and then the directories that they are in; or to object storage. Whoever writes many
    /// files waits for it here, and not after each.
    fn store(&mut self, files: &[DataFile]) -> Result<()> {
        let fresh = files
            .iter()
            .filter(|file| !self.stored.contains(&file.path));
        let fresh: Vec<&DataFile> = fresh.collect();
        let local = |file: &DataFile| self.directory.join(&file.path);
        if self.logs.store.directory().is_none() {
            let store = &self.logs.store;
            for some in fresh.chunks(STORED_AT_ONCE) {
                let sent = some.iter().map(|file| async move {
                    let path = local(file);
                    store.upload(&path, &file.path).await
                });
                wait(try_join_all(sent))?;
            }
        } else {
            let directories: BTreeSet<PathBuf> = fresh
                .iter()
                .map(|file| self.directory.join(file.table.directory()))
                .chain([self.directory.join(TABLES), self.directory.clone()])
                .collect();
            let files = fresh.iter().map(|file| local(file)).collect();
            for paths in [files, directories.into_iter().collect::<Vec<_>>()] {
                let synced = each(STORED_AT_ONCE, &paths, |path| {
                    let sync = File::open(path).and_then(|file| file.sync_all());
                    sync.map_err(Error::io("bring to the disk", path))
                });
                synced.into_iter().collect::<Result<()>>()?;
            }
        }
        let fresh: Vec<String> = fresh.into_iter().map(|file| file.path.clone()).collect();
        self.stored.extend(fresh);
        Ok(())
    }

    /// Removes the copies of files that lie in object storage.
    fn remove_copies(&self) -> Result<()> {
        let tables = self.directory.join(TABLES);
        if self.logs.store.directory().is_none() && tables.is_dir() {
            fs_err::remove_dir_all(&tables).map_err(Error::io("remove", &tables))?;
        }
        Ok(())
    }
}

impl LakeLogs {
    fn new(store: &LakeStore) -> Result<Self> {
        let tables = Table::ALL.map(|table| Ok((table, store.table_log(table)?)));
        Ok(Self {
            sources: store.table_log(Table::Sources)?,
            tables: tables.into_iter().collect::<Result<_>>()?,
            store: store.clone(),
        })
    }

    /// Reads the files and the sources of one version of the table of sources.
    async fn read(&self, base: &TableVersion) -> Result<Manifest> {
        let numbers = versions_in(base)?;
        let versions = self.tables.iter().map(async |(table, log)| {
            let Some(number) = numbers.get(table) else {
                return Ok(Vec::new());
            };
            let version = log.load(Some(*number)).await?;
            let version = version.ok_or_else(|| self.faulty("a table of it is not there"))?;
            Ok(version.files)
        });
        let sources = base.files.iter().map(async |file| {
            let bytes = self.store.fetch(&file.path).await?;
            let bytes = bytes.ok_or_else(|| self.faulty("a file of its sources is not there"))?;
            read_sources(&file.path, bytes)
        });
        let (files, sources) =
            futures_util::try_join!(try_join_all(versions), try_join_all(sources))?;
        let mut files: Vec<DataFile> = files.into_iter().flatten().collect();
        files.extend(base.files.iter().cloned());
        files.sort_by(|a, b| (a.table, &a.bounds, &a.path).cmp(&(b.table, &b.bounds, &b.path)));
        Ok(Manifest {
            snapshot: base.number,
            versions: numbers,
            files,
            sources: sources.into_iter().flatten().collect(),
        })
    }

    /// Commits a manifest after a version of the table of sources. Returns `false` if another writer was faster.
    async fn commit(&self, base: &TableVersion, next: &Manifest) -> Result<bool> {
        let set = self.tables.iter().map(async |(table, log)| {
            let files: Vec<&DataFile> = next.files_of(*table).collect();
            let number = log.set_files(&files).await?;
            Ok::<_, Error>((table.as_str(), number))
        });
        let versions: BTreeMap<&str, u64> = try_join_all(set).await?.into_iter().collect();
        let versions = serde_json::json!(versions).to_string();
        let files: Vec<&DataFile> = next.files_of(Table::Sources).collect();
        let property = (VERSIONS, versions);
        let committed = self.sources.replace_files(base, &files, property).await?;
        Ok(committed.is_some())
    }

    async fn clean(&self, base: &TableVersion, retention: Duration) -> Result<u64> {
        let numbers = versions_in(base)?;
        let mut removed = self.sources.clean(base.number, retention).await?;
        for (table, log) in &self.tables {
            if let Some(number) = numbers.get(table) {
                removed += log.clean(*number, retention).await?;
            }
        }
        Ok(removed)
    }

    fn faulty(&self, why: &str) -> Error {
        Error::Manifest {
            path: self.store.address().to_owned(),
            why: why.to_owned(),
        }
    }
}

/// The versions of the other tables that belong to a version of the table of sources.
fn versions_in(base: &TableVersion) -> Result<BTreeMap<Table, u64>> {
    let text = base.property(VERSIONS).unwrap_or("{}");
    let versions: BTreeMap<String, u64> =
        serde_json::from_str(text).map_err(|error| Error::Manifest {
            path: VERSIONS.into(),
            why: error.to_string(),
        })?;
    let known = |(name, number): (String, u64)| Some((Table::named(&name)?, number));
    Ok(versions.into_iter().filter_map(known).collect())
}

fn check_head(bytes: &[u8], address: &Path) -> Result<()> {
    let faulty = |why: String| Error::Manifest {
        path: address.join(HEAD),
        why,
    };
    let head: Head = serde_json::from_slice(bytes).map_err(|error| faulty(error.to_string()))?;
    if head.format != FORMAT {
        return Err(faulty(format!("its format is `{}`", head.format)));
    }
    match head.version {
        VERSION => Ok(()),
        older if older < VERSION => Err(Error::OldVersion {
            address: address.to_owned(),
            found: older,
        }),
        newer => Err(Error::Version {
            found: newer,
            known: VERSION,
        }),
    }
}

/// Returns `true` if a path of a log stays below the tables of the lake. A lake may come from a stranger.
pub(crate) fn is_inside(path: &str) -> bool {
    path.strip_prefix(TABLES)
        .and_then(|rest| rest.strip_prefix('/'))
        .is_some_and(|rest| {
            rest.split('/')
                .all(|part| !matches!(part, "" | "." | "..") && !part.contains('\\'))
        })
}

fn paths(files: &[DataFile]) -> BTreeSet<String> {
    files.iter().map(|file| file.path.clone()).collect()
}

fn temporary_directory() -> Result<TempDir> {
    let directory = tempfile::tempdir();
    directory.map_err(Error::io("make", std::env::temp_dir()))
}

/// Threads that read and write logs for callers that are not asynchronous.
static RUNTIME: LazyLock<io::Result<Runtime>> = LazyLock::new(|| {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
});

/// Waits for work of the logs, also where a runtime is already at work.
fn wait<T: Send>(work: impl Future<Output = Result<T>> + Send) -> Result<T> {
    let runtime = RUNTIME.as_ref().map_err(|error| Error::Io {
        doing: "start threads for",
        path: PathBuf::from("a lake"),
        source: io::Error::new(error.kind(), error.to_string()),
    })?;
    std::thread::scope(|scope| {
        let done = scope.spawn(|| runtime.block_on(work)).join();
        done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Returns `true` if a directory has files that no lake makes before its first.
fn has_strangers(directory: &Path) -> Result<bool> {
    let entries = fs_err::read_dir(directory).map_err(Error::io("read", directory))?;
    for entry in entries {
        let entry = entry.map_err(Error::io("read", directory))?;
        let name = entry.file_name();
        if !name.to_string_lossy().starts_with(UNFINISHED) {
            return Ok(true);
        }
    }
    Ok(false)
}
