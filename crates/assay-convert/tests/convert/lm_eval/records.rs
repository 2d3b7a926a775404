//! Tests of records.

use assay_convert::convert::Options;
use serde_json::{Value, json};

use super::support::{
    RESULTS, choice_row, converted, converted_log, in_memory, in_memory_log, results, run,
};

fn record_of(results: &Value, task: &str) -> Value {
    converted_log(results, "none", &[]).record(task)
}

#[test]
fn a_task_becomes_a_record() {
    let scores = json!({"alias": "arc", "acc,none": 0.5, "acc_stderr,none": 0.25});

    let record = record_of(&results("arc", &scores), "arc");

    assert_eq!(
        record["evaluation_id"],
        "arc/acme/model-x/1794767645-cd532b6e"
    );
    assert_eq!(record["evaluation_timestamp"], "1794767645");
    assert_eq!(record["retrieved_timestamp"], "1794767687");
    assert_eq!(
        record["eval_library"],
        json!({"name": "lm_eval", "version": "0.4.13"})
    );
    assert_eq!(record["model_info"]["id"], "acme/model-x");
    assert_eq!(record["model_info"]["developer"], "acme");
    assert_eq!(
        record["model_info"]["inference_engine"],
        json!({"name": "transformers", "version": "4.57.6"})
    );
    assert_eq!(
        record["model_info"]["additional_details"]["model_args"],
        r#"{"pretrained": "acme/model-x", "dtype": "float16"}"#
    );
    let result = &record["evaluation_results"][0];
    assert_eq!(result["evaluation_result_id"], "acc");
    assert_eq!(
        result["source_data"],
        json!({
            "source_type": "hf_dataset", "dataset_name": "arc", "hf_repo": "acme/data", "hf_split": "test",
            "additional_details": {"dataset_config": "main", "task_version": "1.0"}
        })
    );
    assert_eq!(
        result["score_details"]["uncertainty"],
        json!({"standard_error": {"value": 0.25, "method": "analytic"}, "num_samples": 2})
    );
    assert_eq!(
        result["generation_config"],
        json!({"additional_details": {
            "num_fewshot": "2", "harness_task_version": "1.0", "shots": "2", "setup_keys": "harness_task_version,shots"
        }})
    );
}

#[test]
fn a_person_can_say_what_the_log_cannot() {
    let scores = json!({"acc,none": 0.5});
    let mut log = results("arc", &scores);
    log["config"]["model"] = json!("local-completions");
    log.as_object_mut().unwrap().remove("lm_eval_version");
    let options = Options {
        organization: "Acme".to_owned(),
        library_version: Some("0.4.1".to_owned()),
        inference_engine: Some("vllm".to_owned()),
        inference_engine_version: Some("0.9".to_owned()),
        retrieved_timestamp: Some("1800000000".to_owned()),
        ..Options::default()
    };

    let outcome = run(&in_memory_log(&log, "none", &[]), RESULTS, &options).unwrap();

    let record = outcome.record("arc");
    assert_eq!(
        record["source_metadata"]["source_organization_name"],
        "Acme"
    );
    assert_eq!(record["eval_library"]["version"], "0.4.1");
    assert_eq!(
        record["model_info"]["inference_engine"],
        json!({"name": "vllm", "version": "0.9"})
    );
    assert_eq!(record["retrieved_timestamp"], "1800000000");
}

#[test]
fn the_standard_error_says_how_the_harness_computes_it() {
    let scores = json!({
        "f1,none": 0.5, "f1_stderr,none": 0.1,
        "bleu,none": 20.0, "bleu_stderr,none": 1.0,
        "own,none": 0.5, "own_stderr,none": 0.1,
        "acc,none": 0.5, "acc_stderr,none": "N/A"
    });
    let mut log = results("t", &scores);
    log["configs"]["t"]["metric_list"] =
        json!([{"metric": "own", "aggregation": "!function own.mean"}]);

    let record = record_of(&log, "t");

    let uncertainty = |position: usize| {
        record["evaluation_results"][position]["score_details"]["uncertainty"].clone()
    };
    assert_eq!(
        uncertainty(0),
        json!({
            "standard_error": {"value": 0.1, "method": "bootstrap"},
            "num_samples": 2, "num_bootstrap_samples": 1000
        })
    );
    assert_eq!(uncertainty(1)["num_bootstrap_samples"], 100);
    assert_eq!(
        uncertainty(2),
        json!({"standard_error": {"value": 0.1}, "num_samples": 2})
    );
    assert_eq!(uncertainty(3), json!({"num_samples": 2}));
}

#[test]
fn bounds_and_direction_are_known_or_said_to_be_unknown() {
    let scores = json!({"acc,none": 0.5, "rouge1,none": 34.5, "own,none": 3.0, "word_perplexity,none": 12.0, "loss,none": 1.0});
    let mut log = results("t", &scores);
    log["higher_is_better"] = json!({"t": {"acc": true, "own": null, "loss": false}});

    let record = record_of(&log, "t");

    let metric = |position: usize| record["evaluation_results"][position]["metric_config"].clone();
    assert_eq!(
        (&metric(0)["min_score"], &metric(0)["max_score"]),
        (&json!(0.0), &json!(1.0))
    );
    for position in [1, 2, 4] {
        assert_eq!(
            metric(position)["additional_details"]["bounds_status"],
            "unknown"
        );
        assert_eq!(metric(position).get("score_type"), None);
        assert_eq!(metric(position).get("max_score"), None);
    }
    assert_eq!(metric(2)["metric_id"], "lm_eval.own");
    assert_eq!(metric(2)["additional_details"]["polarity"], "assumed");
    assert_eq!(metric(3)["lower_is_better"], true);
    assert_eq!(metric(3)["max_score"], "Infinity");
    assert_eq!(metric(4)["lower_is_better"], true);
    assert_eq!(
        record["source_metadata"]["additional_details"]["metrics_with_unknown_bounds"],
        "3"
    );
}

#[test]
fn several_filters_are_told_apart_by_the_ids_of_their_results() {
    let scores = json!({"exact_match,strict-match": 0.25, "exact_match,flexible-extract": 0.5});

    let record = record_of(&results("gsm", &scores), "gsm");

    let results = record["evaluation_results"].as_array().unwrap();
    let ids: Vec<&Value> = results
        .iter()
        .map(|result| &result["evaluation_result_id"])
        .collect();
    assert_eq!(
        ids,
        ["exact_match,strict-match", "exact_match,flexible-extract"]
    );
    assert!(
        results
            .iter()
            .all(|result| result["evaluation_name"] == "gsm")
    );
    assert_eq!(
        results[0]["metric_config"]["evaluation_description"],
        "exact_match (filter: strict-match)"
    );
}

#[test]
fn a_score_that_is_no_number_is_left_out_and_mentioned() {
    let text = results("t", &json!({"acc,none": 0.5, "own,none": "N/A"})).to_string();
    let text = text.replace(
        "\"own,none\":\"N/A\"",
        "\"own,none\":\"N/A\",\"mcc,none\":NaN",
    );

    let outcome = converted(&in_memory(&[(RESULTS, &text)]), RESULTS);

    assert_eq!(outcome.converted[0].results, 1);
    assert_eq!(
        outcome.warnings(),
        [
            "the score of `own` is not a number, so it has no result × 1",
            "the score of `mcc` is not a number, so it has no result × 1"
        ]
    );
}

#[test]
fn a_group_is_marked_and_has_no_samples_of_its_own() {
    let mut log = results(
        "mmlu_law",
        &json!({"acc,none": 0.5, "acc_stderr,none": 0.1}),
    );
    log["results"]["mmlu"] = json!({"alias": "mmlu", "acc,none": 0.5, "acc_stderr,none": 0.1});
    log["results"]["mmlu::stem"] = json!({"alias": " - stem", " ": " "});
    log["groups"] = json!({"mmlu": log["results"]["mmlu"]});
    log["group_subtasks"] = json!({"mmlu": ["mmlu::stem", "mmlu_law"], "mmlu::stem": ["mmlu_law"]});
    let logs = in_memory_log(
        &log,
        "mmlu_law",
        &[choice_row(0, &json!(1.0)), choice_row(1, &json!(0.0))],
    );

    let outcome = converted(&logs, RESULTS);

    assert_eq!(outcome.converted.len(), 2);
    assert_eq!(outcome.rows("mmlu_law").len(), 2);
    assert_eq!(outcome.rows("mmlu").len(), 0);
    let result = outcome.record("mmlu")["evaluation_results"][0].clone();
    assert_eq!(
        result["source_data"]["additional_details"],
        json!({"level": "group", "subtasks": "[\"mmlu::stem\", \"mmlu_law\"]"})
    );
    assert_eq!(result["source_data"]["hf_repo"], "acme/data");
    assert_eq!(
        result["score_details"]["uncertainty"],
        json!({"standard_error": {"value": 0.1, "method": "pooled"}, "num_samples": 2})
    );
}

#[test]
fn a_model_of_a_service_has_no_developer_unless_its_name_says_so() {
    let mut log = results("t", &json!({"acc,none": 0.5}));
    log["config"]["model"] = json!("openai-chat-completions");
    log["config"]["model_args"] = json!("model=gpt-4o,api_key=sk-1");

    let outcome = converted_log(&log, "none", &[]);

    let model = outcome.record("t")["model_info"].clone();
    assert_eq!(model["id"], "gpt-4o");
    assert_eq!(model.get("developer"), None);
    assert_eq!(model["inference_platform"], "openai");
    assert_eq!(
        model["additional_details"]["model_args"],
        "model=gpt-4o,api_key=[redacted]"
    );
    assert_eq!(
        outcome.converted[0].identity.directory,
        "data/t/unknown/gpt-4o"
    );
}

#[test]
fn a_model_from_a_path_is_named_by_the_last_part_alone() {
    let mut log = results("t", &json!({"acc,none": 0.5}));
    log["config"]["model_args"] = json!("pretrained=/home/someone/runs/llama-ft/,dtype=auto");

    let outcome = converted_log(&log, "none", &[]);

    assert_eq!(outcome.record("t")["model_info"]["id"], "llama-ft");
    assert_eq!(
        outcome.converted[0].identity.directory,
        "data/t/unknown/llama-ft"
    );
    let text = outcome.record("t").to_string();
    assert!(!text.contains("someone"), "{text}");
}

#[test]
fn a_log_without_a_time_says_so_and_has_time_zero() {
    let mut log = results("t", &json!({"acc,none": 0.5}));
    log.as_object_mut().unwrap().remove("date");

    let outcome = converted_log(&log, "none", &[]);

    assert_eq!(outcome.record("t")["retrieved_timestamp"], "0");
    assert_eq!(outcome.record("t").get("evaluation_timestamp"), None);
    assert_eq!(
        outcome.warnings(),
        ["the log does not say when it was made × 1"]
    );
}

#[test]
fn a_task_that_lost_its_scores_is_mentioned() {
    let mut log = results("t", &json!({"acc,none": 0.5}));
    log["results"]["lost"] = json!({"alias": "lost", "acc,none": "N/A"});

    let outcome = converted_log(&log, "none", &[]);

    assert_eq!(
        outcome.warnings(),
        ["task `lost` has no score that is a number × 1"]
    );
}

#[test]
fn generation_arguments_stand_in_their_fields_and_the_rest_in_details() {
    let mut log = results("t", &json!({"exact_match,none": 0.5}));
    log["configs"]["t"]["generation_kwargs"] = json!({
        "until": ["Q:", "\n"], "temperature": 0.7, "top_p": 0.95, "top_k": null, "max_gen_toks": 64, "do_sample": true
    });
    log["system_instruction"] = json!("Be brief.");

    let config = record_of(&log, "t")["evaluation_results"][0]["generation_config"].clone();

    assert_eq!(
        config,
        json!({
            "generation_args": {"temperature": 0.7, "top_p": 0.95, "max_tokens": 64},
            "additional_details": {
                "do_sample": "true", "num_fewshot": "2", "system_instruction": "Be brief.", "top_k": "null",
                "harness_task_version": "1.0", "shots": "2", "setup_keys": "harness_task_version,shots",
                "until": "[\"Q:\", \"\\n\"]"
            }
        })
    );
}
