//! A report that the harness of SWE-bench itself wrote (`fixtures/make/swe_bench_runs.py`).

use assay_convert::convert::{Harness, detect};
use serde_json::Value;

use crate::kit::{Files, fixture};

const REPORT: &str = "acme__agent-1.0__model-x.nightly.json";

fn report() -> (Files, Value) {
    let bytes = fixture(&format!("swe_bench/{REPORT}"));
    let log = serde_json::from_slice(&bytes).unwrap();
    (Files::default().with(REPORT, bytes), log)
}

#[test]
fn the_score_is_solved_instances_of_all_and_each_instance_has_a_row() {
    let (files, log) = report();
    assert_eq!(detect(&files, REPORT), Some(Harness::SweBench));

    let output = files.convert(Harness::SweBench, REPORT).unwrap();

    output.assert_sound();
    let record = output.record(0);
    let result = &record["evaluation_results"][0];
    let count = |key: &str| log[key].as_f64().unwrap();
    let expected = count("resolved_instances") / count("total_instances");
    assert_eq!(result["score_details"]["score"], expected);
    assert_eq!(result["metric_config"]["metric_id"], "resolved_rate");
    assert_eq!(
        result["score_details"]["uncertainty"]["num_samples"],
        log["total_instances"]
    );
    let counts = &result["score_details"]["details"];
    for key in [
        "submitted_instances",
        "completed_instances",
        "empty_patch_instances",
    ] {
        assert_eq!(counts[key], log[key].to_string(), "{key}");
    }
    let rows = output.rows(0);
    let solved = |row: &&Value| row["evaluation"]["is_correct"] == true;
    let mut right: Vec<&Value> = rows
        .iter()
        .filter(solved)
        .map(|row| &row["sample_id"])
        .collect();
    right.sort_by_key(ToString::to_string);
    let said: Vec<&Value> = log["resolved_ids"].as_array().unwrap().iter().collect();
    assert_eq!(right, said);
    assert_eq!(rows.len(), 6);
}

#[test]
fn instances_without_a_verdict_have_an_error_and_the_run_is_incomplete() {
    let (files, log) = report();

    let output = files.convert(Harness::SweBench, REPORT).unwrap();

    let rows = output.rows(0);
    let failed: Vec<&Value> = rows
        .iter()
        .filter(|row| row["error"].is_string())
        .map(|row| &row["sample_id"])
        .collect();
    let mut expected: Vec<&Value> = log["error_ids"].as_array().unwrap().iter().collect();
    expected.extend(log["incomplete_ids"].as_array().unwrap());
    assert_eq!(failed, expected);
    let record = output.record(0);
    let details = &record["source_metadata"]["additional_details"];
    assert_eq!(details["run_status"], "incomplete: success");
    assert_eq!(details["samples_failed"], "2");
    assert_eq!(details["run_id"], "nightly");
}

#[test]
fn counts_that_cannot_be_are_refused() {
    for text in [
        r#"{"total_instances": 1, "submitted_instances": 1, "resolved_instances": 2}"#,
        r#"{"total_instances": 0, "submitted_instances": 0, "resolved_instances": 0}"#,
    ] {
        let files = Files::default().with("r.json", text);

        let refusal = files.convert(Harness::SweBench, "r.json").unwrap_err();

        assert_eq!(refusal.slug(), "damaged", "{text}");
    }
}
