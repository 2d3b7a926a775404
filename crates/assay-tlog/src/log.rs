use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use crate::audit::{AuditFault, AuditOptions, AuditReport, audit};
use crate::checkpoint::SignedCheckpoint;
use crate::disk::{Access, Disk, level_path};
use crate::error::LogError;
use crate::hash::TreeHash;
use crate::key::{NoteKey, VerifierKey};
use crate::leaves::{Leaves, entries};
use crate::open::{Keys, begin, lock, restore};
use crate::pending::Pending;
use crate::proof::{ConsistencyProof, InclusionProof};
use crate::queue::{Queue, Request};
use crate::receipt::Receipt;
use crate::shared::Shared;
use crate::slots::Slots;
use crate::source::{LogSource, SourceError};
use crate::tile::{Bundle, LogPath, Tile};
use crate::tree::{Tiles as _, Tree};
use crate::writer::Writer;

/// A log in a directory.
///
/// Clones share one writer thread. It makes leaves durable in batches, signs a checkpoint over each
/// batch, makes that durable as well, and only then acknowledges. When the last clone goes, what
/// was queued is written first.
#[derive(Clone)]
pub struct Log {
    shared: Arc<Shared>,
    hand: Option<Arc<WriterHandle>>,
}

/// Options for opening a log.
#[derive(Debug, Clone, Default)]
pub struct LogOptions {
    /// The file that remembers the largest checkpoint ever signed [default: `checkpoint.largest`
    /// beside the entries]. A copy of the log that is older is refused, so this file is best kept
    /// where the log's own backups do not reach.
    pub largest: Option<PathBuf>,
    /// Keys of this log that were replaced: its last checkpoint may be signed by one of them.
    pub former: Vec<VerifierKey>,
}

/// The writer thread and its queue, shared by all clones that may append.
struct WriterHandle {
    queue: Arc<Queue>,
    thread: Option<JoinHandle<()>>,
}

impl Log {
    /// Opens the log in a directory, and makes it if there is none. The name of the key is the
    /// origin of the log.
    ///
    /// Entries that no checkpoint covers are removed. A log that is smaller than its last
    /// checkpoint, differs from it, or is an old copy is refused.
    pub fn open(dir: &Path, key: NoteKey, options: &LogOptions) -> Result<Self, LogError> {
        fs_err::create_dir_all(dir).map_err(LogError::io("make", dir))?;
        let lock = lock(dir)?;
        let disk = Disk::open(dir, Access::Write)?;
        let (mut signed, found) = Slots::open(&dir.join("checkpoint.last"))?;
        let largest = options
            .largest
            .clone()
            .unwrap_or_else(|| dir.join("checkpoint.largest"));
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
        let record = keys.renew(record, &key, &mut signed)?;
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
            _lock: lock,
        };
        let thread = std::thread::Builder::new()
            .name("log-writer".to_owned())
            .spawn(move || writer.run())
            .map_err(LogError::io("start the writer of", dir))?;
        Ok(Self {
            shared,
            hand: Some(Arc::new(WriterHandle {
                queue,
                thread: Some(thread),
            })),
        })
    }

    /// Opens the log in a directory for reading, as it is now; another process may go on writing
    /// it.
    pub fn view(dir: &Path, key: VerifierKey) -> Result<Self, LogError> {
        let disk = Disk::open(dir, Access::Read)?;
        let path = dir.join("checkpoint.last");
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

    /// Returns the fault of a log that was opened to write and takes no more leaves: it has to be
    /// opened again.
    pub fn fault(&self) -> Option<LogError> {
        self.hand.as_ref()?.queue.closed_for()
    }

    /// Returns the number of leaves that are durable and under a signed checkpoint.
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

    /// Leaves in their order, with their indexes, read bundle by bundle. What lies beyond the size
    /// is left out.
    pub fn leaves(&self, range: Range<u64>) -> Leaves {
        Leaves::new(self.clone(), range.start, range.end.min(self.size()))
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

    /// The receipt of a leaf under the last checkpoint. It is checked before it is handed out:
    /// damaged hashes give an error, never a receipt that others refuse.
    pub fn receipt(&self, index: u64) -> Result<Receipt, LogError> {
        self.receipt_under(index, self.checkpoint().as_ref().clone())
    }

    /// The receipt of a leaf under a checkpoint of this log that has it.
    pub fn receipt_under(
        &self,
        index: u64,
        checkpoint: SignedCheckpoint,
    ) -> Result<Receipt, LogError> {
        let leaf = self.leaf(index)?;
        let proof = self.prove(index, checkpoint.claimed().size)?;
        let receipt = Receipt::new(leaf, proof, checkpoint);
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
            // Who asks witnesses keeps what they answered.
            LogPath::Witnessed => Ok(None),
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
    pub fn check(&self) -> Result<AuditReport, AuditFault> {
        audit(
            &mut self.clone(),
            &self.shared.key,
            &AuditOptions::default(),
        )
    }

    /// The bytes of a bundle, which must be in the log.
    pub(crate) fn bundle(&self, bundle: Bundle) -> Result<Vec<u8>, LogError> {
        self.shared.bundle(bundle)
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

impl Drop for WriterHandle {
    fn drop(&mut self) {
        self.queue.close(LogError::Stopped);
        if let Some(thread) = self.thread.take() {
            // A writer that panicked has told those who wait, by dropping what they wait for.
            let _ = thread.join();
        }
    }
}
