//! Runs of invented models with every sample, for the pages that show samples.

use assay_formats::rows::{Algorithm, Hasher};
use assay_hub_api::client::{Client, ClientError};
use assay_model::RepoKind;
use serde_json::{Value, json};

use super::{DISCLAIMER, create, file};

/// The repository that the runs are in.
const REPOSITORY: &str = "MathArena/aime_2026-runs";
/// The benchmark that they are runs of.
const BENCHMARK: &str = "MathArena/aime_2026";
/// The folder of the benchmark, and its task.
const TASK: &str = "aime_2026";
/// The number of questions.
const QUESTIONS: u64 = 60;

/// The models that answer, and the approximate number of ten questions that they get right.
const RUNS: [(&str, u64); 4] = [
    ("aurora-labs/aurora-large", 8),
    ("northwind/borealis-2", 7),
    ("quarry/slate-70b", 5),
    ("quarry/slate-7b", 3),
];

/// Makes the repository of runs, unless it is there.
pub(super) fn fill(operator: &Client) -> Result<(), ClientError> {
    if !create(operator, REPOSITORY, RepoKind::Dataset)? {
        return Ok(());
    }
    let readme = format!("# Runs\n\nEvery sample of a few runs. {DISCLAIMER}\n");
    let mut files = vec![file("README.md", &readme)];
    for (number, (model, skill)) in (1..).zip(RUNS) {
        let place = format!("data/{TASK}/{model}/{}", uuid(number));
        let rows = rows(number, model, skill);
        let record = record(number, model, &rows, &place);
        files.push(file(&format!("{place}.json"), &record.to_string()));
        files.push(file(&format!("{place}_samples.jsonl"), &text(&rows)));
    }
    let repo = format!("datasets/{REPOSITORY}");
    operator
        .commit(&repo, "main", "Add the runs", &files)
        .map(|_| ())
}

fn uuid(number: u64) -> String {
    format!("de300000-0000-4000-8000-{number:012}")
}

fn evaluation(number: u64, model: &str) -> String {
    format!("{TASK}/{}/{number}", model.replace('/', "_"))
}

/// Returns whether an answer is right: the same questions are hard for everyone, and more of them
/// for some.
fn is_right(question: u64, run: u64, skill: u64) -> bool {
    let hardness = question * 7 % 10;
    let luck = (question * 31 + run * 17) % 5;
    hardness + luck < skill + 2
}

fn rows(number: u64, model: &str, skill: u64) -> Vec<Value> {
    (1..=QUESTIONS)
        .map(|question| {
            let truth = question * (question + 1);
            let right = is_right(question, number, skill);
            let said = if right { truth } else { truth + number };
            json!({
                "schema_version": "0.3.0",
                "evaluation_id": evaluation(number, model),
                "model_id": model,
                "evaluation_name": TASK,
                "evaluation_result_id": format!("{TASK}/accuracy"),
                "sample_id": question.to_string(),
                "interaction_type": "single_turn",
                "input": {
                    "raw": format!("What is {question} times {question}, plus {question}? Answer with a number."),
                    "reference": [truth.to_string()],
                },
                "output": { "raw": [format!("{question} times {question} is {}. So the answer is {said}.", question * question)] },
                "answer_attribution": [{
                    "turn_idx": 0, "source": "output.raw", "extracted_value": said.to_string(),
                    "extraction_method": "regex", "is_terminal": true,
                }],
                "evaluation": { "score": if right { 1.0 } else { 0.0 }, "is_correct": right },
                "metadata": { "parity": if question.is_multiple_of(2) { "even" } else { "odd" } },
            })
        })
        .collect()
}

fn text(rows: &[Value]) -> String {
    rows.iter().map(|row| row.to_string() + "\n").collect()
}

#[expect(
    clippy::cast_precision_loss,
    reason = "there are a few dozen questions"
)]
fn record(number: u64, model: &str, rows: &[Value], place: &str) -> Value {
    let right = rows
        .iter()
        .filter(|row| row["evaluation"]["is_correct"] == true)
        .count();
    let mut hasher = Hasher::new(Algorithm::Sha256);
    hasher.update(text(rows).as_bytes());
    json!({
        "schema_version": "0.3.0",
        "evaluation_id": evaluation(number, model),
        "retrieved_timestamp": "1772323200",
        "evaluation_timestamp": "2026-02-10T00:00:00Z",
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": "The demonstration",
            "evaluator_relationship": "third_party",
        },
        "eval_library": { "name": "demonstration", "version": "1.0" },
        "model_info": {
            "name": model,
            "id": model,
            "developer": model.split('/').next(),
            "additional_details": { "deployment_type": "self_deployed", "model_availability": "open_weights" },
        },
        "evaluation_results": [{
            "evaluation_result_id": format!("{TASK}/accuracy"),
            "evaluation_name": TASK,
            "source_data": { "dataset_name": TASK, "source_type": "hf_dataset", "hf_repo": BENCHMARK },
            "metric_config": {
                "metric_id": "accuracy", "lower_is_better": false,
                "score_type": "continuous", "min_score": 0, "max_score": 1,
            },
            "score_details": { "score": right as f64 / rows.len() as f64 },
        }],
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": format!("{place}_samples.jsonl"),
            "hash_algorithm": "sha256",
            "checksum": hasher.hex(),
            "total_rows": rows.len(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_better_gets_more_right_and_nobody_gets_all() {
        let right = |(number, (_, skill)): (u64, (&str, u64))| {
            let questions = 1..=QUESTIONS;
            questions
                .filter(|question| is_right(*question, number, skill))
                .count()
        };

        let counts: Vec<usize> = (1..).zip(RUNS).map(right).collect();

        assert!(counts.is_sorted_by(|a, b| a > b), "{counts:?}");
        assert!(
            counts.iter().all(|count| (1..60).contains(count)),
            "{counts:?}"
        );
    }
}
