//! The logs in `fixtures/lm_eval`, which `fixtures/make/lm_eval.py` writes in the shapes of three
//! versions.

use std::path::Path;

use serde_json::{Value, json};

use super::support::{Disk, Outcome, converted};

fn outcome(path: &str) -> Outcome {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/lm_eval");
    converted(&Disk, &fixtures.join(path).to_string_lossy())
}

/// The result, the sample, the answer and the score of every row.
fn answers(outcome: &Outcome, task: &str) -> Vec<Value> {
    outcome
        .rows(task)
        .iter()
        .map(|row| {
            json!([
                row["evaluation_result_id"],
                row["sample_id"],
                row["output"]["raw"][0],
                row["evaluation"]["score"]
            ])
        })
        .collect()
}

#[test]
fn a_group_and_its_tasks() {
    let outcome = outcome("group/acme__model-x/results_2026-11-15T18-34-17.953083.json");

    let names: Vec<&str> = outcome
        .converted
        .iter()
        .map(|converted| converted.identity.directory.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "data/primes/acme/model-x",
            "data/primes_small/acme/model-x",
            "data/primes_large/acme/model-x"
        ]
    );
    let rows: Vec<u64> = outcome
        .converted
        .iter()
        .map(|converted| converted.rows)
        .collect();
    assert_eq!(rows, [0, 2, 2]);
    assert_eq!(
        answers(&outcome, "primes_large"),
        [
            json!(["acc", "101", "yes", 1.0]),
            json!(["acc", "111", "no", 1.0])
        ]
    );
    assert_eq!(
        outcome.warnings(),
        [
            "the value of a sample for `f1` is not a number, so it has no row × 2",
            "the score of `f1` is not a number, so it has no result × 1"
        ]
    );
}

#[test]
fn a_chat_with_two_filters_and_two_repeats() {
    let outcome = outcome("chat/chat-x/results_2026-11-15T18-35-40.573275.json");

    assert_eq!(
        outcome.converted[0].identity.directory,
        "data/sums/unknown/chat-x"
    );
    assert_eq!(
        answers(&outcome, "sums"),
        [
            json!(["exact_match,strict-match", "1", "It is #### 2", 0.0]),
            json!(["exact_match,strict-match", "2", "It is #### 4", 0.0]),
            json!(["exact_match,flexible-extract", "1", "It is #### 2", 1.0]),
            json!(["exact_match,flexible-extract", "2", "It is #### 4", 1.0]),
        ]
    );
    assert_eq!(outcome.rows("sums")[0]["input"]["raw"], "1+1?");
    assert_eq!(outcome.warnings(), Vec::<String>::new());
}

#[test]
fn a_log_of_an_old_version_of_a_model_from_a_path() {
    let outcome = outcome("old/__models__acme-ft/results_2024-07-01T10-00-00.000001.json");

    assert_eq!(
        outcome.converted[0].identity.directory,
        "data/primes/unknown/acme-ft"
    );
    assert_eq!(
        answers(&outcome, "primes"),
        [
            json!(["acc", "2", "yes", 1.0]),
            json!(["acc", "4", "yes", 0.0])
        ]
    );
    assert_eq!(
        outcome.rows("primes")[1]["input"]["reference"],
        json!(["no"])
    );
    let uncertainty =
        &outcome.record("primes")["evaluation_results"][0]["score_details"]["uncertainty"];
    assert_eq!(uncertainty["num_samples"], 2);
}
