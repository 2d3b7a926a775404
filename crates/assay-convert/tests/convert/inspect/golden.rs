//! Our output held against that of the reference, field by field. The reference's output is not
//! part of the repository: without it the test says so and passes.

use std::collections::BTreeSet;
use std::path::Path;

use assay_convert::convert::Options;
use serde_json::Value;

use super::support::{Outcome, convert_bytes, corpus};

/// The differences from the reference, with the reason. `docs/converter-differences.md` says the
/// same at more length. In a path `[]` is any place of a list.
const DIFFERENCES: &[(&str, &str)] = &[
    ("evaluation_id", "holds the model that was asked for"),
    ("model_info.name", "the model that was asked for"),
    ("model_info.id", "the model that was asked for"),
    ("model_info.inference_platform", "azure is not lost"),
    (
        "model_info.additional_details.served_model",
        "the model that answered",
    ),
    ("retrieved_timestamp", "the end of the run, not the clock"),
    (
        "detailed_evaluation_results.",
        "the rows differ, and the name follows from the content",
    ),
    (
        "evaluation_results[].metric_config.additional_details.",
        "no registry of metrics; polarity is `assumed`",
    ),
    (
        "evaluation_results[].source_data.samples_number",
        "the samples that ran",
    ),
    (
        "evaluation_results[].source_data.additional_details.dataset_samples",
        "the samples of the whole dataset",
    ),
    (
        "evaluation_results[].generation_config.generation_args.reasoning",
        "not `false` when the log does not say",
    ),
    (
        "evaluation_results[].generation_config.generation_args.temperature",
        "the plan's configuration counts",
    ),
    (
        "evaluation_results[].generation_config.generation_args.max_tokens",
        "the plan's configuration counts",
    ),
    (
        "evaluation_results[].generation_config.generation_args.sandbox.",
        "the sandbox of the run, not only one in the arguments of the task",
    ),
    (
        "evaluation_results[].score_details.uncertainty.num_samples",
        "samples, not samples times epochs",
    ),
    (
        "eval_library.version",
        "the version alone; other packages are a detail",
    ),
    (
        "evaluation_results[].generation_config.additional_details.",
        "the setup of the run, and which details it is",
    ),
    (
        "source_metadata.additional_details.",
        "the ids and the state of the run",
    ),
    ("row.input.formatted", "what the model was asked"),
    ("row.input.reference[]", "the option, not its letter"),
    ("row.metadata.sample_metadata", "kept"),
    (
        "row.metadata.correctness",
        "the metric does not define what is right",
    ),
    (
        "row.evaluation.is_correct",
        "unknown where the metric does not define what is right",
    ),
    ("row.evaluation_id", "holds the model that was asked for"),
    ("row.model_id", "the model that was asked for"),
    ("row.evaluation_result_id", "always set"),
    ("row.sample_hash", "one recipe for all harnesses"),
    ("row.output.raw[]", "what the model said"),
    (
        "row.answer_attribution[]",
        "the answer that the scorer took",
    ),
    (
        "row.messages[].tool_calls[].arguments.",
        "texts are not quoted again",
    ),
    ("row.token_usage.", "all calls, not the last"),
    ("row.performance.", "latency is the whole time"),
    ("row.metadata.explanation", "kept here, not in the output"),
    ("row.metadata.limit", "kept"),
    (
        "row.metadata.score_status",
        "an errored sample says that it was not scored",
    ),
];

/// Differences that only an errored sample may have.
const OF_ERRORED: &[&str] = &["row.evaluation.score"];

/// Every field with a value; what is null or empty is as good as absent. Texts that are JSON are
/// compared as JSON.
fn fields(path: &str, value: &Value, found: &mut BTreeSet<(String, String)>) {
    match value {
        Value::Null => {}
        Value::Array(items) => {
            for (position, item) in items.iter().enumerate() {
                fields(&format!("{path}[{position}]"), item, found);
            }
        }
        Value::Object(map) => {
            for (key, value) in map {
                let path = if path.is_empty() {
                    key.clone()
                } else {
                    format!("{path}.{key}")
                };
                fields(&path, value, found);
            }
        }
        Value::String(text) if text.is_empty() => {}
        Value::String(text) if text.starts_with('{') => {
            let read = serde_json::from_str::<Value>(text);
            let same = read.map_or_else(|_| text.clone(), |value| value.to_string());
            found.insert((path.to_owned(), same));
        }
        Value::String(text) => {
            found.insert((path.to_owned(), text.clone()));
        }
        Value::Number(number) => {
            found.insert((path.to_owned(), format!("{:?}", number.as_f64())));
        }
        Value::Bool(_) => {
            found.insert((path.to_owned(), value.to_string()));
        }
    }
}

/// The path without the places of lists.
fn pattern(path: &str) -> String {
    let mut pattern = String::new();
    for (position, part) in path.split('[').enumerate() {
        if position == 0 {
            pattern.push_str(part);
        } else {
            pattern.push_str("[]");
            pattern.push_str(part.split_once(']').map_or("", |(_, rest)| rest));
        }
    }
    pattern
}

/// The entry of the list that allows a field to differ.
fn excuse(path: &str, is_errored: bool) -> Option<&'static str> {
    let pattern = pattern(path);
    let fits = |allowed: &str| match allowed.strip_suffix('.') {
        Some(prefix) => pattern.starts_with(prefix),
        None => pattern == allowed || pattern.starts_with(&format!("{allowed}.")),
    };
    let of_errored = OF_ERRORED.iter().filter(|_| is_errored).copied();
    DIFFERENCES
        .iter()
        .map(|(allowed, _)| *allowed)
        .chain(of_errored)
        .find(|allowed| fits(allowed))
}

/// The fields that differ and may not.
fn differences(
    prefix: &str,
    ours: &Value,
    theirs: &Value,
    is_errored: bool,
    used: &mut BTreeSet<&'static str>,
) -> Vec<String> {
    let (mut own, mut other) = (BTreeSet::new(), BTreeSet::new());
    fields(prefix, ours, &mut own);
    fields(prefix, theirs, &mut other);
    own.symmetric_difference(&other)
        .filter(|(path, _)| match excuse(path, is_errored) {
            Some(allowed) => {
                used.insert(allowed);
                false
            }
            None => true,
        })
        .map(|(path, value)| {
            let side = if own.contains(&(path.clone(), value.clone())) {
                "ours"
            } else {
                "theirs"
            };
            format!(
                "{side}: {path} = {}",
                value.chars().take(120).collect::<String>()
            )
        })
        .collect()
}

fn golden(directory: &Path) -> (Value, Vec<Value>) {
    let (mut record, mut rows) = (Value::Null, Vec::new());
    let mut open = vec![directory.to_path_buf()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(
                std::fs::read_dir(path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        if path.extension().is_some_and(|own| own == "jsonl") {
            rows = text
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
        } else {
            record = serde_json::from_str(&text).unwrap();
        }
    }
    (record, rows)
}

fn converted(log: &Path) -> Outcome {
    let options = Options {
        // The command of the reference calls the harness by the name of its sub-command.
        library_name: Some("inspect".to_owned()),
        ..Options::default()
    };
    convert_bytes(std::fs::read(log).unwrap(), &options).unwrap()
}

#[test]
fn every_field_is_the_references_but_for_those_that_are_wrong_there() {
    let Some(corpus) = corpus() else { return };
    let mut faults = Vec::new();
    let mut compared = 0;
    let mut used = BTreeSet::new();

    for entry in std::fs::read_dir(corpus.join("golden")).unwrap() {
        let directory = entry.unwrap().path();
        let name = directory
            .file_name()
            .unwrap()
            .to_string_lossy()
            .into_owned();
        let Some(name) = name.strip_prefix("inspect-") else {
            continue;
        };
        let log = match name.strip_prefix("small-") {
            Some(small) => corpus.join(format!("logs/inspect-small/{small}.eval")),
            None => corpus.join(format!("logs/reference-fixtures/inspect/{name}.json")),
        };
        let (record, rows) = golden(&directory);
        let outcome = converted(&log);
        compared += 1;
        let mut found = differences("", &outcome.record, &record, false, &mut used);
        if outcome.rows.len() != rows.len() {
            found.push(format!("{} rows for {}", outcome.rows.len(), rows.len()));
        }
        for (ours, theirs) in outcome.rows.iter().zip(&rows) {
            found.extend(differences(
                "row",
                ours,
                theirs,
                theirs["error"].is_string(),
                &mut used,
            ));
        }
        faults.extend(
            found
                .into_iter()
                .take(12)
                .map(|fault| format!("{name}: {fault}")),
        );
    }

    assert_eq!(compared, 9);
    assert!(faults.is_empty(), "{faults:#?}");
    let stale: Vec<&str> = DIFFERENCES
        .iter()
        .map(|(path, _)| *path)
        .chain(OF_ERRORED.iter().copied())
        .filter(|path| !used.contains(path))
        .collect();
    assert!(stale.is_empty(), "no field differs there: {stale:#?}");
}

#[test]
fn every_excused_difference_is_written_down() {
    let document = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/converter-differences.md"),
    )
    .unwrap();
    let section = document
        .split("## Inspect AI")
        .nth(1)
        .unwrap()
        .split("\n## ")
        .next()
        .unwrap();

    let missing: Vec<&str> = DIFFERENCES
        .iter()
        .map(|(path, _)| path.trim_end_matches('.'))
        .chain(OF_ERRORED.iter().copied())
        .filter(|path| !section.contains(&format!("`{path}`")))
        .collect();

    assert!(missing.is_empty(), "{missing:#?}");
}
