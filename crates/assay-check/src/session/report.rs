//! The report of each file.

use std::collections::HashMap;
use std::sync::Arc;

use assay_model::{Benchmark, Entry};

use super::units::Unit;
use crate::collection::RecordSummary;
use crate::context::Context;
use crate::kind::FileKind;
use crate::rules;
use crate::sink::{Findings, Sink};

/// The findings in one file.
#[derive(Debug)]
pub struct FileReport {
    /// Its path.
    pub path: Arc<str>,
    /// The kind of the file.
    pub kind: Option<FileKind>,
    /// Number of bytes that were read.
    pub bytes: u64,
    /// Number of rows that a samples file has.
    pub rows: Option<u64>,
    /// True if it could not be read at all.
    pub unreadable: bool,
    /// The findings.
    pub findings: Findings,
    /// The content of the file, when nothing refuses it.
    pub validated: Option<Validated>,
    /// A digest that tells most records apart.
    pub(super) outline: Option<u64>,
    /// The summary by which the record is compared with others.
    pub(super) summary: Option<RecordSummary>,
}

impl FileReport {
    pub(super) fn new(path: &Arc<str>, kind: Option<FileKind>) -> Self {
        Self {
            path: Arc::clone(path),
            kind,
            bytes: 0,
            rows: None,
            unreadable: false,
            findings: Findings::default(),
            validated: None,
            outline: None,
            summary: None,
        }
    }
}

/// The content of a file that broke no rule. Only validation can make one.
#[derive(Debug, Clone, PartialEq)]
pub struct Validated(pub(super) ValidatedFile);

/// The content of a valid file.
#[derive(Debug, Clone, PartialEq)]
pub enum ValidatedFile {
    /// A benchmark.
    Benchmark(Benchmark),
    /// The entries of a result file.
    Results(Vec<Entry>),
}

impl Validated {
    /// Returns the content of the file.
    pub fn get(&self) -> &ValidatedFile {
        &self.0
    }
}

/// Brings the reports into the order of the items.
pub(super) fn in_order(units: &[Unit], reports: Vec<Vec<FileReport>>) -> Vec<FileReport> {
    let mut placed: Vec<((usize, usize), FileReport)> = Vec::with_capacity(reports.len());
    for (unit, reports) in units.iter().zip(reports) {
        for (position, report) in reports.into_iter().enumerate() {
            let place = match unit {
                Unit::Document { item, .. } | Unit::Unknown { item, .. } => (*item, position),
                Unit::Pair { record, samples } => {
                    let own = if report.kind == Some(FileKind::Record) {
                        record.item
                    } else {
                        samples.item
                    };
                    // Samples that nobody named come right after their record.
                    own.map_or((record.item.unwrap_or_default(), 1), |item| (item, 0))
                }
            };
            placed.push((place, report));
        }
    }
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, report)| report).collect()
}

/// Reports records that say the same as an earlier one. Only those that look alike are read again
/// and compared.
pub(super) fn report_copies(
    context: &Context<'_>,
    content_of: &mut dyn FnMut(&Arc<str>) -> Option<u64>,
    reports: &mut [FileReport],
) {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for outline in reports.iter().filter_map(|report| report.outline) {
        *counts.entry(outline).or_default() += 1;
    }
    let mut first: HashMap<u64, Arc<str>> = HashMap::new();
    for report in reports {
        let has_twin = report.outline.is_some_and(|outline| counts[&outline] > 1);
        if !has_twin {
            continue;
        }
        let Some(content) = content_of(&report.path) else {
            continue;
        };
        let original = Arc::clone(
            first
                .entry(content)
                .or_insert_with(|| Arc::clone(&report.path)),
        );
        if original != report.path {
            let path = Arc::clone(&report.path);
            let mut sink = Sink::new(&path, "", context.limit, &mut report.findings);
            rules::duplicate_record::report(&original, &mut sink);
        }
    }
}
