//! The logs in `fixtures/lm_eval/runs`, which `fixtures/make/lm_eval_runs.py` makes with the
//! harness itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::support::{Disk, Outcome, converted};

/// A run of the harness, and what became of it.
struct Run {
    directory: PathBuf,
    log: Value,
    outcome: Outcome,
}

const STAMP: &str = "2026-11-15T18-34-06.000000";

impl Run {
    fn of(name: &str) -> Self {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/fixtures/lm_eval/runs")
            .join(name)
            .join("acme__model-x");
        let results = directory.join(format!("results_{STAMP}.json"));
        let log = std::fs::read_to_string(&results).unwrap();
        Self {
            log: serde_json::from_str(&log).unwrap(),
            outcome: converted(&Disk, &results.to_string_lossy()),
            directory,
        }
    }

    /// The directory and the number of rows of every record.
    fn records(&self) -> Vec<(&str, u64)> {
        self.outcome
            .converted
            .iter()
            .map(|converted| (converted.identity.directory.as_str(), converted.rows))
            .collect()
    }

    /// The scores that the harness gives a task, with their standard errors, by the name of our
    /// result.
    fn scores_of_the_harness(&self, task: &str) -> BTreeMap<String, (Value, Value)> {
        let scores = self.log["results"][task].as_object().unwrap();
        let score = |(key, value): (&String, &Value)| {
            let (metric, filter) = key.split_once(',')?;
            if metric.ends_with("_stderr") {
                return None;
            }
            let error = scores[&format!("{metric}_stderr,{filter}")].clone();
            let error = if error.is_number() {
                error
            } else {
                Value::Null
            };
            let name = key.strip_suffix(",none").unwrap_or(key).to_owned();
            Some((name, (value.clone(), error)))
        };
        scores.iter().filter_map(score).collect()
    }

    /// Returns the values of the harness for every sample: result, document and value, for the
    /// values that are a score.
    fn values_of_the_harness(&self, task: &str, metrics: &[&str]) -> Vec<(String, String, f64)> {
        let path = self.directory.join(format!("samples_{task}_{STAMP}.jsonl"));
        let mut values = Vec::new();
        for line in std::fs::read_to_string(path).unwrap().lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            for metric in metrics {
                let name = match row["filter"].as_str().unwrap() {
                    "none" => (*metric).to_owned(),
                    filter => format!("{metric},{filter}"),
                };
                let value = row[*metric].as_f64().unwrap();
                values.push((name, row["doc_id"].to_string(), value));
            }
        }
        values.sort_by(|left, right| left.partial_cmp(right).unwrap());
        values
    }

    /// Holds the record of a task against the results file.
    fn assert_scores(&self, task: &str) {
        let record = self.outcome.record(task);
        let ours: BTreeMap<String, (Value, Value)> = record["evaluation_results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|result| {
                let details = &result["score_details"];
                let error = &details["uncertainty"]["standard_error"]["value"];
                let name = result["evaluation_result_id"].as_str().unwrap().to_owned();
                (name, (details["score"].clone(), error.clone()))
            })
            .collect();
        assert_eq!(ours, self.scores_of_the_harness(task), "{task}");
    }

    /// Holds the rows of a task against its samples file, and against the record that they belong
    /// to.
    fn assert_rows(&self, task: &str, metrics: &[&str]) {
        let record = self.outcome.record(task);
        let rows = self.outcome.rows(task);
        let mut ours: Vec<(String, String, f64)> = rows
            .iter()
            .map(|row| {
                let text = |key: &str| row[key].as_str().unwrap().to_owned();
                let score = row["evaluation"]["score"].as_f64().unwrap();
                (text("evaluation_result_id"), text("sample_id"), score)
            })
            .collect();
        ours.sort_by(|left, right| left.partial_cmp(right).unwrap());
        assert_eq!(ours, self.values_of_the_harness(task, metrics), "{task}");

        for row in &rows {
            assert_eq!(row["evaluation_id"], record["evaluation_id"], "{task}");
        }
        assert_eq!(
            record["detailed_evaluation_results"]["total_rows"],
            rows.len(),
            "{task}"
        );
    }

    /// Every result is the mean of its rows.
    fn assert_means(&self, task: &str) {
        let rows = self.outcome.rows(task);
        let record = self.outcome.record(task);
        for result in record["evaluation_results"].as_array().unwrap() {
            let id = &result["evaluation_result_id"];
            let scores: Vec<f64> = rows
                .iter()
                .filter(|row| row["evaluation_result_id"] == *id)
                .map(|row| row["evaluation"]["score"].as_f64().unwrap())
                .collect();
            let count = u32::try_from(scores.len()).unwrap();
            let mean = scores.iter().sum::<f64>() / f64::from(count);
            let score = result["score_details"]["score"].as_f64().unwrap();
            assert!((mean - score).abs() < 1e-12, "{task} {id}: {mean} {score}");
            assert_eq!(
                result["score_details"]["uncertainty"]["num_samples"], count,
                "{task} {id}"
            );
        }
    }
}

#[test]
fn a_group_of_two_multiple_choices() {
    let run = Run::of("choice");

    assert_eq!(
        run.records(),
        [
            ("data/kinds_fruit/acme/model-x", 4 * 2),
            ("data/kinds_bird/acme/model-x", 6 * 2),
            ("data/kinds/acme/model-x", 0),
        ]
    );
    for task in ["kinds_fruit", "kinds_bird"] {
        run.assert_scores(task);
        run.assert_rows(task, &["acc", "acc_norm"]);
        run.assert_means(task);
    }
    run.assert_scores("kinds");
    assert_eq!(run.outcome.warnings(), Vec::<String>::new());
}

#[test]
fn a_choice_of_the_harness_is_answered_by_the_likeliest_option() {
    let rows = Run::of("choice").outcome.rows("kinds_bird");

    let row = &rows[0];
    assert_eq!(
        row["input"],
        json!({
            "raw": "Is a wren a bird? “yes” or “no”",
            "formatted": "Is a wren a bird? “yes” or “no”\nAnswer:",
            "reference": ["yes"], "choices": ["yes", "no"]
        })
    );
    assert_eq!(row["output"]["raw"], json!(["yes"]));
}

#[test]
fn a_generation_with_two_filters() {
    let run = Run::of("generation");

    assert_eq!(run.records(), [("data/laughs/acme/model-x", 5 * 2)]);
    run.assert_scores("laughs");
    run.assert_rows("laughs", &["exact_match"]);
    run.assert_means("laughs");
    let extracted: BTreeSet<(String, String)> = run
        .outcome
        .rows("laughs")
        .iter()
        .map(|row| {
            let value = row["answer_attribution"][0]["extracted_value"].to_string();
            (row["evaluation_result_id"].to_string(), value)
        })
        .collect();
    let pair = |id: &str, value: &str| (json!(id).to_string(), json!(value).to_string());
    assert_eq!(
        extracted,
        BTreeSet::from([
            pair("exact_match,letter", "l"),
            pair("exact_match,whole", "lol")
        ])
    );
    assert_eq!(run.outcome.warnings(), Vec::<String>::new());
}

#[test]
fn likelihoods_are_no_scores_of_a_perplexity() {
    let run = Run::of("likelihood");

    assert_eq!(
        run.records(),
        [
            ("data/last_word/acme/model-x", 4),
            ("data/pages/acme/model-x", 0)
        ]
    );
    run.assert_scores("last_word");
    run.assert_rows("last_word", &["acc"]);
    run.assert_scores("pages");
    assert_eq!(
        run.outcome.warnings(),
        [
            "the value of a sample for `perplexity` is not on the scale of the metric, so it has no row × 4",
            "the value of a sample for `word_perplexity` is not a number, so it has no row × 4",
            "the value of a sample for `byte_perplexity` is not a number, so it has no row × 4",
            "the value of a sample for `bits_per_byte` is not a number, so it has no row × 4"
        ]
    );
}
