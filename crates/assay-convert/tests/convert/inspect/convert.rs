use assay_convert::convert::{Options, Refusal};
use serde_json::json;

use super::support::{convert_bytes, fixture, fixture_bytes, jobs};

#[test]
fn a_single_turn_keeps_what_the_model_said_and_what_the_scorer_took_from_it() {
    let outcome = fixture("mcq.eval");

    assert_eq!(outcome.results(), [("choice:accuracy", 2.0 / 3.0)]);
    let scores = outcome.scores_of("choice:accuracy");
    let order: Vec<&str> = scores.iter().map(|(id, _, _)| id.as_str()).collect();
    assert_eq!(
        order,
        ["1", "2", "10"],
        "ids that are numbers are ordered as numbers"
    );
    let row = outcome
        .rows
        .iter()
        .find(|row| row["sample_id"] == "10")
        .unwrap();
    assert_eq!(row["interaction_type"], "single_turn");
    assert_eq!(row["output"]["raw"], json!(["ANSWER: A"]));
    assert_eq!(row["answer_attribution"][0]["extracted_value"], "A");
    assert_eq!(row["evaluation"]["is_correct"], false);
    assert_eq!(row["input"]["choices"], json!(["3", "4"]));
    assert_eq!(row["token_usage"]["total_tokens"], 160);
    let record = &outcome.record;
    assert_eq!(record["model_info"]["id"], "mockllm/model");
    assert_eq!(
        record["model_info"]["additional_details"]["served_model"],
        "model-2026-01-01"
    );
    let result = &record["evaluation_results"][0];
    assert_eq!(result["source_data"]["hf_repo"], "acme/toy_mcq");
    assert_eq!(result["score_details"]["uncertainty"]["num_samples"], 3);
    let arguments = &result["generation_config"]["generation_args"];
    assert_eq!(arguments["temperature"], 0.5);
    assert_eq!(arguments["max_tokens"], 64);
}

#[test]
fn an_agent_keeps_its_turns_and_the_tokens_of_all_of_them() {
    let outcome = fixture("agentic.eval");

    let row = &outcome.rows[0];
    assert_eq!(row["interaction_type"], "agentic");
    assert_eq!(row["sample_id"], "a,1");
    assert_eq!(outcome.rows[1]["sample_id"], "a/2 ü");
    let calls: Vec<&str> = row["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|message| message["tool_calls"][0]["name"].as_str())
        .collect();
    assert_eq!(calls[0], "add");
    let turn = row["messages"]
        .as_array()
        .unwrap()
        .iter()
        .find(|message| message["role"] == "tool")
        .unwrap();
    assert_eq!(turn["content"], "42");
    assert_eq!(row["token_usage"]["total_tokens"], 110 + 111);
    let arguments =
        &outcome.record["evaluation_results"][0]["generation_config"]["generation_args"];
    assert_eq!(
        arguments["agentic_eval_config"]["available_tools"][0]["name"],
        "add"
    );
    assert_eq!(arguments["eval_limits"]["message_limit"], 20);
}

#[test]
fn a_sample_in_chunks_is_the_sample_in_one_piece() {
    let whole = fixture("agentic.eval");

    let chunked = fixture("chunked.eval");

    assert_eq!(chunked.files, whole.files);
}

#[test]
fn both_forms_of_a_log_make_the_same_record_whatever_they_are_called() {
    for name in ["mcq", "agentic", "scorers", "epochs"] {
        let archive = fixture(&format!("{name}.eval"));

        let json = fixture(&format!("{name}.json"));

        assert_eq!(json.files, archive.files, "{name}");
    }
}

#[test]
fn each_key_of_a_map_is_a_result_and_a_score_that_is_no_number_has_no_row() {
    let outcome = fixture("scorers.eval");

    let ids: Vec<&str> = outcome.results().iter().map(|(id, _)| *id).collect();
    assert_eq!(
        ids,
        [
            "marks/exact:mean",
            "marks/style:mean",
            "sometimes:mean",
            "includes:accuracy"
        ]
    );
    let scores =
        |id: &str| -> Vec<f64> { outcome.scores_of(id).iter().map(|score| score.2).collect() };
    assert_eq!(scores("marks/exact:mean"), [1.0, 0.25, 1.0]);
    assert_eq!(scores("marks/style:mean"), [3.5, 3.5, 3.5]);
    assert_eq!(
        scores("sometimes:mean"),
        [0.5, 0.5],
        "one sample has no score, the others half"
    );
    assert_eq!(
        outcome.warnings(),
        ["1 × a sample has no finite score for `sometimes:mean`, so it has no row there"]
    );
    let result = &outcome.record["evaluation_results"][2];
    assert_eq!(
        result["score_details"]["uncertainty"]["standard_deviation"],
        0.0
    );
    assert_eq!(
        result["metric_config"]["additional_details"]["bounds_status"],
        "unknown"
    );
    assert!(result["metric_config"].get("min_score").is_none());
    assert_eq!(outcome.rows[0]["metadata"]["explanation"], "judged by rule");
}

#[test]
fn every_epoch_keeps_its_own_score_under_every_reducer() {
    let outcome = fixture("epochs.eval");

    assert_eq!(
        outcome.results(),
        [
            ("includes:accuracy:mean", 0.25),
            ("includes:accuracy:max", 0.5)
        ]
    );
    for result in ["includes:accuracy:mean", "includes:accuracy:max"] {
        let mut scores: Vec<f64> = outcome
            .scores_of(result)
            .iter()
            .map(|score| score.2)
            .collect();
        let epochs: Vec<String> = outcome
            .scores_of(result)
            .into_iter()
            .map(|score| score.1)
            .collect();
        scores.sort_by(f64::total_cmp);
        assert_eq!(scores, [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(epochs, ["1", "1", "2", "2"]);
    }
    let samples =
        &outcome.record["evaluation_results"][0]["score_details"]["uncertainty"]["num_samples"];
    assert_eq!(*samples, 2);
}

#[test]
fn a_sample_that_failed_is_wrong_and_says_why() {
    let outcome = fixture("sample_error.eval");

    let row = outcome
        .rows
        .iter()
        .find(|row| row["sample_id"] == "2")
        .unwrap();
    assert_eq!(row["evaluation"]["is_correct"], false);
    assert_eq!(row["evaluation"]["score"], 0.0);
    assert!(row["error"].as_str().unwrap().contains("boom"));
    assert_eq!(row["evaluation_result_id"], "includes:accuracy");
}

#[test]
fn a_run_without_results_has_the_means_of_its_samples_and_says_so() {
    let outcome = fixture("eval_error.eval");

    assert_eq!(outcome.results(), [("includes:mean", 1.0)]);
    let details = &outcome.record["evaluation_results"][0]["score_details"]["details"];
    assert_eq!(details["computed_from"], "samples");
    assert_eq!(details["status"], "error");
    assert!(
        outcome
            .warnings()
            .iter()
            .any(|warning| warning.contains("no results"))
    );
}

#[test]
fn reasoning_is_kept_and_what_was_redacted_is_not() {
    let outcome = fixture("reasoning.eval");

    assert_eq!(
        outcome.rows[0]["output"]["reasoning_trace"],
        json!(["six times seven"])
    );
    assert_eq!(
        outcome.rows[1]["output"]["reasoning_trace"],
        json!(["a product"])
    );
    let all = outcome
        .files
        .values()
        .flatten()
        .copied()
        .collect::<Vec<u8>>();
    assert!(!String::from_utf8(all).unwrap().contains("b3BhcXVl"));
    assert_eq!(outcome.rows[0]["token_usage"]["reasoning_tokens"], 7);
}

#[test]
fn a_picture_is_its_kind_in_brackets() {
    let outcome = fixture("image.eval");

    assert_eq!(
        outcome.rows[0]["input"]["raw"],
        "What is this? [image] Be brief."
    );
}

#[test]
fn the_judge_is_named_and_its_tokens_are_not_the_models() {
    let outcome = fixture("judged.eval");

    let scoring = &outcome.record["evaluation_results"][0]["metric_config"]["llm_scoring"];
    assert_eq!(scoring["judges"][0]["model_info"]["id"], "mockllm/judge");
    assert!(
        scoring["input_prompt"]
            .as_str()
            .unwrap()
            .starts_with("Grade {answer}")
    );
    assert_eq!(outcome.rows[0]["token_usage"]["total_tokens"], 160);
}

#[test]
fn converting_twice_or_on_several_threads_gives_the_same_bytes() {
    for name in ["scorers.eval", "epochs.json", "chunked.eval"] {
        let once = convert_bytes(fixture_bytes(name), &jobs(1)).unwrap();

        let again = convert_bytes(fixture_bytes(name), &jobs(1)).unwrap();
        let threads = convert_bytes(fixture_bytes(name), &jobs(4)).unwrap();

        assert_eq!(again.files, once.files, "{name}");
        assert_eq!(threads.files, once.files, "{name}");
        assert_eq!(threads.converted, once.converted, "{name}");
    }
}

#[test]
fn without_samples_the_record_stands_alone() {
    let options = Options {
        samples: false,
        organization: "Acme".to_owned(),
        retrieved_timestamp: Some("1767225600".to_owned()),
        ..Options::default()
    };

    let outcome = convert_bytes(fixture_bytes("scorers.eval"), &options).unwrap();
    let json = convert_bytes(fixture_bytes("scorers.json"), &options).unwrap();

    assert_eq!(json.files, outcome.files);
    assert!(outcome.rows.is_empty());
    assert!(outcome.warnings().is_empty());
    assert!(json.warnings().is_empty());
    assert!(outcome.record.get("detailed_evaluation_results").is_none());
    assert_eq!(outcome.record["retrieved_timestamp"], "1767225600");
    assert_eq!(
        outcome.record["source_metadata"]["source_organization_name"],
        "Acme"
    );
}

const OLD: &str = r#"{
  "version": 1, "status": "success",
  "eval": {"task": "pkg/old_task", "created": "2024-05-01T10:00:00", "model": "openai/gpt-4", "dataset": {"name": "old", "location": "/data/old.jsonl"},
           "sandbox": ["docker", "compose.yaml"], "config": {"max_messages": 30}},
  "plan": {"steps": [{"solver": "generate"}]},
  "results": {"scorer": {"name": "match"}, "metrics": {"accuracy": {"name": "accuracy", "value": 0.5}, "bootstrap_std": {"name": "bootstrap_std", "value": 0.1}}},
  "samples": [
    {"id": 1, "epoch": 1, "input": "tc://abc", "target": "yes", "messages": [
      {"role": "user", "content": "tc://abc"}, {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": "f", "arguments": {"x": 1}}]},
      {"role": "tool", "content": "", "tool_call_id": "c", "tool_error": "no such tool"}, {"role": "assistant", "content": "yes"}],
     "output": {"model": "gpt-4", "choices": [{"message": {"role": "assistant", "content": "yes"}, "stop_reason": "stop"}], "usage": {"input_tokens": 3, "output_tokens": 4}},
     "score": {"value": "C", "answer": "yes"}, "attachments": {"abc": "a long question"}},
    {"id": 2, "epoch": 1, "input": "q", "target": ["a", "b"], "messages": [], "output": {"model": "gpt-4", "choices": []}, "score": {"value": "0.25"}}
  ]
}"#;

#[test]
fn the_oldest_shapes_are_still_read() {
    let outcome = convert_bytes(OLD.into(), &jobs(1)).unwrap();

    super::support::assert_sound(&outcome);
    assert_eq!(outcome.results(), [("match:accuracy", 0.5)]);
    let row = &outcome.rows[0];
    assert_eq!(row["input"]["raw"], "a long question");
    assert_eq!(row["messages"][0]["content"], "a long question");
    assert_eq!(row["messages"][2]["content"], "no such tool");
    assert_eq!(row["token_usage"]["total_tokens"], 7);
    assert_eq!(outcome.rows[1]["evaluation"]["score"], 0.25);
    assert_eq!(outcome.rows[1]["input"]["reference"], json!(["a", "b"]));
    let arguments =
        &outcome.record["evaluation_results"][0]["generation_config"]["generation_args"];
    assert_eq!(
        arguments["sandbox"],
        json!({"type": "docker", "config": "compose.yaml"})
    );
    assert_eq!(arguments["eval_limits"]["message_limit"], 30);
    assert_eq!(outcome.record["evaluation_timestamp"], "1714557600.0");
}

#[test]
fn keys_may_come_in_any_order() {
    let text = r#"{"samples": [{"id": 1, "epoch": 1, "input": "q", "target": "t", "scores": {"m": {"value": 1}}}],
        "results": {"scores": [{"name": "m", "scorer": "m", "metrics": {"accuracy": {"name": "accuracy", "value": 1}}}]},
        "eval": {"task": "t", "model": "a/b", "created": "2026-01-01T00:00:00Z"}, "status": "success"}"#;

    let outcome = convert_bytes(format!("\u{feff}{text}").into(), &jobs(2)).unwrap();

    assert_eq!(outcome.rows.len(), 1);
    assert_eq!(outcome.results(), [("m:accuracy", 1.0)]);
}

fn log_with(results: &str, samples: &str) -> Vec<u8> {
    format!(
        r#"{{"status": "success", "eval": {{"task": "t", "model": "a/b", "created": "2026-01-01T00:00:00Z"}}, "results": {results}, "samples": {samples}}}"#
    )
    .into_bytes()
}

#[test]
fn a_metric_that_is_no_number_is_left_out_and_alone_it_is_no_record() {
    let metrics = r#"{"scores": [{"name": "m", "scorer": "m", "metrics": {"accuracy": {"name": "accuracy", "value": NaN}, "mean": {"name": "mean", "value": 2}}}]}"#;
    let alone = r#"{"scores": [{"name": "m", "scorer": "m", "metrics": {"accuracy": {"name": "accuracy", "value": NaN}}}]}"#;

    let outcome = convert_bytes(log_with(metrics, "[]"), &jobs(1)).unwrap();
    let refusal = convert_bytes(log_with(alone, "[]"), &jobs(1)).unwrap_err();

    assert_eq!(outcome.results(), [("m:mean", 2.0)]);
    assert_eq!(
        outcome.warnings(),
        ["1 × the metric `accuracy` is no finite number and was left out"]
    );
    assert!(matches!(refusal, Refusal::Nothing(_)));
}

#[test]
fn a_group_of_which_the_log_does_not_say_its_samples_has_no_rows() {
    let metrics = r#"{"scores": [{"name": "m", "scorer": "m", "metrics": {
        "x": {"name": "x", "group": "kind", "value": 1}, "all": {"name": "all", "group": "kind", "value": 0.5}}}]}"#;
    let samples = r#"[{"id": 1, "scores": {"m": {"value": "C"}}}, {"id": 2, "scores": {"m": {"value": "I"}}}]"#;

    let outcome = convert_bytes(log_with(metrics, samples), &jobs(1)).unwrap();

    assert_eq!(outcome.results(), [("m:x", 1.0), ("m:all", 0.5)]);
    assert_eq!(outcome.scores_of("m:all").len(), 2);
    assert!(outcome.scores_of("m:x").is_empty());
}

#[test]
fn scores_beyond_the_bounds_of_a_metric_leave_its_bounds_unknown() {
    let metrics = r#"{"scores": [{"name": "m", "scorer": "m", "metrics": {"accuracy": {"name": "accuracy", "value": 1}}}]}"#;
    let samples =
        r#"[{"id": 1, "scores": {"m": {"value": 7}}}, {"id": 2, "scores": {"m": {"value": -5}}}]"#;

    let outcome = convert_bytes(log_with(metrics, samples), &jobs(1)).unwrap();

    super::support::assert_sound(&outcome);
    let metric = &outcome.record["evaluation_results"][0]["metric_config"];
    assert!(metric.get("max_score").is_none());
    assert_eq!(metric["additional_details"]["bounds_status"], "unknown");
}

#[test]
fn the_mean_of_scores_whose_sum_is_too_large_is_still_a_number() {
    let samples = r#"[{"id": 1, "scores": {"m": {"value": 1e308}}}, {"id": 2, "scores": {"m": {"value": 1e308}}}]"#;

    let outcome = convert_bytes(log_with("null", samples), &jobs(1)).unwrap();

    super::support::assert_sound(&outcome);
    assert_eq!(outcome.results(), [("m:mean", 1e308)]);
}
