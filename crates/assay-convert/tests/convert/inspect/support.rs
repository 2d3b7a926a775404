use std::collections::BTreeMap;

use assay_convert::convert::{Converted, Harness, Options, Refusal};
use serde_json::Value;

pub(crate) use crate::kit::corpus;
use crate::kit::{self, Files};

/// The outcome of a log.
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
    let logs = Files::default().with("log", bytes);
    let mut output = logs.convert_with(Harness::Inspect, "log", options)?;
    let (record, rows) = (output.record(0), output.rows(0));
    Ok(Outcome {
        converted: output.converted.remove(0),
        files: output.files.0,
        record,
        rows,
    })
}

pub(crate) fn fixture_bytes(name: &str) -> Vec<u8> {
    kit::fixture(&format!("inspect/{name}"))
}

/// Converts one of our own logs, and has validation look at what comes out.
pub(crate) fn fixture(name: &str) -> Outcome {
    let outcome = convert_bytes(fixture_bytes(name), &jobs(1)).unwrap();
    assert_sound(&outcome);
    outcome
}

/// Asserts that what came out has no error, and fits the published schemas when those are at hand.
pub(crate) fn assert_sound(outcome: &Outcome) {
    let files = Files(outcome.files.clone());
    assert_eq!(files.errors(), Vec::<String>::new());
    files.follow_schemas();
}
