//! A file in the layout that simple-evals writes; it is not to be had from a registry of packages.

use assay_convert::convert::{Harness, detect};
use serde_json::Value;

use crate::kit::{Files, fixture};

#[test]
fn every_metric_of_the_file_is_a_result_with_its_deviation() {
    let name = "mgsm_model-x_high.json";
    let bytes = fixture(&format!("simple_evals/{name}"));
    let log: Value = serde_json::from_slice(&bytes).unwrap();
    let files = Files::default().with(name, bytes);
    assert_eq!(detect(&files, name), Some(Harness::SimpleEvals));

    let output = files.convert(Harness::SimpleEvals, name).unwrap();

    output.assert_sound();
    let record = output.record(0);
    let results = record["evaluation_results"].as_array().unwrap();
    assert_eq!(results.len(), 5);
    for result in results {
        let id = result["evaluation_result_id"].as_str().unwrap();
        assert_eq!(result["score_details"]["score"], log[id], "{id}");
        let deviation = &result["score_details"]["uncertainty"]["standard_deviation"];
        assert_eq!(deviation, &log[format!("{id}:std")], "{id}");
        assert_eq!(result["evaluation_name"], "mgsm");
    }
    assert_eq!(record["model_info"]["name"], "model-x_high");
}

#[test]
fn a_file_without_benchmark_and_model_in_its_name_says_so() {
    let files = Files::default().with("scores.json", r#"{"score": 1.0, "score:std": 0.0}"#);

    let refusal = files
        .convert(Harness::SimpleEvals, "scores.json")
        .unwrap_err();

    assert!(
        refusal.to_string().contains("BENCHMARK_MODEL.json"),
        "{refusal}"
    );
}
