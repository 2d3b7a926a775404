//! Real runs. They are not part of the repository: without them the tests say so and pass.

use std::path::{Path, PathBuf};

use super::store::{Tree, corpus};

fn runs(corpus: &Path) -> Vec<PathBuf> {
    let mut runs = Vec::new();
    for directory in ["logs/helm", "logs/reference-fixtures/helm"] {
        for entry in std::fs::read_dir(corpus.join(directory)).unwrap() {
            runs.push(entry.unwrap().path());
        }
    }
    runs.sort();
    runs
}

#[test]
fn every_real_run_converts_or_is_refused_for_having_no_score() {
    let Some(corpus) = corpus() else {
        return;
    };
    let runs = runs(&corpus);
    assert!(runs.len() >= 6, "the corpus has {} runs", runs.len());

    for path in runs {
        let name = path.file_name().unwrap().to_str().unwrap();
        match Tree::of_directory(&path).convert() {
            Ok(outcome) => {
                assert!(outcome.converted.rows > 0, "{name}");
                assert_eq!(outcome.warnings(), Vec::<&str>::new(), "{name}");
                outcome.is_valid();
                outcome.follows_schemas();
            }
            Err(refusal) => {
                assert!(name.starts_with("simple1:"), "{name}: {refusal}");
                assert_eq!(
                    refusal.to_string(),
                    "the run `run` has no score: its stats only count, such as `num_references`, \
                     `num_train_trials`, `num_prompt_tokens`, `num_completion_tokens`, `num_output_tokens`"
                );
            }
        }
    }
}

#[test]
fn the_mean_of_the_rows_is_the_score_of_the_run() {
    let Some(corpus) = corpus() else {
        return;
    };
    for path in runs(&corpus) {
        let Ok(outcome) = Tree::of_directory(&path).convert() else {
            continue;
        };
        let rows = outcome.rows();
        let mut compared = 0;
        for result in outcome.record()["evaluation_results"].as_array().unwrap() {
            let scores: Vec<f64> = rows
                .iter()
                .filter(|row| row["evaluation_result_id"] == result["evaluation_result_id"])
                .map(|row| row["evaluation"]["score"].as_f64().unwrap())
                .collect();
            if scores.is_empty() {
                continue;
            }
            #[expect(clippy::cast_precision_loss, reason = "a run has few instances")]
            let count = scores.len() as f64;
            let details = &result["score_details"];
            let mean = scores.iter().sum::<f64>() / count;

            assert!((mean - details["score"].as_f64().unwrap()).abs() < 1e-9);
            assert_eq!(details["uncertainty"]["num_samples"], scores.len());
            compared += 1;
        }
        assert!(compared > 0);
    }
}
