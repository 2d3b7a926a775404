//! Records as text.

use std::fmt::Write as _;

/// The text of a record of 0.3.0 with so many results of one score.
pub(crate) fn text(
    benchmark: &str,
    model: &str,
    results: usize,
    score: f64,
    samples: u64,
    companion: &str,
) -> String {
    let developer = model.split('/').next().unwrap();
    let mut list = String::new();
    for number in 0..results {
        let comma = if number == 0 { "" } else { "," };
        let id = if results == 1 {
            "exact_match:test".to_owned()
        } else {
            format!("exact_match:test{number}")
        };
        write!(
            list,
            r#"{comma}
    {{
      "evaluation_result_id": "{id}",
      "evaluation_name": "subset {number}",
      "source_data": {{"dataset_name": "{benchmark}", "source_type": "hf_dataset", "hf_repo": "acme/{benchmark}"}},
      "metric_config": {{
        "evaluation_description": "Share of answers that equal the reference after trimming, subset {number} of the benchmark",
        "metric_id": "exact_match", "metric_name": "Exact match", "metric_kind": "accuracy", "metric_unit": "proportion",
        "lower_is_better": false, "score_type": "continuous", "min_score": 0, "max_score": 1
      }},
      "score_details": {{"score": {score}, "uncertainty": {{"num_samples": {samples}}}}},
      "generation_config": {{
        "generation_args": {{"temperature": 0.0, "max_tokens": 1024, "prompt_template": "Answer the question."}},
        "additional_details": {{"precision": "bfloat16", "shots": "5"}}
      }}
    }}"#
        )
        .unwrap();
    }
    format!(
        r#"{{
  "schema_version": "0.3.0",
  "evaluation_id": "{benchmark}/{model}/1767225600.0",
  "evaluation_timestamp": "1767225600.0",
  "retrieved_timestamp": "1767225600.0",
  "source_metadata": {{"source_name": "generated", "source_type": "evaluation_run", "source_organization_name": "acme", "evaluator_relationship": "first_party"}},
  "eval_library": {{"name": "generated", "version": "1"}},
  "model_info": {{"name": "{model}", "id": "{model}", "developer": "{developer}", "additional_details": {{"deployment_type": "unknown", "model_availability": "unknown"}}}},
  "evaluation_results": [{list}
  ]{companion}
}}
"#
    )
}
