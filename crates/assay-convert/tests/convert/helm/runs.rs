//! The runs in `tests/fixtures/helm`, which were made by HELM itself.

use assay_convert::convert::Options;
use serde_json::{Value, json};

use super::run::Run;
use super::store::{Outcome, Tree};

const FIXTURES: [&str; 5] = ["joint", "separate", "calibrated", "generation", "perturbed"];

pub(crate) fn valid(tree: &Tree) -> Outcome {
    let outcome = tree.convert().unwrap();
    outcome.is_valid();
    outcome
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
        outcome.follows_schemas();
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
        "capitals_open/simple_model1/1767225600-d9e26af2"
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
                "stop_sequences": "[\"\\n\", \"Q:\"]",
                "adapter": "generation", "limit": "10", "run_name": "capitals_open", "shots": "1",
                "train_trials": "2", "setup_keys": "adapter,limit,run_name,shots,train_trials"
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
    assert_eq!(
        perturbed["metadata"],
        json!({"correctness": "not defined", "perturbation": "lowercase"})
    );
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
