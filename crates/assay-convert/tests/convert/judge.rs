//! Files in memory, judged by the rules that a push is judged by.

use std::collections::BTreeMap;
use std::io::{self, Read};

use assay_check::{Context, FileKind, FileReport, Files, Item, LayoutPolicy, Options, validate};
use assay_model::Severity;

/// Returns the findings of validation in records and samples.
pub(crate) fn judge(files: &BTreeMap<String, Vec<u8>>) -> Vec<FileReport> {
    let kind = |path: &str| {
        if path.ends_with("_samples.jsonl") {
            FileKind::Samples
        } else {
            FileKind::Record
        }
    };
    let items: Vec<Item> = files
        .keys()
        .map(|path| Item {
            path: path.as_str().into(),
            kind: Some(kind(path)),
        })
        .collect();
    let context = Context {
        layout: LayoutPolicy::Strict,
        ..Context::default()
    };
    validate(&InMemory(files), &items, &context, &Options::default())
}

/// Every error that the judge finds, as `file: path message`.
pub(crate) fn errors(files: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let mut errors = Vec::new();
    for report in judge(files) {
        for found in report.findings.diagnostics() {
            if found.severity == Severity::Error {
                errors.push(format!("{}: {} {}", report.path, found.path, found.message));
            }
        }
    }
    errors
}

struct InMemory<'f>(&'f BTreeMap<String, Vec<u8>>);

impl Files for InMemory<'_> {
    fn open(&self, path: &str) -> io::Result<Box<dyn Read + '_>> {
        let bytes = self.0.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(bytes.as_slice()))
    }

    fn size(&self, path: &str) -> Option<u64> {
        self.0.get(path).map(|bytes| bytes.len() as u64)
    }
}
