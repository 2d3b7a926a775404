//! A job that Harbor itself ran (`fixtures/make/harbor_runs.py`): one task is solved, one is not,
//! one has an agent that breaks.

use assay_convert::convert::{Harness, detect_directory};
use serde_json::Value;

use crate::kit::{Files, Output, fixture_path};
use crate::truth_runs::below;

fn job() -> Files {
    let mut files = Files::default();
    for (path, bytes) in below(&fixture_path("harbor/job")) {
        files = files.with(&format!("job/{path}"), bytes);
    }
    files
}

fn document(files: &Files, path: &str) -> Value {
    serde_json::from_slice(&files.0[path]).unwrap()
}

fn converted(files: &Files) -> Output {
    let output = files.convert(Harness::Harbor, "job").unwrap();
    output.assert_sound();
    output
}

#[test]
fn scores_are_those_that_harbor_computed() {
    let files = job();
    let log = document(&files, "job/result.json");
    let stats = &log["stats"]["evals"]["scripted__model-x__toy-bench"];

    let output = converted(&files);

    assert_eq!(output.converted.len(), 1);
    let record = output.record(0);
    let result = &record["evaluation_results"][0];
    assert_eq!(
        result["score_details"]["score"],
        stats["metrics"][0]["mean"]
    );
    assert_eq!(result["metric_config"]["metric_name"], "mean");
    // Every reward is 0 or 1, which Harbor takes as failed and passed.
    assert_eq!(result["metric_config"]["metric_id"], "accuracy");
    assert_eq!(record["eval_library"]["version"], "0.24.0");
    assert_eq!(record["model_info"]["id"], "acme/model-x");
    assert_eq!(result["source_data"]["dataset_name"], "toy-bench");
    assert!(result["source_data"]["additional_details"]["tasks_digest"].is_string());
    let details = &record["source_metadata"]["additional_details"];
    assert_eq!(details["job_id"], log["id"]);
    assert_eq!(details["cost_usd"], log["stats"]["cost_usd"].to_string());
    let setup = &result["generation_config"]["additional_details"];
    assert_eq!(setup["agent"], "scripted");
    assert_eq!(setup["agent_version"], "1.2");
    assert_eq!(setup["setup_keys"], "agent,agent_version");
}

#[test]
fn a_job_that_lost_trials_is_incomplete_and_their_rows_have_the_error() {
    let output = converted(&job());

    let record = output.record(0);
    let details = &record["source_metadata"]["additional_details"];
    assert_eq!(details["run_status"], "incomplete: success");
    assert_eq!(details["samples_planned"], "3");
    assert_eq!(details["samples_failed"], "1");
    let rows = output.rows(0);
    let row = rows
        .iter()
        .find(|row| row["sample_id"] == "broken")
        .unwrap();
    assert_eq!(row["error"], "RuntimeError: the service was away");
    assert_eq!(row["evaluation"]["score"], 0.0);
    assert_eq!(row["evaluation"]["is_correct"], false);
}

#[test]
fn every_trial_is_a_row_with_the_steps_of_its_trajectory() {
    let files = job();
    let output = converted(&files);

    let rows = output.rows(0);
    assert_eq!(rows.len(), 3);
    for (task, reward) in [("hello", 1.0), ("sum", 0.0)] {
        let trial = document(&files, &format!("job/{task}__fixed/result.json"));
        let trajectory = document(&files, &format!("job/{task}__fixed/agent/trajectory.json"));
        let steps = trajectory["steps"].as_array().unwrap();
        let row = rows.iter().find(|row| row["sample_id"] == task).unwrap();
        assert_eq!(trial["verifier_result"]["rewards"]["reward"], reward);
        assert_eq!(row["evaluation"]["score"], reward);
        assert_eq!(row["evaluation"]["is_correct"], reward > 0.5);
        assert_eq!(row["interaction_type"], "agentic");
        assert_eq!(row["input"]["raw"], steps[0]["message"]);
        let messages = row["messages"].as_array().unwrap();
        // A step with an observation is two turns.
        assert_eq!(messages.len(), steps.len() + 1);
        let call = &messages[1]["tool_calls"][0];
        let made = &steps[1]["tool_calls"][0];
        assert_eq!(call["name"], made["function_name"]);
        assert_eq!(call["arguments"]["command"], made["arguments"]["command"]);
        assert_eq!(
            messages[1]["reasoning_trace"],
            steps[1]["reasoning_content"]
        );
        let seen = &steps[1]["observation"]["results"][0];
        assert_eq!(messages[2]["content"], seen["content"]);
        assert_eq!(
            row["answer_attribution"][0]["extracted_value"],
            steps[2]["message"]
        );
        let usage = &row["token_usage"];
        assert_eq!(
            usage["input_tokens"],
            trial["agent_result"]["n_input_tokens"]
        );
        assert_eq!(
            usage["output_tokens"],
            trial["agent_result"]["n_output_tokens"]
        );
        assert_eq!(
            usage["input_tokens_cache_read"],
            trial["agent_result"]["n_cache_tokens"]
        );
    }
}

#[test]
fn a_running_job_is_converted_with_the_mean_of_its_trials_and_says_so() {
    let mut files = job();
    let mut log = document(&files, "job/result.json");
    log["finished_at"] = Value::Null;
    log["n_total_trials"] = 5.into();
    log["stats"]["evals"] = serde_json::json!({});
    files = files.with("job/result.json", log.to_string());

    let output = converted(&files);

    let record = output.record(0);
    let result = &record["evaluation_results"][0];
    assert_eq!(
        result["score_details"]["details"]["computed_from"],
        "trials"
    );
    assert_eq!(result["score_details"]["score"], 1.0 / 3.0);
    let details = &record["source_metadata"]["additional_details"];
    assert_eq!(details["run_status"], "incomplete: started");
}

#[test]
fn a_trajectory_that_cannot_be_read_costs_its_row_the_dialogue_alone() {
    let files = job().with("job/hello__fixed/agent/trajectory.json", "{");

    let output = converted(&files);

    let rows = output.rows(0);
    assert_eq!(rows.len(), 3);
    let hello = rows.iter().find(|row| row["sample_id"] == "hello").unwrap();
    assert_eq!(hello["evaluation"]["score"], 1.0);
    assert!(hello["metadata"]["question"].is_string());
    let warnings = output.warnings().join("; ");
    assert!(
        warnings.contains("1x a trajectory that cannot be read"),
        "{warnings}"
    );
}

#[test]
fn a_trial_that_cannot_be_read_leaves_the_score_and_no_rows_that_contradict_it() {
    let whole = converted(&job());
    let files = job().with("job/sum__fixed/result.json", "[");

    let output = converted(&files);

    let score = |output: &Output| {
        output.record(0)["evaluation_results"][0]["score_details"]["score"].clone()
    };
    assert_eq!(score(&output), score(&whole));
    assert_eq!(output.rows(0), Vec::<Value>::new());
    let warnings = output.warnings().join("; ");
    assert!(
        warnings.contains("1x a trial whose result cannot be read"),
        "{warnings}"
    );
}

#[test]
fn a_trial_is_no_job() {
    let names = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    let job = names(&[
        "config.json",
        "job.log",
        "lock.json",
        "result.json",
        "hello__abc",
    ]);
    let trial = names(&[
        "agent",
        "config.json",
        "lock.json",
        "result.json",
        "trial.log",
    ]);
    let files = Files::default().with(
        "trial/result.json",
        r#"{"task_name": "t", "trial_name": "t__1"}"#,
    );

    assert_eq!(detect_directory(&job), Some(Harness::Harbor));
    assert_eq!(detect_directory(&trial), None);
    let refusal = files.convert(Harness::Harbor, "trial").unwrap_err();
    assert!(
        refusal
            .to_string()
            .contains("name the directory of the job"),
        "{refusal}"
    );
}
