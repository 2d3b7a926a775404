//! The one way to validate files: laptop, CI, git push, API commit and web preview all call
//! [`validate`].

mod report;
mod units;

use std::io::{self, Read};
use std::sync::Arc;

use assay_formats::each_with;
use assay_model::Severity;

pub use self::report::{FileReport, Validated, ValidatedFile};
use self::report::{in_order, report_copies};
use self::units::{Part, Unit, units};

use crate::collection::{self, RecordSummary};
use crate::context::{Context, LayoutPolicy};
use crate::digest;
use crate::document::{Document, DocumentBuffers, Spelling};
use crate::kind::FileKind;
use crate::layout::Location;
use crate::observer::{NoObserver, ReadSamples, SampleObserver};
use crate::pairing::Pairing;
use crate::record::{self, RecordFacts};
use crate::result_file::ResultFile;
use crate::samples::{SamplesSummary, SamplesValidator};
use crate::sink::{Findings, Sink};
use crate::{apply, eval_yaml, rules};

/// A samples file that is less than this share of all, for each thread, is validated by one thread,
/// which is the cheapest way as long as every thread has such a file.
const SHARES: usize = 4;

/// The files at hand: a disk, a commit, an upload. Paths use `/`.
pub trait Files: Sync {
    /// Opens a file.
    fn open(&self, path: &str) -> io::Result<Box<dyn Read + '_>>;

    /// Returns the size of a file; `None` when there is no such file.
    fn size(&self, path: &str) -> Option<u64>;

    /// The SHA-256 of a file in hexadecimal, when whoever wrote it made that on the way: then it is
    /// not made again. Only for files that nobody else could have changed since.
    fn sha256(&self, _path: &str) -> Option<&str> {
        None
    }

    /// Returns whether a file lies somewhere, so that its path and the files beside it mean
    /// something. A stream does not.
    fn is_placed(&self, _path: &str) -> bool {
        true
    }
}

/// A file to validate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its path.
    pub path: Arc<str>,
    /// The kind of the file; `None` when it could not be recognised.
    pub kind: Option<FileKind>,
}

/// Options of a validation.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Number of threads to that use.
    pub jobs: usize,
    /// Told of every stretch of bytes that has been read.
    pub progress: &'a (dyn Fn(u64) + Sync),
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            jobs: 1,
            progress: &|_| {},
        }
    }
}

/// Validates files and returns a report for each, in the order given; a samples file that was not
/// named but belongs to a record that was is reported right after it. The answer does not depend on
/// the number of threads.
pub fn validate(
    files: &dyn Files,
    items: &[Item],
    context: &Context<'_>,
    options: &Options<'_>,
) -> Vec<FileReport> {
    validate_with(files, items, context, options, &NoObserver)
}

/// The same as [`validate`], and somebody takes the rows of samples in on the way.
pub fn validate_with<F: SampleObserver>(
    files: &dyn Files,
    items: &[Item],
    context: &Context<'_>,
    options: &Options<'_>,
    observer: &F,
) -> Vec<FileReport> {
    let session = Session {
        files,
        context,
        options,
        observer,
    };
    let units = units(files, items);
    let share = units.iter().map(Unit::size).sum::<u64>() / (SHARES * options.jobs.max(1)) as u64;
    let (small, large): (Vec<_>, Vec<_>) =
        (0..units.len()).partition(|&index| units[index].size() <= share.max(units::LARGE_SAMPLES));
    let mut reports: Vec<Vec<FileReport>> = Vec::new();
    reports.resize_with(units.len(), Vec::new);
    let validated = each_with(
        options.jobs,
        &small,
        DocumentBuffers::default,
        |buffers, &index| session.validate_unit(&units[index], 1, buffers),
    );
    for (index, report) in small.into_iter().zip(validated) {
        reports[index] = report;
    }
    let mut buffers = DocumentBuffers::default();
    for index in large {
        reports[index] = session.validate_unit(&units[index], options.jobs, &mut buffers);
    }
    let mut reports = in_order(&units, reports);
    report_copies(
        context,
        &mut |path| session.content_of(path, &mut buffers),
        &mut reports,
    );
    session.compare_records(&mut buffers, &mut reports);
    for report in &mut reports {
        report.findings.sort();
    }
    reports
}

struct Session<'a, F> {
    files: &'a dyn Files,
    context: &'a Context<'a>,
    options: &'a Options<'a>,
    observer: &'a F,
}

impl<F: SampleObserver> Session<'_, F> {
    fn validate_unit(
        &self,
        unit: &Unit,
        jobs: usize,
        buffers: &mut DocumentBuffers,
    ) -> Vec<FileReport> {
        match unit {
            Unit::Unknown { path, .. } => vec![self.validate_unknown(path)],
            Unit::Document { path, kind, .. } => vec![self.validate_document(path, *kind, buffers)],
            Unit::Pair { record, samples } => self.validate_pair(record, samples, jobs, buffers),
        }
    }

    fn sink<'s>(
        &self,
        path: &'s Arc<str>,
        source: &'s str,
        findings: &'s mut Findings,
    ) -> Sink<'s> {
        Sink::new(path, source, self.context.limit, findings)
    }

    /// Returns the location of a file. The path of input from a pipe is not validated.
    fn location<'p>(&self, path: &'p str) -> Location<'p> {
        let policy = if self.files.is_placed(path) {
            self.context.layout
        } else {
            LayoutPolicy::Off
        };
        Location::of(path, policy)
    }

    /// A file of no known kind; one that is not there or cannot be opened is told apart from one
    /// that is strange.
    fn validate_unknown(&self, path: &Arc<str>) -> FileReport {
        let mut report = FileReport::new(path, None);
        match self.files.open(path) {
            Ok(_) => rules::unknown_kind::report(&mut self.sink(path, "", &mut report.findings)),
            Err(error) => self.unreadable(&mut report, &error),
        }
        report
    }

    fn validate_document(
        &self,
        path: &Arc<str>,
        kind: FileKind,
        buffers: &mut DocumentBuffers,
    ) -> FileReport {
        let mut report = FileReport::new(path, Some(kind));
        let content = match kind {
            FileKind::EvalYaml => self.validate_benchmark(&mut report, buffers),
            FileKind::EvalResults => self.validate_results(&mut report, buffers),
            FileKind::Record | FileKind::Samples => None,
        };
        if !report.findings.has_errors() {
            report.validated = content.map(Validated);
        }
        report
    }

    fn validate_benchmark(
        &self,
        report: &mut FileReport,
        buffers: &mut DocumentBuffers,
    ) -> Option<ValidatedFile> {
        let document = self.read(report, Spelling::Yaml, buffers)?;
        let path = Arc::clone(&report.path);
        let mut sink = self.sink(&path, document.source(), &mut report.findings);
        eval_yaml::check(&document, &path, &mut sink).map(ValidatedFile::Benchmark)
    }

    fn validate_results(
        &self,
        report: &mut FileReport,
        buffers: &mut DocumentBuffers,
    ) -> Option<ValidatedFile> {
        let is_loaded = self.fill(report, Spelling::Yaml, buffers);
        (self.options.progress)(report.bytes);
        if !is_loaded {
            return None;
        }
        let file = ResultFile::of_desk(std::mem::take(buffers), self.context.limit);
        report.findings = file.check(&report.path, self.context);
        let entries = file.said().cloned();
        *buffers = file.into_desk();
        entries.map(ValidatedFile::Results)
    }

    /// Validates a record and its samples, whichever of them were named; the other one is read for
    /// what it says.
    fn validate_pair(
        &self,
        record: &Part,
        samples: &Part,
        jobs: usize,
        buffers: &mut DocumentBuffers,
    ) -> Vec<FileReport> {
        let mut record_report = FileReport::new(&record.path, Some(FileKind::Record));
        let document = if record.exists() {
            self.read(&mut record_report, Spelling::Json, buffers)
        } else {
            None
        };
        let location = self.location(&record.path);
        let facts = document.as_ref().and_then(|document| {
            record_report.outline = Some(digest::outline(document.root()));
            record_report.summary = RecordSummary::of(document.root(), &record.path, &location);
            let mut sink = self.sink(&record.path, document.source(), &mut record_report.findings);
            let version = record::check(document, &location, self.context.now, &mut sink);
            RecordFacts::of(document.root(), version, samples.exists())
        });
        let mut samples_report = FileReport::new(&samples.path, Some(FileKind::Samples));
        let mut summary = None;
        let mut observed = None;
        if samples.exists() {
            let root = document.as_ref().map(Document::root);
            observed = root.and_then(|record| self.observer.begin(&samples.path, record));
            summary =
                self.validate_samples(&mut samples_report, observed.as_ref(), facts.as_ref(), jobs);
            let location = self.location(&samples.path);
            let mut sink = self.sink(&samples.path, "", &mut samples_report.findings);
            if self.files.is_placed(&samples.path) {
                rules::record_missing::check(
                    &location,
                    record.exists(),
                    document.is_some(),
                    &mut sink,
                );
            }
            apply::samples_file(&location, summary.as_ref(), &mut sink);
        }
        if let (Some(document), Some(facts)) = (&document, &facts) {
            let pairing = Pairing {
                record: document.root(),
                facts,
                location: &location,
                is_placed: self.files.is_placed(&record.path),
                samples_path: &samples.path,
                samples_exist: samples.exists(),
                summary: summary.as_ref(),
            };
            let mut found = Findings::default();
            let mut sink = self.sink(&record.path, document.source(), &mut found);
            apply::companion(&pairing, &mut sink);
            if record.item.is_none() {
                let mut sink = self.sink(&samples.path, "", &mut samples_report.findings);
                // Nobody sees the report of a record that was not named, so its samples tell what
                // refuses the pair.
                found
                    .diagnostics()
                    .iter()
                    .filter(|diagnostic| diagnostic.severity == Severity::Error)
                    .for_each(|diagnostic| rules::record_disagrees::report(diagnostic, &mut sink));
            }
            record_report.findings.append(self.context.limit, found);
        }
        if let (Some(observed), Some(summary)) = (observed, summary) {
            let read = ReadSamples {
                rows: summary.rows,
                digest: summary.digest,
                algorithm: summary.algorithm,
                has_errors: record_report.findings.has_errors()
                    || samples_report.findings.has_errors(),
            };
            self.observer.end(&samples.path, observed, &read);
        }
        let mut reports = Vec::new();
        if record.item.is_some() {
            reports.push(record_report);
        }
        if samples.exists() && (samples.item.is_some() || record.item.is_some()) {
            reports.push(samples_report);
        }
        reports
    }

    fn validate_samples(
        &self,
        report: &mut FileReport,
        observed: Option<&F::Samples>,
        facts: Option<&RecordFacts>,
        jobs: usize,
    ) -> Option<SamplesSummary> {
        let path = Arc::clone(&report.path);
        let validator = SamplesValidator {
            observed: observed.map(|samples| (self.observer, samples)),
            file: &path,
            limit: self.context.limit,
            facts,
            known: self.files.sha256(&path),
            jobs,
            progress: self.options.progress,
        };
        let validated = self
            .files
            .open(&path)
            .and_then(|mut reader| validator.run(&mut *reader));
        match validated {
            Ok((findings, summary)) => {
                report.findings = findings;
                report.rows = Some(summary.rows);
                report.bytes = summary.bytes;
                Some(summary)
            }
            Err(error) => {
                self.unreadable(report, &error);
                None
            }
        }
    }

    fn read<'d>(
        &self,
        report: &mut FileReport,
        spelling: Spelling,
        buffers: &'d mut DocumentBuffers,
    ) -> Option<Document<'d>> {
        let document = self.load(report, spelling, buffers);
        (self.options.progress)(report.bytes);
        document
    }

    /// Reads a document without telling who watches: what is read once more was told of before.
    fn load<'d>(
        &self,
        report: &mut FileReport,
        spelling: Spelling,
        buffers: &'d mut DocumentBuffers,
    ) -> Option<Document<'d>> {
        if !self.fill(report, spelling, buffers) {
            return None;
        }
        let path = Arc::clone(&report.path);
        buffers.document(&path, spelling, self.context.limit, &mut report.findings)
    }

    /// Loads the bytes of a file; returns whether it could be read.
    fn fill(
        &self,
        report: &mut FileReport,
        spelling: Spelling,
        buffers: &mut DocumentBuffers,
    ) -> bool {
        let loaded = self
            .files
            .open(&report.path)
            .and_then(|reader| buffers.load(reader, spelling));
        match loaded {
            Ok(bytes) => {
                report.bytes = bytes;
                true
            }
            Err(error) => {
                self.unreadable(report, &error);
                false
            }
        }
    }

    /// The digest of what a record says, read once more.
    fn content_of(&self, path: &Arc<str>, buffers: &mut DocumentBuffers) -> Option<u64> {
        let mut report = FileReport::new(path, Some(FileKind::Record));
        let document = self.load(&mut report, Spelling::Json, buffers)?;
        Some(digest::content(document.root()))
    }

    /// Reports what only shows when records are held against each other. Those with a finding are
    /// read once more.
    fn compare_records(&self, buffers: &mut DocumentBuffers, reports: &mut [FileReport]) {
        let summaries: Vec<Option<RecordSummary>> = reports
            .iter_mut()
            .map(|report| report.summary.take())
            .collect();
        let paths: Vec<Arc<str>> = reports
            .iter()
            .map(|report| Arc::clone(&report.path))
            .collect();
        let found = collection::compare(&summaries);
        for (report, found) in reports.iter_mut().zip(found) {
            if found.is_empty() {
                continue;
            }
            let mut again = FileReport::new(&report.path, Some(FileKind::Record));
            let Some(document) = self.load(&mut again, Spelling::Json, buffers) else {
                continue;
            };
            let path = Arc::clone(&report.path);
            let mut sink = self.sink(&path, document.source(), &mut report.findings);
            collection::report(document.root(), &found, &paths, &mut sink);
        }
    }

    fn unreadable(&self, report: &mut FileReport, error: &io::Error) {
        report.unreadable = true;
        let path = Arc::clone(&report.path);
        rules::unreadable::report(error, &mut self.sink(&path, "", &mut report.findings));
    }
}
