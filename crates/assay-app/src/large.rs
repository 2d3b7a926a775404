use std::path::PathBuf;

use assay_git::LargeFileId;
use assay_store::Sha256;
use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::sync::mpsc;

use crate::door::Repo;
use crate::error::Error;
use crate::hub::Hub;

/// How much is read from a client at once, in bytes.
const CHUNK_BYTES: usize = 256 << 10;
/// How many chunks may wait for the disk.
const CHUNKS_WAITING: usize = 4;

/// A large file that the hub has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LargeObject {
    /// The SHA-256 of its content, in hexadecimal digits.
    pub sha256: String,
    /// Its size.
    pub size: u64,
    /// Where it lies.
    pub path: PathBuf,
}

impl Hub {
    /// Takes the bytes of a large file for a repository.
    pub async fn store_large(
        &self,
        repo: &Repo,
        sha256: &str,
        size: u64,
        content: Box<dyn AsyncRead + Send + Unpin>,
    ) -> Result<(), Error> {
        let limit = self.config.limits.large_file_bytes;
        if size > limit {
            return Err(Error::TooLarge(format!("a file has at most {limit} bytes")));
        }
        let oid = parse(sha256)?;
        self.receive(oid, size, content).await?;
        let mut tx = self.store.begin().await?;
        tx.add_large_object(repo.key, &Sha256::from_bytes(*oid.as_bytes()), size)
            .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Writes what a client sends where blocking is allowed. The bytes are taken in even when the hub has them for
    /// another repository: to know a hash is not to have the file.
    async fn receive(
        &self,
        oid: LargeFileId,
        size: u64,
        mut content: Box<dyn AsyncRead + Send + Unpin>,
    ) -> Result<(), Error> {
        let (sender, mut receiver) = mpsc::channel::<Bytes>(CHUNKS_WAITING);
        let large_files = self.large_files.clone();
        let writing = tokio::task::spawn_blocking(move || {
            let mut upload = large_files.begin(oid, size)?;
            while let Some(bytes) = receiver.blocking_recv() {
                upload.write(&bytes)?;
            }
            upload.finish()
        });
        let mut buffer = bytes::BytesMut::new();
        let reading = loop {
            buffer.reserve(CHUNK_BYTES);
            match content.read_buf(&mut buffer).await {
                Ok(0) => break Ok(()),
                Ok(_) => {}
                Err(error) => break Err(error),
            }
            // Whoever writes has given up and says why below.
            if sender.send(buffer.split().freeze()).await.is_err() {
                break Ok(());
            }
        };
        drop(sender);
        let written = writing.await.map_err(Error::internal)?;
        reading.map_err(|error| Error::Invalid(format!("the upload broke off: {error}")))?;
        Ok(written?)
    }

    /// A large file that this repository has.
    pub async fn large(&self, repo: &Repo, sha256: &str) -> Result<Option<LargeObject>, Error> {
        let oid = parse(sha256)?;
        let hash = Sha256::from_bytes(*oid.as_bytes());
        let Some(size) = self.store.large_object(repo.key, &hash).await? else {
            return Ok(None);
        };
        Ok(self.large_files.contains(oid).then(|| LargeObject {
            sha256: sha256.to_owned(),
            size,
            path: self.large_files.path(oid),
        }))
    }
}

fn parse(sha256: &str) -> Result<LargeFileId, Error> {
    sha256
        .parse()
        .map_err(|error: assay_git::LargeFileIdError| Error::Invalid(error.to_string()))
}
