use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use crate::{Error, LargeFileId};

/// The directory of large files: `ab/cd/{sha256}`.
#[derive(Debug, Clone)]
pub struct LargeFiles {
    root: PathBuf,
}

/// A large file on its way in: nobody sees it before its hash and size are proven.
#[derive(Debug)]
pub struct Upload {
    _private: (),
}

impl LargeFiles {
    /// The large files below a directory, which is made if it does not exist.
    pub fn new(root: impl Into<PathBuf>) -> Result<Self, Error> {
        Ok(Self { root: root.into() })
    }

    /// Begins to take a file in. Give [`Upload::write`] its bytes as they come.
    pub fn begin(&self, _oid: LargeFileId, _size: u64) -> Result<Upload, Error> {
        todo!()
    }

    /// Takes a whole file in; what has not the hash and the size that were said is refused and leaves nothing behind.
    pub fn put(&self, _oid: LargeFileId, _size: u64, _reader: impl Read) -> Result<(), Error> {
        todo!()
    }

    /// Opens a file.
    pub fn open(&self, _oid: LargeFileId) -> Result<File, Error> {
        todo!()
    }

    /// The size of a file; `None` when there is no such file.
    pub fn size(&self, _oid: LargeFileId) -> Option<u64> {
        todo!()
    }

    /// Whether there is such a file.
    pub fn contains(&self, oid: LargeFileId) -> bool {
        self.path(oid).is_file()
    }

    /// Where a file lies, or would lie.
    pub fn path(&self, oid: LargeFileId) -> PathBuf {
        let name = oid.to_string();
        self.root.join(&name[..2]).join(&name[2..4]).join(name)
    }
}

impl Upload {
    /// Takes the next bytes; more than were said are refused at once.
    pub fn write(&mut self, _bytes: &[u8]) -> Result<(), Error> {
        todo!()
    }

    /// Proves hash and size, and moves the file to its place.
    pub fn finish(self) -> Result<(), Error> {
        todo!()
    }
}
