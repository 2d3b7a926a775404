//! Sound files become rows of the tables.

use std::collections::BTreeMap;

use assay_check::{FileReport, ValidatedFile};
use assay_formats::{Tape, json};

use super::plan::{Planned, Stamp};
use super::samples::Staged;
use super::{Refused, Report};
use crate::batch::Batch;
use crate::definition::push_metrics;
use crate::discover::{benchmark_of, model_of};
use crate::error::{Error, Result};
use crate::lake::Writing;
use crate::manifest::{DataFile, Source};
use crate::names::Names;
use crate::partition::Partition;
use crate::record::{Origin, RecordFacts};
use crate::results::{findings_of, push_entries};
use crate::table::Table;
use crate::writer::{PendingRows, Writer};

/// Number of rows of the small tables that are gathered before they are handed on.
const GATHERED_ROWS: usize = 4_096;
/// Why a valid file does not come in.
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
    names: &'w Names,
    loaded: Loaded,
    small: BTreeMap<Table, (Batch, Writer)>,
}

impl<'w> Loader<'w> {
    /// Nothing written yet.
    pub(super) fn new(writing: &'w Writing, names: &'w Names) -> Self {
        Self {
            writing,
            names,
            loaded: Loaded::default(),
            small: BTreeMap::new(),
        }
    }

    /// Takes in a valid file, with what was made of its samples meanwhile.
    pub(super) fn load(
        &mut self,
        planned: &Planned,
        reports: &[FileReport],
        staged: Option<Staged>,
        report: &mut Report,
    ) -> Result<()> {
        let mut validated = reports
            .iter()
            .filter_map(|own| own.validated.as_ref().map(assay_check::Validated::get));
        let source = match validated.next() {
            Some(ValidatedFile::Results(entries)) => self.load_entries(planned, entries)?,
            Some(ValidatedFile::Benchmark(defined)) => self.load_definition(planned, defined)?,
            None => self.load_record(planned, staged)?,
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

    /// Returns `true` if this source came in.
    pub(super) fn has(&self, id: &str) -> bool {
        self.loaded.sources.contains_key(id)
    }

    /// Closes what is open and returns what there is.
    pub(super) fn finish(mut self) -> Result<Loaded> {
        for (mut batch, writer) in std::mem::take(&mut self.small).into_values() {
            add(&writer, &mut batch)?;
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
        let findings = findings_of(&planned.path, entries.len())?;
        let batch = self.small(Table::Results)?;
        let results = push_entries((&model, &planned.id), entries, &findings, batch);
        self.hand_on(Table::Results)?;
        let mut speaks_for: Vec<String> = entries
            .iter()
            .map(|entry| entry.dataset.to_string())
            .collect();
        let partition = Partition {
            benchmark: speaks_for.first().cloned().unwrap_or_default(),
            model,
        };
        speaks_for.sort();
        speaks_for.dedup();
        Ok(Some(Source {
            speaks_for,
            ..without_samples(planned, partition, results)
        }))
    }

    fn load_definition(
        &mut self,
        planned: &Planned,
        defined: &assay_model::Benchmark,
    ) -> Result<Option<Source>> {
        let Some(benchmark) = benchmark_of(&planned.path) else {
            return Ok(None);
        };
        push_metrics(
            &benchmark,
            &planned.id,
            defined,
            self.small(Table::Metrics)?,
        );
        self.hand_on(Table::Metrics)?;
        let partition = Partition {
            benchmark,
            model: String::new(),
        };
        Ok(Some(without_samples(planned, partition, 0)))
    }

    fn load_record(&mut self, planned: &Planned, staged: Option<Staged>) -> Result<Option<Source>> {
        let path = &planned.path;
        if planned.samples.is_some() != staged.is_some() {
            return Ok(None);
        }
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
        let facts = RecordFacts::read(record, path, &planned.digest, &planned.place);
        let is_as_validated = Stamp::of(path) == Some(planned.own_stamp)
            && staged
                .as_ref()
                .is_none_or(|staged| staged.partition == facts.partition);
        if !is_as_validated {
            return Ok(None);
        }
        let origin = Origin {
            path,
            digest: &planned.digest,
            samples_digest: staged.as_ref().map(|staged| staged.digest.as_str()),
            instances: staged.as_ref().map_or(0, |staged| staged.rows),
        };
        facts.push_record(record, origin, self.small(Table::Records)?);
        let results = facts.push_results(record, self.small(Table::Results)?);
        self.hand_on(Table::Records)?;
        self.hand_on(Table::Results)?;
        let instances = origin.instances;
        let samples_digest = staged.map(|staged| {
            self.loaded.files.extend(staged.files);
            staged.digest
        });
        Ok(Some(Source {
            samples_digest,
            instances,
            ..without_samples(planned, facts.partition, results)
        }))
    }

    fn small(&mut self, table: Table) -> Result<&mut Batch> {
        if !self.small.contains_key(&table) {
            let name = self.names.next();
            let writer = Writer::create(self.writing.directory(), table, &name)?;
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
            add(writer, batch)?;
        }
        Ok(())
    }
}

/// Hands gathered rows on.
fn add(writer: &Writer, batch: &mut Batch) -> Result<()> {
    let mut rows = PendingRows::default();
    rows.push(batch.finish());
    writer.add(rows)
}

/// A file that was taken in and brought no samples.
fn without_samples(planned: &Planned, partition: Partition, results: u64) -> Source {
    Source {
        path: planned.path.clone(),
        digest: planned.digest.clone(),
        samples_digest: None,
        bytes: planned.bytes,
        partition,
        speaks_for: Vec::new(),
        results,
        instances: 0,
    }
}
