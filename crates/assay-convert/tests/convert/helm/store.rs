//! Logs and records in memory.

use std::collections::BTreeMap;
use std::path::Path;

use assay_convert::convert::{Converted, Harness, Options, Refusal};
use serde_json::Value;

use crate::judge::errors;
use crate::kit::Files;
pub(crate) use crate::kit::corpus;

/// Files by their paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Tree(pub(crate) BTreeMap<String, Vec<u8>>);

impl Tree {
    /// The files of a directory of the disk, as `run/{name}`.
    pub(crate) fn of_directory(directory: &Path) -> Self {
        let mut tree = Self::default();
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            tree.0
                .insert(format!("run/{name}"), std::fs::read(&path).unwrap());
        }
        tree
    }

    /// A run that comes with the tests.
    pub(crate) fn of_fixture(name: &str) -> Self {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/helm");
        Self::of_directory(&fixtures.join(name))
    }

    /// Changes a file of the run as JSON.
    pub(crate) fn change(mut self, name: &str, change: impl FnOnce(&mut Value)) -> Self {
        let bytes = self.0.get_mut(&format!("run/{name}")).unwrap();
        let mut value = serde_json::from_slice(bytes).unwrap();
        change(&mut value);
        *bytes = serde_json::to_vec_pretty(&value).unwrap();
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.0.remove(&format!("run/{name}")).unwrap();
        self
    }

    pub(crate) fn convert(&self) -> Result<Outcome, Refusal> {
        self.convert_with(&Options::default())
    }

    pub(crate) fn convert_with(&self, options: &Options) -> Result<Outcome, Refusal> {
        let files = Files(self.0.clone());
        let mut output = files.convert_with(Harness::Helm, "run", options)?;
        assert_eq!(output.converted.len(), 1);
        Ok(Outcome {
            converted: output.converted.remove(0),
            files: Tree(output.files.0),
        })
    }
}

/// The outcome of a run.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) converted: Converted,
    pub(crate) files: Tree,
}

impl Outcome {
    pub(crate) fn record(&self) -> Value {
        let identity = &self.converted.identity;
        let path = format!("{}/{}.json", identity.directory, identity.uuid);
        serde_json::from_slice(&self.files.0[&path]).unwrap()
    }

    pub(crate) fn rows(&self) -> Vec<Value> {
        let Some(bytes) = self.files.0.get(&self.converted.identity.samples_path()) else {
            return Vec::new();
        };
        let lines = std::str::from_utf8(bytes).unwrap().lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    pub(crate) fn result(&self, id: &str) -> Value {
        let record = self.record();
        let results = record["evaluation_results"].as_array().unwrap();
        let of_id = |result: &&Value| result["evaluation_result_id"] == id;
        let found = results.iter().find(of_id);
        found
            .unwrap_or_else(|| panic!("there is no result `{id}`"))
            .clone()
    }

    pub(crate) fn rows_of(&self, id: &str) -> Vec<Value> {
        let mut rows = self.rows();
        rows.retain(|row| row["evaluation_result_id"] == id);
        rows
    }

    pub(crate) fn warnings(&self) -> Vec<&str> {
        let warnings = self.converted.warnings.iter();
        warnings.map(|warning| warning.message.as_str()).collect()
    }

    /// Holds the record and its rows against the judge.
    pub(crate) fn is_valid(&self) {
        assert_eq!(errors(&self.files.0), Vec::<String>::new());
    }

    /// Holds the record and its rows against the published schemas.
    pub(crate) fn follows_schemas(&self) {
        Files(self.files.0.clone()).follow_schemas();
    }
}
