//! Files in memory, benchmarks by hand, and findings as lines.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::Arc;

use assay_check::{
    Benchmarks, Context, FileKind, FileReport, Files, Item, Lookup, Options, Validated,
    ValidatedFile, validate,
};
use assay_model::{Benchmark, Diagnostic, RepoId, Severity};

/// A few files that exist nowhere else.
#[derive(Debug, Default)]
pub(crate) struct Memory(BTreeMap<String, Vec<u8>>);

impl Memory {
    pub(crate) fn with(mut self, path: &str, text: impl AsRef<[u8]>) -> Self {
        self.0.insert(path.to_owned(), text.as_ref().to_vec());
        self
    }
}

impl Files for Memory {
    fn open(&self, path: &str) -> io::Result<Box<dyn Read + '_>> {
        let bytes = self.0.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(bytes.as_slice()))
    }

    fn size(&self, path: &str) -> Option<u64> {
        self.0.get(path).map(|bytes| bytes.len() as u64)
    }
}

/// A list of benchmarks, each as its `eval.yaml`.
#[derive(Debug, Default)]
pub(crate) struct Shelf(BTreeMap<String, Lookup>);

impl Shelf {
    pub(crate) fn with(mut self, id: &str, eval_yaml: &str) -> Self {
        self.0
            .insert(id.to_owned(), Lookup::Known(Arc::new(benchmark(eval_yaml))));
        self
    }

    pub(crate) fn broken(mut self, id: &str) -> Self {
        self.0.insert(id.to_owned(), Lookup::Broken);
        self
    }
}

impl Benchmarks for Shelf {
    fn find(&self, id: &RepoId) -> Lookup {
        let similar = || {
            let alike = |own: &&String| own.eq_ignore_ascii_case(id.as_str());
            self.0.keys().filter(alike).cloned().collect()
        };
        self.0
            .get(id.as_str())
            .cloned()
            .unwrap_or_else(|| Lookup::Unknown { similar: similar() })
    }
}

/// Returns the benchmark that a valid `eval.yaml` defines.
pub(crate) fn benchmark(eval_yaml: &str) -> Benchmark {
    let report = judged("eval.yaml", eval_yaml, &Context::default());
    match report.validated.as_ref().map(Validated::get) {
        Some(ValidatedFile::Benchmark(benchmark)) => benchmark.clone(),
        Some(ValidatedFile::Results(_)) | None => {
            panic!("the benchmark of a test is valid: {:?}", lines(&report))
        }
    }
}

/// Validates one file.
pub(crate) fn judged(path: &str, text: &str, context: &Context<'_>) -> FileReport {
    let files = Memory::default().with(path, text);
    let item = Item {
        path: path.into(),
        kind: FileKind::of_path(path).or_else(|| FileKind::of_content(path, text)),
    };
    let mut reports = validate(&files, &[item], context, &Options::default());
    reports.pop().expect("there is a report for every file")
}

/// Returns the findings in one file, as `code line:column message`.
pub(crate) fn findings(path: &str, text: &str) -> Vec<String> {
    lines(&judged(path, text, &Context::default()))
}

/// Returns the findings in one file when these benchmarks exist.
pub(crate) fn findings_with(path: &str, text: &str, shelf: &Shelf) -> Vec<String> {
    let context = Context {
        benchmarks: shelf,
        ..Context::default()
    };
    lines(&judged(path, text, &context))
}

/// The findings of a report, as `code line:column message`.
pub(crate) fn lines(report: &FileReport) -> Vec<String> {
    report
        .findings
        .diagnostics()
        .iter()
        .map(|finding| {
            format!(
                "{} {}:{} {}",
                finding.code, finding.place.line, finding.place.column, finding.message
            )
        })
        .collect()
}

/// The one finding of a file that has this code.
pub(crate) fn finding(path: &str, text: &str, code: &str) -> Diagnostic {
    only(&judged(path, text, &Context::default()), code)
}

/// The one finding of a report that has this code.
pub(crate) fn only(report: &FileReport, code: &str) -> Diagnostic {
    let mut with_code = report
        .findings
        .diagnostics()
        .iter()
        .filter(|finding| finding.code.to_string() == code);
    let found = with_code
        .next()
        .unwrap_or_else(|| panic!("{code} is found among {:?}", lines(report)));
    assert!(with_code.next().is_none(), "{code} is found once");
    found.clone()
}

/// The weights of the findings of a report, by code.
pub(crate) fn weights(report: &FileReport) -> Vec<(String, Severity)> {
    report
        .findings
        .diagnostics()
        .iter()
        .map(|finding| (finding.code.to_string(), finding.severity))
        .collect()
}

/// The text after the fix of a finding.
pub(crate) fn mended(text: &str, finding: &Diagnostic) -> String {
    let Some(assay_model::Fix::Edit(edits)) = &finding.fix else {
        panic!("the finding has an edit: {finding:?}");
    };
    let mut text = text.to_owned();
    for edit in edits.iter().rev() {
        let at = |byte: u64| usize::try_from(byte).expect("the text fits into memory");
        text.replace_range(at(edit.span.start)..at(edit.span.end), &edit.text);
    }
    text
}

/// The name that the fix of a finding gives its file.
pub(crate) fn renamed(finding: &Diagnostic) -> Option<&str> {
    match &finding.fix {
        Some(assay_model::Fix::Rename(name)) => Some(name),
        Some(assay_model::Fix::Edit(_)) | None => None,
    }
}
