//! Results that promptfoo itself wrote (`fixtures/make/promptfoo_runs.mjs`).

use assay_convert::convert::{Harness, detect};
use serde_json::Value;

use crate::kit::{Files, Output, fixture};

fn converted() -> (Output, Value) {
    let bytes = fixture("promptfoo/results.json");
    let log = serde_json::from_slice(&bytes).unwrap();
    let files = Files::default().with("results.json", bytes);
    assert_eq!(detect(&files, "results.json"), Some(Harness::Promptfoo));
    let output = files.convert(Harness::Promptfoo, "results.json").unwrap();
    output.assert_sound();
    (output, log)
}

#[test]
fn each_provider_has_the_counts_and_scores_of_promptfoo() {
    let (output, log) = converted();
    let prompts = log["results"]["prompts"].as_array().unwrap();

    assert_eq!(output.converted.len(), prompts.len());
    for (index, prompt) in prompts.iter().enumerate() {
        let record = output.record(index);
        let metrics = &prompt["metrics"];
        let number = |key: &str| metrics[key].as_f64().unwrap();
        let all = number("testPassCount") + number("testFailCount") + number("testErrorCount");
        let score = |id: &str| {
            let results = record["evaluation_results"].as_array().unwrap();
            let own = results.iter().find(|own| own["evaluation_result_id"] == id);
            own.unwrap()["score_details"]["score"].clone()
        };
        assert_eq!(score("pass_rate"), number("testPassCount") / all);
        assert_eq!(score("score"), number("score") / all);
        assert_eq!(
            score("brevity"),
            metrics["namedScores"]["brevity"].as_f64().unwrap()
        );
        assert_eq!(
            record["eval_library"]["version"],
            log["metadata"]["promptfooVersion"]
        );
        let name = prompt["provider"].as_str().unwrap();
        assert_eq!(record["model_info"]["name"], name);
        assert_eq!(record["model_info"]["id"], name.replace(':', "/"));
        let details = &record["source_metadata"]["additional_details"];
        assert_eq!(details["cost_usd"], metrics["cost"].to_string());
        let broke = number("testErrorCount") > 0.0;
        assert_eq!(details["run_status"] != "success", broke);
    }
}

#[test]
fn each_test_is_a_row_of_each_score_with_its_question_and_answer() {
    let (output, log) = converted();
    let results = log["results"]["results"].as_array().unwrap();
    for index in 0..2 {
        for row in output.rows(index) {
            let is_own = |own: &&Value| {
                own["promptIdx"] == index
                    && row["sample_id"].as_str() == Some(&*format!("{}", own["testIdx"]))
            };
            let own = results.iter().find(is_own).unwrap();
            assert_eq!(row["input"]["raw"], own["vars"]["question"]);
            assert_eq!(row["input"]["formatted"], own["prompt"]["raw"]);
            let expected = match row["evaluation_result_id"].as_str().unwrap() {
                "pass_rate" => f64::from(u8::from(own["success"] == true)),
                "score" => own["score"].as_f64().unwrap(),
                name => own["namedScores"][name].as_f64().unwrap(),
            };
            assert_eq!(row["evaluation"]["score"], expected);
            let broke = own["failureReason"] == 2;
            assert_eq!(row["error"].is_string(), broke);
            if !broke {
                assert_eq!(row["output"]["raw"][0], own["response"]["output"]);
                assert_eq!(
                    row["metadata"]["explanation"],
                    own["gradingResult"]["reason"]
                );
            }
        }
    }
    // Two tests, each with a pass and a score, and one of them with a named score.
    assert_eq!(output.rows(0).len(), 5);
}

#[test]
fn results_without_counts_say_how_to_export_them() {
    let files = Files::default().with(
        "r.json",
        r#"{"evalId": "x", "results": {"prompts": [], "results": []}}"#,
    );

    let refusal = files.convert(Harness::Promptfoo, "r.json").unwrap_err();

    assert_eq!(refusal.slug(), "nothing-to-convert");
    assert!(
        refusal
            .to_string()
            .contains("promptfoo eval -o results.json")
    );
}
