//! Logs in which several models took part (`fixtures/make/inspect_sets.py`): judges, juries,
//! helpers and eval sets.

use std::collections::BTreeSet;

use assay_convert::convert::Harness;
use serde_json::{Value, json};

use crate::kit::Files;
use crate::truth::{converted, list, log, text};

fn record(name: &str) -> Value {
    converted(&format!("{name}.json")).record(0)
}

/// Returns the judges of one result in the record of a log.
fn judged(name: &str, result: usize) -> Value {
    record(name)["evaluation_results"][result]["metric_config"]["llm_scoring"].clone()
}

/// The first thing that the judge of a scorer was asked in a log.
fn asked(name: &str, scorer: &str) -> Value {
    log(name)["samples"][0]["scores"][scorer]["metadata"]["grading"][0]["content"].clone()
}

const QA: &str = "model_graded_qa";
const FACT: &str = "model_graded_fact";
const TEMPLATE: &str = "Question: {question}\nAnswer: {answer}\nRight: {criterion}\n{instructions}";

#[test]
fn judges_are_named_and_the_evaluated_model_is_one_of_them_where_it_judged() {
    for (name, result, judges, is_itself) in [
        ("judge_self", 0, &["model"][..], true),
        ("judge_self_prompted", 0, &["model"], true),
        ("judge_self_role", 0, &["model"], true),
        ("judge_grader", 0, &["judge-a"], false),
        ("judge_two", 0, &["judge-a"], false),
        ("judge_two", 1, &["judge-b"], false),
        ("jury", 0, &["judge-a", "judge-b", "judge-c"], false),
        ("jury_mode", 0, &["judge-a", "judge-b", "judge-c"], false),
        ("jury_role", 0, &["judge-a", "judge-b", "judge-c"], false),
        ("jury_with_self", 0, &["model", "judge-a", "judge-b"], true),
        ("jury_of_scorers", 0, &["judge-a", "judge-b"], false),
    ] {
        let scoring = judged(name, result);

        let named: Vec<String> = list(&scoring["judges"])
            .map(|judge| text(&judge["model_info"]["name"]))
            .collect();
        let expected: Vec<String> = judges.iter().map(|own| format!("mockllm/{own}")).collect();
        assert_eq!(named, expected, "{name}");
        let flag = &scoring["additional_details"]["judge_is_evaluated_model"];
        assert_eq!(*flag == "true", is_itself, "{name}");
    }
}

#[test]
fn a_jury_says_how_its_judgements_became_one_and_a_single_judge_does_not() {
    for (name, method, reducer) in [
        ("judge_self", Value::Null, Value::Null),
        ("judge_two", Value::Null, Value::Null),
        ("jury", json!("majority_vote"), Value::Null),
        ("jury_mode", json!("majority_vote"), json!("mode")),
        ("jury_role", json!("majority_vote"), Value::Null),
        ("jury_with_self", json!("majority_vote"), Value::Null),
        ("jury_of_scorers", json!("average"), json!("mean")),
    ] {
        let scoring = judged(name, 0);

        assert_eq!(scoring["aggregation_method"], method, "{name}");
        assert_eq!(scoring["additional_details"]["reducer"], reducer, "{name}");
    }
}

#[test]
fn the_prompt_is_the_template_of_the_log_or_what_it_shows_of_one_sample() {
    for name in ["judge_self_prompted", "jury_with_self"] {
        let scoring = judged(name, 0);

        assert_eq!(scoring["input_prompt"], TEMPLATE, "{name}");
        let instructions = text(&scoring["additional_details"]["instructions"]);
        assert!(instructions.starts_with("Say GRADE: C"), "{name}");
    }
    for (name, result, scorer) in [
        ("judge_self", 0, QA),
        ("judge_self_role", 0, QA),
        ("judge_grader", 0, FACT),
        ("judge_two", 0, QA),
        ("judge_two", 1, FACT),
        ("jury", 0, QA),
        ("jury_of_scorers", 0, "multi_scorer"),
    ] {
        let scoring = judged(name, result);

        assert_eq!(scoring["input_prompt"], asked(name, scorer), "{name}");
        let sample = &scoring["additional_details"]["input_prompt_of_sample"];
        assert_eq!(sample, "1", "{name}");
    }
}

#[test]
fn a_log_without_results_still_names_its_judge() {
    let mut log = log("judge_grader");
    log["status"] = "started".into();
    log.as_object_mut().unwrap().remove("results");
    let files = Files::default().with("log", log.to_string());

    let output = files.convert(Harness::Inspect, "log").unwrap();

    let record = output.record(0);
    let scoring = &record["evaluation_results"][0]["metric_config"]["llm_scoring"];
    let judge = &scoring["judges"][0]["model_info"]["name"];
    assert_eq!(judge, "mockllm/judge-a");
    let usage = &output.rows(0)[0]["token_usage"];
    assert_eq!(usage["total_tokens"], 15);
}

#[test]
fn tokens_that_nothing_tells_apart_are_left_out() {
    let mut log = log("judge_self");
    for sample in log["samples"].as_array_mut().unwrap() {
        sample.as_object_mut().unwrap().remove("events");
    }
    let files = Files::default().with("log", log.to_string());

    let output = files.convert(Harness::Inspect, "log").unwrap();

    assert_eq!(output.rows(0)[0]["token_usage"], Value::Null);
}

#[test]
fn a_helper_is_part_of_the_setup() {
    let record = record("helper");

    let details = &record["evaluation_results"][0]["generation_config"]["additional_details"];
    assert_eq!(details["model_roles"], "helper=mockllm/helper");
    let keys = text(&details["setup_keys"]);
    assert!(keys.split(',').any(|key| key == "model_roles"), "{keys}");
    assert_eq!(record["model_info"]["name"], "mockllm/model");
}

#[test]
fn each_log_of_a_run_of_several_models_is_of_its_own_model() {
    let records = ["models_model-a", "models_model-b"].map(record);

    for (record, model) in records.iter().zip(["mockllm/model-a", "mockllm/model-b"]) {
        assert_eq!(record["model_info"]["name"], model);
    }
    let ids = records.map(|record| text(&record["evaluation_id"]));
    assert_ne!(ids[0], ids[1]);
}

#[test]
fn the_logs_of_an_eval_set_are_runs_of_their_own_and_name_their_set() {
    let mut ids = BTreeSet::new();
    let mut sets = BTreeSet::new();
    for task in ["sums", "doubles"] {
        for model in ["model-a", "model-b"] {
            let name = format!("set_{task}_{model}");
            let record = record(&name);

            assert_eq!(record["model_info"]["name"], format!("mockllm/{model}"));
            assert_eq!(record["evaluation_results"][0]["evaluation_name"], task);
            let details = &record["source_metadata"]["additional_details"];
            assert_eq!(details["eval_set_id"], log(&name)["eval"]["eval_set_id"]);
            sets.insert(text(&details["eval_set_id"]));
            ids.insert(text(&record["evaluation_id"]));
        }
    }
    assert_eq!((ids.len(), sets.len()), (4, 1));
}

#[test]
fn what_an_eval_set_retried_is_another_run_and_only_that_one_is_complete() {
    let (first, second) = (
        record("retry_unsteady_model-a"),
        record("retry_unsteady_model-a_2"),
    );

    let details =
        |record: &Value, key: &str| text(&record["source_metadata"]["additional_details"][key]);
    assert_eq!(details(&first, "run_status"), "incomplete: error");
    assert_eq!(details(&second, "run_status"), "success");
    assert_eq!(details(&first, "samples_failed"), "1");
    assert_eq!(details(&second, "samples_failed"), "0");
    assert_eq!(details(&first, "task_id"), details(&second, "task_id"));
    assert_eq!(
        details(&first, "eval_set_id"),
        details(&second, "eval_set_id")
    );
    assert_ne!(first["evaluation_id"], second["evaluation_id"]);
}
