//! Verdicts that EvalPlus itself gave (`fixtures/make/evalplus_runs.py`).

use assay_convert::convert::{Harness, detect};
use serde_json::Value;

use crate::kit::{Files, Output, fixture};

const RESULTS: &str = "humaneval/acme--model-x_vllm_temp_0.8_eval_results.json";

fn converted() -> (Output, Value) {
    let bytes = fixture(&format!("evalplus/{RESULTS}"));
    let log = serde_json::from_slice(&bytes).unwrap();
    let files = Files::default().with(RESULTS, bytes);
    assert_eq!(detect(&files, RESULTS), Some(Harness::EvalPlus));
    let output = files.convert(Harness::EvalPlus, RESULTS).unwrap();
    output.assert_sound();
    (output, log)
}

#[test]
fn scores_are_those_that_evalplus_prints() {
    let (output, _) = converted();

    let record = output.record(0);
    let results = record["evaluation_results"].as_array().unwrap();
    let own: Vec<(&str, f64)> = results
        .iter()
        .map(|result| {
            let id = result["evaluation_result_id"].as_str().unwrap();
            (id, result["score_details"]["score"].as_f64().unwrap())
        })
        .collect();
    // It printed 0.667 and 0.333.
    let [(base, with_base), (plus, with_plus)] = own.as_slice() else {
        panic!("{own:?}");
    };
    assert_eq!((*base, *plus), ("humaneval:pass@1", "humaneval+:pass@1"));
    assert!((with_base - 2.0 / 3.0).abs() < 1e-12 && (with_plus - 1.0 / 3.0).abs() < 1e-12);
    assert_eq!(results[0]["metric_config"]["metric_id"], "pass@k");
    assert_eq!(results[0]["metric_config"]["metric_parameters"]["k"], 1);
    assert_eq!(record["model_info"]["id"], "acme/model-x");
    let setup = &results[0]["generation_config"]["additional_details"];
    assert_eq!(setup["temperature"], "0.8");
    assert_eq!(setup["attempts"], "2");
}

#[test]
fn every_program_is_a_row_with_and_without_the_extra_tests() {
    let (output, log) = converted();

    let rows = output.rows(0);
    let mut expected = 0;
    for (task, programs) in log["eval"].as_object().unwrap() {
        for (index, program) in programs.as_array().unwrap().iter().enumerate() {
            let base = program["base_status"] == "pass";
            let plus = base && program["plus_status"] == "pass";
            for (id, passed) in [("humaneval:pass@1", base), ("humaneval+:pass@1", plus)] {
                let is_own = |row: &&Value| {
                    row["sample_id"] == task.as_str()
                        && row["evaluation_result_id"] == id
                        && row["metadata"]["epoch"].as_str() == Some(&*format!("{}", index + 1))
                };
                let row = rows.iter().find(is_own).unwrap();
                assert_eq!(row["evaluation"]["is_correct"], passed, "{task} {id}");
                assert_eq!(row["output"]["raw"][0], program["solution"]);
                expected += 1;
            }
        }
    }
    assert_eq!(rows.len(), expected);
}
