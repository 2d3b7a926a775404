//! The grouping of files that are validated together.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Files, Item};
use crate::kind::FileKind;

/// A samples file up to this size is validated by one thread, however many there are.
pub(super) const LARGE_SAMPLES: u64 = 8 << 20;

/// The endings of samples files: `{uuid}_samples.jsonl`, or `{uuid}.jsonl` as 0.2 documented.
const SAMPLES_SUFFIXES: [&str; 2] = ["_samples.jsonl", ".jsonl"];

/// A unit of validation: a document, or a record and its samples.
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
    /// Returns the size of its samples. All else is small.
    pub(super) fn size(&self) -> u64 {
        match self {
            Self::Document { .. } | Self::Unknown { .. } => 0,
            Self::Pair { samples, .. } => samples.size.unwrap_or_default(),
        }
    }

    /// The half of a pair that nobody has named yet.
    fn free(&mut self, half: Half) -> Option<&mut Part> {
        let Self::Pair { record, samples } = self else {
            return None;
        };
        let part = match half {
            Half::Record => record,
            Half::Samples => samples,
        };
        part.item.is_none().then_some(part)
    }
}

/// One half of a pair.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) path: Arc<str>,
    /// The position among the items, when it was named.
    pub(super) item: Option<usize>,
    /// The size of the file; `None` when there is no such file.
    pub(super) size: Option<u64>,
}

impl Part {
    /// Returns whether the file exists.
    pub(super) fn exists(&self) -> bool {
        self.size.is_some()
    }
}

/// Joins each record with its samples, whichever of the two was named.
pub(super) fn units(files: &dyn Files, items: &[Item]) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::with_capacity(items.len());
    let mut pairs: HashMap<&str, usize> = HashMap::with_capacity(items.len());
    for (item, Item { path, kind }) in items.iter().enumerate() {
        let half = match kind {
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
            Some(FileKind::Record) => Half::Record,
            Some(FileKind::Samples) => Half::Samples,
        };
        let stem = half.stem_of(path);
        let known = pairs.get(stem).copied();
        if let Some(part) = known.and_then(|unit| units[unit].free(half)) {
            *part = named(files, item, path, half);
            continue;
        }
        // One that is taken was named twice, or under both of its names: each is validated with the
        // one record.
        if known.is_none() {
            pairs.insert(stem, units.len());
        }
        let own = named(files, item, path, half);
        let other = half.other(files, stem, files.is_placed(path));
        units.push(match half {
            Half::Record => Unit::Pair {
                record: own,
                samples: other,
            },
            Half::Samples => Unit::Pair {
                record: other,
                samples: own,
            },
        });
    }
    units
}

/// A half of a pair that was named.
fn named(files: &dyn Files, item: usize, path: &Arc<str>, half: Half) -> Part {
    let size = match half {
        // A record that was named is read whole, so its size does not matter before; asking would
        // cost a call.
        Half::Record => 0,
        Half::Samples => files.size(path).unwrap_or_default(),
    };
    Part {
        path: Arc::clone(path),
        item: Some(item),
        size: Some(size),
    }
}

/// A half of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    Record,
    Samples,
}

impl Half {
    /// Returns the beginning that the names of both halves share.
    fn stem_of(self, path: &str) -> &str {
        let suffixes: &[&str] = match self {
            Self::Record => &[".json"],
            Self::Samples => &SAMPLES_SUFFIXES,
        };
        suffixes
            .iter()
            .find_map(|suffix| path.strip_suffix(suffix))
            .unwrap_or(path)
    }

    /// The half that was not named. Beside a stream there is nothing, whatever has a similar name.
    fn other(self, files: &dyn Files, stem: &str, is_placed: bool) -> Part {
        let part = |suffix: &str| {
            let path = [stem, suffix].concat();
            let size = is_placed.then(|| files.size(&path)).flatten();
            (path, size)
        };
        let (path, size) = match self {
            Self::Record => {
                let [current, old] = SAMPLES_SUFFIXES;
                let current = part(current);
                let or_old = || Some(part(old)).filter(|(_, size)| size.is_some());
                match current {
                    (path, None) => or_old().unwrap_or((path, None)),
                    found => found,
                }
            }
            Self::Samples => part(".json"),
        };
        Part {
            path: path.into(),
            item: None,
            size,
        }
    }
}
