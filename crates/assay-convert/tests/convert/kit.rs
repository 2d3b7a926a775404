//! The one harness of the tests: logs and a datastore in memory, and what is asked of every
//! conversion.

pub(crate) use assay_testkit::corpus::find_corpus as corpus;
use std::collections::BTreeMap;
use std::io::{self, Cursor, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use assay_convert::convert::{
    Converted, Datastore, Harness, Identity, Log, LogFile, Logs, Options, Pair, Refusal, convert,
};
use serde_json::Value;

use crate::judge::errors;

/// Files by their paths: a log, or what became of one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Files(pub(crate) BTreeMap<String, Vec<u8>>);

impl Files {
    /// Adds a file.
    pub(crate) fn with(mut self, path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.0.insert(path.to_owned(), bytes.into());
        self
    }

    /// Converts one log with the options that nobody gave.
    pub(crate) fn convert(&self, harness: Harness, path: &str) -> Result<Output, Refusal> {
        self.convert_with(harness, path, &Options::default())
    }

    /// Converts one log.
    pub(crate) fn convert_with(
        &self,
        harness: Harness,
        path: &str,
        options: &Options,
    ) -> Result<Output, Refusal> {
        convert_log(self, harness, path, options)
    }

    /// Every error that validation finds in records and samples.
    pub(crate) fn errors(&self) -> Vec<String> {
        errors(&self.0)
    }

    /// Holds every record and row against the published schemas, where they are at hand.
    pub(crate) fn follow_schemas(&self) {
        let Some(corpus) = corpus() else { return };
        let validator = |name: &str| {
            let text = std::fs::read_to_string(corpus.join("schemas").join(name)).unwrap();
            jsonschema::draft7::new(&serde_json::from_str(&text).unwrap()).unwrap()
        };
        let record = validator("eval.schema.0.3.0.json");
        let row = validator("instance_level_eval.schema.0.3.0.json");
        for (path, bytes) in &self.0 {
            let text = std::str::from_utf8(bytes).unwrap();
            if path.ends_with("_samples.jsonl") {
                text.lines()
                    .for_each(|line| assert_follows(&row, line, path));
            } else {
                assert_follows(&record, text, path);
            }
        }
    }
}

fn assert_follows(validator: &jsonschema::Validator, text: &str, path: &str) {
    let value = serde_json::from_str(text).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&value)
        .map(|error| error.to_string())
        .collect();
    assert_eq!(errors, Vec::<String>::new(), "{path}");
}

impl Logs for Files {
    fn open(&self, path: &str) -> io::Result<Box<dyn LogFile + '_>> {
        let bytes = self.0.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(Cursor::new(bytes.as_slice())))
    }

    fn list(&self, directory: &str) -> io::Result<Vec<String>> {
        let below = format!("{directory}/");
        let mut names: Vec<String> = self
            .0
            .keys()
            .filter_map(|path| path.strip_prefix(&below)?.split('/').next())
            .map(str::to_owned)
            .collect();
        names.dedup();
        if names.is_empty() {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(names)
    }
}

/// Converts one log; a log that is refused leaves nothing behind.
pub(crate) fn convert_log(
    logs: &dyn Logs,
    harness: Harness,
    path: &str,
    options: &Options,
) -> Result<Output, Refusal> {
    let store = Store::default();
    let log = Log {
        logs,
        path,
        options,
        datastore: &store,
        progress: &|_| {},
    };
    let converted = convert(harness, &log);
    let files = Files(store.0.into_inner().unwrap());
    match converted {
        Ok(converted) => Ok(Output { converted, files }),
        Err(refusal) => {
            let records = files.0.len();
            assert!(records == 0 || matches!(refusal, Refusal::Read { .. } | Refusal::Write(_)));
            Err(refusal)
        }
    }
}

/// The outcome of a log.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) converted: Vec<Converted>,
    pub(crate) files: Files,
}

impl Output {
    pub(crate) fn record(&self, index: usize) -> Value {
        let identity = &self.converted[index].identity;
        let path = format!("{}/{}.json", identity.directory, identity.uuid);
        serde_json::from_slice(&self.files.0[&path]).unwrap()
    }

    pub(crate) fn rows(&self, index: usize) -> Vec<Value> {
        let path = self.converted[index].identity.samples_path();
        let Some(bytes) = self.files.0.get(&path) else {
            return Vec::new();
        };
        let lines = std::str::from_utf8(bytes).unwrap().lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Every warning with its count, as text.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let all = self.converted.iter();
        all.flat_map(|converted| &converted.warnings)
            .map(|warning| format!("{}x {}", warning.count, warning.message))
            .collect()
    }

    /// Every error that validation finds.
    pub(crate) fn errors(&self) -> Vec<String> {
        self.files.errors()
    }

    /// Asserts that validation finds no error, and that the published schemas hold.
    pub(crate) fn assert_sound(&self) {
        assert_eq!(self.files.errors(), Vec::<String>::new());
        self.files.follow_schemas();
    }
}

/// Records as they appear; two of one name are a fault.
#[derive(Debug, Default)]
struct Store(Mutex<BTreeMap<String, Vec<u8>>>);

struct Begun<'s> {
    store: &'s Store,
    identity: Identity,
    rows: Vec<u8>,
}

impl Datastore for Store {
    fn begin(&self, identity: &Identity) -> io::Result<Box<dyn Pair + '_>> {
        Ok(Box::new(Begun {
            store: self,
            identity: identity.clone(),
            rows: Vec::new(),
        }))
    }
}

impl Pair for Begun<'_> {
    fn rows(&mut self) -> &mut dyn Write {
        &mut self.rows
    }

    fn finish(self: Box<Self>, record: &str, digest: Option<&str>) -> io::Result<()> {
        let mut files = self.store.0.lock().unwrap();
        let path = format!("{}/{}.json", self.identity.directory, self.identity.uuid);
        let before = files.insert(path, record.as_bytes().to_vec());
        assert_eq!(before, None, "two records have one name");
        if digest.is_some() {
            files.insert(self.identity.samples_path(), self.rows);
        }
        Ok(())
    }
}

/// The path of a fixture.
pub(crate) fn fixture_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

/// The bytes of a fixture.
pub(crate) fn fixture(name: &str) -> Vec<u8> {
    let path = fixture_path(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
