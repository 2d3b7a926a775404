//! Runs that lm-evaluation-harness, HELM and lighteval made of one task
//! (`fixtures/make/*_truth.py`), read here once more by other code than the converters': scores,
//! rows and questions must be what the logs say.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use assay_convert::convert::Harness;
use serde_json::{Value, json};

use crate::kit::{Files, Output, fixture, fixture_path};
use crate::others::lighteval::{RESULTS, details};

pub(crate) const HARNESSES: [Harness; 3] = [Harness::LmEval, Harness::Helm, Harness::Lighteval];

/// The names of the runs of a harness.
pub(crate) fn names(harness: Harness) -> Vec<String> {
    let directory = fixture_path(&format!("truth/{}", folder(harness)));
    let entries = std::fs::read_dir(directory).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

pub(crate) fn folder(harness: Harness) -> &'static str {
    match harness {
        Harness::LmEval => "lm_eval",
        Harness::Helm => "helm",
        Harness::Lighteval => "lighteval",
        _ => unreachable!("its logs lie elsewhere"),
    }
}

/// The files of a run under the names that its harness gives them, and the path of its log.
pub(crate) fn run(harness: Harness, name: &str) -> (Files, String) {
    let directory = fixture_path(&format!("truth/{}/{name}", folder(harness)));
    let mut files = Files::default();
    let mut log = "run".to_owned();
    for (path, bytes) in below(&directory) {
        let path = match harness {
            Harness::Lighteval if path == "results.json" => RESULTS.to_owned(),
            Harness::Lighteval => {
                let task = path.trim_end_matches(".parquet");
                let shots = shots_of(
                    &fixture(&format!("truth/lighteval/{name}/results.json")),
                    task,
                );
                details(&format!("{task}|{shots}"))
            }
            _ => format!("run/{path}"),
        };
        let file = path.rsplit('/').next().unwrap();
        if harness != Harness::Helm && file.starts_with("results") {
            log.clone_from(&path);
        }
        files = files.with(&path, bytes);
    }
    (files, log)
}

fn shots_of(results: &[u8], task: &str) -> String {
    let log: Value = serde_json::from_slice(results).unwrap();
    let mut keys = log["results"].as_object().unwrap().keys();
    let key = keys.find(|key| key.split('|').next() == Some(task));
    key.unwrap().split('|').nth(1).unwrap().to_owned()
}

pub(crate) fn below(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.path().is_dir() {
            let inner = below(&entry.path()).into_iter();
            found.extend(inner.map(|(path, bytes)| (format!("{name}/{path}"), bytes)));
        } else {
            found.push((name, std::fs::read(entry.path()).unwrap()));
        }
    }
    found.sort();
    found
}

pub(crate) fn converted(harness: Harness, name: &str) -> (Files, Output) {
    let (files, log) = run(harness, name);
    let output = files.convert(harness, &log).unwrap();
    output.assert_sound();
    (files, output)
}

/// The documents of a run: each JSON file, and each line of samples.
pub(crate) fn documents(files: &Files) -> Vec<(String, Value)> {
    let mut documents = Vec::new();
    for (path, bytes) in &files.0 {
        let name = path.rsplit('/').next().unwrap();
        if name.starts_with("samples_") {
            let lines = std::str::from_utf8(bytes).unwrap().lines();
            let parsed = lines.map(|line| serde_json::from_str(line).unwrap());
            documents.extend(parsed.map(|value| ("samples".to_owned(), value)));
        } else if let Some(kind) = name.strip_suffix(".json") {
            let kind = if kind.starts_with("results") {
                "results"
            } else {
                kind
            };
            documents.push((kind.to_owned(), serde_json::from_slice(bytes).unwrap()));
        }
    }
    documents
}

/// Every question of a run with its hash.
fn questions(output: &Output) -> BTreeMap<String, String> {
    let rows = (0..output.converted.len()).flat_map(|index| output.rows(index));
    rows.filter(|row| row["metadata"]["perturbation"].is_null())
        .map(|row| (text(&row["input"]["raw"]), text(&row["sample_hash"])))
        .collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

#[test]
fn one_task_run_through_four_harnesses_joins_question_by_question() {
    let inspect = |name: &str| {
        let files = Files::default().with("log", fixture(&format!("truth/{name}.json")));
        questions(&files.convert(Harness::Inspect, "log").unwrap())
    };
    let own = |harness, name: &str| questions(&converted(harness, name).1);

    let sums = inspect("plain");
    assert_eq!(sums.len(), 4);
    assert_eq!(inspect("prompted"), sums);
    for name in ["plain", "two_shots", "described", "filtered", "repeated"] {
        assert_eq!(own(Harness::LmEval, name), sums, "lm_eval {name}");
    }
    for harness in [Harness::Helm, Harness::Lighteval] {
        for name in ["plain", "two_shots"] {
            assert_eq!(own(harness, name), sums, "{harness:?} {name}");
        }
    }
    let kinds = inspect("choices");
    assert_eq!(kinds.len(), 2);
    for name in ["choices", "choices_shot", "letters"] {
        assert_eq!(own(Harness::LmEval, name), kinds, "lm_eval {name}");
    }
    for name in ["choices", "choices_shot", "each_option"] {
        assert_eq!(own(Harness::Helm, name), kinds, "helm {name}");
    }
    for name in ["choices", "choices_shot"] {
        assert_eq!(own(Harness::Lighteval, name), kinds, "lighteval {name}");
    }
}

#[test]
fn every_score_of_lm_eval_and_every_row_is_what_the_log_says() {
    let mut checked = 0;
    for name in names(Harness::LmEval) {
        let (files, output) = converted(Harness::LmEval, &name);
        let documents = documents(&files);
        let log = &documents
            .iter()
            .find(|(kind, _)| kind == "results")
            .unwrap()
            .1;
        let scores = log["results"].as_object().unwrap();
        assert_eq!(output.converted.len(), scores.len(), "{name}");
        for index in 0..output.converted.len() {
            let record = output.record(index);
            let results = record["evaluation_results"].as_array().unwrap();
            let task = text(&results[0]["evaluation_name"]);
            let said: BTreeMap<&str, f64> = scores[&task]
                .as_object()
                .unwrap()
                .iter()
                .filter(|(key, _)| key.contains(',') && !key.contains("_stderr,"))
                .map(|(key, value)| (key.as_str(), value.as_f64().unwrap()))
                .collect();
            let filters: BTreeSet<&str> = said.keys().map(|key| filter_of(key)).collect();
            assert_eq!(results.len(), said.len(), "{name} {task}");
            for (key, score) in &said {
                let (metric, filter) = key.split_once(',').unwrap();
                let ids = [*key, metric];
                let id = if filters.len() > 1 {
                    &ids[..1]
                } else {
                    &ids[..]
                };
                let result = results
                    .iter()
                    .find(|own| id.contains(&own["evaluation_result_id"].as_str().unwrap()))
                    .unwrap_or_else(|| panic!("{name} {task} {key}"));
                let own = &result["score_details"];
                assert_eq!(own["score"], *score, "{name} {key}");
                let error = &scores[&task][&format!("{metric}_stderr,{filter}")];
                let expected = error.as_f64().map_or(Value::Null, |own| json!(own));
                assert_eq!(
                    own["uncertainty"]["standard_error"]["value"], expected,
                    "{name} {key}"
                );
                let details = &result["generation_config"]["additional_details"];
                let count = &own["uncertainty"]["num_samples"];
                match log["n-samples"][&task]["effective"].as_u64() {
                    Some(asked) => {
                        assert_eq!(*count, asked, "{name} {task}");
                        assert_eq!(details["shots"], log["n-shot"][&task].to_string(), "{name}");
                    }
                    // The group: both of its tasks.
                    None => assert_eq!(*count, 8, "{name} {task}"),
                }
                let rows = output.rows(index);
                let id = &result["evaluation_result_id"];
                let rows = rows.iter().filter(|row| &row["evaluation_result_id"] == id);
                check_lm_eval_rows(&documents, &task, metric, filter, &rows.collect::<Vec<_>>());
                checked += 1;
            }
        }
    }
    assert!(checked >= 30, "{checked}");
}

fn filter_of(key: &str) -> &str {
    key.split(',').nth(1).unwrap()
}

fn check_lm_eval_rows(
    documents: &[(String, Value)],
    task: &str,
    metric: &str,
    filter: &str,
    rows: &[&Value],
) {
    let is_of_task = |sample: &Value| match task.split('_').next().unwrap() {
        "everything" => false,
        "kinds" => !sample["doc"]["choices"].is_null(),
        _ => sample["doc"]["choices"].is_null(),
    };
    let described =
        |sample: &Value| text(&sample["arguments"]["gen_args_0"]["arg_0"]).starts_with("Add");
    let samples: Vec<&Value> = documents
        .iter()
        .filter(|(kind, sample)| {
            kind == "samples" && sample["filter"] == filter && is_of_task(sample)
        })
        .map(|(_, sample)| sample)
        .filter(|sample| task != "sums_versioned" || !described(sample))
        .filter(|sample| task != "sums_described" || described(sample))
        .filter(|sample| sample[metric].is_number())
        .collect();
    assert_eq!(rows.len(), samples.len(), "{task} {metric},{filter}");
    for (row, sample) in rows.iter().zip(samples) {
        let score = sample[metric].as_f64().unwrap();
        assert_eq!(row["evaluation"]["score"], score, "{task}");
        assert_eq!(
            row["evaluation"]["is_correct"],
            score > 0.5,
            "{task} {metric}"
        );
        assert_eq!(row["sample_id"], sample["doc_id"].to_string());
        assert_eq!(row["input"]["raw"], sample["doc"]["question"]);
        assert_eq!(
            row["input"]["formatted"],
            sample["arguments"]["gen_args_0"]["arg_0"]
        );
        let document = &sample["doc"];
        let right = match document["label"].as_u64() {
            Some(label) => &document["choices"][usize::try_from(label).unwrap()],
            None => &document["answer"],
        };
        assert_eq!(&row["input"]["reference"], &json!([right]));
        if document["label"].is_null() {
            assert_eq!(row["output"]["raw"], sample["resps"][0]);
        }
    }
}

#[test]
fn every_score_of_helm_and_every_row_is_what_the_log_says() {
    let mut checked = 0;
    for name in names(Harness::Helm) {
        let (files, output) = converted(Harness::Helm, &name);
        let read = |file: &str| -> Value {
            serde_json::from_slice(&files.0[&format!("run/{file}.json")]).unwrap()
        };
        let (stats, instances) = (read("stats"), read("per_instance_stats"));
        let plain = |stat: &&Value| {
            stat["name"]["perturbation"].is_null()
                && text(&stat["name"]["name"]).ends_with("exact_match")
        };
        let record = output.record(0);
        let results = record["evaluation_results"].as_array().unwrap();
        let result = |id: &str| results.iter().find(|own| own["evaluation_result_id"] == id);
        let rows = output.rows(0);
        for stat in stats.as_array().unwrap().iter().filter(plain) {
            let id = format!(
                "{}:{}",
                text(&stat["name"]["name"]),
                text(&stat["name"]["split"])
            );
            let own = result(&id).unwrap_or_else(|| panic!("{name} {id}"));
            assert_eq!(own["score_details"]["score"], stat["mean"], "{name} {id}");
            for instance in instances.as_array().unwrap() {
                if !instance["perturbation"].is_null() {
                    continue;
                }
                let of_name =
                    |own: &&Value| plain(own) && own["name"]["name"] == stat["name"]["name"];
                // Scores of annotations stand apart from the others.
                let mut own = instance["stats"].as_array().unwrap().iter();
                let Some(stat) = own.find(of_name) else {
                    continue;
                };
                let is_own = |row: &&Value| {
                    row["sample_id"] == instance["instance_id"]
                        && row["evaluation_result_id"] == id.as_str()
                        && row["metadata"]["perturbation"].is_null()
                };
                let found: Vec<&Value> = rows.iter().filter(is_own).collect();
                assert_eq!(found.len(), 1, "{name} {id}");
                assert_eq!(
                    found[0]["evaluation"]["score"].as_f64(),
                    stat["mean"].as_f64()
                );
                checked += 1;
            }
        }
    }
    assert!(checked >= 40, "{checked}");
}

#[test]
fn every_score_of_lighteval_is_what_the_log_says_and_the_mean_of_its_rows() {
    for name in names(Harness::Lighteval) {
        let (files, output) = converted(Harness::Lighteval, &name);
        let log = serde_json::from_slice::<Value>(&files.0[RESULTS]).unwrap();
        let tasks = log["results"].as_object().unwrap();
        assert_eq!(
            output.converted.len(),
            tasks.len() - 1,
            "{name}: all tasks but `all`"
        );
        for index in 0..output.converted.len() {
            let record = output.record(index);
            for result in record["evaluation_results"].as_array().unwrap() {
                let task = text(&result["evaluation_name"]);
                let metric = text(&result["evaluation_result_id"]);
                let said = tasks
                    .iter()
                    .find(|(key, _)| key.split('|').next() == Some(&task));
                let (key, said) = said.unwrap();
                let own = &result["score_details"];
                assert_eq!(own["score"], said[&metric], "{name} {key}");
                let error = &said[&format!("{metric}_stderr")];
                assert_eq!(
                    &own["uncertainty"]["standard_error"]["value"], error,
                    "{name}"
                );
                let shots = key.split('|').nth(1).unwrap();
                let details = &result["generation_config"]["additional_details"];
                assert_eq!(details["shots"], shots, "{name}");
                let rows = output.rows(index);
                let scores: Vec<f64> = rows
                    .iter()
                    .map(|row| row["evaluation"]["score"].as_f64().unwrap())
                    .collect();
                let count = f64::from(u32::try_from(scores.len()).unwrap());
                assert_eq!(own["score"], scores.iter().sum::<f64>() / count, "{name}");
            }
        }
    }
}
