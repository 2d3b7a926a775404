use std::fs::{File, TryLockError};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::thread::JoinHandle;
use std::time::Instant;

use super::audit::{AuditFault, AuditOptions, Audited, audit};
use super::checkpoint::{CheckpointError, SignedCheckpoint};
use super::disk::{Access, Disk, level_path};
use super::error::LogError;
use super::hash::TreeHash;
use super::key::{NoteKey, VerifierKey};
use super::pending::Pending;
use super::proof::{ConsistencyProof, InclusionProof};
use super::queue::{Queue, Request};
use super::receipt::Receipt;
use super::recover::{Recovered, recover};
use super::slots::{Record, Slots};
use super::source::{LogSource, SourceError};
use super::tile::{Bundle, LogPath, Tile, split_entry};
use super::tree::{Tiles as _, Tree};
use super::writer::Writer;

/// A log on disk, and the one who writes it.
///
/// Clones share one writer thread. It makes leaves durable in batches, signs a checkpoint over each batch, makes that durable
/// as well, and only then acknowledges. When the last clone goes, what was queued is written first.
#[derive(Clone)]
pub struct Log {
    shared: Arc<Shared>,
    hand: Option<Arc<Hand>>,
}

/// What can be said when a log is opened.
#[derive(Debug, Clone, Default)]
pub struct LogOptions {
    /// The file that remembers the largest checkpoint ever signed [default: `largest` beside the entries]. A copy of the log
    /// that is older is refused, so this file is best kept where the log's own backups do not reach.
    pub largest: Option<PathBuf>,
    /// Keys of this log that were replaced: its last checkpoint may be signed by one of them.
    pub former: Vec<VerifierKey>,
}

/// What the writer and all readers share.
pub(crate) struct Shared {
    pub(crate) disk: Disk,
    key: VerifierKey,
    state: RwLock<State>,
}

/// What is durable and signed for.
struct State {
    end: u64,
    /// Where each bundle begins, and the one that the next leaf goes to.
    starts: Vec<u64>,
    checkpoint: Arc<SignedCheckpoint>,
}

/// The writer, held by those who may append.
struct Hand {
    queue: Arc<Queue>,
    thread: Option<JoinHandle<()>>,
}

impl Log {
    /// Opens the log in a directory, and makes it if there is none. The name of the key is the origin of the log.
    ///
    /// What was written and never signed for is cut off. A log that is smaller than its last checkpoint, differs from it, or
    /// is an old copy is refused.
    pub fn open(dir: &Path, key: NoteKey, options: &LogOptions) -> Result<Self, LogError> {
        fs_err::create_dir_all(dir).map_err(LogError::io("make", dir))?;
        let lock = lock(dir)?;
        let disk = Disk::open(dir, Access::Write)?;
        let (mut signed, found) = Slots::open(&dir.join("signed"))?;
        let largest = options
            .largest
            .clone()
            .unwrap_or_else(|| dir.join("largest"));
        let (largest, remembered) = Slots::open(&largest)?;
        let keys = Keys {
            dir,
            current: key.verifier(),
            former: &options.former,
        };
        let record = match found {
            Some(record) => record,
            None => begin(&disk, &key, &mut signed, remembered.as_ref())?,
        };
        keys.check(&record)?;
        let recovered = restore(&disk, &record, remembered.as_ref(), Access::Write, &keys)?;
        disk.cut_entries(record.end)?;
        let (record, largest) = (keys.renew(record, &key, &mut signed)?, largest);
        let shared = Shared::new(disk, keys.current.clone(), &record, recovered.starts);
        let shared = Arc::new(shared);
        let queue = Arc::new(Queue::default());
        let writer = Writer {
            shared: Arc::clone(&shared),
            queue: Arc::clone(&queue),
            key,
            signed,
            largest,
            frontier: recovered.frontier,
            end: record.end,
            settled: recovered.settled,
            remembered: Instant::now(),
            lock,
        };
        let thread = std::thread::Builder::new()
            .name("log-writer".to_owned())
            .spawn(move || writer.run())
            .map_err(LogError::io("start the writer of", dir))?;
        Ok(Self {
            shared,
            hand: Some(Arc::new(Hand {
                queue,
                thread: Some(thread),
            })),
        })
    }

    /// Opens the log in a directory for reading, as it is now; another process may go on writing it.
    pub fn view(dir: &Path, key: VerifierKey) -> Result<Self, LogError> {
        let disk = Disk::open(dir, Access::Read)?;
        let path = dir.join("signed");
        let record = Slots::read(&path)?.ok_or(LogError::Damaged(path))?;
        let keys = Keys {
            dir,
            current: key,
            former: &[],
        };
        keys.check(&record)?;
        let recovered = restore(&disk, &record, None, Access::Read, &keys)?;
        Ok(Self {
            shared: Arc::new(Shared::new(disk, keys.current, &record, recovered.starts)),
            hand: None,
        })
    }

    /// Appends a leaf. It comes to its index when it is durable and under a signed checkpoint.
    pub fn append(&self, leaf: Vec<u8>) -> Pending {
        let (sender, pending) = Pending::new();
        let request = Request { leaf, sender };
        match &self.hand {
            None => request.answer(Err(LogError::ReadOnly)),
            Some(_) if request.leaf.len() > Bundle::MAX_ENTRY => {
                let length = request.leaf.len();
                request.answer(Err(LogError::TooLarge(length)));
            }
            Some(hand) => hand.queue.push(request),
        }
        pending
    }

    /// How many leaves are durable and signed for.
    pub fn size(&self) -> u64 {
        self.checkpoint().claimed().size
    }

    /// The name of the log.
    pub fn origin(&self) -> &str {
        self.shared.key.name()
    }

    /// The key that others check its checkpoints with.
    pub fn key(&self) -> &VerifierKey {
        &self.shared.key
    }

    /// The last checkpoint.
    pub fn checkpoint(&self) -> Arc<SignedCheckpoint> {
        self.shared.checkpoint()
    }

    /// A leaf.
    pub fn leaf(&self, index: u64) -> Result<Vec<u8>, LogError> {
        let size = self.size();
        let bundle = Bundle::around(index, size).ok_or(LogError::NoLeaf { index, size })?;
        let bytes = self.shared.bundle(bundle)?;
        let skip = usize::try_from(index - bundle.first()).expect("a bundle is small");
        let leaf = entries(&bytes).nth(skip);
        Ok(leaf.ok_or_else(|| self.shared.damaged())?.to_vec())
    }

    /// Leaves in their order, with their indexes, read bundle by bundle. What lies beyond the size is left out.
    pub fn leaves(&self, range: Range<u64>) -> Leaves {
        Leaves {
            log: self.clone(),
            next: range.start,
            end: range.end.min(self.size()),
            read: Vec::new().into_iter(),
        }
    }

    /// The proof that a leaf is in the tree of this size.
    pub fn prove(&self, index: u64, size: u64) -> Result<InclusionProof, LogError> {
        let now = self.has_size(size)?;
        if index >= size {
            return Err(LogError::NoLeaf { index, size });
        }
        Tree::new(&self.shared.disk, now).inclusion(index, size)
    }

    /// The proof that the log of one size is the beginning of the log of another.
    pub fn consistency(&self, old: u64, new: u64) -> Result<ConsistencyProof, LogError> {
        let now = self.has_size(new)?;
        if old > new {
            return Err(LogError::NoSize {
                asked: old,
                size: new,
            });
        }
        Tree::new(&self.shared.disk, now).consistency(old, new)
    }

    /// The root of the tree of this size.
    pub fn root(&self, size: u64) -> Result<TreeHash, LogError> {
        let now = self.has_size(size)?;
        Tree::new(&self.shared.disk, now).root(size)
    }

    /// The receipt of a leaf under the last checkpoint. It is checked before it is handed out: damaged hashes give an error,
    /// never a receipt that others refuse.
    pub fn receipt(&self, index: u64) -> Result<Receipt, LogError> {
        let checkpoint = self.checkpoint();
        let leaf = self.leaf(index)?;
        let proof = self.prove(index, checkpoint.claimed().size)?;
        let receipt = Receipt::new(leaf, proof, checkpoint.as_ref().clone());
        match receipt.verify(&self.shared.key) {
            Ok(_) => Ok(receipt),
            Err(_) => Err(LogError::Damaged(level_path(self.shared.disk.dir(), 0))),
        }
    }

    /// A file of the log by its name in tlog-tiles; none when there is no such file.
    pub fn file(&self, path: &str) -> Result<Option<Vec<u8>>, LogError> {
        let Ok(path) = path.parse::<LogPath>() else {
            return Ok(None);
        };
        let size = self.size();
        match path {
            LogPath::Checkpoint => Ok(Some(self.checkpoint().to_string().into_bytes())),
            LogPath::Tile(tile) => {
                let last = tile.index * u64::from(Tile::WIDTH) + u64::from(tile.width) - 1;
                if last >= Tile::count(tile.level, size) {
                    return Ok(None);
                }
                let hashes = (&self.shared.disk).tile(tile)?;
                Ok(Some(
                    hashes.iter().flat_map(|own| *own.as_bytes()).collect(),
                ))
            }
            LogPath::Bundle(bundle) => {
                let last = bundle.first() + u64::from(bundle.width) - 1;
                if last >= size {
                    return Ok(None);
                }
                self.shared.bundle(bundle).map(Some)
            }
        }
    }

    /// Hashes every leaf again and compares with every tile and the last checkpoint.
    pub fn check(&self) -> Result<Audited, AuditFault> {
        audit(
            &mut self.clone(),
            &self.shared.key,
            &AuditOptions::default(),
        )
    }

    fn has_size(&self, asked: u64) -> Result<u64, LogError> {
        let size = self.size();
        if asked <= size {
            Ok(size)
        } else {
            Err(LogError::NoSize { asked, size })
        }
    }
}

impl LogSource for Log {
    fn fetch(&mut self, path: &LogPath) -> Result<Option<Vec<u8>>, SourceError> {
        self.file(&path.to_string()).map_err(|error| SourceError {
            path: path.to_string(),
            source: Box::new(error),
        })
    }
}

impl Drop for Hand {
    fn drop(&mut self) {
        self.queue.close(LogError::Stopped);
        if let Some(thread) = self.thread.take() {
            // A writer that panicked has told those who wait, by dropping what they wait for.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn new(disk: Disk, key: VerifierKey, record: &Record, starts: Vec<u64>) -> Self {
        Self {
            disk,
            key,
            state: RwLock::new(State {
                end: record.end,
                starts,
                checkpoint: Arc::new(record.checkpoint.clone()),
            }),
        }
    }

    /// The last checkpoint.
    pub(crate) fn checkpoint(&self) -> Arc<SignedCheckpoint> {
        Arc::clone(&self.state().checkpoint)
    }

    /// Lets everyone see what has become durable.
    pub(crate) fn publish(&self, end: u64, starts: Vec<u64>, checkpoint: SignedCheckpoint) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        state.end = end;
        state.starts.extend(starts);
        state.checkpoint = Arc::new(checkpoint);
    }

    /// The bytes of a bundle, which must be in the log.
    fn bundle(&self, bundle: Bundle) -> Result<Vec<u8>, LogError> {
        let number = usize::try_from(bundle.index).map_err(|_| self.damaged())?;
        let (start, end) = {
            let state = self.state();
            let start = state.starts.get(number).copied();
            let end = state.starts.get(number + 1).copied();
            (
                start.ok_or_else(|| self.damaged())?,
                end.unwrap_or(state.end),
            )
        };
        let mut bytes = self.disk.read_entries(start, end)?;
        let mut rest = bytes.as_slice();
        for _ in 0..bundle.width {
            rest = split_entry(rest).ok_or_else(|| self.damaged())?.1;
        }
        let length = bytes.len() - rest.len();
        bytes.truncate(length);
        Ok(bytes)
    }

    fn damaged(&self) -> LogError {
        LogError::Damaged(self.disk.dir().join("entries"))
    }

    fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Leaves in their order, with their indexes.
pub struct Leaves {
    log: Log,
    next: u64,
    end: u64,
    read: std::vec::IntoIter<Vec<u8>>,
}

impl Iterator for Leaves {
    type Item = Result<(u64, Vec<u8>), LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.end {
            return None;
        }
        if self.read.len() == 0 {
            let bundle = Bundle::around(self.next, self.end)?;
            match self.log.shared.bundle(bundle) {
                Ok(bytes) => {
                    let skip = usize::try_from(self.next - bundle.first()).ok()?;
                    let leaves: Vec<_> = entries(&bytes).skip(skip).map(<[u8]>::to_vec).collect();
                    self.read = leaves.into_iter();
                }
                Err(error) => {
                    self.next = self.end;
                    return Some(Err(error));
                }
            }
        }
        let leaf = self.read.next()?;
        let index = self.next;
        self.next += 1;
        Some(Ok((index, leaf)))
    }
}

/// The keys that the last checkpoint may be signed with.
struct Keys<'a> {
    dir: &'a Path,
    current: VerifierKey,
    former: &'a [VerifierKey],
}

impl Keys<'_> {
    fn check(&self, record: &Record) -> Result<(), LogError> {
        let outcome = record.checkpoint.verify(&self.current);
        let is_former = |key: &VerifierKey| record.checkpoint.verify(key).is_ok();
        match outcome {
            Ok(_) => Ok(()),
            Err(_) if self.former.iter().any(is_former) => Ok(()),
            Err(source) => Err(self.not_ours(source)),
        }
    }

    fn not_ours(&self, source: CheckpointError) -> LogError {
        LogError::NotOurs {
            dir: self.dir.to_owned(),
            source,
        }
    }

    /// Signs the last checkpoint again when it was signed with a former key.
    fn renew(&self, record: Record, key: &NoteKey, signed: &mut Slots) -> Result<Record, LogError> {
        if record.checkpoint.verify(&self.current).is_ok() {
            return Ok(record);
        }
        let claimed = record.checkpoint.claimed();
        let record = Record {
            checkpoint: SignedCheckpoint::sign(claimed.size, claimed.root, key),
            ..record
        };
        signed.write(&record)?;
        signed.sync()?;
        Ok(record)
    }
}

/// Lets no other process write the log for as long as the file is open.
fn lock(dir: &Path) -> Result<File, LogError> {
    let path = dir.join("lock");
    let file = File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .map_err(LogError::io("open", &path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(LogError::InUse(dir.to_owned())),
        Err(TryLockError::Error(error)) => Err(LogError::io("lock", &path)(error)),
    }
}

/// Begins a log: an empty one is signed for before it gets its first leaf. So where there are entries, there is a checkpoint.
fn begin(
    disk: &Disk,
    key: &NoteKey,
    signed: &mut Slots,
    remembered: Option<&Record>,
) -> Result<Record, LogError> {
    if let Some(remembered) = remembered {
        return Err(rollback(disk.dir(), remembered, 0));
    }
    if disk.entries_length()? > 0 {
        return Err(LogError::Damaged(disk.dir().join("signed")));
    }
    let record = Record {
        end: 0,
        settled: 0,
        checkpoint: SignedCheckpoint::sign(0, TreeHash::of_nothing(), key),
    };
    signed.write(&record)?;
    signed.sync()?;
    let sync = File::open(disk.dir()).and_then(|dir| dir.sync_all());
    sync.map_err(LogError::io("sync", disk.dir()))?;
    Ok(record)
}

/// Makes sure that the log is what was signed, all of it, and not an old copy.
fn restore(
    disk: &Disk,
    record: &Record,
    remembered: Option<&Record>,
    access: Access,
    keys: &Keys<'_>,
) -> Result<Recovered, LogError> {
    let size = record.checkpoint.claimed().size;
    if let Some(remembered) = remembered {
        keys.check(remembered)?;
        if remembered.checkpoint.claimed().size > size {
            return Err(rollback(disk.dir(), remembered, size));
        }
    }
    let found = disk.entries_length()?;
    if found < record.end {
        return Err(LogError::Smaller {
            dir: disk.dir().to_owned(),
            signed: record.end,
            found,
        });
    }
    let recovered = recover(disk, record, access)?;
    if let Some(remembered) = remembered {
        let claimed = remembered.checkpoint.claimed();
        if Tree::new(disk, size).root(claimed.size)? != claimed.root {
            return Err(LogError::Differs {
                dir: disk.dir().to_owned(),
                size: claimed.size,
            });
        }
    }
    Ok(recovered)
}

fn rollback(dir: &Path, remembered: &Record, found: u64) -> LogError {
    LogError::Rollback {
        dir: dir.to_owned(),
        remembered: remembered.checkpoint.claimed().size,
        found,
    }
}

fn entries(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (leaf, after) = split_entry(rest)?;
        rest = after;
        Some(leaf)
    })
}
