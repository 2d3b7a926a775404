//! The samples of records, from rows to columns, while they are judged.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use assay_check::{Follow, ReadSamples};
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
use crate::row::RowReader;
use crate::table::Table;
use crate::writer::Writer;

/// The samples of a record as files that no manifest names yet.
#[derive(Debug)]
pub(super) struct Staged {
    /// The SHA-256 of the samples.
    pub(super) digest: String,
    /// How many rows they have.
    pub(super) rows: u64,
    /// Where they belong, as the record said when it was judged.
    pub(super) partition: Partition,
    /// The files.
    pub(super) files: Vec<DataFile>,
}

/// Writes the samples of one step while they are judged.
pub(super) struct Stage<'s> {
    writing: &'s Writing,
    names: &'s Names,
    /// The records of the step, by the path of their samples.
    planned: BTreeMap<&'s str, &'s Planned>,
    staged: Mutex<BTreeMap<String, Result<Option<Staged>>>>,
}

/// The samples of one record on their way.
pub(super) struct Way {
    facts: RecordFacts,
    /// Blocks are added one at a time, so nobody waits for this.
    pair: Mutex<Result<Pair>>,
}

/// The two files of a partition that is being written.
struct Pair {
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
        }
    }

    /// What came of the samples, by their path; nothing of those that were changed meanwhile.
    pub(super) fn finish(self) -> BTreeMap<String, Result<Option<Staged>>> {
        self.staged
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn create(&self, partition: &Partition) -> Result<Pair> {
        let create = |table| {
            let directory = self.writing.directory();
            Writer::create(
                directory,
                table,
                Some(partition.clone()),
                &self.names.next(),
            )
        };
        Ok(Pair {
            instances: create(Table::Instances)?,
            messages: create(Table::Messages)?,
        })
    }

    fn close(&self, path: &str, way: Way, read: &ReadSamples) -> Result<Option<Staged>> {
        let pair = way
            .pair
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)?;
        let digest = match read.algorithm {
            Algorithm::Sha256 => read.digest.clone(),
            Algorithm::Md5 => {
                let (digest, _) = digest_of(Path::new(path)).map_err(Error::io("read", path))?;
                digest
            }
        };
        // Whoever writes to samples while they are read may leave halves of two versions, or a record that tells of another.
        let planned = self.planned.get(path);
        if planned.is_none_or(|planned| Stamp::of(path) != planned.stamp) {
            return Ok(None);
        }
        let mut files = Vec::new();
        files.extend(pair.instances.finish()?);
        files.extend(pair.messages.finish()?);
        Ok(Some(Staged {
            digest,
            rows: read.rows,
            partition: way.facts.partition,
            files,
        }))
    }
}

impl Follow for Stage<'_> {
    type Samples = Way;
    type Block = RowReader;

    fn begin(&self, path: &str, record: Value<'_>) -> Option<Way> {
        let planned = self.planned.get(path)?;
        let facts = RecordFacts::read(record, &planned.path, &planned.digest);
        Some(Way {
            pair: Mutex::new(self.create(&facts.partition)),
            facts,
        })
    }

    fn block(&self, _way: &Way) -> RowReader {
        RowReader::new()
    }

    fn row(&self, way: &Way, block: &mut RowReader, row: Value<'_>, line: u64) {
        block.push(&way.facts, row, line);
    }

    fn add(&self, way: &Way, block: RowReader) {
        let mut pair = way.pair.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(writers) = &mut *pair
            && let Err(error) = writers.add(block)
        {
            *pair = Err(error);
        }
    }

    fn end(&self, path: &str, way: Way, read: &ReadSamples) {
        let staged = self.close(path, way, read);
        self.staged
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(path.to_owned(), staged);
    }
}

impl Pair {
    fn add(&mut self, mut block: RowReader) -> Result<()> {
        self.instances.add(block.instances.finish())?;
        self.messages.add(block.messages.finish())
    }
}
