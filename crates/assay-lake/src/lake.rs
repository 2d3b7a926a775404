//! The directory of a lake: snapshots that change as a whole, one writer, any number of readers.

use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use assay_formats::each;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::bucket::{Bucket, Storage};
use crate::error::{Error, Result};
use crate::manifest::Manifest;

/// The version of the layout. It changes when a reader of the old one could be misled.
const VERSION: u32 = 1;
/// What the first file of a lake calls itself.
const FORMAT: &str = "assay-lake";
/// The file that names the current snapshot.
const HEAD: &str = "lake.json";
/// The directory of the manifests.
const SNAPSHOTS: &str = "snapshots";
/// The directory of the Parquet files.
pub(crate) const TABLES: &str = "tables";
/// Held by the one process that writes.
const WRITER_LOCK: &str = "writer.lock";
/// Held, together, by those that read.
const READER_LOCK: &str = "reader.lock";
/// The ending of a file that is not finished.
pub(crate) const UNFINISHED: &str = "tmp";
/// Number of files that are brought to the disk at once.
const SYNCS_AT_ONCE: usize = 8;

/// The file that names the current snapshot.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    format: String,
    version: u32,
    snapshot: u64,
}

/// The directory of a lake.
#[derive(Debug, Clone)]
pub struct Lake {
    directory: PathBuf,
}

/// What a lake holds at one moment. As long as this lives, the files of a directory stay.
#[derive(Debug)]
pub struct Snapshot {
    /// The files.
    pub manifest: Manifest,
    directory: PathBuf,
    storage: Storage,
    _lock: Option<File>,
}

/// The right to change a lake, which one process has at a time.
#[derive(Debug)]
pub struct Writing {
    /// What the lake holds, and will hold after the next commit.
    pub manifest: Manifest,
    /// The files that are known to be on the disk.
    on_disk: BTreeSet<String>,
    directory: PathBuf,
    _lock: File,
}

impl Lake {
    /// The lake at a directory, which need not exist yet.
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
        }
    }

    /// The lake that an address names: a directory, `file:///DIRECTORY`, or `s3://BUCKET/PREFIX`.
    pub fn named(address: &Path) -> Result<Self> {
        let is_url = address.to_str().filter(|text| text.starts_with("file:"));
        let directory = match is_url {
            None => address.to_owned(),
            Some(text) => Url::parse(text)
                .ok()
                .and_then(|url| url.to_file_path().ok())
                .ok_or_else(|| Error::NoAddress(text.to_owned()))?,
        };
        Ok(Self { directory })
    }

    /// Returns whether it lies in object storage, where it can be read by [`Lake::fetch`] alone.
    pub fn is_remote(&self) -> bool {
        Bucket::named(&self.directory).is_some()
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Reads what a lake in object storage holds now, or one in a directory. Nobody locks a bucket:
    /// what is removed from it while it is read is missed, and an error.
    pub async fn fetch(&self, storage: &Storage) -> Result<Snapshot> {
        let Some(bucket) = Bucket::named(&self.directory) else {
            return self.read();
        };
        let missing = || Error::NoLake(self.directory.clone());
        let head = bucket.fetch(storage, HEAD).await?.ok_or_else(missing)?;
        let number = snapshot_in(&head, &self.directory.join(HEAD))?;
        let name = snapshot_name(number);
        let path = self.directory.join(&name);
        let manifest = bucket.fetch(storage, &name).await?;
        let manifest = manifest.ok_or_else(|| Error::Manifest {
            path: path.clone(),
            why: "it is not there".to_owned(),
        })?;
        Ok(Snapshot {
            manifest: manifest_in(&manifest, &path)?,
            directory: self.directory.clone(),
            storage: storage.clone(),
            _lock: None,
        })
    }

    /// Reads what the lake holds now.
    pub fn read(&self) -> Result<Snapshot> {
        let directory = self.absolute()?;
        if !directory.join(HEAD).is_file() {
            return Err(Error::NoLake(self.directory.clone()));
        }
        // The lock only keeps the files of old snapshots from being removed. A lake on a medium
        // that cannot be written can be read all the same: nobody removes anything there.
        let lock = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(directory.join(READER_LOCK))
            .ok()
            .filter(|file| file.lock_shared().is_ok());
        Ok(Snapshot {
            manifest: manifest_of(&directory)?,
            directory,
            storage: Storage::default(),
            _lock: lock,
        })
    }

    /// Takes the right to change the lake, which is made if there is none.
    pub fn write(&self) -> Result<Writing> {
        let directory = self.absolute()?;
        fs_err::create_dir_all(&directory).map_err(Error::io("make", &directory))?;
        let has_head = directory.join(HEAD).is_file();
        if !has_head && has_strangers(&directory)? {
            return Err(Error::NotALake(self.directory.clone()));
        }
        let path = directory.join(WRITER_LOCK);
        let lock = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(Error::io("open", &path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::Busy(self.directory.clone())),
            Err(TryLockError::Error(error)) => return Err(Error::io("lock", path)(error)),
        }
        // A lake says that it is one before anything else lies in it: what is swept away later was
        // made by a lake.
        if !directory.join(HEAD).is_file() {
            publish(&directory, &Manifest::default())?;
        }
        let manifest = manifest_of(&directory)?;
        let files = manifest.files.iter();
        Ok(Writing {
            on_disk: files.map(|file| file.path.clone()).collect(),
            manifest,
            directory,
            _lock: lock,
        })
    }

    fn absolute(&self) -> Result<PathBuf> {
        if self.is_remote() {
            return Err(Error::Remote(self.directory.clone()));
        }
        std::path::absolute(&self.directory).map_err(Error::io("find", &self.directory))
    }
}

impl Snapshot {
    /// Where a file of the lake lies.
    pub fn path_of(&self, relative: &str) -> PathBuf {
        self.directory.join(relative)
    }

    /// The directory of the lake, or its address.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// How the files are reached, when they lie in object storage.
    pub(crate) fn storage(&self) -> &Storage {
        &self.storage
    }
}

impl Writing {
    /// The directory of the lake.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The number that the next snapshot will have.
    pub(crate) fn next_snapshot(&self) -> u64 {
        self.manifest.snapshot + 1
    }

    /// Makes what the manifest says now the current snapshot, once all its files are on the disk.
    pub(crate) fn commit(&mut self) -> Result<()> {
        self.bring_to_disk()?;
        self.manifest.snapshot += 1;
        self.manifest
            .files
            .sort_by(|a, b| (a.table, &a.bounds, &a.path).cmp(&(b.table, &b.bounds, &b.path)));
        publish(&self.directory, &self.manifest)
    }

    /// Brings the files that are new to the disk, and then the directories on the way to them.
    /// Whoever writes many files waits for the disk here, and not after each.
    fn bring_to_disk(&mut self) -> Result<()> {
        let files = self.manifest.files.iter();
        let fresh: Vec<PathBuf> = files
            .filter(|file| !self.on_disk.contains(&file.path))
            .map(|file| self.directory.join(&file.path))
            .collect();
        let above = |file| {
            let above = Path::ancestors(file).skip(1);
            above.take_while(|directory| directory.starts_with(&self.directory))
        };
        let directories: BTreeSet<PathBuf> = fresh
            .iter()
            .flat_map(|file| above(file))
            .map(Path::to_owned)
            .collect();
        let directories: Vec<PathBuf> = directories.into_iter().collect();
        for paths in [fresh, directories] {
            let synced = each(SYNCS_AT_ONCE, &paths, |path| {
                let sync = File::open(path).and_then(|file| file.sync_all());
                sync.map_err(Error::io("bring to the disk", path))
            });
            synced.into_iter().collect::<Result<()>>()?;
        }
        let files = self.manifest.files.iter();
        self.on_disk = files.map(|file| file.path.clone()).collect();
        Ok(())
    }

    /// Removes files that no snapshot of now names, unless somebody is still reading. Returns how
    /// many are gone.
    pub(crate) fn sweep(&self) -> Result<u64> {
        let path = self.directory.join(READER_LOCK);
        let lock = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(Error::io("open", &path))?;
        if lock.try_lock().is_err() {
            return Ok(0);
        }
        let named: BTreeSet<PathBuf> = self
            .manifest
            .files
            .iter()
            .map(|file| self.directory.join(&file.path))
            .chain([snapshot_path(&self.directory, self.manifest.snapshot)])
            .collect();
        let mut removed = 0;
        for directory in [TABLES, SNAPSHOTS] {
            let root = self.directory.join(directory);
            let entries = walkdir::WalkDir::new(&root).contents_first(true);
            for entry in entries.into_iter().filter_map(std::result::Result::ok) {
                if entry.file_type().is_dir() {
                    // Only one that is empty goes, and the next ingest makes it again.
                    if entry.depth() > 0 {
                        let _ = std::fs::remove_dir(entry.path());
                    }
                } else if !named.contains(entry.path()) {
                    fs_err::remove_file(entry.path()).map_err(Error::io("remove", entry.path()))?;
                    removed += 1;
                }
            }
        }
        Ok(removed)
    }
}

/// Writes a manifest and then, in one step, makes it the current one.
fn publish(directory: &Path, manifest: &Manifest) -> Result<()> {
    let snapshots = directory.join(SNAPSHOTS);
    fs_err::create_dir_all(&snapshots).map_err(Error::io("make", &snapshots))?;
    replace(&snapshot_path(directory, manifest.snapshot), manifest)?;
    let head = Head {
        format: FORMAT.to_owned(),
        version: VERSION,
        snapshot: manifest.snapshot,
    };
    replace(&directory.join(HEAD), &head)
}

fn manifest_of(directory: &Path) -> Result<Manifest> {
    let read = |path: &Path| fs_err::read(path).map_err(Error::io("read", path));
    let head = directory.join(HEAD);
    let number = snapshot_in(&read(&head)?, &head)?;
    let path = snapshot_path(directory, number);
    manifest_in(&read(&path)?, &path)
}

/// The number of the snapshot that the first file of a lake names.
fn snapshot_in(bytes: &[u8], path: &Path) -> Result<u64> {
    let head: Head = parsed(bytes, path)?;
    if head.format != FORMAT {
        return Err(Error::Manifest {
            why: format!("its format is `{}`", head.format),
            path: path.to_owned(),
        });
    }
    if head.version != VERSION {
        return Err(Error::Version {
            found: head.version,
            known: VERSION,
        });
    }
    Ok(head.snapshot)
}

fn manifest_in(bytes: &[u8], path: &Path) -> Result<Manifest> {
    let manifest: Manifest = parsed(bytes, path)?;
    let outside = manifest.files.iter().find(|file| !is_inside(&file.path));
    match outside {
        Some(file) => Err(Error::Manifest {
            why: format!("`{}` does not lie in the lake", file.path),
            path: path.to_owned(),
        }),
        None => Ok(manifest),
    }
}

/// Returns whether a path of a manifest stays below the data of the lake. A lake may come from a
/// stranger.
pub(crate) fn is_inside(path: &str) -> bool {
    path.strip_prefix(TABLES)
        .and_then(|rest| rest.strip_prefix('/'))
        .is_some_and(|rest| {
            rest.split('/')
                .all(|part| !matches!(part, "" | "." | "..") && !part.contains('\\'))
        })
}

fn parsed<T: for<'de> Deserialize<'de>>(bytes: &[u8], path: &Path) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|error| Error::Manifest {
        path: path.to_owned(),
        why: error.to_string(),
    })
}

fn snapshot_path(directory: &Path, number: u64) -> PathBuf {
    directory.join(snapshot_name(number))
}

fn snapshot_name(number: u64) -> String {
    format!("{SNAPSHOTS}/{number:08}.json")
}

/// Puts a document in the place of a file, so that a reader finds the old one or the new one.
fn replace(path: &Path, document: &impl Serialize) -> Result<()> {
    let unfinished = path.with_extension(UNFINISHED);
    let write = || {
        let mut file = std::io::BufWriter::new(File::create(&unfinished)?);
        serde_json::to_writer(&mut file, document)?;
        file.flush()?;
        file.get_ref().sync_all()?;
        std::fs::rename(&unfinished, path)?;
        sync_directory(path)
    };
    write().map_err(Error::io("write", path))
}

/// Brings the name of a file to the disk.
fn sync_directory(path: &Path) -> std::io::Result<()> {
    match path.parent() {
        Some(directory) => File::open(directory)?.sync_all(),
        None => Ok(()),
    }
}

/// Returns whether a directory that is no lake yet has anything in it that a lake does not begin
/// with.
fn has_strangers(directory: &Path) -> Result<bool> {
    let entries = fs_err::read_dir(directory).map_err(Error::io("read", directory))?;
    for entry in entries {
        let entry = entry.map_err(Error::io("read", directory))?;
        let known = [SNAPSHOTS, WRITER_LOCK, READER_LOCK];
        let name = entry.file_name();
        if !known.iter().any(|known| name == *known) {
            return Ok(true);
        }
    }
    Ok(false)
}
