//! The samples of records, from rows to columns, while they are validated.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use assay_check::{ReadSamples, SampleObserver};
use assay_formats::Value;
use assay_formats::rows::Algorithm;

use super::plan::{Planned, Stamp};
use crate::discover::digest_of;
use crate::error::{Error, Result};
use crate::lake::Writing;
use crate::manifest::DataFile;
use crate::names::Names;
use crate::partition::Partition;
use crate::record::RecordFacts;
use crate::row::SampleBatches;
use crate::table::Table;
use crate::writer::{PendingRows, Writer};

/// The samples of a record that were written.
#[derive(Debug)]
pub(super) struct Staged {
    /// The SHA-256 of the samples.
    pub(super) digest: String,
    /// The number of their rows.
    pub(super) rows: u64,
    /// The benchmark and model, as the record said when it was validated.
    pub(super) partition: Partition,
    /// The files that hold nothing else. Other samples lie in the files of the step.
    pub(super) files: Vec<DataFile>,
}

/// Writes the samples of one step while they are validated.
///
/// The rows of a record are held until it is known to break no rule, and then join those of other
/// records: several models that were asked the same lie in one row group, which is compressed
/// better than each alone. A record with more rows than a row group gets files of its own before.
pub(super) struct Stage<'s> {
    writing: &'s Writing,
    names: &'s Names,
    /// The records of the step, by the path of their samples.
    planned: BTreeMap<&'s str, &'s Planned>,
    staged: Mutex<BTreeMap<String, Result<Option<Staged>>>>,
    /// The files that records share, when there are some.
    shared: OnceLock<Result<WriterPair>>,
}

/// The results of a step.
pub(super) struct StagedStep {
    /// What came of the samples, by their path; nothing of those that were changed meanwhile or
    /// break rules.
    pub(super) staged: BTreeMap<String, Result<Option<Staged>>>,
    /// The files that records share.
    pub(super) shared: Vec<DataFile>,
}

/// The samples of one record on their way.
pub(super) struct RecordSamples {
    facts: RecordFacts,
    /// Blocks are added one at a time, so nobody waits for this.
    rows: Mutex<Result<RecordRows>>,
}

/// The rows of one record.
#[derive(Default)]
struct RecordRows {
    instances: PendingRows,
    messages: PendingRows,
    /// Files of its own, once there were too many to hold.
    own: Option<WriterPair>,
}

/// The files of both tables of samples.
struct WriterPair {
    instances: Writer,
    messages: Writer,
}

impl<'s> Stage<'s> {
    /// Nothing has been read.
    pub(super) fn new(writing: &'s Writing, names: &'s Names, step: &'s [Planned]) -> Self {
        let with_samples = step
            .iter()
            .filter_map(|planned| Some((planned.samples.as_deref()?, planned)));
        Self {
            writing,
            names,
            planned: with_samples.collect(),
            staged: Mutex::default(),
            shared: OnceLock::new(),
        }
    }

    /// Closes the files that records share.
    pub(super) fn finish(self) -> Result<StagedStep> {
        let mut shared = Vec::new();
        if let Some(pair) = self.shared.into_inner() {
            shared = pair?.finish()?;
        }
        Ok(StagedStep {
            staged: self
                .staged
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner),
            shared,
        })
    }

    fn create(&self) -> Result<WriterPair> {
        let create = |table| Writer::create(self.writing.directory(), table, &self.names.next());
        Ok(WriterPair {
            instances: create(Table::Instances)?,
            messages: create(Table::Messages)?,
        })
    }

    fn add_block(&self, rows: &mut RecordRows, mut block: SampleBatches) -> Result<()> {
        rows.instances.push(block.instances.finish());
        rows.messages.push(block.messages.finish());
        if rows.instances.is_full() || rows.messages.is_full() {
            let own = match &mut rows.own {
                Some(own) => own,
                own @ None => own.insert(self.create()?),
            };
            own.instances.add(std::mem::take(&mut rows.instances))?;
            own.messages.add(std::mem::take(&mut rows.messages))?;
        }
        Ok(())
    }

    fn close(
        &self,
        path: &str,
        samples: RecordSamples,
        read: &ReadSamples,
    ) -> Result<Option<Staged>> {
        let rows = samples.rows.into_inner();
        let rows = rows.unwrap_or_else(PoisonError::into_inner)?;
        // Whoever writes to samples while they are read may leave halves of two versions, or a
        // record that tells of another.
        let planned = self.planned.get(path);
        let is_changed = planned.is_none_or(|planned| Stamp::of(path) != planned.stamp);
        if is_changed || read.has_errors {
            return Ok(None);
        }
        let digest = match read.algorithm {
            Algorithm::Sha256 => read.digest.clone(),
            Algorithm::Md5 => {
                let (digest, _) = digest_of(Path::new(path)).map_err(Error::io("read", path))?;
                digest
            }
        };
        let mut files = Vec::new();
        if let Some(own) = rows.own {
            own.add(rows.instances, rows.messages)?;
            files = own.finish()?;
        } else {
            self.shared()?.add(rows.instances, rows.messages)?;
        }
        Ok(Some(Staged {
            digest,
            rows: read.rows,
            partition: samples.facts.partition,
            files,
        }))
    }

    /// The files that records share. Why they cannot be made is reported when the step ends.
    fn shared(&self) -> Result<&WriterPair> {
        let shared = self.shared.get_or_init(|| self.create()).as_ref();
        shared.map_err(|_| Error::BrokenOff("the files of this step cannot be written".to_owned()))
    }
}

impl SampleObserver for Stage<'_> {
    type Samples = RecordSamples;
    type Block = SampleBatches;

    fn begin(&self, path: &str, record: Value<'_>) -> Option<RecordSamples> {
        let planned = self.planned.get(path)?;
        Some(RecordSamples {
            facts: RecordFacts::read(record, &planned.path, &planned.digest, &planned.place),
            rows: Mutex::new(Ok(RecordRows::default())),
        })
    }

    fn block(&self, _samples: &RecordSamples) -> SampleBatches {
        SampleBatches::default()
    }

    fn row(&self, samples: &RecordSamples, block: &mut SampleBatches, row: Value<'_>, line: u64) {
        block.push(&samples.facts, row, line);
    }

    fn add(&self, samples: &RecordSamples, block: SampleBatches) {
        let mut rows = lock(&samples.rows);
        if let Ok(gathered) = &mut *rows
            && let Err(error) = self.add_block(gathered, block)
        {
            *rows = Err(error);
        }
    }

    fn end(&self, path: &str, samples: RecordSamples, read: &ReadSamples) {
        let staged = self.close(path, samples, read);
        lock(&self.staged).insert(path.to_owned(), staged);
    }
}

impl WriterPair {
    fn add(&self, instances: PendingRows, messages: PendingRows) -> Result<()> {
        self.instances.add(instances)?;
        self.messages.add(messages)
    }

    fn finish(self) -> Result<Vec<DataFile>> {
        let files = [self.instances.finish()?, self.messages.finish()?];
        Ok(files.into_iter().flatten().collect())
    }
}

/// A thread that broke off while it held this has said so, and left nothing half done that counts.
fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
