use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use assay_git::{Error as GitError, LargeFileId};
use bytes::{Buf as _, Bytes};
use futures_util::StreamExt as _;
use object_store::MultipartUpload;
use sha2::{Digest as _, Sha256};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use super::StoredLargeFile;
use crate::bucket::{Bucket, ByteStream};
use crate::error::Error;

/// The folder of large files in a bucket. Below it they lie as on the disk, `ab/cd/{sha256}`, so
/// that any program that copies files can move them.
const FOLDER: &str = "lfs";
/// The size of the parts of a file, in bytes. A file that is no larger is written at once.
const PART_BYTES: u64 = 8 << 20;
/// The most parts that a file may have by the S3 protocol.
const MAX_PARTS: u64 = 10_000;
/// The unit in which memory for parts is counted, in bytes.
const MEMORY_UNIT: u64 = 1 << 20;
/// The most memory for parts on their way, of all uploads together, in [`MEMORY_UNIT`]. What waits
/// for it is on the disk.
const MEMORY_UNITS: u32 = 256;

/// Large files in a bucket.
#[derive(Debug, Clone)]
pub(crate) struct LargeBucket {
    bucket: Bucket,
    /// The directory for parts that are not complete.
    scratch: PathBuf,
    memory: Arc<Semaphore>,
}

/// A large file on its way to a bucket. Its bytes are collected in parts, and each is sent while
/// the next one comes. A request carries the SHA-256 of its part, which the storage compares; that
/// of the file is compared here, before the parts become an object.
pub(crate) struct BucketUpload {
    files: LargeBucket,
    runtime: Handle,
    oid: LargeFileId,
    size: u64,
    written: u64,
    digest: Sha256,
    part_bytes: u64,
    /// The bytes of the part that is not complete.
    spool: File,
    spooled: u64,
    parts: Option<Box<dyn MultipartUpload>>,
    sending: Option<JoinHandle<object_store::Result<()>>>,
}

/// A large file of a bucket, read where blocking is allowed.
pub(super) struct StreamReader {
    runtime: Handle,
    stream: ByteStream,
    piece: Bytes,
}

impl LargeBucket {
    pub(super) fn new(bucket: Bucket, scratch: PathBuf) -> Self {
        let memory = usize::try_from(MEMORY_UNITS).unwrap_or(Semaphore::MAX_PERMITS);
        Self {
            bucket,
            scratch,
            memory: Arc::new(Semaphore::new(memory)),
        }
    }

    pub(super) fn bucket(&self) -> &Bucket {
        &self.bucket
    }

    pub(super) fn begin(&self, oid: LargeFileId, size: u64) -> Result<BucketUpload, Error> {
        Ok(BucketUpload {
            files: self.clone(),
            runtime: Handle::current(),
            oid,
            size,
            written: 0,
            digest: Sha256::new(),
            part_bytes: PART_BYTES.max(size.div_ceil(MAX_PARTS)),
            spool: tempfile::tempfile_in(&self.scratch).map_err(Error::internal)?,
            spooled: 0,
            parts: None,
            sending: None,
        })
    }

    pub(super) async fn size(&self, oid: LargeFileId) -> Result<Option<u64>, Error> {
        let facts = self.bucket.facts(&name(oid)).await?;
        Ok(facts.map(|facts| facts.size))
    }

    pub(super) async fn read(
        &self,
        oid: LargeFileId,
        range: Range<u64>,
    ) -> Result<ByteStream, Error> {
        Ok(self.bucket.read(&name(oid), range).await?)
    }

    pub(super) async fn list(&self) -> Result<Vec<StoredLargeFile>, Error> {
        let listed = self.bucket.list(FOLDER).await?;
        let files = listed.into_iter().filter_map(|(path, facts)| {
            let oid = path.rsplit('/').next()?.parse().ok()?;
            let is_in_place = format!("{FOLDER}/{path}") == name(oid);
            is_in_place.then_some(StoredLargeFile {
                oid,
                size: facts.size,
                came: facts.written,
            })
        });
        Ok(files.collect())
    }

    pub(super) async fn remove(&self, oids: &[LargeFileId]) -> Result<(), Error> {
        let names: Vec<String> = oids.iter().map(|oid| name(*oid)).collect();
        Ok(self.bucket.delete(&names).await?)
    }
}

impl BucketUpload {
    pub(super) fn write(&mut self, mut bytes: &[u8]) -> Result<(), Error> {
        self.written += bytes.len() as u64;
        if self.written > self.size {
            return Err(self.wrong_size());
        }
        self.digest.update(bytes);
        while !bytes.is_empty() {
            let room = usize::try_from(self.part_bytes - self.spooled).unwrap_or(usize::MAX);
            let (now, later) = bytes.split_at(bytes.len().min(room));
            self.spool.write_all(now).map_err(Error::internal)?;
            self.spooled += now.len() as u64;
            bytes = later;
            if self.spooled == self.part_bytes && self.size > self.part_bytes {
                self.send_part()?;
            }
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<(), Error> {
        if self.written != self.size {
            return Err(self.wrong_size());
        }
        let digest = std::mem::take(&mut self.digest);
        let actual = LargeFileId::from_bytes(digest.finalize().into());
        if actual != self.oid {
            return Err(Error::from(GitError::WrongHash {
                expected: self.oid,
                actual,
            }));
        }
        let name = name(self.oid);
        if self.size > self.part_bytes {
            if self.spooled > 0 {
                self.send_part()?;
            }
            self.wait_for_part()?;
            if let Some(parts) = &mut self.parts {
                let completed = self.runtime.block_on(parts.complete());
                completed.map_err(|error| self.failed(error))?;
            }
            self.parts = None;
        } else {
            let bytes = self.take_spool()?;
            self.runtime.block_on(self.files.bucket.put(&name, bytes))?;
        }
        // What is acknowledged can be found.
        let stored = self.runtime.block_on(self.files.size(self.oid))?;
        if stored == Some(self.size) {
            Ok(())
        } else {
            Err(Error::internal(format!(
                "the object storage took {} bytes for `{name}` and has {stored:?}",
                self.size
            )))
        }
    }

    /// Sends the part that is complete, once the one before has arrived.
    fn send_part(&mut self) -> Result<(), Error> {
        self.wait_for_part()?;
        let units = u32::try_from(self.spooled.div_ceil(MEMORY_UNIT)).unwrap_or(MEMORY_UNITS);
        let memory = Arc::clone(&self.files.memory).acquire_many_owned(units.min(MEMORY_UNITS));
        let memory = self.runtime.block_on(memory).map_err(Error::internal)?;
        let bytes = self.take_spool()?;
        let mut parts = if let Some(parts) = self.parts.take() {
            parts
        } else {
            let name = name(self.oid);
            let begun = self.files.bucket.begin(&name);
            self.runtime.block_on(begun)?
        };
        let part = parts.put_part(bytes.into());
        self.parts = Some(parts);
        self.sending = Some(self.runtime.spawn(async move {
            let sent = part.await;
            drop(memory);
            sent
        }));
        Ok(())
    }

    fn wait_for_part(&mut self) -> Result<(), Error> {
        let Some(sending) = self.sending.take() else {
            return Ok(());
        };
        let sent = self.runtime.block_on(sending).map_err(Error::internal)?;
        sent.map_err(|error| self.failed(error))
    }

    fn take_spool(&mut self) -> Result<Bytes, Error> {
        let mut bytes = vec![0; usize::try_from(self.spooled).map_err(Error::internal)?];
        let mut take = || {
            self.spool.seek(SeekFrom::Start(0))?;
            self.spool.read_exact(&mut bytes)?;
            self.spool.seek(SeekFrom::Start(0))
        };
        take().map_err(Error::internal)?;
        self.spooled = 0;
        Ok(bytes.into())
    }

    fn failed(&self, error: object_store::Error) -> Error {
        let bucket = &self.files.bucket;
        Error::from(bucket.failed("write", &name(self.oid), error))
    }

    fn wrong_size(&self) -> Error {
        Error::from(GitError::WrongSize {
            oid: self.oid,
            expected: self.size,
        })
    }
}

impl Drop for BucketUpload {
    fn drop(&mut self) {
        if let Some(mut parts) = self.parts.take() {
            let sending = self.sending.take();
            self.runtime.spawn(async move {
                if let Some(sending) = sending {
                    let _ = sending.await;
                }
                if let Err(error) = parts.abort().await {
                    tracing::warn!(%error, "the parts of an upload that broke off stay in the object storage");
                }
            });
        }
    }
}

impl StreamReader {
    pub(super) fn open(
        files: &LargeBucket,
        oid: LargeFileId,
        runtime: &Handle,
    ) -> Result<Self, Error> {
        let stream = runtime.block_on(async {
            let size = files.size(oid).await?;
            let size = size.ok_or(Error::from(GitError::NoLargeFile(oid)))?;
            files.read(oid, 0..size).await
        })?;
        Ok(Self {
            runtime: runtime.clone(),
            stream,
            piece: Bytes::new(),
        })
    }
}

impl Read for StreamReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.runtime.block_on(self.stream.next()) {
                Some(piece) => self.piece = piece?,
                None => return Ok(0),
            }
        }
        let length = buffer.len().min(self.piece.len());
        self.piece.copy_to_slice(&mut buffer[..length]);
        Ok(length)
    }
}

fn name(oid: LargeFileId) -> String {
    let oid = oid.to_string();
    format!("{FOLDER}/{}/{}/{oid}", &oid[..2], &oid[2..4])
}
