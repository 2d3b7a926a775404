//! The datastore on this machine: a record and its samples appear whole, or not at all.

use std::collections::BTreeMap;
use std::io::{self, BufReader, BufWriter, Cursor, Read, Write};
use std::path::{Path, PathBuf};

use assay_check::{Context, FileKind, FileReport, Files, Item, LayoutPolicy, validate};
use assay_convert::convert::{
    Datastore, Identity, Options, Pair, RUN_STATUS, Supplement, metric_id,
};
use assay_model::{Code, Severity};
use parking_lot::Mutex;
use serde_json::Value as Json;

use super::report::{Fault, Suspicion};
use crate::replace::{Scratch, create_output_directory, same_bytes};

/// The records of one log: they are made in scratch files, validated, and then wait to be put in
/// their place.
pub(crate) struct DiskStore<'a> {
    /// The directory of scratch files: one from which a rename can reach the output, or, for a dry
    /// run, one where nobody looks.
    scratch: Option<&'a Path>,
    /// Number of threads that may validate the samples of one record.
    jobs: usize,
    made: Mutex<Vec<ConvertedRecord>>,
}

impl<'a> DiskStore<'a> {
    /// A store whose scratch files lie in a directory, or with the other scratch files of this
    /// machine.
    pub(crate) fn new(scratch: Option<&'a Path>, jobs: usize) -> Self {
        Self {
            scratch,
            jobs,
            made: Mutex::new(Vec::new()),
        }
    }

    /// The records that were made, in order.
    pub(crate) fn into_made(self) -> Vec<ConvertedRecord> {
        self.made.into_inner()
    }

    fn scratch(&self) -> io::Result<Scratch> {
        match self.scratch {
            Some(directory) => {
                create_output_directory(directory)?;
                Scratch::in_directory(directory)
            }
            None => Scratch::for_nothing(),
        }
    }
}

impl Datastore for DiskStore<'_> {
    fn begin(&self, identity: &Identity) -> io::Result<Box<dyn Pair + '_>> {
        Ok(Box::new(DiskPair {
            store: self,
            identity: identity.clone(),
            rows: BufWriter::new(self.scratch()?),
        }))
    }
}

struct DiskPair<'a> {
    store: &'a DiskStore<'a>,
    identity: Identity,
    rows: BufWriter<Scratch>,
}

impl Pair for DiskPair<'_> {
    fn rows(&mut self) -> &mut dyn Write {
        &mut self.rows
    }

    fn finish(self: Box<Self>, record: &str, digest: Option<&str>) -> io::Result<()> {
        let samples = self
            .rows
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        let mut scratch = self.store.scratch()?;
        scratch.write_all(record.as_bytes())?;
        if self.store.scratch.is_some() {
            // After a rename the name must not point at bytes that a power cut can still take away.
            samples.sync()?;
            scratch.sync()?;
        }
        let mut made = ConvertedRecord {
            identity: self.identity,
            json: record.to_owned(),
            record: scratch,
            samples: digest.is_some().then_some(samples),
            digest: digest.map(str::to_owned),
            faults: Vec::new(),
            warnings: BTreeMap::new(),
        };
        made.validate(self.store.jobs);
        let mut all = self.store.made.lock();
        // What validation refuses is reported of the record; it is no reason to give up the other
        // records of the log.
        all.push(made);
        Ok(())
    }
}

/// A record that was made and validated, and its samples: not yet anywhere.
#[derive(Debug)]
pub(crate) struct ConvertedRecord {
    pub(super) identity: Identity,
    json: String,
    record: Scratch,
    samples: Option<Scratch>,
    /// The SHA-256 of the samples, made while they were written.
    digest: Option<String>,
    /// The reasons why it may not appear.
    pub(crate) faults: Vec<Fault>,
    /// The findings of validation, by code.
    pub(super) warnings: BTreeMap<String, Suspicion>,
}

/// The outcome of putting a record in its place.
#[derive(Debug)]
pub(crate) enum Settled {
    /// It is there now.
    Written,
    /// It is there now, in place of one that said something else.
    Replaced,
    /// The same bytes were there.
    Unchanged,
    /// Other bytes were there.
    Differs(Fault),
}

impl ConvertedRecord {
    /// The path of the record, from the root of the datastore.
    pub(crate) fn path(&self) -> String {
        format!("{}/{}.json", self.identity.directory, self.identity.uuid)
    }

    /// Returns the number of findings that are suspicions.
    #[cfg(feature = "client")]
    pub(crate) fn suspicions(&self) -> u64 {
        self.warnings.values().map(|finding| finding.count).sum()
    }

    fn validate(&mut self, jobs: usize) {
        let items = [Item {
            path: self.path().into(),
            kind: Some(FileKind::Record),
        }];
        let context = Context {
            layout: LayoutPolicy::Strict,
            ..Context::default()
        };
        let options = assay_check::Options {
            jobs,
            ..assay_check::Options::default()
        };
        let reports = validate(&*self, &items, &context, &options);
        for report in &reports {
            self.faults.extend(faults(report));
            for (severity, code, count) in report.findings.counts() {
                if severity == Severity::Warning {
                    let finding = self.warnings.entry(code.to_string());
                    let finding = finding.or_insert_with(|| suspicion(report, code));
                    finding.count += count;
                }
            }
        }
    }

    /// The metrics and results of the record that a person described.
    pub(super) fn names_said(&self, options: &Options) -> Vec<String> {
        let Ok(record) = serde_json::from_str::<Json>(&self.json) else {
            return Vec::new();
        };
        let results = || {
            record["evaluation_results"]
                .as_array()
                .into_iter()
                .flatten()
        };
        let is_metric = |name: &str| {
            let own = |own: &str| own == name || metric_id(own) == metric_id(name);
            results().any(|result| {
                let metric = &result["metric_config"];
                ["metric_id", "metric_name"]
                    .iter()
                    .any(|key| metric[*key].as_str().is_some_and(own))
            })
        };
        let is_result = |name: &str| {
            let keys = ["evaluation_result_id", "evaluation_name"];
            results().any(|result| keys.iter().any(|key| result[*key] == name))
        };
        let metrics = options.metrics.iter().map(|said| said.name.as_str());
        let selectors = options.supplement.iter().flat_map(Supplement::selectors);
        metrics
            .filter(|name| is_metric(name))
            .chain(selectors.filter(|name| is_result(name)))
            .map(str::to_owned)
            .collect()
    }

    /// Puts the samples and then the record in place, so that no record ever stands without its
    /// samples. What is there already stays: the same bytes are fine, others are a refusal. A
    /// record of the same run that had not finished makes way for one that has, and with
    /// `overwrite` any does. Without `write` nothing is moved.
    pub(crate) fn settle(self, out: &Path, write: bool, overwrite: bool) -> io::Result<Settled> {
        let record = out.join(self.path());
        let may_replace = overwrite || self.goes_further_than(&record);
        let mut moves = Vec::new();
        let mut replaces = false;
        if let Some(samples) = self.samples {
            let target = out.join(self.identity.samples_path());
            match standing(&target, samples.reader()?)? {
                Standing::Absent => moves.push((samples, target)),
                Standing::Same => {}
                Standing::Other if may_replace => {
                    replaces = true;
                    moves.push((samples, target));
                }
                Standing::Other => return Ok(differs(&target)),
            }
        }
        match standing(&record, self.json.as_bytes())? {
            Standing::Absent => moves.push((self.record, record.clone())),
            // A record that is there without the samples it names was torn by someone else; they
            // are put back.
            Standing::Same => {}
            Standing::Other if may_replace => {
                replaces = true;
                moves.push((self.record, record.clone()));
            }
            Standing::Other => return Ok(differs(&record)),
        }
        if moves.is_empty() {
            return Ok(Settled::Unchanged);
        }
        if write {
            place(moves, &record, replaces)?;
        }
        Ok(if replaces {
            Settled::Replaced
        } else {
            Settled::Written
        })
    }

    /// Returns true when the record in place differs from this one at most in the time of
    /// retrieval.
    #[cfg(feature = "client")]
    pub(crate) fn is_retrieved_again(&self, out: &Path) -> bool {
        let read = |text: &str| {
            let mut record = serde_json::from_str::<Json>(text).ok()?;
            record
                .as_object_mut()?
                .remove("retrieved_timestamp")
                .map(|_| record)
        };
        let there = fs_err::read_to_string(out.join(self.path()));
        let there = there.ok().and_then(|text| read(&text));
        there.is_some() && there == read(&self.json)
    }

    /// Returns whether the record that is there is of the same run, which had not finished then and
    /// has now.
    fn goes_further_than(&self, path: &Path) -> bool {
        let read = |text: &str| serde_json::from_str::<Json>(text).ok();
        let there = fs_err::read_to_string(path)
            .ok()
            .and_then(|text| read(&text));
        let (Some(there), Some(own)) = (there, read(&self.json)) else {
            return false;
        };
        let is_incomplete = |record: &Json| {
            let status = &record["source_metadata"]["additional_details"][RUN_STATUS];
            status
                .as_str()
                .is_some_and(|own| own.starts_with("incomplete"))
        };
        let completed = |record: &Json| -> u64 {
            let count = &record["source_metadata"]["additional_details"]["samples_completed"];
            count.as_str().and_then(|own| own.parse().ok()).unwrap_or(0)
        };
        there["evaluation_id"] == own["evaluation_id"]
            && is_incomplete(&there)
            && (!is_incomplete(&own) || completed(&own) > completed(&there))
    }
}

impl Files for ConvertedRecord {
    fn open(&self, path: &str) -> io::Result<Box<dyn Read + '_>> {
        if path == self.path() {
            return Ok(Box::new(Cursor::new(self.json.as_bytes())));
        }
        match &self.samples {
            Some(samples) if path == self.identity.samples_path() => {
                Ok(Box::new(samples.reader()?))
            }
            Some(_) | None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn sha256(&self, path: &str) -> Option<&str> {
        let digest = self.digest.as_deref();
        digest.filter(|_| path == self.identity.samples_path())
    }

    fn size(&self, path: &str) -> Option<u64> {
        if path == self.path() {
            return Some(self.json.len() as u64);
        }
        let samples = self.samples.as_ref();
        let samples = samples.filter(|_| path == self.identity.samples_path())?;
        samples.size()
    }
}

/// The errors of a report.
fn faults(report: &FileReport) -> impl Iterator<Item = Fault> {
    let is_samples = report.kind == Some(FileKind::Samples);
    report
        .findings
        .diagnostics()
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .map(move |diagnostic| Fault {
            reason: diagnostic.code.to_string(),
            path: diagnostic.path.clone(),
            line: is_samples.then_some(diagnostic.place.line),
            message: diagnostic.message.clone(),
        })
}

/// The first warning of a report under a code, not yet counted.
fn suspicion(report: &FileReport, code: Code) -> Suspicion {
    let is_samples = report.kind == Some(FileKind::Samples);
    let mut found = report.findings.diagnostics().iter();
    let first = found.find(|own| own.code == code && own.severity == Severity::Warning);
    first.map_or_else(Suspicion::default, |own| Suspicion {
        count: 0,
        path: own.path.clone(),
        line: is_samples.then_some(own.place.line),
        message: own.message.clone(),
        help: own.help.clone(),
    })
}

/// Moves scratch files to their places, in this order.
fn place(moves: Vec<(Scratch, PathBuf)>, record: &Path, replaces: bool) -> io::Result<()> {
    let directory = record.parent().unwrap_or(Path::new("."));
    fs_err::create_dir_all(directory)?;
    for (scratch, target) in moves {
        let moved = if replaces {
            scratch.replace(&target)
        } else {
            scratch.settle(&target)
        };
        moved.map_err(|error| {
            let what = format!("failed to write `{}`: {error}", target.display());
            io::Error::new(error.kind(), what)
        })?;
    }
    Ok(())
}

enum Standing {
    Absent,
    Same,
    Other,
}

fn standing(path: &Path, expected: impl Read) -> io::Result<Standing> {
    let file = match fs_err::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Standing::Absent),
        Err(error) => return Err(error),
    };
    let is_same = same_bytes(BufReader::new(file), BufReader::new(expected))?;
    Ok(if is_same {
        Standing::Same
    } else {
        Standing::Other
    })
}

fn differs(path: &Path) -> Settled {
    Settled::Differs(Fault {
        reason: "output-differs".to_owned(),
        path: String::new(),
        line: None,
        message: format!(
            "`{}` is there already and says something else; `--overwrite` replaces it",
            path.display()
        ),
    })
}
