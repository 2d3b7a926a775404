use serde_json::json;

use crate::hub::MODEL;

/// Results of lm-evaluation-harness: one task, of which 3 of 4 answers are right.
pub(crate) fn harness_log(commit: Option<&str>) -> String {
    let mut config =
        json!({ "model": "hf", "model_args": format!("pretrained={MODEL}"), "batch_size": "1" });
    if let Some(commit) = commit {
        config["model_sha"] = json!(commit);
    }
    json!({
        "results": { "sums": { "alias": "sums", "acc,none": 0.75, "acc_stderr,none": 0.25 } },
        "group_subtasks": { "sums": [] },
        "configs": { "sums": {
            "task": "sums", "dataset_path": "alice/Sums", "test_split": "test", "num_fewshot": 0, "repeats": 1,
            "output_type": "multiple_choice",
            "metric_list": [{ "metric": "acc", "aggregation": "mean", "higher_is_better": true }],
        } },
        "versions": { "sums": 1.0 },
        "n-shot": { "sums": 0 },
        "higher_is_better": { "sums": { "acc": true } },
        "n-samples": { "sums": { "original": 4, "effective": 4 } },
        "config": config,
        "git_hash": null,
        "date": 1_785_542_400.5,
        "lm_eval_version": "0.4.9",
        "model_source": "hf",
        "model_name": MODEL,
        "model_name_sanitized": "alice__model-x",
    })
    .to_string()
}

/// Where such a log lies.
pub(crate) const LOG: &str = "runs/alice__model-x/results_2026-08-01T00-00-00.000000.json";
