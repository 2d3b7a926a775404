use std::collections::BTreeMap;
use std::io::{self, Cursor, Write};
use std::path::Path;
use std::sync::Mutex;

use assay_convert::convert::{
    Converted, Datastore, Harness, Identity, Log, LogFile, Logs, Options, Pair, Refusal, convert,
};
use assay_testkit::corpus::find_corpus;
use serde_json::Value;

use crate::judge::errors;

/// Files in memory.
#[derive(Default)]
pub(crate) struct Memory(pub(crate) BTreeMap<String, Vec<u8>>);

impl Logs for Memory {
    fn open(&self, path: &str) -> io::Result<Box<dyn LogFile + '_>> {
        match self.0.get(path) {
            Some(bytes) => Ok(Box::new(Cursor::new(bytes.as_slice()))),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn list(&self, _: &str) -> io::Result<Vec<String>> {
        Ok(self.0.keys().cloned().collect())
    }
}

/// Records in memory: path to bytes.
#[derive(Default)]
pub(crate) struct Shelf(Mutex<BTreeMap<String, Vec<u8>>>);

impl Datastore for Shelf {
    fn begin(&self, identity: &Identity) -> io::Result<Box<dyn Pair + '_>> {
        Ok(Box::new(Draft {
            shelf: self,
            identity: identity.clone(),
            rows: Vec::new(),
        }))
    }
}

struct Draft<'s> {
    shelf: &'s Shelf,
    identity: Identity,
    rows: Vec<u8>,
}

impl Pair for Draft<'_> {
    fn rows(&mut self) -> &mut dyn Write {
        &mut self.rows
    }

    fn finish(self: Box<Self>, record: &str, digest: Option<&str>) -> io::Result<()> {
        let mut files = self.shelf.0.lock().unwrap();
        let path = format!("{}/{}.json", self.identity.directory, self.identity.uuid);
        files.insert(path, record.as_bytes().to_vec());
        if digest.is_some() {
            files.insert(self.identity.samples_path(), self.rows);
        }
        Ok(())
    }
}

/// What a log became.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) converted: Converted,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    pub(crate) record: Value,
    pub(crate) rows: Vec<Value>,
}

impl Outcome {
    pub(crate) fn warnings(&self) -> Vec<String> {
        let warnings = self.converted.warnings.iter();
        warnings
            .map(|warning| format!("{} × {}", warning.count, warning.message))
            .collect()
    }

    pub(crate) fn results(&self) -> Vec<(&str, f64)> {
        self.record["evaluation_results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|result| {
                let score = result["score_details"]["score"].as_f64().unwrap();
                (result["evaluation_result_id"].as_str().unwrap(), score)
            })
            .collect()
    }

    /// The rows of a result: sample, epoch and score.
    pub(crate) fn scores_of(&self, result: &str) -> Vec<(String, String, f64)> {
        let of = |row: &&Value| row["evaluation_result_id"] == result;
        self.rows
            .iter()
            .filter(of)
            .map(|row| {
                (
                    row["sample_id"].as_str().unwrap().to_owned(),
                    row["metadata"]["epoch"].as_str().unwrap().to_owned(),
                    row["evaluation"]["score"].as_f64().unwrap(),
                )
            })
            .collect()
    }
}

pub(crate) fn jobs(jobs: usize) -> Options {
    Options {
        jobs,
        ..Options::default()
    }
}

/// Converts the bytes of a log.
pub(crate) fn convert_bytes(bytes: Vec<u8>, options: &Options) -> Result<Outcome, Refusal> {
    let logs = Memory([("log".to_owned(), bytes)].into());
    let shelf = Shelf::default();
    let log = Log {
        logs: &logs,
        path: "log",
        options,
        datastore: &shelf,
        progress: &|_| {},
    };
    let result = convert(Harness::Inspect, &log);
    let files = shelf.0.into_inner().unwrap();
    let Ok(mut converted) = result else {
        assert!(files.is_empty(), "a refused log leaves nothing behind");
        return Err(result.unwrap_err());
    };
    let converted = converted.remove(0);
    let stem = format!(
        "{}/{}",
        converted.identity.directory, converted.identity.uuid
    );
    let record = serde_json::from_slice(&files[&format!("{stem}.json")]).unwrap();
    let rows = files
        .get(&format!("{stem}_samples.jsonl"))
        .map(|bytes| String::from_utf8(bytes.clone()).unwrap())
        .unwrap_or_default()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    Ok(Outcome {
        converted,
        files,
        record,
        rows,
    })
}

pub(crate) fn fixture_bytes(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/inspect")
        .join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Converts one of our own logs, and has the judge look at what comes out.
pub(crate) fn fixture(name: &str) -> Outcome {
    let outcome = convert_bytes(fixture_bytes(name), &jobs(1)).unwrap();
    assert_sound(&outcome);
    outcome
}

/// Asserts that what came out has no error by the judge, and fits the published schemas when those are at hand.
pub(crate) fn assert_sound(outcome: &Outcome) {
    let errors = errors(&outcome.files);
    assert!(errors.is_empty(), "{errors:#?}");
    let Some(corpus) = find_corpus() else { return };
    let schema = |name: &str| {
        let text = std::fs::read_to_string(corpus.join("schemas").join(name)).unwrap();
        jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap()
    };
    let fits = |schema: &jsonschema::Validator, value: &Value| {
        let faults: Vec<String> = schema
            .iter_errors(value)
            .map(|fault| fault.to_string())
            .collect();
        assert!(faults.is_empty(), "{faults:#?}");
    };
    fits(&schema("eval.schema.0.3.0.json"), &outcome.record);
    let rows = schema("instance_level_eval.schema.0.3.0.json");
    for row in &outcome.rows {
        fits(&rows, row);
    }
}
