use std::collections::BTreeMap;
use std::io::{ErrorKind, Read as _};
use std::path::Path;
use std::sync::Arc;

use assay_store::Sha256;
use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use parking_lot::{Mutex, MutexGuard};
use sha2::Digest as _;

use super::manifest::Digest;
use super::place::{BackupPlace, PlaceError};
use crate::error::Error;
use crate::hub::blocking;

/// The size of the pieces that files are cut into, in bytes. A log that has grown shares all but
/// its last piece with the generation before.
pub(crate) const CHUNK: usize = 8 << 20;
/// The most pieces that are on their way at once; each is in memory meanwhile.
pub(crate) const AT_ONCE: usize = 8;
/// The folder of the pieces.
pub(super) const FOLDER: &str = "content";

/// The pieces of files in a backup, each under its SHA-256.
#[derive(Debug, Clone)]
pub(crate) struct Contents {
    place: BackupPlace,
    /// The pieces that are there, with their sizes.
    known: Arc<Mutex<BTreeMap<Digest, u64>>>,
    /// The pieces that this process wrote.
    written: Arc<Mutex<BTreeMap<Digest, u64>>>,
}

/// A file that is in a backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeptFile {
    pub(crate) size: u64,
    pub(crate) chunks: Vec<Digest>,
}

/// The reason why a piece could not be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ContentFault {
    /// It is not there.
    #[error("`{FOLDER}/{}` is not there", name(.0))]
    Missing(Digest),
    /// It is not what its name says.
    #[error("`{FOLDER}/{}` is damaged: its bytes have another hash", name(.0))]
    Damaged(Digest),
    /// It could not be read.
    #[error(transparent)]
    Unreachable(#[from] PlaceError),
}

/// The reason why a file is not in a backup.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KeepError {
    /// It could not be read.
    #[error(transparent)]
    Read(std::io::Error),
    /// It could not be written.
    #[error(transparent)]
    Write(Error),
}

impl From<KeepError> for Error {
    fn from(error: KeepError) -> Self {
        match error {
            KeepError::Read(error) => Self::internal(error),
            KeepError::Write(error) => error,
        }
    }
}

impl Contents {
    /// The contents of a place, for who only reads.
    pub(crate) fn unlisted(place: &BackupPlace) -> Self {
        Self {
            place: place.clone(),
            known: Arc::default(),
            written: Arc::default(),
        }
    }

    /// The contents of a place, with a list of what is there.
    pub(crate) async fn list(place: &BackupPlace) -> Result<Self, Error> {
        let contents = Self::unlisted(place);
        *contents.known() = contents.listed().await?;
        Ok(contents)
    }

    /// Returns the pieces of the given sizes that are not there, or have another size.
    pub(crate) async fn missing(
        &self,
        needed: &BTreeMap<Digest, u64>,
    ) -> Result<Vec<Digest>, Error> {
        let there = self.listed().await?;
        let is_missing = |(digest, size): &(&Digest, &u64)| there.get(digest) != Some(size);
        let missing = needed.iter().filter(is_missing);
        Ok(missing.map(|(digest, _)| *digest).collect())
    }

    async fn listed(&self) -> Result<BTreeMap<Digest, u64>, Error> {
        let listed = self.place.list(FOLDER).await?;
        let known = listed
            .into_iter()
            .filter_map(|(name, size)| Some((name.parse().ok()?, size)));
        Ok(known.collect())
    }

    /// Returns whether a file of this size is there, by the pieces that it had.
    pub(crate) fn has_file(&self, size: u64, chunks: &[Digest]) -> bool {
        let known = self.known();
        let mut sizes = sizes(size);
        chunks
            .iter()
            .all(|digest| known.get(digest).copied() == sizes.next())
            && sizes.next().is_none()
    }

    /// Keeps some bytes, of at most [`CHUNK`].
    pub(crate) async fn keep(&self, bytes: Vec<u8>) -> Result<Digest, Error> {
        let (digest, bytes) = blocking(move || Ok((digest_of(&bytes), Bytes::from(bytes)))).await?;
        self.keep_hashed(digest, bytes).await?;
        Ok(digest)
    }

    /// Keeps bytes of any size.
    pub(crate) async fn keep_bytes(&self, bytes: &[u8]) -> Result<KeptFile, Error> {
        let mut chunks = Vec::new();
        for chunk in bytes.chunks(CHUNK) {
            chunks.push(self.keep(chunk.to_vec()).await?);
        }
        Ok(KeptFile {
            size: bytes.len() as u64,
            chunks,
        })
    }

    /// Keeps a file as long as it is now; `None` when there is none any more.
    pub(crate) async fn keep_file(&self, path: &Path) -> Result<Option<KeptFile>, KeepError> {
        let path = path.to_owned();
        let mut file = match in_background(move || fs_err::File::open(path)).await {
            Ok(file) => file,
            Err(KeepError::Read(error)) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut kept = KeptFile {
            size: 0,
            chunks: Vec::new(),
        };
        loop {
            let (back, digest, bytes) = in_background(move || {
                let mut bytes = Vec::new();
                (&mut file).take(CHUNK as u64).read_to_end(&mut bytes)?;
                Ok((file, digest_of(&bytes), Bytes::from(bytes)))
            })
            .await?;
            file = back;
            let length = bytes.len();
            if length > 0 {
                kept.size += length as u64;
                kept.chunks.push(digest);
                let written = self.keep_hashed(digest, bytes).await;
                written.map_err(KeepError::Write)?;
            }
            if length < CHUNK {
                return Ok(Some(kept));
            }
        }
    }

    async fn keep_hashed(&self, digest: Digest, bytes: Bytes) -> Result<(), Error> {
        let size = bytes.len() as u64;
        if self.known().get(&digest) == Some(&size) {
            return Ok(());
        }
        let path = format!("{FOLDER}/{}", name(&digest));
        self.place.put(&path, bytes).await?;
        self.known().insert(digest, size);
        self.written().insert(digest, size);
        Ok(())
    }

    /// Reads a piece and proves that it is what its name says.
    pub(crate) async fn fetch(&self, digest: Digest) -> Result<Bytes, ContentFault> {
        let path = format!("{FOLDER}/{}", name(&digest));
        let bytes = self.place.get(&path).await?;
        let bytes = bytes.ok_or(ContentFault::Missing(digest))?;
        let hashed = bytes.clone();
        let hashed = tokio::task::spawn_blocking(move || digest_of(&hashed)).await;
        match hashed {
            Ok(found) if found == digest => Ok(bytes),
            Ok(_) | Err(_) => Err(ContentFault::Damaged(digest)),
        }
    }

    /// Reads what this process wrote once more, and returns what has become of it otherwise.
    pub(crate) async fn read_back(&self) -> Result<Vec<ContentFault>, Error> {
        let written: Vec<Digest> = self.written().keys().copied().collect();
        let read = stream::iter(written).map(|digest| async move {
            match self.fetch(digest).await {
                Ok(_) => Ok(None),
                Err(ContentFault::Unreachable(error)) => Err(error),
                Err(fault) => Ok(Some(fault)),
            }
        });
        let faults: Vec<_> = read.buffer_unordered(AT_ONCE).try_collect().await?;
        Ok(faults.into_iter().flatten().collect())
    }

    /// The address of the place.
    pub(crate) fn address(&self) -> &str {
        self.place.address()
    }

    /// Returns the number of pieces that this process wrote, and how many bytes they have.
    pub(crate) fn written_counts(&self) -> (u64, u64) {
        let written = self.written();
        (written.len() as u64, written.values().sum())
    }

    /// Deletes the pieces that are not needed.
    pub(crate) async fn delete_others(&self, needed: &BTreeMap<Digest, u64>) -> Result<u64, Error> {
        let there = self.listed().await?;
        let others = there.keys().filter(|digest| !needed.contains_key(digest));
        let others: Vec<String> = others
            .map(|digest| format!("{FOLDER}/{}", name(digest)))
            .collect();
        let count = others.len() as u64;
        self.place.delete(others).await?;
        Ok(count)
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<Digest, u64>> {
        self.known.lock()
    }

    fn written(&self) -> MutexGuard<'_, BTreeMap<Digest, u64>> {
        self.written.lock()
    }
}

/// The sizes of the pieces of a file.
pub(crate) fn sizes(size: u64) -> impl Iterator<Item = u64> {
    let chunk = CHUNK as u64;
    (0..size.div_ceil(chunk)).map(move |piece| chunk.min(size - piece * chunk))
}

pub(crate) fn digest_of(bytes: &[u8]) -> Digest {
    Digest(Sha256::from_bytes(sha2::Sha256::digest(bytes).into()))
}

/// Returns the path of a piece below the folder of all.
fn name(digest: &Digest) -> String {
    let text = digest.to_string();
    format!("{}/{text}", &text[..2])
}

/// Reads where blocking is allowed.
async fn in_background<T: Send + 'static>(
    read: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> Result<T, KeepError> {
    match tokio::task::spawn_blocking(read).await {
        Ok(read) => read.map_err(KeepError::Read),
        Err(error) => Err(KeepError::Write(Error::internal(error))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pieces_of_a_file_have_its_size_together() {
        let chunk = CHUNK as u64;

        assert_eq!(sizes(0).count(), 0);
        assert_eq!(sizes(1).collect::<Vec<_>>(), [1]);
        assert_eq!(sizes(chunk).collect::<Vec<_>>(), [chunk]);
        assert_eq!(sizes(2 * chunk + 5).collect::<Vec<_>>(), [chunk, chunk, 5]);
    }
}
