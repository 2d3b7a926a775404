//! A run that verifiers itself made (`fixtures/make/verifiers_runs.py`): two attempts at each task,
//! one of which fails.

use assay_convert::convert::{Harness, detect_directory};
use serde_json::Value;

use crate::kit::{Files, Output, fixture_path};
use crate::truth_runs::below;

fn converted() -> (Output, Vec<Value>) {
    let mut files = Files::default();
    for (path, bytes) in below(&fixture_path("verifiers")) {
        files = files.with(&format!("run/{path}"), bytes);
    }
    let lines = std::str::from_utf8(&files.0["run/traces.jsonl"])
        .unwrap()
        .lines();
    let episodes = lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let output = files.convert(Harness::Verifiers, "run").unwrap();
    output.assert_sound();
    (output, episodes)
}

/// The rewards of the traces that did not fail.
fn rewards(episodes: &[Value], name: &str) -> Vec<f64> {
    let traces = episodes.iter().map(|episode| &episode["traces"][0]);
    let scored = traces.filter(|trace| trace["ok"] == true);
    scored
        .map(|trace| trace["rewards"][name]["score"].as_f64().unwrap())
        .collect()
}

#[test]
fn scores_are_the_means_over_the_traces_that_did_not_fail() {
    let (output, episodes) = converted();
    let record = output.record(0);
    let results = record["evaluation_results"].as_array().unwrap();
    let score = |id: &str| {
        let own = results.iter().find(|own| own["evaluation_result_id"] == id);
        own.unwrap()["score_details"]["score"].clone()
    };
    let (correct, exact) = (rewards(&episodes, "correct"), rewards(&episodes, "exact"));
    let mean = |scores: &[f64]| {
        scores.iter().sum::<f64>() / f64::from(u32::try_from(scores.len()).unwrap())
    };

    assert_eq!(correct.len(), 4);
    assert_eq!(score("rewards/correct"), mean(&correct));
    assert_eq!(score("rewards/exact"), mean(&exact));
    // The weights are 1 and a half.
    let whole: Vec<f64> = correct
        .iter()
        .zip(&exact)
        .map(|(a, b)| a + b * 0.5)
        .collect();
    assert_eq!(score("reward"), mean(&whole));
    assert_eq!(score("metrics/length"), 4.5);
    assert_eq!(record["eval_library"]["version"], "0.4.0");
    assert_eq!(record["model_info"]["id"], "acme/model-x");
    let setup = &results[0]["generation_config"]["additional_details"];
    assert_eq!(setup["temperature"], "0.7");
    assert_eq!(setup["attempts"], "2");
    let details = &record["source_metadata"]["additional_details"];
    assert_eq!(details["samples_failed"], "2");
    assert!(
        details["run_status"]
            .as_str()
            .unwrap()
            .starts_with("incomplete")
    );
}

#[test]
fn every_trace_is_a_row_of_every_score() {
    let (output, episodes) = converted();

    let rows = output.rows(0);
    for episode in &episodes {
        let trace = &episode["traces"][0];
        let data = &trace["task"]["data"];
        let own: Vec<&Value> = rows
            .iter()
            .filter(|row| row["sample_id"].as_str() == Some(&*format!("{}", data["idx"])))
            .collect();
        let is_failed = trace["ok"] == false;
        // Two attempts, each with the reward, its two parts, and a metric unless it failed.
        assert_eq!(own.len(), if is_failed { 6 } else { 8 });
        for row in own {
            assert_eq!(row["input"]["raw"], data["prompt"]);
            assert_eq!(row["input"]["reference"][0], data["answer"]);
            assert_eq!(row["error"].is_string(), is_failed);
            if !is_failed {
                let answer = &trace["nodes"][1]["message"]["content"];
                assert_eq!(&row["output"]["raw"][0], answer);
                let usage = &trace["calls"][0]["usage"];
                assert_eq!(row["token_usage"]["input_tokens"], usage["prompt_tokens"]);
            }
            if row["evaluation_result_id"] == "rewards/exact" {
                let exact = trace["rewards"]["exact"]["score"].as_f64();
                assert_eq!(row["evaluation"]["score"], exact.unwrap_or(0.0));
                assert_eq!(row["evaluation"]["is_correct"], exact == Some(1.0));
            }
        }
    }
}

#[test]
fn a_run_is_told_by_its_files() {
    let names = ["configs", "logs", "traces.jsonl"].map(str::to_owned);

    assert_eq!(detect_directory(&names), Some(Harness::Verifiers));
    assert_eq!(detect_directory(&names[2..]), None);
}
