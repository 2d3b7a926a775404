//! Logs that the real Inspect made (`fixtures/make/inspect_truth.py`), read here once more by other
//! code than the converter's: every score, count and row must be what the log says, and what a log
//! does not say must be absent.

use std::collections::BTreeMap;

use assay_convert::convert::{Harness, Options};
use serde_json::Value;

use crate::kit::{Files, Output, fixture, fixture_path};

pub(crate) fn names() -> Vec<String> {
    let entries = std::fs::read_dir(fixture_path("truth")).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| Some(name.strip_suffix(".json")?.to_owned()))
        .collect();
    names.sort();
    names
}

pub(crate) fn log(name: &str) -> Value {
    // Python writes numbers that JSON does not have.
    let text = String::from_utf8(fixture(&format!("truth/{name}.json"))).unwrap();
    serde_json::from_str(&text.replace(": NaN", ": null")).unwrap()
}

pub(crate) fn converted(file: &str) -> Output {
    let files = Files::default().with("log", fixture(&format!("truth/{file}")));
    let output = files.convert(Harness::Inspect, "log").unwrap();
    output.assert_sound();
    output
}

/// Returns the results of a log: id, metric and score.
fn results_of(log: &Value) -> BTreeMap<String, (String, f64)> {
    let mut found = BTreeMap::new();
    let scores: Vec<&Value> = list(&log["results"]["scores"]).collect();
    let reducers: std::collections::BTreeSet<&str> = scores
        .iter()
        .filter_map(|own| own["reducer"].as_str())
        .collect();
    for own in scores {
        let (scorer, name) = (text(&own["scorer"]), text(&own["name"]));
        let subject = if scorer == name {
            scorer
        } else {
            format!("{scorer}/{name}")
        };
        for (key, metric) in own["metrics"].as_object().unwrap() {
            let Some(score) = metric["value"].as_f64() else {
                continue;
            };
            if ["stderr", "std"].contains(&key.as_str()) {
                continue;
            }
            let mut id = format!("{subject}:{key}");
            if let (Some(reducer), true) = (own["reducer"].as_str(), reducers.len() > 1) {
                id = format!("{id}:{reducer}");
            }
            let expected = match own["reducer"].as_str() {
                Some(reducer) if reducer.starts_with("pass_at") => "pass@k".to_owned(),
                Some(reducer) if reducer != "mean" => format!("{key}_{reducer}"),
                _ if ["accuracy", "f1"].contains(&key.as_str()) => key.clone(),
                _ => format!("inspect_ai.{key}"),
            };
            found.insert(id, (expected, score));
        }
    }
    found
}

pub(crate) fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

pub(crate) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Returns the meaning of a score: its number, and whether the answer is right where that is known.
fn meaning(value: &Value, counts: bool) -> Option<(f64, Option<bool>)> {
    match value {
        Value::String(grade) => match grade.as_str() {
            "C" => Some((1.0, Some(true))),
            "P" => Some((0.5, Some(false))),
            "I" | "N" => Some((0.0, Some(false))),
            _ => None,
        },
        Value::Bool(right) => Some((f64::from(u8::from(*right)), Some(*right))),
        Value::Number(number) => {
            let number = number.as_f64().unwrap();
            let known = counts && (number == 0.0 || number.to_bits() == 1_f64.to_bits());
            Some((number, known.then_some(number > 0.5)))
        }
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The tokens that the evaluated model used outside of scorers, and those that scorers used.
fn tokens(log: &Value, sample: &Value) -> (u64, u64) {
    let is_scorer = |event: &&Value| event["event"] == "span_begin" && event["type"] == "scorer";
    let scorers: Vec<&Value> = list(&sample["events"])
        .filter(is_scorer)
        .map(|event| &event["id"])
        .collect();
    let (mut own, mut judged) = (0, 0);
    for event in list(&sample["events"]).filter(|event| event["event"] == "model") {
        let total = event["output"]["usage"]["total_tokens"]
            .as_u64()
            .unwrap_or(0);
        if scorers.contains(&&event["span_id"]) {
            judged += total;
        } else if event["model"] == log["eval"]["model"] {
            own += total;
        }
    }
    (own, judged)
}

fn check_rows(name: &str, log: &Value, output: &Output) {
    let results = results_of(log);
    let rows = output.rows(0);
    let mut expected = 0;
    for sample in list(&log["samples"]) {
        for id in results.keys() {
            let subject = id.split(':').next().unwrap();
            let (scorer, key) = subject.split_once('/').unwrap_or((subject, subject));
            let value = &sample["scores"][scorer]["value"];
            let value = if value.is_object() {
                &value[key]
            } else {
                value
            };
            let counts = id.contains(":accuracy");
            let failed = !sample["error"].is_null();
            let known = meaning(value, counts).or(failed.then_some((0.0, Some(false))));
            let epoch = sample["epoch"].to_string();
            let is_own = |row: &&Value| {
                row["evaluation_result_id"] == id.as_str()
                    && row["sample_id"] == text(&sample["id"])
                    && row["metadata"]["epoch"] == epoch.as_str()
            };
            let own: Vec<&Value> = rows.iter().filter(is_own).collect();
            let Some((score, right)) = known else {
                assert!(own.is_empty(), "{name} {id}: a row without a score");
                continue;
            };
            expected += 1;
            let [row] = own.as_slice() else {
                panic!("{name} {id}: {} rows", own.len());
            };
            let context = format!("{name} {id} {}", sample["id"]);
            assert_eq!(row["evaluation"]["score"], score, "{context}");
            assert_eq!(
                row["evaluation"]["is_correct"],
                right == Some(true),
                "{context}"
            );
            assert_eq!(
                row["metadata"]["correctness"] == "not defined",
                right.is_none(),
                "{context}"
            );
            assert_eq!(row["error"].is_string(), failed, "{context}");
            if let Some(question) = sample["input"].as_str() {
                assert_eq!(row["input"]["raw"], question, "{context}");
            }
            let (own, judged) = tokens(log, sample);
            let total = &row["token_usage"]["total_tokens"];
            assert_eq!(total.as_u64().unwrap_or(0), own, "{context}");
            let detail = row["metadata"]["judge_token_usage"].as_str();
            let detail: Value = serde_json::from_str(detail.unwrap_or("{}")).unwrap();
            let total = &detail["total_tokens"];
            assert_eq!(total.as_u64().unwrap_or(0), judged, "{context}");
        }
    }
    assert_eq!(rows.len(), expected, "{name}: rows that no sample has");
}

#[test]
fn every_score_count_and_row_is_what_the_log_says() {
    let names = names();
    let mut checked = 0;
    for name in &names {
        let log = log(name);
        let results = results_of(&log);
        if results.is_empty() {
            continue;
        }
        let output = converted(&format!("{name}.json"));
        let record = output.record(0);
        let own: BTreeMap<String, (String, f64)> = list(&record["evaluation_results"])
            .map(|result| {
                (
                    text(&result["evaluation_result_id"]),
                    (
                        text(&result["metric_config"]["metric_id"]),
                        result["score_details"]["score"].as_f64().unwrap(),
                    ),
                )
            })
            .collect();
        assert_eq!(own, results, "{name}");
        assert_eq!(record["eval_library"]["version"], "0.3.285", "{name}");
        let details = &record["source_metadata"]["additional_details"];
        let status = text(&log["status"]);
        let failed = list(&log["samples"]).filter(|own| !own["error"].is_null());
        let failed = failed.count();
        let is_complete = status == "success" && failed == 0;
        let run_status = text(&details["run_status"]);
        assert_eq!(run_status == "success", is_complete, "{name}");
        assert_eq!(details["samples_failed"], failed.to_string(), "{name}");
        for (key, own) in [
            ("samples_planned", "total_samples"),
            ("samples_completed", "completed_samples"),
        ] {
            assert_eq!(
                details[key],
                log["results"][own].to_string(),
                "{name} {key}"
            );
        }
        check_rows(name, &log, &output);
        checked += 1;
    }
    assert!(checked >= 28, "{checked} of {}", names.len());
}

#[test]
fn runs_without_results_are_marked_and_keep_the_rows_of_failed_samples() {
    let output = converted("error.json");

    let record = output.record(0);
    let details = &record["source_metadata"]["additional_details"];
    assert_eq!(details["run_status"], "incomplete: error");
    let log = log("error");
    let failed: Vec<String> = list(&log["samples"])
        .filter(|sample| !sample["error"].is_null())
        .map(|sample| text(&sample["id"]))
        .collect();
    let rows = output.rows(0);
    let with_error: Vec<String> = rows
        .iter()
        .filter(|row| row["error"].is_string())
        .map(|row| text(&row["sample_id"]))
        .collect();
    assert_eq!(with_error, failed);
    assert!(!failed.is_empty());
}

#[test]
fn nothing_comes_of_a_log_without_scores() {
    let files = Files::default().with("log", fixture("truth/unscored.json"));

    let refusal = files.convert(Harness::Inspect, "log").unwrap_err();

    assert_eq!(refusal.slug(), "nothing-to-convert");
}

#[test]
fn an_archive_and_its_json_make_the_same_files() {
    for name in ["plain", "choices", "epochs_mean"] {
        let archive = converted(&format!("{name}.eval"));

        assert_eq!(archive.files, converted(&format!("{name}.json")).files);
    }
}

#[test]
fn a_running_log_and_one_that_was_scored_again_are_of_one_run_and_others_are_not() {
    let id = |name: &str| text(&converted(&format!("{name}.json")).record(0)["evaluation_id"]);

    assert_eq!(id("plain"), id("running"));
    assert_eq!(id("plain"), id("scored_again"));
    let mut all: Vec<String> = ["plain", "args", "limited", "effort", "limits", "version"]
        .map(id)
        .into();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 6);
}

#[test]
fn what_tells_runs_apart_is_their_setup() {
    for (name, key, value) in [
        ("args", "task_args", r#"{"difficulty":"hard"}"#),
        ("args", "tags", "nightly, v2"),
        ("limited", "limit", "2"),
        ("epochs_max", "attempts", "3"),
        ("epochs_max", "epochs_reducer", "max"),
        ("version", "harness_task_version", "2-B"),
        ("effort", "effort", "high"),
        ("limits", "message_limit", "7"),
    ] {
        let record = converted(&format!("{name}.json")).record(0);
        let details = &record["evaluation_results"][0]["generation_config"]["additional_details"];

        assert_eq!(details[key], value, "{name}");
        let keys = text(&details["setup_keys"]);
        assert!(keys.split(',').any(|own| own == key), "{name}: {keys}");
    }
}

#[test]
fn the_order_of_tags_is_no_setup() {
    let setup = |tags: &[&str]| {
        let mut log = log("args");
        log["eval"]["tags"] = tags.into();
        let files = Files::default().with("log", log.to_string());
        let record = files.convert(Harness::Inspect, "log").unwrap().record(0);
        record["evaluation_results"][0]["generation_config"]["additional_details"]["tags"].clone()
    };

    assert_eq!(setup(&["nightly", "v2"]), setup(&["v2", "nightly"]));
}

#[test]
fn what_a_person_says_wins_on_the_real_path() {
    let files = Files::default().with("log", fixture("truth/plain.json"));
    let options = Options {
        library_version: Some("9.9".to_owned()),
        model: Some("acme/model-x".to_owned()),
        ..Options::default()
    };

    let output = files
        .convert_with(Harness::Inspect, "log", &options)
        .unwrap();

    let record = output.record(0);
    assert_eq!(record["eval_library"]["version"], "9.9");
    assert_eq!(record["model_info"]["id"], "acme/model-x");
    assert_eq!(output.rows(0)[0]["model_id"], "acme/model-x");
    assert_eq!(output.errors(), Vec::<String>::new());
}

#[test]
fn a_supplement_adds_what_the_log_does_not_say_and_changes_nothing_that_it_says() {
    let files = Files::default().with("log", fixture("truth/plain.json"));
    let before = files.convert(Harness::Inspect, "log").unwrap().record(0);
    let supplement = r#"{
        "model_info": {"additional_details": {"parameters": 7000000000, "deployment_type": "not this"}},
        "source_data": {"additional_details": {"licence": "CC0"}},
        "agentic_eval_config": {"additional_details": {"scaffold": "none"}},
        "evaluation_results": [{
            "evaluation_result_id": "match:accuracy",
            "metric_config": {"lower_is_better": true, "evaluation_description": "Share of sums"},
            "score_details": {"details": {"note": "by hand"}}
        }]
    }"#;
    let options = Options {
        supplement: Some(supplement.parse().unwrap()),
        ..Options::default()
    };

    let output = files
        .convert_with(Harness::Inspect, "log", &options)
        .unwrap();

    let record = output.record(0);
    let model = &record["model_info"]["additional_details"];
    assert_eq!(model["parameters"], "7000000000");
    assert_eq!(
        model["deployment_type"],
        before["model_info"]["additional_details"]["deployment_type"]
    );
    let result = &record["evaluation_results"][0];
    assert_eq!(
        result["source_data"]["additional_details"]["licence"],
        "CC0"
    );
    assert_eq!(
        result["generation_config"]["additional_details"]["scaffold"],
        "none"
    );
    assert_eq!(result["metric_config"]["lower_is_better"], true);
    assert_eq!(
        result["metric_config"]["evaluation_description"],
        "Share of sums"
    );
    assert_eq!(result["score_details"]["details"]["note"], "by hand");
    assert_eq!(
        result["score_details"]["score"],
        before["evaluation_results"][0]["score_details"]["score"]
    );
    output.assert_sound();
}
