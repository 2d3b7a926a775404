//! What becomes of runs, one property at a time. The runs in `tests/fixtures/helm` were made by HELM itself.

use assay_convert::convert::Options;
use serde_json::{Value, json};

use crate::run::{Run, scores, stat};
use crate::store::{Outcome, Tree, corpus};

const FIXTURES: [&str; 5] = ["joint", "separate", "calibrated", "generation", "perturbed"];

fn valid(tree: &Tree) -> Outcome {
    let outcome = tree.convert().unwrap();
    outcome.is_valid();
    outcome
}

fn only_row(run: &Run) -> Value {
    let mut rows = valid(&run.tree()).rows();
    assert_eq!(rows.len(), 1);
    rows.remove(0)
}

/// The scores of an instance in the perturbed run, or of a trial.
fn set_score(entry: &mut Value, score: f64) {
    for stat in entry["stats"].as_array_mut().unwrap() {
        if stat["name"]["name"] == "exact_match" {
            stat["mean"] = score.into();
        }
    }
}

#[test]
fn every_run_of_helm_becomes_a_valid_record() {
    for name in FIXTURES {
        let outcome = valid(&Tree::of_fixture(name));

        assert_eq!(outcome.warnings(), Vec::<&str>::new(), "{name}");
        assert!(outcome.converted.rows > 0, "{name}");
        if let Some(corpus) = corpus() {
            outcome.follows(&corpus.join("schemas"));
        }
    }
}

#[test]
fn converting_again_or_on_several_threads_gives_the_same_bytes() {
    for name in FIXTURES {
        let tree = Tree::of_fixture(name);
        let options = Options {
            jobs: 4,
            ..Options::default()
        };

        let once = tree.convert().unwrap().files;

        assert_eq!(once, tree.convert().unwrap().files);
        assert_eq!(once, tree.convert_with(&options).unwrap().files);
    }
    let large = Run::of(3000).tree();
    let options = Options {
        jobs: 4,
        ..Options::default()
    };
    assert_eq!(
        large.convert().unwrap().files,
        large.convert_with(&options).unwrap().files
    );
}

#[test]
fn a_run_names_its_record_by_its_content() {
    let one = Tree::of_fixture("joint");
    let other = one.clone().change("scenario_state.json", |state| {
        state["request_states"][0]["result"]["completions"][0]["text"] = "B".into();
    });

    let (one, other) = (one.convert().unwrap(), other.convert().unwrap());

    assert_eq!(
        one.converted.identity.directory,
        "data/capitals/simple/model1"
    );
    assert_eq!(
        one.converted.identity.directory,
        other.converted.identity.directory
    );
    assert_ne!(one.converted.identity.uuid, other.converted.identity.uuid);
}

#[test]
fn a_record_says_who_was_asked_and_how() {
    let outcome = valid(&Tree::of_fixture("generation"));

    let record = outcome.record();
    assert_eq!(
        record["evaluation_id"],
        "capitals_open/simple_model1/1767225600"
    );
    assert_eq!(record["evaluation_timestamp"], "1767225600");
    assert_eq!(record["retrieved_timestamp"], "1767225607");
    assert_eq!(record["model_info"]["inference_platform"], "simple");
    assert_eq!(
        outcome.result("exact_match:test")["generation_config"],
        json!({
            "generation_args": {
                "temperature": 0.7, "top_p": 1.0, "top_k": 1.0, "max_tokens": 5, "reasoning": false
            },
            "additional_details": {
                "frequency_penalty": "0", "num_completions": "2", "presence_penalty": "0",
                "stop_sequences": "[\"\\n\", \"Q:\"]"
            }
        })
    );
}

#[test]
fn the_question_is_kept_apart_from_the_prompt() {
    let outcome = valid(&Tree::of_fixture("joint"));

    let row = &outcome.rows_of("exact_match:test")[0];

    assert_eq!(
        row["input"],
        json!({
            "raw": "Which is the capital of Kenya?",
            "formatted": "Answer with a letter.\n\nQuestion: Which is the capital of Peru?\nA. Nairobi\nB. Lima\n\
                          C. Tōkyō\nAnswer: B\n\nQuestion: Which is the capital of Kenya?\nA. Reykjavík\nB. Tōkyō\n\
                          C. Nairobi\nAnswer:",
            "reference": ["Nairobi"],
            "choices": ["Reykjavík", "Tōkyō", "Nairobi"]
        })
    );
}

#[test]
fn every_trial_keeps_its_own_score() {
    let tree = Tree::of_fixture("generation").change("per_instance_stats.json", |entries| {
        for entry in entries.as_array_mut().unwrap() {
            if entry["instance_id"] == "id3" && entry["train_trial_index"] == 1 {
                set_score(entry, 1.0);
            }
        }
    });

    let outcome = valid(&tree);

    let rows = outcome.rows_of("exact_match:test");
    let found: Vec<_> = rows
        .iter()
        .map(|row| {
            let trial = row["metadata"]["train_trial_index"].as_str().unwrap();
            (
                row["sample_id"].as_str().unwrap(),
                trial,
                row["evaluation"]["score"].as_f64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("id2", "0", 0.0),
            ("id3", "0", 0.0),
            ("id4", "0", 0.0),
            ("id2", "1", 0.0),
            ("id3", "1", 1.0),
            ("id4", "1", 0.0)
        ]
    );
    let details = &outcome.result("exact_match:test")["score_details"];
    assert_eq!(details["uncertainty"], json!({"num_samples": 3}));
    assert_eq!(details["details"]["num_train_trials"], "2");
    assert_eq!(details["details"]["stddev_across_train_trials"], "0.0");
}

#[test]
fn a_perturbed_instance_gets_its_own_score_under_its_own_result() {
    let tree = Tree::of_fixture("perturbed").change("per_instance_stats.json", |entries| {
        for entry in entries.as_array_mut().unwrap() {
            let score = match (
                entry["perturbation"]["name"].as_str(),
                entry["perturbation"]["num_spaces"].as_i64(),
            ) {
                (Some("lowercase"), _) => 0.25,
                (Some(_), Some(2)) => 0.5,
                (Some(_), _) => 0.75,
                (None, _) => 1.0,
            };
            set_score(entry, score);
        }
    });

    let outcome = valid(&tree);

    for (id, score, question) in [
        ("exact_match:test", 1.0, "Which is the capital of Kenya?"),
        (
            "exact_match:test:lowercase",
            0.25,
            "which is the capital of kenya?",
        ),
        (
            "exact_match:test:extra_space",
            0.5,
            "Which  is  the  capital  of  Kenya?",
        ),
        (
            "exact_match:test:extra_space#2",
            0.75,
            "Which    is    the    capital    of    Kenya?",
        ),
    ] {
        let rows = outcome.rows_of(id);
        assert_eq!(rows.len(), 3, "{id}");
        assert_eq!(rows[0]["input"]["raw"], question);
        assert!(
            rows.iter().all(|row| row["evaluation"]["score"] == score),
            "{id}"
        );
        assert_eq!(
            outcome.result(id)["score_details"]["uncertainty"]["num_samples"],
            3
        );
    }
    let perturbed = &outcome.rows_of("exact_match:test:lowercase")[0];
    assert_eq!(perturbed["metadata"], json!({"perturbation": "lowercase"}));
}

#[test]
fn what_helm_derives_from_perturbations_has_a_result_but_no_rows() {
    let outcome = valid(&Tree::of_fixture("perturbed"));

    for (id, computed_on) in [
        ("exact_match:test:robustness", "worst"),
        ("exact_match:test:lowercase:original", "original"),
        ("exact_match:test:lowercase:worst", "worst"),
        ("exact_match:test:extra_space:worst#2", "worst"),
    ] {
        let details = &outcome.result(id)["score_details"];

        assert_eq!(details["details"]["computed_on"], computed_on);
        assert_eq!(details["uncertainty"]["num_samples"], 3, "{id}");
        assert_eq!(outcome.rows_of(id), Vec::<Value>::new());
    }
}

#[test]
fn requests_for_single_references_become_one_row() {
    for (name, prompt_tokens, milliseconds) in
        [("separate", 114, 750.0), ("calibrated", 159, 1500.0)]
    {
        let outcome = valid(&Tree::of_fixture(name));

        let rows = outcome.rows_of("exact_match:test");
        assert_eq!(rows.len(), 3);
        assert_eq!(
            rows[0]["input"]["choices"],
            json!(["Reykjavík", "Tōkyō", "Nairobi"])
        );
        assert_eq!(rows[0]["input"].get("formatted"), None);
        assert_eq!(rows[0]["output"], json!({"raw": ["Reykjavík"]}));
        assert_eq!(
            rows[0]["answer_attribution"][0]["extraction_method"],
            "likeliest_reference"
        );
        assert_eq!(rows[0]["token_usage"]["input_tokens"], prompt_tokens);
        assert_eq!(rows[0]["token_usage"]["output_tokens"], 0);
        assert_eq!(rows[0]["performance"]["generation_time_ms"], milliseconds);
    }
}

#[test]
fn of_equally_likely_references_the_first_is_judged() {
    let outcome = valid(&Tree::of_fixture("separate"));

    // All three are equally likely. The first is right for `id3` alone.
    let right: Vec<(Value, Value)> = outcome
        .rows_of("exact_match:test")
        .iter()
        .map(|row| {
            (
                row["sample_id"].clone(),
                row["evaluation"]["is_correct"].clone(),
            )
        })
        .collect();

    assert_eq!(
        right,
        [
            (json!("id2"), json!(false)),
            (json!("id3"), json!(true)),
            (json!("id4"), json!(false))
        ]
    );
}

#[test]
fn without_a_prediction_the_choice_is_only_told_when_it_must_be_the_right_one() {
    let tree = Tree::of_fixture("separate").change("per_instance_stats.json", |entries| {
        for (position, entry) in entries.as_array_mut().unwrap().iter_mut().enumerate() {
            let stats = entry["stats"].as_array_mut().unwrap();
            stats.retain(|stat| stat["name"]["name"] != "predicted_index");
            set_score(entry, if position == 0 { 1.0 } else { 0.0 });
        }
    });

    let rows = valid(&tree).rows_of("exact_match:test");

    assert_eq!(rows[0]["output"]["raw"], json!(["Nairobi"]));
    assert_eq!(rows[0]["evaluation"]["is_correct"], true);
    assert_eq!(rows[1]["output"]["raw"], json!([]));
    assert_eq!(rows[1]["answer_attribution"], json!([]));
    assert_eq!(rows[1]["evaluation"]["is_correct"], false);
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
        json!({"bounds_status": "unknown", "polarity": "assumed"})
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
