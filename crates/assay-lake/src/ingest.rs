//! Files become rows: each is validated, and only what breaks no rule comes in.

mod plan;
mod samples;
mod unit;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use assay_check::{Context, FileReport, Item, validate_with};
use assay_model::{Diagnostic, Severity};
use serde::Serialize;

use self::plan::{Plan, Planned};
use self::samples::{Stage, StagedStep};
use self::unit::Loader;
use crate::compact::{self, rewrite};
use crate::discover::{Disk, discover};
use crate::error::Result;
use crate::lake::{Change, Lake, Writing};
use crate::manifest::DataFile;
use crate::names::Names;

/// How many files are validated and written before the lake shows them.
const STEP_FILES: usize = 2_000;
/// How many bytes are validated and written before the lake shows them, unless one file alone has more. A process that dies loses so
/// much work at most.
const STEP_BYTES: u64 = 1 << 30;

/// How to go about it.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// How many threads to use.
    pub jobs: usize,
    /// Told how many bytes of how many have been taken in.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
}

/// What came of it.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    /// Files that were not there before.
    pub added: u64,
    /// Files that were there with other content, which is gone now.
    pub replaced: u64,
    /// Files that were there already.
    pub unchanged: u64,
    /// Scores that came in.
    pub results: u64,
    /// Samples that came in.
    pub instances: u64,
    /// Bytes that were read into the lake.
    pub bytes: u64,
    /// The snapshot that has all of it.
    pub snapshot: u64,
    /// What did not come in.
    pub refused: Vec<Refused>,
}

/// A file that did not come in.
#[derive(Debug, Serialize)]
pub struct Refused {
    /// Its path.
    pub path: String,
    /// Why, in a sentence.
    pub reason: String,
    /// The faults that were found, when it was validated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Diagnostic>,
}

/// Whose content counts when a record is found at two places with two contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Precedence {
    /// The one that is named now.
    Newest,
    /// The one that is in the lake, as long as it is still where it was found.
    First,
}

/// Takes files in. What is refused stops nobody else, and what was taken in before an error stays.
pub fn ingest(lake: &Lake, paths: &[PathBuf], options: &Options<'_>) -> Result<Report> {
    take(lake, paths, options, Precedence::Newest)
}

/// Takes files of many owners in: nobody replaces the record of another by giving a file the same name.
pub fn ingest_of_many(lake: &Lake, paths: &[PathBuf], options: &Options<'_>) -> Result<Report> {
    take(lake, paths, options, Precedence::First)
}

fn take(
    lake: &Lake,
    paths: &[PathBuf],
    options: &Options<'_>,
    precedence: Precedence,
) -> Result<Report> {
    let progress = options.progress;
    let found = discover(paths);
    let mut report = Report {
        refused: found
            .refused
            .iter()
            .map(|(path, why)| Refused::because(path, why))
            .collect(),
        ..Report::default()
    };
    let mut writing = lake.write()?;
    let plan = Plan::new(found, &writing.manifest, precedence, &mut report);
    let total = plan.bytes();
    let mut done = 0;
    for step in plan.steps(STEP_FILES, STEP_BYTES) {
        let end = done + step.iter().map(|planned| planned.bytes).sum::<u64>();
        let read = AtomicU64::new(done);
        let options = assay_check::Options {
            jobs: options.jobs,
            progress: &|bytes| {
                let read = read.fetch_add(bytes, Ordering::Relaxed) + bytes;
                progress(read.min(end), total);
            },
        };
        take_in(&mut writing, step, &options, &mut report)?;
        done = end;
        progress(done, total);
    }
    compact::tidy(&mut writing)?;
    writing.clean_now_and_then()?;
    report.snapshot = writing.manifest.snapshot;
    Ok(report)
}

impl Refused {
    fn because(path: &str, reason: &str) -> Self {
        Self {
            path: path.to_owned(),
            reason: reason.to_owned(),
            findings: Vec::new(),
        }
    }
}

/// Validates some files and makes those that are sound part of the lake, all together.
fn take_in(
    writing: &mut Writing,
    step: &[Planned],
    options: &assay_check::Options<'_>,
    report: &mut Report,
) -> Result<()> {
    let names = Names::new(writing, "");
    let stage = Stage::new(writing, &names, step);
    let validated = validate_step(step, options, &stage);
    let StagedStep {
        mut staged,
        mut shared,
    } = stage.finish()?;
    let mut loader = Loader::new(writing, &names);
    let mut refused_late = BTreeSet::new();
    for planned in step {
        let reports = validated
            .get(planned.path.as_str())
            .map_or(&[][..], |all| all);
        // Files of samples that are refused never become part of a table, and are removed later.
        let samples = planned
            .samples
            .as_ref()
            .and_then(|path| staged.remove(path));
        let samples = samples.transpose()?.flatten();
        let is_shared = samples.as_ref().is_some_and(|own| own.files.is_empty());
        match refusal(planned, reports) {
            Some(refused) => report.refused.push(refused),
            None => loader.load(planned, reports, samples, report)?,
        }
        if is_shared && !loader.has(&planned.id) {
            refused_late.insert(planned.id.clone());
        }
    }
    let mut loaded = loader.finish()?;
    if loaded.sources.is_empty() {
        return Ok(());
    }
    if !refused_late.is_empty() {
        shared = without(writing, &shared, &refused_late, &names)?;
    }
    loaded.files.append(&mut shared);
    let came_in = loaded.sources.len() as u64;
    let replaced = writing.commit(Change {
        files: loaded.files,
        sources: loaded.sources,
        removed: BTreeSet::new(),
    })?;
    report.replaced += replaced;
    report.added += came_in - replaced;
    Ok(())
}

/// Writes files again without the rows of sources that were refused after their rows had been written beside others: because a
/// file changed while it was read, or because another file of the step has the same content.
fn without(
    writing: &Writing,
    files: &[DataFile],
    refused: &BTreeSet<String>,
    names: &Names,
) -> Result<Vec<DataFile>> {
    let rewritten = files
        .iter()
        .map(|file| rewrite(writing, &[file], refused, &names.next()));
    let rewritten: Vec<Option<DataFile>> = rewritten.collect::<Result<_>>()?;
    Ok(rewritten.into_iter().flatten().collect())
}

/// The reports of each file, those of samples with their record. Samples are written on the way.
fn validate_step<'s>(
    step: &'s [Planned],
    options: &assay_check::Options<'_>,
    stage: &Stage<'_>,
) -> BTreeMap<&'s str, Vec<FileReport>> {
    let items: Vec<Item> = step
        .iter()
        .map(|planned| Item {
            path: planned.path.as_str().into(),
            kind: Some(planned.kind),
        })
        .collect();
    let reports = validate_with(&Disk, &items, &Context::default(), options, stage);
    let by_samples: BTreeMap<&str, &str> = step
        .iter()
        .filter_map(|planned| Some((planned.samples.as_deref()?, planned.path.as_str())))
        .collect();
    let own: BTreeSet<&str> = step.iter().map(|planned| planned.path.as_str()).collect();
    let mut validated: BTreeMap<&str, Vec<FileReport>> = BTreeMap::new();
    for report in reports {
        let path = own
            .get(&*report.path)
            .or_else(|| by_samples.get(&*report.path));
        if let Some(path) = path {
            validated.entry(path).or_default().push(report);
        }
    }
    validated
}

/// Why a file does not come in, if so.
fn refusal(planned: &Planned, reports: &[FileReport]) -> Option<Refused> {
    let is_faulty = reports.iter().any(|report| report.findings.has_errors());
    if !is_faulty && !reports.is_empty() {
        return None;
    }
    let findings = reports
        .iter()
        .flat_map(|report| report.findings.diagnostics())
        .filter(|finding| finding.severity == Severity::Error);
    Some(Refused {
        findings: findings.cloned().collect(),
        ..Refused::because(&planned.path, "it breaks rules")
    })
}
