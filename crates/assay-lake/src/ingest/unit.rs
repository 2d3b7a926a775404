//! Sound files become rows of the tables.

use std::collections::BTreeMap;

use assay_check::{FileReport, ValidatedFile};
use assay_formats::{Tape, json};

use super::plan::{Planned, Stamp};
use super::{Refused, Report, samples};
use crate::batch::Batch;
use crate::discover::model_of;
use crate::error::{Error, Result};
use crate::lake::Writing;
use crate::manifest::{DataFile, Source};
use crate::partition::Partition;
use crate::record::{Origin, RecordFacts};
use crate::results::push_entries;
use crate::table::Table;
use crate::writer::Writer;

/// How many rows of the small tables are gathered before they are handed on.
const GATHERED_ROWS: usize = 4_096;
/// Why something that passed the judge does not come in.
const CHANGED: &str = "it was changed while it was read; take it in again";

/// What a step has written.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    pub(super) files: Vec<DataFile>,
    pub(super) sources: BTreeMap<String, Source>,
}

/// Writes the rows of one step.
pub(super) struct Loader<'w> {
    writing: &'w Writing,
    jobs: usize,
    loaded: Loaded,
    /// How many files this step has begun.
    begun: u64,
    small: BTreeMap<Table, (Batch, Writer)>,
}

/// The two files of a partition that is being written.
struct Pair {
    instances: Writer,
    messages: Writer,
}

impl<'w> Loader<'w> {
    /// Nothing written yet.
    pub(super) fn new(writing: &'w Writing, jobs: usize) -> Self {
        Self {
            writing,
            jobs,
            loaded: Loaded::default(),
            begun: 0,
            small: BTreeMap::new(),
        }
    }

    /// Takes in a file that the judge let pass.
    pub(super) fn load(
        &mut self,
        planned: &Planned,
        reports: &[FileReport],
        report: &mut Report,
    ) -> Result<()> {
        let entries = reports.iter().find_map(|own| {
            match own.validated.as_ref().map(assay_check::Validated::get) {
                Some(ValidatedFile::Results(entries)) => Some(entries),
                Some(ValidatedFile::Benchmark(_)) | None => None,
            }
        });
        let source = match entries {
            Some(entries) => self.load_entries(planned, entries)?,
            None => self.load_record(planned, reports)?,
        };
        match source {
            Some(source) => {
                report.results += source.results;
                report.instances += source.instances;
                report.bytes += source.bytes;
                self.loaded.sources.insert(planned.id.clone(), source);
            }
            None => report
                .refused
                .push(Refused::because(&planned.path, CHANGED)),
        }
        Ok(())
    }

    /// Closes what is open and returns what there is.
    pub(super) fn finish(mut self) -> Result<Loaded> {
        for (mut batch, mut writer) in std::mem::take(&mut self.small).into_values() {
            writer.add(batch.finish()?)?;
            self.loaded.files.extend(writer.finish()?);
        }
        Ok(self.loaded)
    }

    fn load_entries(
        &mut self,
        planned: &Planned,
        entries: &[assay_model::Entry],
    ) -> Result<Option<Source>> {
        let Some(model) = model_of(&planned.path) else {
            return Ok(None);
        };
        let batch = self.small(Table::Results)?;
        let results = push_entries(&model, &planned.id, entries, batch);
        self.hand_on(Table::Results)?;
        let benchmark = entries.first().map(|entry| entry.dataset.to_string());
        Ok(Some(Source {
            path: planned.path.clone(),
            digest: planned.digest.clone(),
            samples_digest: None,
            bytes: planned.bytes,
            partition: Partition {
                benchmark: benchmark.unwrap_or_default(),
                model,
            },
            results,
            instances: 0,
        }))
    }

    fn load_record(&mut self, planned: &Planned, reports: &[FileReport]) -> Result<Option<Source>> {
        let path = &planned.path;
        let text = fs_err::read(path).map_err(Error::io("read", path))?;
        let Ok(text) = String::from_utf8(text) else {
            return Ok(None);
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let mut tape = Tape::with_room_for(text.len());
        json::parse(text, &mut tape);
        let Some(record) = tape.root(text) else {
            return Ok(None);
        };
        let facts = RecordFacts::read(record, path, &planned.digest);
        let judged_rows = reports.iter().find_map(|report| report.rows);
        let mut samples_digest = None;
        let mut instances = 0;
        if let Some(samples) = &planned.samples {
            let loaded = self.load_samples(samples, planned.stamp, &facts, judged_rows)?;
            let Some((digest, rows)) = loaded else {
                return Ok(None);
            };
            (samples_digest, instances) = (Some(digest), rows);
        }
        let origin = Origin {
            path,
            digest: &planned.digest,
            samples_digest: samples_digest.as_deref(),
            instances,
        };
        facts.push_record(record, origin, self.small(Table::Records)?);
        let results = facts.push_results(record, self.small(Table::Results)?);
        self.hand_on(Table::Records)?;
        self.hand_on(Table::Results)?;
        Ok(Some(Source {
            path: path.clone(),
            digest: planned.digest.clone(),
            samples_digest,
            bytes: planned.bytes,
            partition: facts.partition,
            results,
            instances,
        }))
    }

    /// Writes the samples of a record into files of their own; `None` when they are not what was judged.
    fn load_samples(
        &mut self,
        path: &str,
        stamp: Option<Stamp>,
        facts: &RecordFacts,
        judged_rows: Option<u64>,
    ) -> Result<Option<(String, u64)>> {
        let mut pair = self.begin(&facts.partition)?;
        let read = samples::read(path, facts, self.jobs, |instances, messages| {
            pair.instances.add(instances)?;
            pair.messages.add(messages)
        })?;
        // What was written of a file that changed is not named by anyone and is swept away.
        let Some(rows) = read.rows.filter(|rows| Some(*rows) == judged_rows) else {
            return Ok(None);
        };
        if Stamp::of(path) != stamp {
            return Ok(None);
        }
        self.loaded.files.extend(pair.instances.finish()?);
        self.loaded.files.extend(pair.messages.finish()?);
        Ok(Some((read.digest, rows)))
    }

    fn begin(&mut self, partition: &Partition) -> Result<Pair> {
        let mut create = |table| {
            let name = self.name();
            Writer::create(
                self.writing.directory(),
                table,
                Some(partition.clone()),
                &name,
            )
        };
        Ok(Pair {
            instances: create(Table::Instances)?,
            messages: create(Table::Messages)?,
        })
    }

    /// A name that no file of the lake has.
    fn name(&mut self) -> String {
        self.begun += 1;
        format!("{:08}-{:06}", self.writing.next_snapshot(), self.begun)
    }

    fn small(&mut self, table: Table) -> Result<&mut Batch> {
        if !self.small.contains_key(&table) {
            let name = self.name();
            let writer = Writer::create(self.writing.directory(), table, None, &name)?;
            self.small.insert(table, (Batch::new(table), writer));
        }
        let (batch, _) = self
            .small
            .get_mut(&table)
            .expect("it was inserted just above");
        Ok(batch)
    }

    fn hand_on(&mut self, table: Table) -> Result<()> {
        if let Some((batch, writer)) = self.small.get_mut(&table)
            && batch.len() >= GATHERED_ROWS
        {
            writer.add(batch.finish()?)?;
        }
        Ok(())
    }
}
