//! A record of an older version, and what to ask of what becomes of it.

use assay_convert::upgrade::{self, Change, ChangeKind, Reason, Upgraded};
use serde_json::{Value, json};

use crate::files::InMemory;

pub(crate) const PATH: &str = "data/gsm8k/acme/model-x/5eed0000-0000-4000-8000-000000000100.json";
pub(crate) const SAMPLES: &str =
    "data/gsm8k/acme/model-x/5eed0000-0000-4000-8000-000000000100_samples.jsonl";

/// A record of 0.2.0 with nothing in it that could be left out.
pub(crate) fn plain(version: &str) -> Value {
    json!({
        "schema_version": version,
        "evaluation_id": "gsm8k/acme_model-x/1767225600",
        "retrieved_timestamp": "1767225600",
        "source_metadata": {
            "source_type": "documentation",
            "source_organization_name": "Acme",
            "evaluator_relationship": "third_party"
        },
        "model_info": {"name": "Model X", "id": "acme/model-x"},
        "evaluation_results": [{
            "evaluation_name": "GSM8K",
            "source_data": {"dataset_name": "gsm8k", "source_type": "url", "url": ["https://example.org"]},
            "metric_config": {
                "lower_is_better": false, "score_type": "continuous", "min_score": 0, "max_score": 1
            },
            "score_details": {"score": 0.5}
        }]
    })
}

pub(crate) fn changed(version: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut record = plain(version);
    change(&mut record);
    record.to_string()
}

/// Upgrades, and holds what comes out against the judge.
pub(crate) fn upgraded(text: &str) -> Upgraded {
    let upgraded = upgrade::record(text, PATH).unwrap();
    let errors = InMemory::with(&[(&upgraded.path, &upgraded.json)]).errors();
    assert_eq!(errors, Vec::<String>::new());
    upgraded
}

pub(crate) fn json_of(upgraded: &Upgraded) -> Value {
    serde_json::from_str(&upgraded.json).unwrap()
}

pub(crate) fn refused(text: &str) -> Vec<Reason> {
    upgrade::record(text, PATH).unwrap_err().reasons
}

pub(crate) fn kinds_and_paths(changes: &[Change]) -> Vec<(ChangeKind, &str)> {
    changes
        .iter()
        .map(|change| (change.kind, change.path.as_str()))
        .collect()
}
