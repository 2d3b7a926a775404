//! Records as they lie on disk, made ready for the import: older ones upgraded, impossible values
//! left out, all of it validated.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;

use assay_check::{Context, FileKind, FileReport, Files, Item, Options, validate};
use assay_convert::upgrade;
use assay_formats::eee;
use assay_model::{Diagnostic, Severity};
use serde_json::Value as Json;

use super::plan::SAMPLES_ENDING;
use crate::disk::Disk;

/// A record that can be imported.
pub(super) struct Prepared {
    /// The name of its file.
    pub(super) path: Arc<str>,
    /// Its file.
    pub(super) file: PathBuf,
    /// The file of its samples, if it has some.
    pub(super) samples_file: PathBuf,
    /// The path in a datastore.
    pub(super) place: Arc<str>,
    /// The record, in the current version.
    pub(super) record: Json,
    /// Its text, where that is not the one on disk.
    pub(super) text: Option<Arc<str>>,
}

/// The outcome of preparing records.
#[derive(Default)]
pub(super) struct Preparation {
    pub(super) records: Vec<Prepared>,
    /// The reasons why records cannot be imported, a sentence each.
    pub(super) refused: Vec<String>,
    /// Values that were left out, a sentence each.
    pub(super) left_out: Vec<String>,
    /// The warnings of validation.
    pub(super) warnings: Vec<Diagnostic>,
}

/// Prepares the records of a run.
pub(super) fn prepare(disk: &Disk, items: &[Item], jobs: usize) -> Preparation {
    let mut preparation = Preparation::default();
    let mut overlay = Overlay {
        disk,
        texts: HashMap::new(),
    };
    let (mut drafts, mut checked) = (Vec::new(), Vec::new());
    for item in items {
        match item.kind {
            Some(FileKind::Record) => match draft(disk, &item.path, &mut preparation.left_out) {
                Ok(draft) => {
                    checked.push(Item {
                        path: Arc::clone(&draft.place),
                        ..item.clone()
                    });
                    if let Some(text) = &draft.text {
                        overlay
                            .texts
                            .insert(Arc::clone(&draft.place), Arc::clone(text));
                    }
                    drafts.push(draft);
                }
                Err(reason) => preparation
                    .refused
                    .push(format!("`{}` {reason}", item.path)),
            },
            Some(_) | None => checked.push(item.clone()),
        }
    }
    let options = Options {
        jobs,
        ..Options::default()
    };
    let reports = validate(&overlay, &checked, &Context::default(), &options);
    let faults = faults(&reports);
    for report in &reports {
        let found = report.findings.diagnostics().iter();
        let warned = found.filter(|one| one.severity == Severity::Warning);
        preparation.warnings.extend(warned.cloned());
    }
    for draft in drafts {
        let stem = draft.place.strip_suffix(".json").unwrap_or_default();
        let samples = format!("{stem}{SAMPLES_ENDING}");
        let fault = [&*draft.place, &samples]
            .into_iter()
            .find_map(|name| faults.get(name));
        match fault {
            Some(fault) => preparation.refused.push(format!(
                "`{}` has faults: {fault}; `assay validate` shows them",
                draft.path
            )),
            None => preparation.records.push(draft),
        }
    }
    preparation
}

/// The first error of each file that has one.
fn faults(reports: &[FileReport]) -> HashMap<&str, String> {
    let mut faults = HashMap::new();
    for report in reports {
        let mut found = report.findings.diagnostics().iter();
        if let Some(error) = found.find(|one| one.severity == Severity::Error) {
            let words = format!("{} ({})", error.message, error.code);
            faults.insert(&*report.path, words);
        }
    }
    faults
}

/// A record in the current version, without the values that cannot be. The error is the end of a
/// sentence that begins with its path.
fn draft(disk: &Disk, path: &Arc<str>, left_out: &mut Vec<String>) -> Result<Prepared, String> {
    let file = disk.path(path).to_owned();
    let samples_name = format!(
        "{}{SAMPLES_ENDING}",
        path.strip_suffix(".json").unwrap_or(path)
    );
    let samples_file = disk.path(&samples_name).to_owned();
    let mut text = String::new();
    disk.open(path)
        .and_then(|mut file| file.read_to_string(&mut text))
        .map_err(|error| format!("cannot be read: {error}"))?;
    let mut record: Json =
        serde_json::from_str(&text).map_err(|error| format!("cannot be read: {error}"))?;
    let dropped = drop_impossible(&mut record);
    if !dropped.is_empty() {
        text = record.to_string();
        left_out.extend(dropped.iter().map(|what| format!("`{path}`: {what}")));
    }
    let is_current = record["schema_version"] == eee::Version::CURRENT.as_str();
    if is_current {
        return Ok(Prepared {
            path: Arc::clone(path),
            file,
            samples_file,
            place: Arc::clone(path),
            record,
            text: (!dropped.is_empty()).then(|| text.into()),
        });
    }
    if record.get("detailed_evaluation_results").is_some() {
        return Err("is of an older version and has samples; run `assay upgrade` first".to_owned());
    }
    let upgraded = upgrade::record(&text, path).map_err(|refusal| {
        let reasons: Vec<String> = refusal
            .reasons
            .iter()
            .map(|reason| reason.message.clone())
            .collect();
        format!("cannot be upgraded: {}", reasons.join("; "))
    })?;
    Ok(Prepared {
        path: Arc::clone(path),
        file,
        samples_file,
        place: upgraded.path.into(),
        record: serde_json::from_str(&upgraded.json)
            .map_err(|error| format!("cannot be read: {error}"))?,
        text: Some(upgraded.json.into()),
    })
}

/// Takes out the results whose score is no number or outside of the bounds that the record itself
/// gives, and tells which.
fn drop_impossible(record: &mut Json) -> Vec<String> {
    let mut dropped = Vec::new();
    let Some(results) = record["evaluation_results"].as_array_mut() else {
        return dropped;
    };
    results.retain(|result| {
        let why = impossible(result);
        let name = result["evaluation_name"].as_str().unwrap_or("a result");
        dropped.extend(
            why.iter()
                .map(|why| format!("`{name}` was left out: {why}")),
        );
        why.is_none()
    });
    dropped
}

/// Returns the reason why a score is impossible, if it is.
fn impossible(result: &Json) -> Option<String> {
    let score = &result["score_details"]["score"];
    let Some(value) = score.as_f64() else {
        return Some(format!("its score is {score}, which is no number"));
    };
    let config = &result["metric_config"];
    let (min, max) = (config["min_score"].as_f64(), config["max_score"].as_f64());
    let is_outside = min.is_some_and(|min| value < min) || max.is_some_and(|max| value > max);
    is_outside.then(|| {
        let bound =
            |bound: Option<f64>| bound.map_or_else(|| "?".to_owned(), |end| end.to_string());
        format!(
            "its score {score} is outside of {} to {}",
            bound(min),
            bound(max)
        )
    })
}

/// The disk, with some files that are not on it.
struct Overlay<'d> {
    disk: &'d Disk,
    texts: HashMap<Arc<str>, Arc<str>>,
}

impl Files for Overlay<'_> {
    fn open(&self, path: &str) -> io::Result<Box<dyn Read + '_>> {
        match self.texts.get(path) {
            Some(text) => Ok(Box::new(text.as_bytes())),
            None => self.disk.open(path),
        }
    }

    fn size(&self, path: &str) -> Option<u64> {
        match self.texts.get(path) {
            Some(text) => Some(text.len() as u64),
            None => self.disk.size(path),
        }
    }
}
