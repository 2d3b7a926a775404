//! The records that faults are planted in.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use assay_check::{Context, FileKind, Files, Item, Options, validate};
use assay_model::Severity;
use assay_testkit::corpus::{files_below, find_corpus, unpack_records};
use serde_json::Value;

use crate::case::{max_score, scale_record};
use crate::made;

/// A record and its path.
pub(crate) struct Record {
    pub(crate) path: String,
    pub(crate) value: Value,
    bytes: Vec<u8>,
}

/// A finding, as far as it is counted.
pub(crate) struct Found {
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) is_note: bool,
}

/// Findings by path.
pub(crate) type Findings = HashMap<String, Vec<Found>>;

/// Records in collections, each as shares and in per cent.
pub(crate) struct Pool {
    pub(crate) records: Vec<Record>,
    pub(crate) collections: Vec<Vec<usize>>,
    pub(crate) origin: &'static str,
}

impl Pool {
    /// Loads at most so many records of each collection, and once more in per cent.
    pub(crate) fn load(most: usize) -> Self {
        let (origin, collections) = match find_corpus() {
            Some(corpus) => ("from the corpus", real(&corpus)),
            None => ("made, for there is no corpus", made::collections()),
        };
        let mut pool = Self {
            records: Vec::new(),
            collections: Vec::new(),
            origin,
        };
        for records in collections {
            // Every so many-th record, so that all makers of models are met.
            let step = records.len().div_ceil(most).max(1);
            let chosen: Vec<_> = records.into_iter().step_by(step).collect();
            let in_percent: Vec<_> = chosen
                .iter()
                .filter_map(|(path, value)| {
                    let mut value = value.clone();
                    scale_record(&mut value, 100.0)?;
                    Some((format!("percent/{path}"), value))
                })
                .collect();
            for collection in [chosen, in_percent] {
                pool.add(collection);
            }
        }
        pool
    }

    fn add(&mut self, collection: Vec<(String, Value)>) {
        if collection.is_empty() {
            return;
        }
        let first = self.records.len();
        self.records
            .extend(collection.into_iter().map(|(path, value)| Record {
                bytes: value.to_string().into_bytes(),
                path,
                value,
            }));
        self.collections.push((first..self.records.len()).collect());
    }

    /// Validates all records, some of them replaced and some added.
    pub(crate) fn validate_with<'v>(
        &self,
        changes: impl Iterator<Item = Vec<(&'v str, Option<&'v Value>)>>,
    ) -> Findings {
        let mut texts: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
        let mut gone: Vec<&str> = Vec::new();
        for (path, value) in changes.flatten() {
            match value {
                Some(value) => {
                    texts.insert(path, value.to_string().into_bytes());
                }
                None => gone.push(path),
            }
        }
        let mut files: BTreeMap<&str, &[u8]> = self
            .records
            .iter()
            .map(|record| (record.path.as_str(), record.bytes.as_slice()))
            .collect();
        for path in gone {
            files.remove(path);
        }
        files.extend(texts.iter().map(|(path, text)| (*path, text.as_slice())));
        findings(&Memory(files))
    }
}

/// Validates records, and returns what is found in each.
fn findings(files: &Memory<'_>) -> Findings {
    let items: Vec<Item> = files
        .0
        .keys()
        .map(|path| Item {
            path: Arc::from(*path),
            kind: Some(FileKind::Record),
        })
        .collect();
    let options = Options {
        jobs: 2,
        ..Options::default()
    };
    let context = Context {
        limit: u64::MAX,
        ..Context::default()
    };
    validate(files, &items, &context, &options)
        .into_iter()
        .map(|report| {
            let found = report.findings.diagnostics().iter().map(|found| Found {
                code: found.code.to_string(),
                message: found.message.clone(),
                is_note: found.severity == Severity::Note,
            });
            (report.path.to_string(), found.collect())
        })
        .collect()
}

struct Memory<'f>(BTreeMap<&'f str, &'f [u8]>);

impl Files for Memory<'_> {
    fn open(&self, path: &str) -> io::Result<Box<dyn Read + '_>> {
        match self.0.get(path) {
            Some(bytes) => Ok(Box::new(*bytes)),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn size(&self, path: &str) -> Option<u64> {
        self.0.get(path).map(|bytes| bytes.len() as u64)
    }
}

/// Reads the collections of the corpus whose records lie in the layout and are sound.
fn real(corpus: &Path) -> Vec<Vec<(String, Value)>> {
    let unpacked = unpack_records(corpus, Path::new(env!("CARGO_TARGET_TMPDIR")));
    let mut collections: BTreeMap<String, Vec<(String, Value)>> = BTreeMap::new();
    for file in files_below(&unpacked) {
        let text = file.display().to_string();
        let Some(place) = text.find("/data/") else {
            continue;
        };
        let path = &text[place + 1..];
        let Ok(value) =
            serde_json::from_slice::<Value>(&std::fs::read(&file).expect("it is there"))
        else {
            continue;
        };
        let benchmark = path.split('/').nth(1).unwrap_or_default().to_owned();
        // Records that cannot be told to be of one scale are no ground for faults of scale.
        if max_score(&value, 0).is_some() {
            collections
                .entry(benchmark)
                .or_default()
                .push((path.to_owned(), value));
        }
    }
    collections.into_values().collect()
}
