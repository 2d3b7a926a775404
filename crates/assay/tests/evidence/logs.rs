use assay_testkit::logs::lm_eval_results;
use serde_json::json;

use crate::hub::MODEL;

/// Results of lm-evaluation-harness: one task, of which 3 of 4 answers are right.
pub(crate) fn harness_log(commit: Option<&str>) -> String {
    lm_eval_results(MODEL, "alice/Sums", commit)
}

/// The path of such a log.
pub(crate) const LOG: &str = "runs/alice__model-x/results_2026-08-01T00-00-00.000000.json";

/// The same run as an Every Eval Ever record, which says which commit of the model it was.
pub(crate) fn record(commit: &str) -> String {
    json!({
        "schema_version": "0.3.0",
        "evaluation_id": "sums/alice_model-x/1785542400",
        "evaluation_timestamp": "1785542400",
        "retrieved_timestamp": "1785542400",
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": "Alice",
            "evaluator_relationship": "first_party",
        },
        "eval_library": { "name": "inspect_ai", "version": "0.3.285" },
        "model_info": {
            "name": MODEL, "id": MODEL, "inference_platform": "unknown",
            "additional_details": { "sha": commit, "deployment_type": "unknown", "model_availability": "unknown" },
        },
        "evaluation_results": [{
            "evaluation_result_id": "match:accuracy",
            "evaluation_name": "sums",
            "source_data": { "dataset_name": "sums", "source_type": "other", "samples_number": 4 },
            "metric_config": {
                "metric_id": "accuracy", "metric_name": "accuracy", "metric_unit": "proportion",
                "lower_is_better": false, "score_type": "continuous", "min_score": 0.0, "max_score": 1.0,
            },
            "score_details": { "score": 0.75 },
        }],
    })
    .to_string()
}
