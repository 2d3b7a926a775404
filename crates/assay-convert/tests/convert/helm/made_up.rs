//! Runs that were made up for one question each.

use assay_convert::convert::Options;
use serde_json::{Value, json};

use super::run::{Run, scores, stat};
use super::runs::valid;

fn only_row(run: &Run) -> Value {
    let mut rows = valid(&run.tree()).rows();
    assert_eq!(rows.len(), 1);
    rows.remove(0)
}

#[test]
fn several_completions_and_their_thinking_are_kept() {
    let mut run = Run::of(1);
    run.states[0]["result"]["completions"] = json!([
        {"text": " yes", "thinking": {"text": "hm"}},
        {"text": "no", "thinking": {"text": "hm, hm"}}
    ]);

    let row = only_row(&run);

    assert_eq!(
        row["output"],
        json!({"raw": [" yes", "no"], "reasoning_trace": ["hm", "hm, hm"]})
    );
    assert_eq!(row["answer_attribution"][0]["extracted_value"], "yes");
    let record = run.tree().convert().unwrap().record();
    let arguments = &record["evaluation_results"][0]["generation_config"]["generation_args"];
    assert_eq!(arguments["reasoning"], true);
}

#[test]
fn chats_and_media_are_told_in_words() {
    let mut run = Run::of(1);
    run.states[0]["instance"]["input"] = json!({"multimedia_content": {"media_objects": [
        {"content_type": "image/png", "location": "somewhere.png"}, {"content_type": "text/plain", "text": "What?"}
    ]}});
    run.states[0]["request"] = json!({"messages": [{"role": "user", "content": "What?"}]});

    let row = only_row(&run);

    assert_eq!(row["input"]["raw"], "[image/png]\nWhat?");
    assert_eq!(row["input"]["formatted"], "user: What?");
}

#[test]
fn a_request_that_failed_is_not_correct() {
    let mut run = Run::of(2);
    run.states.truncate(1);
    run.states[0]["result"]["success"] = false.into();
    run.states[0]["result"]["error"] = "rate limit".into();

    let row = only_row(&run);

    assert_eq!(row["evaluation"]["score"], 1.0);
    assert_eq!(row["evaluation"]["is_correct"], false);
    assert_eq!(row["error"], "rate limit");
}

#[test]
fn ids_are_numbers_or_text_and_token_counts_may_be_missing() {
    let mut run = Run::of(1);
    run.states[0]["instance"]["id"] = 17.into();
    run.per_instance[0]["instance_id"] = 17.into();

    let row = only_row(&run);

    assert_eq!(row["sample_id"], "17");
    assert_eq!(row.get("token_usage"), None);
}

#[test]
fn a_metric_that_nobody_knows_is_kept_and_marked() {
    let mut run = Run::of(1);
    run.stats = vec![stat("charm", 12.5)];
    run.per_instance = vec![scores("id0", &[("charm", 12.5)])];

    let outcome = valid(&run.tree());

    let result = outcome.result("charm:test");
    assert_eq!(result["score_details"]["score"], 12.5);
    assert_eq!(
        result["metric_config"]["additional_details"],
        json!({"bounds_status": "unknown", "metric_id_status": "unregistered", "polarity": "assumed"})
    );
    let row = &outcome.rows()[0];
    assert_eq!(row["evaluation"]["is_correct"], false);
    assert_eq!(row["metadata"], json!({"correctness": "not defined"}));
}

#[test]
fn scores_that_are_not_finite_are_left_out_and_counted() {
    let mut tree = Run::of(4).tree();
    for (name, from, to) in [
        (
            "run/per_instance_stats.json",
            "\"mean\": 1.0",
            "\"mean\": NaN",
        ),
        ("run/stats.json", "\"mean\": 3.0", "\"mean\": Infinity"),
    ] {
        let bytes = tree.0.get_mut(name).unwrap();
        *bytes = String::from_utf8(bytes.clone())
            .unwrap()
            .replacen(from, to, 1)
            .into_bytes();
    }

    let outcome = valid(&tree);

    assert_eq!(outcome.converted.rows, 3);
    assert_eq!(
        outcome.warnings(),
        [
            "a score of an instance that is not finite was left out",
            "a request for which the run has no finite score was left out"
        ]
    );
    assert_eq!(
        outcome.result("exact_match:test")["score_details"]["uncertainty"]["num_samples"],
        3
    );
}

#[test]
fn a_metric_of_the_whole_split_rests_on_all_its_instances() {
    let mut run = Run::of(4);
    run.stats.push(stat("classification_macro_f1", 0.5));

    let outcome = valid(&run.tree());

    let result = outcome.result("classification_macro_f1:test");
    assert_eq!(result["score_details"]["uncertainty"]["num_samples"], 4);
    assert_eq!(
        outcome.rows_of("classification_macro_f1:test"),
        Vec::<Value>::new()
    );
}

#[test]
fn runs_of_the_oldest_layout_are_read() {
    let mut run = Run::of(2);
    let scenario = run.spec["scenario_spec"].take();
    run.spec = json!({
        "name": "boolq:model=acme_x", "scenario": scenario, "adapter_spec": {"method": "generation", "model": "acme/x"}
    });
    for state in &mut run.states {
        state["instance"]["input"] = "old?".into();
        state["instance"]["references"] = json!([{"output": "yes", "tags": ["correct"]}]);
    }
    let mut tree = run.tree().without("scenario.json");
    for (new, old) in [
        ("stats", "metrics"),
        ("per_instance_stats", "per_instance_metrics"),
    ] {
        let bytes = tree.0.remove(&format!("run/{new}.json")).unwrap();
        tree.0.insert(format!("run/{old}.json"), bytes);
    }

    let outcome = valid(&tree);

    assert_eq!(outcome.converted.identity.directory, "data/boolq/acme/x");
    assert_eq!(
        outcome.record()["model_info"].get("inference_platform"),
        None
    );
    assert_eq!(outcome.rows()[0]["input"]["raw"], "old?");
    assert_eq!(outcome.rows()[0]["input"]["reference"], json!(["yes"]));
}

#[test]
fn a_model_that_nobody_names_does_not_fail_the_run() {
    let mut run = Run::of(1);
    run.spec["adapter_spec"] = json!({});
    run.states[0]["request"] = json!({"prompt": "?"});

    let outcome = valid(&run.tree());

    assert_eq!(outcome.record()["model_info"]["id"], "unknown");
}

#[test]
fn a_run_without_times_says_so() {
    let mut run = Run::of(1);
    run.states[0]["result"]["request_datetime"].take();

    let outcome = valid(&run.tree());

    assert_eq!(outcome.record()["retrieved_timestamp"], "0");
    assert_eq!(outcome.record().get("evaluation_timestamp"), None);
    assert_eq!(
        outcome.warnings(),
        ["no request says when it was answered, so the time of the evaluation is recorded as 0"]
    );
}

#[test]
fn a_run_that_lacks_files_is_refused_by_their_names() {
    let tree = Run::of(1)
        .tree()
        .without("stats.json")
        .without("per_instance_stats.json");

    let refusal = tree.convert().unwrap_err();

    assert_eq!(refusal.slug(), "nothing-to-convert");
    assert_eq!(
        refusal.to_string(),
        "`run` is not a complete run of HELM: it lacks `stats.json`, `per_instance_stats.json`"
    );
}

#[test]
fn samples_are_only_written_when_asked_for() {
    let options = Options {
        samples: false,
        ..Options::default()
    };

    let outcome = Run::of(4).tree().convert_with(&options).unwrap();

    outcome.is_valid();
    assert_eq!((outcome.converted.rows, outcome.files.0.len()), (0, 1));
}
