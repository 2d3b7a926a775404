//! Logs and records in memory, and small logs to change.

use std::io;

use assay_convert::convert::{Converted, Harness, LogFile, Logs, Options, Refusal};
use serde_json::{Value, json};

pub(crate) use crate::kit::corpus;
use crate::kit::{Files, convert_log};

pub(crate) const DATE: &str = "2026-11-15T18-34-17.953083";
pub(crate) const RESULTS: &str = "out/acme__model-x/results_2026-11-15T18-34-17.953083.json";

/// Files in memory.
pub(crate) fn in_memory(files: &[(&str, &str)]) -> Files {
    files
        .iter()
        .fold(Files::default(), |all, (path, text)| all.with(path, *text))
}

/// A log with one task and its samples.
pub(crate) fn in_memory_log(results: &Value, task: &str, rows: &[Value]) -> Files {
    in_memory(&[
        (RESULTS, &results.to_string()),
        (&samples_path(task), &lines(rows)),
    ])
}

/// Rows as the harness writes them.
pub(crate) fn lines(rows: &[Value]) -> String {
    let mut lines: Vec<String> = rows.iter().map(Value::to_string).collect();
    lines.push(String::new());
    lines.join("\n")
}

pub(crate) fn samples_path(task: &str) -> String {
    format!("out/acme__model-x/samples_{task}_{DATE}.jsonl")
}

/// Files of a disk.
pub(crate) struct Disk;

impl Logs for Disk {
    fn open(&self, path: &str) -> io::Result<Box<dyn LogFile + '_>> {
        Ok(Box::new(std::fs::File::open(path)?))
    }

    fn list(&self, directory: &str) -> io::Result<Vec<String>> {
        let mut names: Vec<String> = std::fs::read_dir(directory)?
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
            .collect::<io::Result<_>>()?;
        names.sort();
        Ok(names)
    }
}

/// The outcome of a log.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) converted: Vec<Converted>,
    pub(crate) files: Files,
}

pub(crate) fn run(logs: &dyn Logs, path: &str, options: &Options) -> Result<Outcome, Refusal> {
    let output = convert_log(logs, Harness::LmEval, path, options)?;
    Ok(Outcome {
        converted: output.converted,
        files: output.files,
    })
}

/// Converts, and holds what comes out against the judge and the published schemas.
pub(crate) fn converted(logs: &dyn Logs, path: &str) -> Outcome {
    let outcome = run(logs, path, &Options::default()).unwrap();
    assert_eq!(outcome.files.errors(), Vec::<String>::new());
    outcome.files.follow_schemas();
    outcome
}

pub(crate) fn converted_log(results: &Value, task: &str, rows: &[Value]) -> Outcome {
    converted(&in_memory_log(results, task, rows), RESULTS)
}

impl Outcome {
    /// The record of a task.
    pub(crate) fn record(&self, task: &str) -> Value {
        let record = |(path, bytes): (&String, &Vec<u8>)| {
            path.strip_suffix(".json")?;
            let record: Value = serde_json::from_slice(bytes).unwrap();
            (record["evaluation_results"][0]["evaluation_name"] == task).then_some(record)
        };
        self.files.0.iter().find_map(record).unwrap()
    }

    /// The rows of a task.
    pub(crate) fn rows(&self, task: &str) -> Vec<Value> {
        let record = self.record(task);
        let Some(path) = record["detailed_evaluation_results"]["file_path"].as_str() else {
            return Vec::new();
        };
        let text = std::str::from_utf8(&self.files.0[path]).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// All warnings, as `message × count`.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.converted
            .iter()
            .flat_map(|converted| &converted.warnings)
            .map(|warning| format!("{} × {}", warning.message, warning.count))
            .collect()
    }
}

/// A results file with one task of these scores, in the shape of 0.4.13.
pub(crate) fn results(task: &str, scores: &Value) -> Value {
    json!({
        "results": {task: scores},
        "group_subtasks": {},
        "configs": {task: {
            "task": task, "dataset_path": "acme/data", "dataset_name": "main", "test_split": "test",
            "output_type": "multiple_choice", "num_fewshot": 2
        }},
        "versions": {task: 1.0},
        "n-shot": {task: 2},
        "higher_is_better": {},
        "n-samples": {task: {"original": 9, "effective": 2}},
        "config": {
            "model": "hf", "model_args": {"pretrained": "acme/model-x", "dtype": "float16"},
            "bootstrap_iters": 1000
        },
        "date": 1_794_767_645.677,
        "transformers_version": "4.57.6",
        "lm_eval_version": "0.4.13",
        "total_evaluation_time_seconds": "41.5"
    })
}

/// A row of a multiple choice between `yes` and `no`, which the model answers with `no`.
pub(crate) fn choice_row(doc: u64, acc: &Value) -> Value {
    json!({
        "doc_id": doc, "doc": {"q": "is it?"}, "target": "1",
        "arguments": {
            "gen_args_0": {"arg_0": "Q: is it?\nA:", "arg_1": " yes"},
            "gen_args_1": {"arg_0": "Q: is it?\nA:", "arg_1": " no"}
        },
        "resps": [[["-2.5", "False"]], [["-0.5", "True"]]],
        "filtered_resps": [["-2.5", "False"], ["-0.5", "True"]],
        "filter": "none", "metrics": ["acc"],
        "doc_hash": "d", "prompt_hash": "p", "target_hash": "t", "acc": acc
    })
}

/// A row of a generation.
pub(crate) fn text_row(doc: u64, filter: &str, exact_match: f64) -> Value {
    json!({
        "doc_id": doc, "doc": {"q": "1+1?"}, "target": "2",
        "arguments": {"gen_args_0": {"arg_0": "Q: 1+1?\nA:", "arg_1": {"until": ["Q:"]}}},
        "resps": [["It is 2.", "It is 3."]],
        "filtered_resps": ["2"],
        "filter": filter, "metrics": ["exact_match"],
        "doc_hash": "d", "prompt_hash": "p", "target_hash": "t", "exact_match": exact_match
    })
}
