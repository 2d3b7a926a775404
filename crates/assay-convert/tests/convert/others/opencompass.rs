//! A run in the layout that OpenCompass publishes.

use assay_convert::convert::{Harness, detect_directory};
use serde_json::Value;

use crate::kit::{Files, fixture_path};
use crate::truth_runs::below;

const RUN: &str = "out/20260101_120000";

#[test]
fn each_dataset_of_each_model_is_a_record_with_its_scores_and_answers() {
    let mut files = Files::default();
    for (path, bytes) in below(&fixture_path("opencompass/20260101_120000")) {
        files = files.with(&format!("{RUN}/{path}"), bytes);
    }
    let log = |name: &str| -> Value {
        serde_json::from_slice(&files.0[&format!("{RUN}/results/model-x/{name}.json")]).unwrap()
    };
    let (sums, poems) = (log("sums"), log("poems"));

    let output = files.convert(Harness::OpenCompass, RUN).unwrap();

    output.assert_sound();
    let record = output.record(1);
    let result = &record["evaluation_results"][0];
    assert_eq!(result["score_details"]["score"], sums["accuracy"]);
    assert_eq!(result["metric_config"]["metric_unit"], "percentage");
    assert_eq!(result["metric_config"]["max_score"], 100.0);
    assert_eq!(record["model_info"]["id"], "unknown/model-x");
    // The name of the run is a time.
    assert_eq!(record["evaluation_timestamp"], "1767268800.0");
    for row in output.rows(1) {
        let detail = &sums["details"][row["sample_id"].as_str().unwrap()];
        assert_eq!(row["evaluation"]["is_correct"], detail["correct"]);
        assert_eq!(row["output"]["raw"][0], detail["predictions"]);
        assert_eq!(row["input"]["reference"][0], detail["references"]);
        let asked = detail["prompt"]
            .as_str()
            .or_else(|| detail["prompt"][0]["prompt"].as_str());
        assert_eq!(row["input"]["raw"].as_str(), asked);
    }
    assert_eq!(output.rows(1).len(), 3);
    let record = output.record(0);
    for result in record["evaluation_results"].as_array().unwrap() {
        let name = result["evaluation_result_id"].as_str().unwrap();
        assert_eq!(result["score_details"]["score"], poems[name]);
    }
    assert_eq!(output.rows(0).len(), 0);
}

#[test]
fn a_run_is_told_by_its_directories() {
    let names = ["configs", "logs", "predictions", "results", "summary"].map(str::to_owned);

    assert_eq!(detect_directory(&names), Some(Harness::OpenCompass));
    assert_eq!(detect_directory(&names[..3]), None);
}
