use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::checkpoint::SignedCheckpoint;
use crate::error::LogError;
use crate::frontier::Frontier;
use crate::growth::Growth;
use crate::key::NoteKey;
use crate::queue::{Queue, Request};
use crate::shared::Shared;
use crate::slots::{Record, Slots};
use crate::tile::Tile;

/// After how many leaves what is derived from them is made durable too, so that a start after a
/// crash is quick.
const SETTLE_EVERY: u64 = 65_536;
/// Interval at which the largest checkpoint is made durable. An older copy of the log is noticed
/// even after the power failed.
const REMEMBER_EVERY: Duration = Duration::from_secs(1);

/// The one thread that writes a log.
pub(crate) struct Writer {
    pub(crate) shared: Arc<Shared>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) key: NoteKey,
    pub(crate) signed: Slots,
    pub(crate) largest: Slots,
    pub(crate) frontier: Frontier,
    pub(crate) end: u64,
    pub(crate) settled: u64,
    pub(crate) remembered: Instant,
    /// Another process finds this file locked for as long as this one writes.
    pub(crate) _lock: std::fs::File,
}

/// A batch was not written.
enum Failure {
    /// Nothing of it is left; the next one may do better.
    Undone(LogError),
    /// It is open what is on disk.
    Unknown(LogError),
}

impl Writer {
    /// Writes batches until the queue is closed.
    pub(crate) fn run(mut self) {
        // The note may be lost, or older than the log.
        self.remember();
        while let Some(batch) = self.queue.take() {
            match self.commit(&batch) {
                Ok(first) => {
                    self.remember();
                    acknowledge(batch, first);
                }
                Err(Failure::Undone(error)) => refuse(batch, &error),
                Err(Failure::Unknown(error)) => return self.give_up(batch, error),
            }
            self.sync_memory();
            self.settle(SETTLE_EVERY);
        }
        self.settle(u64::from(Tile::WIDTH));
        self.finish();
    }

    /// Makes leaves durable and signs for them. Only then they are there for anyone to see.
    fn commit(&mut self, batch: &[Request]) -> Result<u64, Failure> {
        let first = self.frontier.size();
        let mut growth = Growth::new(self.frontier.clone(), self.end);
        let mut bytes = Vec::new();
        for Request { leaf, .. } in batch {
            let length = u16::try_from(leaf.len()).expect("longer leaves are refused at the door");
            bytes.extend_from_slice(&length.to_be_bytes());
            bytes.extend_from_slice(leaf);
            growth.push(leaf);
        }
        let disk = &self.shared.disk;
        let written = disk
            .write_entries(self.end, &bytes)
            .and_then(|()| growth.write(disk));
        let starts = written.map_err(|error| self.undo(error))?;
        // What a failed sync leaves on disk nobody can tell, and a second one would not either.
        disk.sync_entries().map_err(Failure::Unknown)?;
        let checkpoint = SignedCheckpoint::sign(growth.size(), growth.root(), &self.key);
        self.sign(&Record {
            end: growth.end(),
            settled: self.settled,
            checkpoint: checkpoint.clone(),
        })
        .map_err(Failure::Unknown)?;
        self.end = growth.end();
        self.frontier = growth.into_frontier();
        self.shared.publish(self.end, starts, checkpoint);
        Ok(first)
    }

    fn sign(&mut self, record: &Record) -> Result<(), LogError> {
        self.signed.write(record)?;
        self.signed.sync()
    }

    /// Takes back entries that could not all be written, such as on a full disk.
    fn undo(&self, error: LogError) -> Failure {
        match self.shared.disk.cut_entries(self.end) {
            Ok(()) => Failure::Undone(error),
            Err(_) => Failure::Unknown(error),
        }
    }

    fn record(&self) -> Record {
        Record {
            end: self.end,
            settled: self.settled,
            checkpoint: self.shared.checkpoint().as_ref().clone(),
        }
    }

    /// Notes beside the log how large it has become. A process that is killed leaves the note; a
    /// power cut may take it.
    fn remember(&mut self) {
        let record = self.record();
        if let Err(error) = self.largest.write(&record) {
            tracing::warn!(%error, "the largest checkpoint of the log could not be noted");
        }
    }

    /// Makes the note durable now and then.
    fn sync_memory(&mut self) {
        if self.remembered.elapsed() < REMEMBER_EVERY {
            return;
        }
        if let Err(error) = self.largest.sync() {
            tracing::warn!(%error, "the largest checkpoint of the log could not be made durable");
        }
        self.remembered = Instant::now();
    }

    /// Makes derived files durable when so many leaves have come since the last time.
    fn settle(&mut self, after: u64) {
        if self.frontier.size() - self.settled < after {
            return;
        }
        match self.shared.disk.settle() {
            Ok(()) => {
                let size = self.frontier.size();
                self.settled = size - size % u64::from(Tile::WIDTH);
            }
            Err(error) => {
                tracing::warn!(%error, "the hashes of the log could not be made durable");
            }
        }
    }

    /// Notes what the next start need not do again.
    fn finish(mut self) {
        let record = self.record();
        let noted = self.sign(&record).and_then(|()| self.largest.sync());
        if let Err(error) = noted {
            tracing::warn!(%error, "the log was closed, but the next start will have to look again");
        }
    }

    /// Refuses this batch and all that come after it.
    fn give_up(self, batch: Vec<Request>, error: LogError) {
        let log: PathBuf = self.shared.disk.dir().to_owned();
        tracing::error!(log = %log.display(), %error, "the log writes no more");
        let error = LogError::Broken(Arc::new(error));
        self.queue.close(error.clone());
        refuse(batch, &error);
    }
}

impl Drop for Writer {
    /// Leaves nobody waiting, however the thread came to its end.
    fn drop(&mut self) {
        let reason = self.queue.close(LogError::Stopped);
        while let Some(batch) = self.queue.take() {
            refuse(batch, &reason);
        }
    }
}

fn acknowledge(batch: Vec<Request>, first: u64) {
    for (request, index) in batch.into_iter().zip(first..) {
        request.answer(Ok(index));
    }
}

fn refuse(batch: Vec<Request>, error: &LogError) {
    for request in batch {
        request.answer(Err(error.clone()));
    }
}
