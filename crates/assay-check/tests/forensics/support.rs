//! Records in memory, and what is found in them.

use std::collections::BTreeMap;
use std::io::{self, Read};

use assay_check::{Context, FileKind, FileReport, Files, Item, Options, validate};
use assay_model::{Diagnostic, Severity};

/// Files in memory.
#[derive(Default)]
pub(crate) struct Memory(pub(crate) BTreeMap<String, Vec<u8>>);

impl Files for Memory {
    fn open(&self, path: &str) -> io::Result<Box<dyn Read + '_>> {
        match self.0.get(path) {
            Some(bytes) => Ok(Box::new(bytes.as_slice())),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn size(&self, path: &str) -> Option<u64> {
        self.0.get(path).map(|bytes| bytes.len() as u64)
    }
}

pub(crate) fn judge(files: &Memory) -> Vec<FileReport> {
    let items: Vec<Item> = files
        .0
        .keys()
        .map(|path| Item {
            path: path.as_str().into(),
            kind: Some(FileKind::Record),
        })
        .collect();
    validate(files, &items, &Context::default(), &Options::default())
}

/// The warnings of this family in a record with these results, as text.
pub(crate) fn findings(results: &str) -> Vec<Diagnostic> {
    let record = format!(r#"{{"schema_version": "0.3.0", "evaluation_results": [{results}]}}"#);
    let files = Memory(BTreeMap::from([("record.json".to_owned(), record.into())]));
    let reports = judge(&files);
    reports
        .iter()
        .flat_map(|report| report.findings.diagnostics())
        .filter(|found| is_forensic(&found.code.to_string()))
        .cloned()
        .collect()
}

pub(crate) fn is_forensic(code: &str) -> bool {
    code.starts_with("AY6") && code != "AY608"
}

pub(crate) fn codes(results: &str) -> Vec<String> {
    findings(results)
        .iter()
        .inspect(|found| {
            assert!(found.help.is_some(), "{found:?} has no next step");
            assert!(!found.notes.is_empty(), "{found:?} has no evidence");
        })
        .map(|found| found.code.to_string())
        .collect()
}

/// A result with a metric and score details, both as JSON without their braces.
pub(crate) fn result(metric: &str, details: &str) -> String {
    format!(
        r#"{{"evaluation_name": "example", "metric_config": {{{metric}}}, "score_details": {{{details}}}}}"#
    )
}

pub(crate) const ACCURACY: &str =
    r#""metric_name": "accuracy", "lower_is_better": false, "min_score": 0.0, "max_score": 1.0"#;
pub(crate) const PERCENT: &str =
    r#""metric_name": "accuracy", "lower_is_better": false, "min_score": 0, "max_score": 100"#;
pub(crate) const F1: &str =
    r#""metric_name": "f1", "lower_is_better": false, "min_score": 0.0, "max_score": 1.0"#;
pub(crate) const ELO: &str = r#""metric_name": "elo", "lower_is_better": false"#;

/// A result with a score, a standard error and a number of samples.
pub(crate) fn with_error(metric: &str, score: &str, error: &str, n: u64) -> String {
    let uncertainty = format!(r#"{{"standard_error": {{"value": {error}}}, "num_samples": {n}}}"#);
    result(
        metric,
        &format!(r#""score": {score}, "uncertainty": {uncertainty}"#),
    )
}

pub(crate) fn with_interval(
    metric: &str,
    score: &str,
    lower: &str,
    upper: &str,
    rest: &str,
) -> String {
    result(
        metric,
        &format!(
            r#""score": {score}, "uncertainty": {{"confidence_interval": {{"lower": {lower}, "upper": {upper}}}{rest}}}"#
        ),
    )
}

pub(crate) fn with_count(metric: &str, score: &str, n: u64) -> String {
    result(
        metric,
        &format!(r#""score": {score}, "uncertainty": {{"num_samples": {n}}}"#),
    )
}

pub(crate) fn score(metric: &str, score: &str) -> String {
    result(metric, &format!(r#""score": {score}"#))
}

/// A result that says how often each sample was asked, in one of the places where a record can.
pub(crate) fn repeated(result: &str, repeats: u64) -> String {
    let generation =
        format!(r#""generation_config": {{"additional_details": {{"epochs": "{repeats}"}}}}"#);
    format!("{{{generation}, {}", &result[1..])
}

/// The findings of a record with these results that weigh more than a note.
pub(crate) fn warnings(results: &str) -> Vec<Diagnostic> {
    let mut found = findings(results);
    found.retain(|found| found.severity != Severity::Note);
    found
}

/// Asserts what is found, each code with its weight.
#[track_caller]
pub(crate) fn assert_weights(results: &str, wanted: &[(Severity, &str)]) {
    let found = findings(results);
    let weights: Vec<(Severity, String)> = found
        .iter()
        .map(|found| (found.severity, found.code.to_string()))
        .collect();
    let wanted: Vec<(Severity, String)> = wanted
        .iter()
        .map(|&(severity, code)| (severity, code.to_owned()))
        .collect();

    assert_eq!(weights, wanted, "{results}\n{found:#?}");
}

#[track_caller]
pub(crate) fn assert_codes(results: &str, wanted: &[&str]) {
    let found = codes(results);

    assert_eq!(found, wanted, "{results}\n{:#?}", findings(results));
}
