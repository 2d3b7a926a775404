//! Logs and a datastore in memory.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Write};
use std::path::Path;
use std::sync::Mutex;

use assay_convert::convert::{
    Converted, Datastore, Harness, Identity, Log, LogFile, Logs, Options, Pair, Refusal, convert,
};
use serde_json::Value;

use crate::judge::errors;

/// Logs by their path.
#[derive(Default, Clone)]
pub(crate) struct World(pub(crate) BTreeMap<String, Vec<u8>>);

impl Logs for World {
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

impl World {
    pub(crate) fn with(mut self, path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.0.insert(path.to_owned(), bytes.into());
        self
    }

    pub(crate) fn convert(&self, harness: Harness, path: &str) -> Result<Output, Refusal> {
        self.convert_with(harness, path, &Options::default())
    }

    pub(crate) fn convert_with(
        &self,
        harness: Harness,
        path: &str,
        options: &Options,
    ) -> Result<Output, Refusal> {
        let store = Store::default();
        let log = Log {
            logs: self,
            path,
            options,
            datastore: &store,
            progress: &|_| (),
        };
        let converted = convert(harness, &log)?;
        let files = store.0.into_inner().unwrap();
        Ok(Output { converted, files })
    }
}

/// What came out.
pub(crate) struct Output {
    pub(crate) converted: Vec<Converted>,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

impl Output {
    pub(crate) fn record(&self, index: usize) -> Value {
        let identity = &self.converted[index].identity;
        let path = format!("{}/{}.json", identity.directory, identity.uuid);
        serde_json::from_slice(&self.files[&path]).unwrap()
    }

    pub(crate) fn rows(&self, index: usize) -> Vec<Value> {
        let path = self.converted[index].identity.samples_path();
        self.files.get(&path).map_or_else(Vec::new, |bytes| {
            std::str::from_utf8(bytes)
                .unwrap()
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect()
        })
    }

    /// Every warning with its count, as text.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.converted
            .iter()
            .flat_map(|converted| &converted.warnings)
            .map(|warning| format!("{}x {}", warning.count, warning.message))
            .collect()
    }

    /// What the judge that judges pushes finds wrong.
    pub(crate) fn errors(&self) -> Vec<String> {
        errors(&self.files)
    }
}

#[derive(Default)]
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

/// The bytes of a fixture.
pub(crate) fn fixture(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
