//! One JSON document. Its size follows the number of findings, never the size of what was
//! validated.

use std::collections::BTreeMap;

use assay_check::FileReport;
use assay_cli::Printer;
use assay_model::{Code, Diagnostic};
use serde::Serialize;

use super::{Outcome, Summary};
use crate::fix::Fixed;

/// The version of the document. It changes when a reader of the old one could be misled.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    summary: Summary,
    #[serde(skip_serializing_if = "<[Fixed]>::is_empty")]
    fixed: &'a [Fixed],
    files: Vec<File<'a>>,
}

#[derive(Serialize)]
struct File<'a> {
    path: &'a str,
    kind: Option<&'static str>,
    rows: Option<u64>,
    valid: bool,
    counts: BTreeMap<String, u64>,
    findings: &'a [Diagnostic],
}

/// Prints the document.
pub(crate) fn print(outcome: &Outcome<'_>, printer: &mut Printer) {
    printer.json(&Document {
        version: VERSION,
        summary: outcome.summary,
        fixed: outcome.fixed,
        files: outcome.reports.iter().map(file).collect(),
    });
}

fn file(report: &FileReport) -> File<'_> {
    File {
        path: &report.path,
        kind: report.kind.map(assay_check::FileKind::as_str),
        rows: report.rows,
        valid: !report.findings.has_errors(),
        counts: counts(report),
        findings: report.findings.diagnostics(),
    }
}

fn counts(report: &FileReport) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for (_, code, number) in report.findings.counts() {
        *counts.entry(Code::to_string(&code)).or_default() += number;
    }
    counts
}
