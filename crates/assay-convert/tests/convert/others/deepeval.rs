//! A test run that DeepEval itself made (`fixtures/make/deepeval_runs.py`).

use assay_convert::convert::{Harness, detect};
use serde_json::Value;

use crate::kit::{Files, Output, fixture};

const RUN: &str = "test_run.json";

fn converted() -> (Output, Value) {
    let bytes = fixture("deepeval/test_run.json");
    let log = serde_json::from_slice(&bytes).unwrap();
    let files = Files::default().with(RUN, bytes);
    assert_eq!(detect(&files, RUN), Some(Harness::DeepEval));
    let output = files.convert(Harness::DeepEval, RUN).unwrap();
    output.assert_sound();
    (output, log)
}

#[test]
fn scores_are_the_means_and_pass_rates_of_what_deepeval_lists() {
    let (output, log) = converted();
    let record = output.record(0);
    let results = record["evaluation_results"].as_array().unwrap();
    let of = |id: &str| {
        results
            .iter()
            .find(|own| own["evaluation_result_id"] == id)
            .unwrap()
    };

    for listed in log["metricsScores"].as_array().unwrap() {
        let name = listed["metric"].as_str().unwrap();
        let scores: Vec<f64> = serde_json::from_value(listed["scores"].clone()).unwrap();
        let mean = scores.iter().sum::<f64>() / f64::from(u32::try_from(scores.len()).unwrap());
        let (passes, fails) = (
            listed["passes"].as_f64().unwrap(),
            listed["fails"].as_f64().unwrap(),
        );
        assert_eq!(of(name)["score_details"]["score"], mean, "{name}");
        let rate = &of(&format!("{name}:pass_rate"))["score_details"]["score"];
        assert_eq!(rate, passes / (passes + fails), "{name}");
    }
    let judged = &of("Brevity")["metric_config"];
    assert_eq!(
        judged["llm_scoring"]["judges"][0]["model_info"]["id"],
        "acme/judge"
    );
    assert_eq!(judged["additional_details"]["threshold"], "0.5");
    assert_eq!(
        of("Exact Match")["metric_config"]["llm_scoring"],
        Value::Null
    );
    assert_eq!(record["model_info"]["id"], "acme/model-x");
    assert_eq!(
        of("Brevity")["generation_config"]["additional_details"]["temperature"],
        "0.2"
    );
}

#[test]
fn each_case_has_a_row_of_each_metric_and_one_that_broke_has_the_error() {
    let (output, log) = converted();

    let rows = output.rows(0);
    assert_eq!(rows.len(), 12);
    for case in log["testCases"].as_array().unwrap() {
        for metric in case["metricsData"].as_array().unwrap() {
            let is_own = |row: &&Value| {
                row["sample_id"] == case["name"] && row["evaluation_result_id"] == metric["name"]
            };
            let row = rows.iter().find(is_own).unwrap();
            let score = metric["score"].as_f64();
            assert_eq!(row["evaluation"]["score"], score.unwrap_or(0.0));
            assert_eq!(row["evaluation"]["is_correct"], metric["success"]);
            assert_eq!(row["error"], metric["error"]);
            assert_eq!(row["input"]["raw"], case["input"]);
            assert_eq!(row["input"]["reference"][0], case["expectedOutput"]);
            assert_eq!(row["output"]["raw"][0], case["actualOutput"]);
        }
    }
    let record = output.record(0);
    let details = &record["source_metadata"]["additional_details"];
    assert_eq!(details["run_status"], "incomplete: success");
    assert_eq!(details["samples_failed"], "1");
}
