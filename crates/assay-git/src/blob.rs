use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Cursor, Read};

use assay_model::ObjectId;
use flate2::read::ZlibDecoder;

use crate::command::Git;
use crate::{Error, Objects, Repository, loose};

/// The bytes of a blob, as they are read.
#[derive(Debug)]
pub struct BlobReader {
    size: u64,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Memory(Cursor<Vec<u8>>),
    /// A file that is inflated as it is read.
    Loose(Box<io::Take<BufReader<ZlibDecoder<File>>>>),
}

/// A blob of up to this size is read at once.
const MAX_AT_ONCE: u64 = 1 << 20;

impl Objects {
    /// Opens a blob of any size.
    ///
    /// A blob that is a file of its own is read as it is asked for. One in a pack is held in
    /// memory, as git itself does; what a push may bring is bounded by
    /// [`ReceiveLimits::object_bytes`](crate::ReceiveLimits::object_bytes).
    pub fn open(&self, blob: ObjectId) -> Result<BlobReader, Error> {
        let size = self.size(blob)?;
        if size > MAX_AT_ONCE
            && let Some(source) = self.open_loose(blob, size)
        {
            return Ok(BlobReader { size, source });
        }
        let source = Source::Memory(Cursor::new(self.read(blob, size)?));
        Ok(BlobReader { size, source })
    }

    fn open_loose(&self, blob: ObjectId, size: u64) -> Option<Source> {
        let base = &self.layers.base;
        let file = File::open(loose::path(&base.objects_dir(), blob)).ok()?;
        let mut inflated = BufReader::new(ZlibDecoder::new(file));
        // The header ends with a zero: `blob 123\0`.
        let mut header = Vec::new();
        (&mut inflated)
            .take(MAX_HEADER)
            .read_until(0, &mut header)
            .ok()?;
        (header == format!("blob {size}\0").as_bytes())
            .then(|| Source::Loose(Box::new(inflated.take(size))))
    }
}

impl Repository {
    /// Writes the bytes of a blob to a file and returns how many they are. A `git` does it, so that
    /// no part of the blob is held in the memory of this process. That `git` streams what is stored
    /// as it is. For a chain of deltas it holds two versions of the file, none of which may have
    /// more than `max_version` bytes.
    pub fn copy_blob(&self, blob: ObjectId, to: File, max_version: u64) -> Result<u64, Error> {
        let size = self.objects().size(blob)?;
        let memory = size.max(max_version).saturating_add(SPARE_MEMORY);
        let written = to.try_clone().map_err(Error::disk("use", self.path()))?;
        Git::new("cat-file")
            .within(self.path())
            .args(["blob", &blob.to_string()])
            .config("core.bigFileThreshold", &MAX_AT_ONCE.to_string())
            .config("core.deltaBaseCacheLimit", &MAX_AT_ONCE.to_string())
            .env("GIT_ALLOC_LIMIT", memory.to_string())
            .run_into(to)?
            .require("cat-file")?;
        let facts = written
            .metadata()
            .map_err(Error::disk("use", self.path()))?;
        if facts.len() == size {
            Ok(size)
        } else {
            Err(Error::BadObject {
                id: blob,
                wanted: "blob",
            })
        }
    }
}

/// Room for what git needs besides the versions of a file.
const SPARE_MEMORY: u64 = 1 << 20;
/// More than the header of any object.
const MAX_HEADER: u64 = 32;

impl BlobReader {
    /// Returns the number of bytes that the blob has.
    pub fn size(&self) -> u64 {
        self.size
    }
}

impl Read for BlobReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.source {
            Source::Memory(bytes) => bytes.read(buffer),
            Source::Loose(inflated) => inflated.read(buffer),
        }
    }
}
