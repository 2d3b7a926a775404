//! The reference's own fixture, compared field by field with what the reference makes of it. It is
//! not part of the repository: without it the test says so and passes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::support::{Disk, converted, corpus};

/// The differences from the reference, by the last keys of the path, with the reason.
/// `docs/converter-differences.md` says it in full.
const DIFFERENCES: [(&str, &str); 19] = [
    (
        "evaluation_id",
        "ends with the time of the run, not of the conversion",
    ),
    (
        "retrieved_timestamp",
        "is when the run ended, not when it was converted",
    ),
    ("file_path", "is named by the content of the log"),
    ("checksum", "rows differ"),
    ("metric_id", "is the name that all our converters use"),
    ("metric_kind", "exact match is a kind of its own"),
    ("metric_id_registry_revision", "there is no registry"),
    (
        "source_data.additional_details.task_version",
        "is in the log",
    ),
    ("inference_engine.version", "is in the log"),
    ("additional_details.git_revision", "is the setup of the run"),
    (
        "additional_details.harness_task_version",
        "is the setup of the run",
    ),
    (
        "additional_details.setup_keys",
        "lists the setup of the run",
    ),
    ("additional_details.shots", "is the setup of the run"),
    ("additional_details.run_status", "is the state of the run"),
    ("additional_details.samples_completed", "counts samples"),
    ("additional_details.samples_planned", "counts samples"),
    ("input.raw", "is the question alone"),
    ("input.formatted", "is the prompt"),
    ("sample_hash", "has one recipe for all harnesses"),
];

fn known(path: &str) -> Option<&'static str> {
    let ends = |known: &str| {
        path.strip_suffix(known)
            .is_some_and(|rest| rest.ends_with('.'))
    };
    DIFFERENCES
        .iter()
        .map(|(known, _)| *known)
        .find(|known| ends(known))
}

/// Every scalar with the way to it. Null is as good as absent.
fn flatten(value: &Value, path: &str, into: &mut BTreeMap<String, Value>) {
    match value {
        Value::Null => {}
        Value::Object(map) => map
            .iter()
            .for_each(|(key, value)| flatten(value, &format!("{path}.{key}"), into)),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(position, value)| flatten(value, &format!("{path}.{position}"), into)),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            into.insert(path.to_owned(), value.clone());
        }
    }
}

/// The fields that differ without a reason; the reasons that were needed go into `used`.
fn differences(ours: &Value, theirs: &Value, used: &mut BTreeSet<&'static str>) -> Vec<String> {
    let (mut left, mut right) = (BTreeMap::new(), BTreeMap::new());
    flatten(ours, "", &mut left);
    flatten(theirs, "", &mut right);
    let paths: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    let mut unknown = Vec::new();
    for path in paths {
        let (left, right) = (left.get(path), right.get(path));
        if left == right {
            continue;
        }
        match known(path) {
            Some(known) => drop(used.insert(known)),
            None => unknown.push(format!("{path}: {left:?} instead of {right:?}")),
        }
    }
    unknown
}

#[test]
fn every_field_equals_the_reference_or_differs_for_a_reason() {
    let Some(corpus) = corpus() else { return };
    let log =
        corpus.join("logs/reference-fixtures/lm_eval/results_2026-01-21T03-44-18.458309.json");

    let outcome = converted(&Disk, &log.to_string_lossy());

    let mut used = BTreeSet::new();
    for (task, uuid) in [("math_perturbed_full", 1), ("math_rephrased_full", 2)] {
        let directory = corpus.join(format!(
            "golden/lm_eval/data/{task}/RylanSchaeffer/mem_Qwen3-93M_minerva_math_rep_0_sbst_1.0000_epch_1_ot_1"
        ));
        let stem = format!("00000000-0000-4000-8000-{uuid:012}");
        let golden = std::fs::read_to_string(directory.join(format!("{stem}.json"))).unwrap();
        let golden: Value = serde_json::from_str(&golden).unwrap();
        assert_eq!(
            differences(&outcome.record(task), &golden, &mut used),
            Vec::<String>::new()
        );
        let rows = std::fs::read_to_string(directory.join(format!("{stem}_samples.jsonl")))
            .unwrap_or_default();
        assert_eq!(outcome.rows(task).len(), rows.lines().count());
        for (ours, theirs) in outcome.rows(task).iter().zip(rows.lines()) {
            let theirs: Value = serde_json::from_str(theirs).unwrap();
            assert_eq!(differences(ours, &theirs, &mut used), Vec::<String>::new());
        }
    }
    let listed: BTreeSet<&str> = DIFFERENCES.iter().map(|(known, _)| *known).collect();
    assert_eq!(used, listed, "a difference is listed that is none");
}
