use std::fs::File;
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use assay_model::Durability;
use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;

use crate::sync::{self, Directories};
use crate::{Error, LargeFileId};

/// The directory of large files: `ab/cd/{sha256}`.
#[derive(Debug, Clone)]
pub struct LargeFiles {
    root: PathBuf,
    durability: Durability,
}

/// The outcome of removing an unnamed file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// It is gone.
    Removed,
    /// It came back a moment ago, and stays.
    Young,
    /// Somebody else has removed it.
    Absent,
}

/// A large file on its way in: nobody sees it before its hash and size are proven.
#[derive(Debug)]
pub struct Upload {
    oid: LargeFileId,
    size: u64,
    written: u64,
    digest: Sha256,
    file: NamedTempFile,
    place: PathBuf,
    durability: Durability,
}

/// Number of bytes that are read at a time.
const CHUNK: usize = 64 * 1024;
/// The prefix of an unfinished file, with something random behind it.
const PREFIX: &str = ".upload-";
/// The prefix of a file during the last look before it is deleted.
const LEAVING: &str = ".leaving-";
/// The depth of a file, itself counted.
const NESTED: usize = 3;

impl LargeFiles {
    /// The large files below a directory, which is made if it does not exist.
    pub fn new(root: impl Into<PathBuf>) -> Result<Self, Error> {
        let root = root.into();
        std::fs::create_dir_all(&root).map_err(Error::disk("make", &root))?;
        Ok(Self {
            root,
            durability: Durability::Fast,
        })
    }

    /// The same, whose files outlast what this says; without, they outlast the process.
    #[must_use]
    pub fn with_durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// The directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Begins to take a file in. Give [`Upload::write`] its bytes as they come.
    pub fn begin(&self, oid: LargeFileId, size: u64) -> Result<Upload, Error> {
        let file = tempfile::Builder::new()
            .prefix(PREFIX)
            .tempfile_in(&self.root)
            .map_err(Error::disk("make a file in", &self.root))?;
        // Held while we live, so that `recover` of another process leaves it alone.
        let lock = file.as_file().lock();
        lock.map_err(Error::disk("lock", file.path()))?;
        Ok(Upload {
            oid,
            size,
            written: 0,
            digest: Sha256::new(),
            file,
            place: self.path(oid),
            durability: self.durability,
        })
    }

    /// Removes what uploads of processes that are gone have left, and says how many there were.
    /// Call it once at start-up.
    pub fn recover(&self) -> Result<usize, Error> {
        let failed = || Error::disk("list", &self.root);
        let mut removed = 0;
        for entry in std::fs::read_dir(&self.root).map_err(failed())? {
            let entry = entry.map_err(failed())?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Some(Ok(oid)) = name.strip_prefix(LEAVING).map(str::parse::<LargeFileId>) {
                // Nobody knows any more whether it was young: it stays, and is looked at again.
                let place = self.path(oid);
                if !place.exists() {
                    std::fs::rename(entry.path(), &place).map_err(Error::disk("move", place))?;
                }
                continue;
            }
            if !name.starts_with(PREFIX) {
                continue;
            }
            let file = File::open(entry.path());
            if file.is_ok_and(|file| file.try_lock().is_ok()) {
                removed += usize::from(std::fs::remove_file(entry.path()).is_ok());
            }
        }
        Ok(removed)
    }

    /// Every file with its size and when it came, in no order.
    pub fn list(&self) -> Result<Vec<(LargeFileId, u64, SystemTime)>, Error> {
        let mut found = Vec::new();
        let mut folders = vec![(self.root.clone(), 1)];
        while let Some((folder, depth)) = folders.pop() {
            let failed = || Error::disk("list", &folder);
            for entry in std::fs::read_dir(&folder).map_err(failed())? {
                let entry = entry.map_err(failed())?;
                let Ok(facts) = entry.metadata() else {
                    continue;
                };
                let id = entry.file_name().to_str().map(str::parse::<LargeFileId>);
                match id {
                    Some(Ok(oid)) if depth == NESTED && facts.is_file() => {
                        found.push((oid, facts.len(), modified(&facts)));
                    }
                    _ if facts.is_dir() && depth < NESTED => {
                        folders.push((entry.path(), depth + 1));
                    }
                    _ => {}
                }
            }
        }
        Ok(found)
    }

    /// Removes a file unless it came after this moment. Whoever brings it meanwhile loses nothing:
    /// it is taken out of the way first, and put back when it turns out to be young.
    pub fn remove_older(&self, oid: LargeFileId, moment: SystemTime) -> Result<Removal, Error> {
        let (place, aside) = (self.path(oid), self.root.join(format!("{LEAVING}{oid}")));
        match std::fs::rename(&place, &aside) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Removal::Absent),
            Err(error) => return Err(Error::disk("move", place)(error)),
        }
        let facts = std::fs::metadata(&aside).map_err(Error::disk("find", &aside))?;
        if modified(&facts) > moment {
            // A hard link does not replace what somebody has put there since, which are the same
            // bytes.
            match std::fs::hard_link(&aside, &place) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    std::fs::rename(&aside, &place).map_err(Error::disk("move", &place))?;
                    return Ok(Removal::Young);
                }
                _ => {}
            }
            std::fs::remove_file(&aside).map_err(Error::disk("remove", &aside))?;
            return Ok(Removal::Young);
        }
        std::fs::remove_file(&aside).map_err(Error::disk("remove", &aside))?;
        Ok(Removal::Removed)
    }

    /// Takes a whole file in; what has not the hash and the size that were said is refused and
    /// leaves nothing behind.
    pub fn put(&self, oid: LargeFileId, size: u64, mut reader: impl Read) -> Result<(), Error> {
        let mut upload = self.begin(oid, size)?;
        let mut chunk = vec![0; CHUNK];
        loop {
            match reader.read(&mut chunk) {
                Ok(0) => return upload.finish(),
                Ok(read) => upload.write(&chunk[..read])?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::Body(error)),
            }
        }
    }

    /// Opens a file.
    pub fn open(&self, oid: LargeFileId) -> Result<File, Error> {
        let path = self.path(oid);
        match File::open(&path) {
            Ok(file) => Ok(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Error::NoLargeFile(oid)),
            Err(error) => Err(Error::disk("open", path)(error)),
        }
    }

    /// The size of a file; `None` when there is no such file.
    pub fn size(&self, oid: LargeFileId) -> Option<u64> {
        let metadata = std::fs::metadata(self.path(oid)).ok()?;
        metadata.is_file().then_some(metadata.len())
    }

    /// Returns whether the file exists.
    pub fn contains(&self, oid: LargeFileId) -> bool {
        self.size(oid).is_some()
    }

    /// Returns the path of a file, whether it exists or not.
    pub fn path(&self, oid: LargeFileId) -> PathBuf {
        let name = oid.to_string();
        self.root.join(&name[..2]).join(&name[2..4]).join(name)
    }
}

impl Upload {
    /// Takes the next bytes; more than were said are refused at once.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.written += bytes.len() as u64;
        if self.written > self.size {
            return Err(self.wrong_size());
        }
        self.digest.update(bytes);
        self.file
            .write_all(bytes)
            .map_err(Error::disk("write", self.file.path()))
    }

    /// Proves hash and size, and moves the file to its place.
    pub fn finish(self) -> Result<(), Error> {
        if self.written != self.size {
            return Err(self.wrong_size());
        }
        let actual = LargeFileId::from_bytes(self.digest.finalize().into());
        if actual != self.oid {
            return Err(Error::WrongHash {
                expected: self.oid,
                actual,
            });
        }
        let place = self.place;
        if let Some(parent) = place.parent() {
            std::fs::create_dir_all(parent).map_err(Error::disk("make", parent))?;
        }
        sync::file(self.durability, self.file.path())?;
        // Whoever brought the same file meanwhile brought the same bytes.
        if let Err(error) = self.file.persist(&place) {
            return Err(Error::disk("write", place)(error.error));
        }
        let mut directories = Directories::new(self.durability);
        for path in place.ancestors().take(NESTED) {
            directories.of(path);
        }
        directories.sync()
    }

    fn wrong_size(&self) -> Error {
        Error::WrongSize {
            oid: self.oid,
            expected: self.size,
        }
    }
}

fn modified(facts: &std::fs::Metadata) -> SystemTime {
    facts.modified().unwrap_or(SystemTime::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELLO: &[u8] = b"hello";
    const HELLO_OID: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

    fn empty() -> (tempfile::TempDir, LargeFiles, LargeFileId) {
        let directory = tempfile::tempdir().unwrap();
        let files = LargeFiles::new(directory.path()).unwrap();
        (directory, files, HELLO_OID.parse().unwrap())
    }

    #[test]
    fn what_was_put_can_be_opened_and_putting_it_again_changes_nothing() {
        let (_directory, files, oid) = empty();

        files.put(oid, 5, HELLO).unwrap();
        files.put(oid, 5, HELLO).unwrap();

        let mut bytes = Vec::new();
        files.open(oid).unwrap().read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes, HELLO);
        assert_eq!(files.size(oid), Some(5));
        assert!(files.path(oid).ends_with(format!("2c/f2/{HELLO_OID}")));
    }

    #[test]
    fn a_file_is_removed_if_it_is_old_and_stays_if_it_is_young() {
        let (_directory, files, oid) = empty();
        files.put(oid, 5, HELLO).unwrap();
        let [(listed, size, came)] = files.list().unwrap()[..] else {
            panic!("there is one file");
        };
        let before = came - std::time::Duration::from_secs(1);

        let young = files.remove_older(oid, before).unwrap();
        let is_there = files.contains(oid);
        let old = files.remove_older(oid, came).unwrap();
        let again = files.remove_older(oid, came).unwrap();

        assert_eq!((listed, size), (oid, 5));
        assert_eq!((young, is_there), (Removal::Young, true));
        assert_eq!((old, again), (Removal::Removed, Removal::Absent));
        assert_eq!(files.list().unwrap(), []);
    }

    #[test]
    fn a_file_that_was_looked_at_when_a_process_died_is_put_back() {
        let (directory, files, oid) = empty();
        files.put(oid, 5, HELLO).unwrap();
        let aside = directory.path().join(format!("{LEAVING}{oid}"));
        std::fs::rename(files.path(oid), &aside).unwrap();

        files.recover().unwrap();

        assert!(files.contains(oid) && !aside.exists());
    }

    #[test]
    fn only_uploads_without_a_living_owner_are_removed() {
        let (directory, files, oid) = empty();
        let mut living = files.begin(oid, 5).unwrap();
        std::fs::write(directory.path().join(".upload-dead"), "x").unwrap();

        let removed = files.recover().unwrap();

        assert_eq!(removed, 1);
        living.write(HELLO).unwrap();
        living.finish().unwrap();
        assert!(files.contains(oid));
    }

    #[test]
    fn bytes_that_are_not_what_was_said_leave_nothing_behind() {
        let (directory, files, oid) = empty();

        let hash = files.put(oid, 5, &b"hellO"[..]);
        let short = files.put(oid, 6, HELLO);
        let long = files.put(oid, 4, HELLO);

        assert!(matches!(hash, Err(Error::WrongHash { .. })), "{hash:?}");
        assert!(matches!(short, Err(Error::WrongSize { .. })), "{short:?}");
        assert!(matches!(long, Err(Error::WrongSize { .. })), "{long:?}");
        assert!(!files.contains(oid));
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
        assert!(matches!(files.open(oid), Err(Error::NoLargeFile(_))));
    }
}
