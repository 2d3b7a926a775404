//! Results in the layout that the BigCode harness publishes; it is not to be had from a registry of
//! packages.

use assay_convert::convert::{Harness, detect};
use serde_json::Value;

use crate::kit::{Files, fixture};

#[test]
fn each_task_is_a_record_with_its_scores_and_the_setup_of_the_run() {
    let bytes = fixture("bigcode/evaluation_results.json");
    let log: Value = serde_json::from_slice(&bytes).unwrap();
    let files = Files::default().with("evaluation_results.json", bytes);
    assert_eq!(
        detect(&files, "evaluation_results.json"),
        Some(Harness::BigCode)
    );

    let output = files
        .convert(Harness::BigCode, "evaluation_results.json")
        .unwrap();

    output.assert_sound();
    assert_eq!(output.converted.len(), 3);
    for (index, task) in ["humaneval", "mbpp", "conala"].into_iter().enumerate() {
        let record = output.record(index);
        let results = record["evaluation_results"].as_array().unwrap();
        assert_eq!(results.len(), log[task].as_object().unwrap().len());
        for result in results {
            assert_eq!(result["evaluation_name"], task);
            let name = result["evaluation_result_id"].as_str().unwrap();
            assert_eq!(
                result["score_details"]["score"], log[task][name],
                "{task} {name}"
            );
            let setup = &result["generation_config"]["additional_details"];
            assert_eq!(setup["temperature"], "0.2");
            assert_eq!(setup["attempts"], "20");
            assert_eq!(setup["precision"], "bf16");
        }
        assert_eq!(record["model_info"]["id"], "acme/model-x");
        assert!(!record.to_string().contains("someone"));
    }
    let passes = &output.record(0)["evaluation_results"][1]["metric_config"];
    assert_eq!(passes["metric_id"], "pass@k");
    assert_eq!(passes["metric_parameters"]["k"], 10);
}
