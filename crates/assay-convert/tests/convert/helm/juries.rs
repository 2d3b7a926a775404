//! A run whose answers a jury scored (`fixtures/make/helm_truth.py`).

use assay_convert::convert::Harness;
use serde_json::{Value, json};

use crate::truth_runs::converted;

#[test]
fn a_jury_is_named_with_the_metric_that_it_decides_and_no_other() {
    let (files, output) = converted(Harness::Helm, "jury");
    let record = output.record(0);
    let results = record["evaluation_results"].as_array().unwrap();
    let scoring = |id: &str| {
        let own = results.iter().find(|own| own["evaluation_result_id"] == id);
        own.unwrap()["metric_config"]["llm_scoring"].clone()
    };

    let jury = scoring("sums_jury:test");

    let names: Vec<&Value> = jury["judges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|judge| &judge["model_info"]["id"])
        .collect();
    let spec: Value = serde_json::from_slice(&files.0["run/run_spec.json"]).unwrap();
    let said = spec["metric_specs"].as_array().unwrap().last().unwrap();
    let said = said["args"]["annotator_models"].as_object().unwrap();
    let said: Vec<&Value> = said.values().map(|judge| &judge["model_name"]).collect();
    assert_eq!(names, said);
    assert_eq!(jury["aggregation_method"], "average");
    assert_eq!(
        jury["additional_details"]["judge_is_evaluated_model"],
        "true"
    );
    let state: Value = serde_json::from_slice(&files.0["run/scenario_state.json"]).unwrap();
    let first = &state["request_states"][0];
    let asked = &first["annotations"]["sums"]["prompt_text"];
    assert_eq!(&jury["input_prompt"], asked);
    let sample = &jury["additional_details"]["input_prompt_of_sample"];
    assert_eq!(sample, &first["instance"]["id"]);
    assert_eq!(scoring("exact_match:test"), Value::Null);
    let details = &results[0]["generation_config"]["additional_details"];
    assert_eq!(details["judge"], "acme/judge-b, simple/model1");
}

#[test]
fn what_a_jury_said_of_an_answer_is_in_its_row() {
    let (_, output) = converted(Harness::Helm, "jury");

    for row in output.rows(0) {
        let said = row["metadata"]["annotations"].as_str().unwrap();
        let said: Value = serde_json::from_str(said).unwrap();
        assert_eq!(said["sums"]["judge-b"]["accuracy"]["score"], json!(2));
        if row["evaluation_result_id"] == "sums_jury:test" {
            assert_eq!(row["evaluation"]["score"], 3.5);
        }
    }
}
