//! Which files are judged together.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Files, Item};
use crate::kind::FileKind;

/// A samples file of at least this size is judged by all threads together; smaller ones by one thread each.
const LARGE_SAMPLES: u64 = 8 << 20;

/// What is judged together: a document, or a record and its samples.
#[derive(Debug)]
pub(super) enum Unit {
    Document {
        item: usize,
        path: Arc<str>,
        kind: FileKind,
    },
    Unknown {
        item: usize,
        path: Arc<str>,
    },
    Pair {
        record: Part,
        samples: Part,
    },
}

impl Unit {
    /// Whether one thread judges it by itself; the samples of a large one are judged by all threads together.
    pub(super) fn fits_one_thread(&self) -> bool {
        match self {
            Self::Document { .. } | Self::Unknown { .. } => true,
            Self::Pair { samples, .. } => samples.size.unwrap_or_default() < LARGE_SAMPLES,
        }
    }
}

/// One half of a pair.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) path: Arc<str>,
    /// The position among the items, when it was named.
    pub(super) item: Option<usize>,
    /// How large the file is; `None` when there is no such file.
    pub(super) size: Option<u64>,
}

impl Part {
    /// Whether there is such a file.
    pub(super) fn exists(&self) -> bool {
        self.size.is_some()
    }
}

/// Joins each record with its samples, whichever of the two was named.
pub(super) fn units(files: &dyn Files, items: &[Item]) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    let mut pairs: HashMap<String, usize> = HashMap::new();
    for (item, Item { path, kind }) in items.iter().enumerate() {
        let (stem, is_record) = match kind {
            None => {
                units.push(Unit::Unknown {
                    item,
                    path: Arc::clone(path),
                });
                continue;
            }
            Some(kind @ (FileKind::EvalYaml | FileKind::EvalResults)) => {
                units.push(Unit::Document {
                    item,
                    path: Arc::clone(path),
                    kind: *kind,
                });
                continue;
            }
            Some(FileKind::Record) => (stem_of(path, &[".json"]), true),
            Some(FileKind::Samples) => (stem_of(path, &["_samples.jsonl", ".jsonl"]), false),
        };
        let is_placed = files.is_placed(path);
        let unit = *pairs.entry(stem.to_owned()).or_insert_with(|| {
            units.push(empty_pair(files, stem, is_placed, is_record));
            units.len() - 1
        });
        let is_taken = matches!(&units[unit], Unit::Pair { record, samples }
            if if is_record { record } else { samples }.item.is_some());
        // Under both of its names, or named twice: each is judged with the one record.
        let unit = if is_taken {
            units.push(empty_pair(files, stem, is_placed, is_record));
            units.len() - 1
        } else {
            unit
        };
        if let Unit::Pair { record, samples } = &mut units[unit] {
            // A record that was named is read whole, so its size does not matter before; asking would cost a call.
            let size = if is_record {
                0
            } else {
                files.size(path).unwrap_or_default()
            };
            let part = if is_record { record } else { samples };
            *part = Part {
                path: Arc::clone(path),
                item: Some(item),
                size: Some(size),
            };
        }
    }
    units
}

fn stem_of<'p>(path: &'p str, suffixes: &[&str]) -> &'p str {
    suffixes
        .iter()
        .find_map(|suffix| path.strip_suffix(suffix))
        .unwrap_or(path)
}

/// A pair of which only the name is known. Samples are `{uuid}_samples.jsonl`, or `{uuid}.jsonl` as 0.2 documented.
fn empty_pair(files: &dyn Files, stem: &str, is_placed: bool, is_record_named: bool) -> Unit {
    let part = |path: String, is_asked: bool| {
        // Beside a stream there is nothing, whatever has a similar name.
        let size = if is_placed && is_asked {
            files.size(&path)
        } else {
            None
        };
        Part {
            path: path.into(),
            item: None,
            size,
        }
    };
    let record = part(format!("{stem}.json"), !is_record_named);
    let mut samples = part(format!("{stem}_samples.jsonl"), true);
    if !samples.exists() {
        let old = part(format!("{stem}.jsonl"), true);
        if old.exists() {
            samples = old;
        }
    }
    Unit::Pair { record, samples }
}
