//! Records that are made when no real ones are at hand.

use serde_json::{Value, json};

const COLLECTIONS: usize = 4;
const RECORDS: usize = 60;
const EVALUATIONS: [&str; 6] = ["sums", "products", "roots", "primes", "limits", "proofs"];

/// Makes collections of models of many qualities.
pub(crate) fn collections() -> Vec<Vec<(String, Value)>> {
    (0..COLLECTIONS)
        .map(|collection| {
            (0..RECORDS)
                .map(|model| record(collection, model))
                .collect()
        })
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn record(collection: usize, model: usize) -> (String, Value) {
    let results: Vec<Value> = EVALUATIONS
        .iter()
        .enumerate()
        .map(|(at, name)| {
            let noise = ((model * 37 + at * at * 29 + collection * 11) % 17) as f64 / 400.0;
            let score = 0.2 + model as f64 / 100.0 + at as f64 / 50.0 + noise;
            json!({
                "evaluation_name": name,
                "source_data": { "source_type": "url", "dataset_name": name, "url": ["https://example.org"] },
                "metric_config": {
                    "evaluation_description": format!("Accuracy on {name}"), "lower_is_better": false,
                    "score_type": "continuous", "min_score": 0.0, "max_score": 1.0
                },
                "score_details": { "score": (score * 1e4).round() / 1e4 }
            })
        })
        .collect();
    let id = format!("maker-{}/model-{model}", model % 7);
    let value = json!({
        "schema_version": "0.2.2",
        "evaluation_id": format!("maths-{collection}/{}/1770000000.5", id.replace('/', "_")),
        "retrieved_timestamp": "1770000000.5",
        "source_metadata": {
            "source_name": "Maths", "source_type": "documentation", "source_organization_name": "Example",
            "evaluator_relationship": "third_party"
        },
        "eval_library": { "name": "example", "version": "1" },
        "model_info": { "name": format!("model-{model}"), "id": id, "developer": format!("maker-{}", model % 7) },
        "evaluation_results": results
    });
    let path = format!(
        "data/maths-{collection}/{id}/5eed0000-0000-4000-8000-{collection:04}{model:08}.json"
    );
    (path, value)
}
