use std::fs::File;
use std::io::{self, Read, Write as _};
use std::path::PathBuf;

use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;

use crate::{Error, LargeFileId};

/// The directory of large files: `ab/cd/{sha256}`.
#[derive(Debug, Clone)]
pub struct LargeFiles {
    root: PathBuf,
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
}

/// How many bytes are read at a time.
const CHUNK: usize = 64 * 1024;
/// What a file is called that is not finished, with something random behind it.
const PREFIX: &str = ".upload-";

impl LargeFiles {
    /// The large files below a directory, which is made if it does not exist.
    pub fn new(root: impl Into<PathBuf>) -> Result<Self, Error> {
        let root = root.into();
        std::fs::create_dir_all(&root).map_err(Error::disk("make", &root))?;
        Ok(Self { root })
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
        })
    }

    /// Removes what uploads of processes that are gone have left, and says how many there were. Call it once at start-up.
    pub fn recover(&self) -> Result<usize, Error> {
        let failed = || Error::disk("list", &self.root);
        let mut removed = 0;
        for entry in std::fs::read_dir(&self.root).map_err(failed())? {
            let entry = entry.map_err(failed())?;
            if !entry.file_name().to_string_lossy().starts_with(PREFIX) {
                continue;
            }
            let file = File::open(entry.path());
            if file.is_ok_and(|file| file.try_lock().is_ok()) {
                removed += usize::from(std::fs::remove_file(entry.path()).is_ok());
            }
        }
        Ok(removed)
    }

    /// Takes a whole file in; what has not the hash and the size that were said is refused and leaves nothing behind.
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

    /// Whether there is such a file.
    pub fn contains(&self, oid: LargeFileId) -> bool {
        self.size(oid).is_some()
    }

    /// Where a file lies, or would lie.
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
        // Whoever brought the same file meanwhile brought the same bytes.
        match self.file.persist(&place) {
            Ok(_) => Ok(()),
            Err(error) => Err(Error::disk("write", place)(error.error)),
        }
    }

    fn wrong_size(&self) -> Error {
        Error::WrongSize {
            oid: self.oid,
            expected: self.size,
        }
    }
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
