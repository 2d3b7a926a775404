use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use assay_git::Repository;
use assay_model::{ObjectId, RepoKey};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore};

use crate::config::Limits;
use crate::error::{Busy, Error};
use crate::hub::blocking;

/// Processes that unpack at once. Each may hold two versions of a file in memory.
const UNPACKINGS: usize = 2;
/// The longest wait for one of them.
const PATIENCE: Duration = Duration::from_secs(10);
/// The unit in which disk space is counted.
const UNIT: u64 = 1 << 10;
/// The least that a file counts for, so that small ones do not take all descriptors.
const LEAST: u64 = 8 << 20;

/// Files out of git that are too large for memory. Each is unpacked once for all who ask for it,
/// into a file without a name, and stays for those who come next until others need the space.
#[derive(Debug)]
pub(crate) struct UnpackedBlobs {
    directory: PathBuf,
    /// The largest file that git may hold in memory to make another out of it.
    max_version: u64,
    space: Arc<Semaphore>,
    total: u32,
    turns: Arc<Semaphore>,
    kept: Mutex<Kept>,
}

/// The bytes of a file, on the disk.
#[derive(Debug)]
pub struct UnpackedBlob {
    file: File,
    size: u64,
    _space: OwnedSemaphorePermit,
}

/// Reads an [`UnpackedBlob`] from its beginning.
#[derive(Debug)]
pub struct UnpackedReader {
    blob: Arc<UnpackedBlob>,
    position: u64,
}

type Slot = Arc<OnceCell<Arc<UnpackedBlob>>>;

/// The files that are there or are being unpacked, with when each was asked for last.
#[derive(Debug, Default)]
struct Kept {
    slots: HashMap<(RepoKey, ObjectId), (Slot, u64)>,
    asked: u64,
}

impl UnpackedBlobs {
    pub(crate) fn new(directory: PathBuf, limits: &Limits) -> Self {
        let most = u32::try_from(Semaphore::MAX_PERMITS).unwrap_or(u32::MAX);
        let total = u32::try_from(limits.streamed_bytes / UNIT).unwrap_or(most);
        let total = total.clamp(1, most);
        Self {
            directory,
            max_version: limits.file_bytes,
            space: Arc::new(Semaphore::new(total as usize)),
            total,
            turns: Arc::new(Semaphore::new(UNPACKINGS)),
            kept: Mutex::default(),
        }
    }

    /// Returns a file, which is unpacked unless it is there.
    pub(crate) async fn get(
        &self,
        repository: &Repository,
        blob: ObjectId,
        size: u64,
    ) -> Result<Arc<UnpackedBlob>, Error> {
        let key = (repository.key(), blob);
        let slot = self.kept().slot(key);
        // Whoever comes while one unpacks waits for that one; when that one leaves, the next goes
        // on.
        let unpacked = slot.get_or_try_init(|| self.unpack(repository.clone(), blob, size));
        let unpacked = unpacked.await.cloned();
        if unpacked.is_err() {
            self.kept().slots.remove(&key);
        }
        unpacked
    }

    /// Returns the disk space that is in use, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let free = self.space.available_permits() as u64;
        u64::from(self.total).saturating_sub(free) * UNIT
    }

    async fn unpack(
        &self,
        repository: Repository,
        blob: ObjectId,
        size: u64,
    ) -> Result<Arc<UnpackedBlob>, Error> {
        let turn = Arc::clone(&self.turns).acquire_owned();
        let Ok(Ok(turn)) = tokio::time::timeout(PATIENCE, turn).await else {
            return Err(busy());
        };
        let space = self.reserve(size)?;
        let (directory, max_version) = (self.directory.clone(), self.max_version);
        blocking(move || {
            let file = tempfile::tempfile_in(directory).map_err(Error::internal)?;
            let to = file.try_clone().map_err(Error::internal)?;
            let size = repository.copy_blob(blob, to, max_version);
            let size = size.map_err(of_disk)?;
            // It is held until the process has ended, even when nobody waits for it any more.
            drop(turn);
            Ok(Arc::new(UnpackedBlob {
                file,
                size,
                _space: space,
            }))
        })
        .await
    }

    /// Takes space for a file, from files that nobody reads if need be. One that is larger than all
    /// space may have it all.
    fn reserve(&self, size: u64) -> Result<OwnedSemaphorePermit, Error> {
        let units = u32::try_from(size.max(LEAST).div_ceil(UNIT)).unwrap_or(self.total);
        loop {
            let space = Arc::clone(&self.space).try_acquire_many_owned(units.min(self.total));
            match space {
                Ok(space) => return Ok(space),
                Err(_) if self.kept().forget_one() => {}
                Err(_) => return Err(busy()),
            }
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock()
    }
}

impl UnpackedBlob {
    /// Returns how many bytes it has.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Reads from a position, where blocking is allowed. Returns 0 at the end.
    pub fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(&self.file, buffer, position);
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(&self.file, buffer, position);
        read
    }

    /// Reads it from its beginning.
    pub fn reader(self: &Arc<Self>) -> UnpackedReader {
        UnpackedReader {
            blob: Arc::clone(self),
            position: 0,
        }
    }
}

impl Read for UnpackedReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.blob.read_at(self.position, buffer)?;
        self.position += read as u64;
        Ok(read)
    }
}

impl Kept {
    fn slot(&mut self, key: (RepoKey, ObjectId)) -> Slot {
        self.asked += 1;
        let (slot, asked) = self.slots.entry(key).or_default();
        *asked = self.asked;
        Arc::clone(slot)
    }

    /// Forgets the file that nobody has asked for for the longest time, of those that nobody reads.
    /// Returns whether there was one.
    fn forget_one(&mut self) -> bool {
        let unread = |slot: &Slot| {
            let is_alone = slot.get().is_some_and(|blob| Arc::strong_count(blob) == 1);
            is_alone && Arc::strong_count(slot) == 1
        };
        let oldest = self
            .slots
            .iter()
            .filter(|(_, (slot, _))| unread(slot))
            .min_by_key(|(_, (_, asked))| *asked)
            .map(|(key, _)| *key);
        oldest.and_then(|key| self.slots.remove(&key)).is_some()
    }
}

fn busy() -> Error {
    Error::Busy(Busy::LargeFiles)
}

/// A full disk is nobody's mistake, and passes.
fn of_disk(error: assay_git::Error) -> Error {
    match &error {
        assay_git::Error::Git { output, .. } if output.contains("No space left on device") => {
            Error::Busy(Busy::Scratch)
        }
        _ => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use assay_git::{Blob, CommitPlan, FileMode, Repositories, TreeEdit};
    use assay_model::Timestamp;

    use super::*;
    use crate::commit::signature;

    /// A repository with files of so many megabytes, and their ids.
    fn repository(root: &std::path::Path, sizes: &[usize]) -> (Repository, Vec<ObjectId>) {
        let put = |(number, megabytes): (usize, &usize)| TreeEdit::Put {
            path: format!("{number}").parse().unwrap(),
            blob: Blob::Bytes(vec![b'0' + u8::try_from(number).unwrap(); megabytes << 20]),
            mode: FileMode::Regular,
        };
        let author = signature(None, Timestamp::from_seconds(0));
        let plan = CommitPlan {
            parents: Vec::new(),
            base: None,
            operations: sizes.iter().enumerate().map(put).collect(),
            message: "files".to_owned(),
            author: author.clone(),
            committer: author,
        };
        let repositories = Repositories::new(root.join("repos")).unwrap();
        let repository = repositories.create(RepoKey(1), &plan).unwrap();
        let main = repository.resolve("main").unwrap().unwrap();
        let objects = repository.objects();
        let ids = (0..sizes.len()).map(|number| {
            let path = format!("{number}").parse().unwrap();
            objects.entry(main, &path).unwrap().unwrap().oid
        });
        let ids = ids.collect();
        (repository, ids)
    }

    fn blobs(root: &std::path::Path, megabytes: u64) -> UnpackedBlobs {
        let limits = Limits {
            streamed_bytes: megabytes << 20,
            ..Limits::default()
        };
        UnpackedBlobs::new(root.to_owned(), &limits)
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn those_who_ask_for_one_file_share_one_unpacking() {
        let directory = tempfile::tempdir().unwrap();
        let (repository, ids) = repository(directory.path(), &[9]);
        let blobs = blobs(directory.path(), 100);
        let ask = || blobs.get(&repository, ids[0], 9 << 20);

        let (one, two, three) = tokio::join!(ask(), ask(), ask());
        let (one, two, three) = (one.unwrap(), two.unwrap(), three.unwrap());

        assert!(Arc::ptr_eq(&one, &two) && Arc::ptr_eq(&one, &three));
        assert_eq!(blobs.bytes(), 9 << 20);
        let mut last = [0; 8];
        assert_eq!(one.read_at((9 << 20) - 2, &mut last).unwrap(), 2);
        assert_eq!(&last[..2], b"00");
        let mut whole = Vec::new();
        two.reader().read_to_end(&mut whole).unwrap();
        assert!(whole == vec![b'0'; 9 << 20]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn space_goes_to_those_who_ask_and_never_from_those_who_read() {
        let directory = tempfile::tempdir().unwrap();
        let (repository, ids) = repository(directory.path(), &[9, 9, 9]);
        let blobs = blobs(directory.path(), 20);
        let ask = |number: usize| blobs.get(&repository, ids[number], 9 << 20);

        let first = ask(0).await.unwrap();
        drop(ask(1).await.unwrap());
        let third = ask(2).await.unwrap();
        let refused = ask(1).await;

        assert!(matches!(refused, Err(Error::Busy(_))), "{refused:?}");
        drop((first, third));
        ask(1).await.unwrap();
        assert_eq!(blobs.bytes(), 18 << 20);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_cannot_be_unpacked_takes_no_space() {
        let directory = tempfile::tempdir().unwrap();
        let (repository, _) = repository(directory.path(), &[9]);
        let blobs = blobs(directory.path(), 20);
        let missing: ObjectId = "1".repeat(40).parse().unwrap();

        let refused = blobs.get(&repository, missing, 9 << 20).await;

        assert!(refused.is_err());
        assert_eq!(blobs.bytes(), 0);
        assert!(blobs.kept().slots.is_empty());
    }
}
