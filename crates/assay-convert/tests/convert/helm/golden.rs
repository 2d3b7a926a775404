//! The records that the reference makes of the same runs, field by field. Every difference is one
//! of those listed here and in `docs/converter-differences.md`.

use std::collections::BTreeSet;
use std::path::Path;

use assay_convert::convert::Options;
use serde_json::Value;

use super::store::{Tree, corpus};

/// The differences between our records and rows and those of the reference, with the reason. A `*`
/// stands for any position.
const DIFFERENCES: &[(&str, &str)] = &[
    ("record/detailed_evaluation_results/checksum", "rows differ"),
    (
        "record/detailed_evaluation_results/file_path",
        "the UUID follows from the run",
    ),
    (
        "record/evaluation_results/*/source_data/sample_ids",
        "all ids in every result; the rows have them",
    ),
    (
        "record/evaluation_results/*/source_data/additional_details/scenario_args",
        "empty text for no arguments",
    ),
    (
        "record/evaluation_results/*/metric_config/metric_id",
        "the names of one table for all harnesses",
    ),
    (
        "record/evaluation_results/*/metric_config/metric_kind",
        "the names of one table for all harnesses",
    ),
    (
        "record/evaluation_results/*/metric_config/additional_details",
        "the revision of a registry that is not used",
    ),
    (
        "record/evaluation_results/*/score_details/details/perturbation",
        "empty text for no perturbation",
    ),
    (
        "record/evaluation_results/*/score_details/details/computed_on",
        "tells the worst case from the perturbed one",
    ),
    ("record/evaluation_id", "says which run of that second"),
    ("row/evaluation_id", "says which run of that second"),
    (
        "record/source_metadata/additional_details",
        "the state of the run",
    ),
    (
        "record/evaluation_results/*/source_data/source_type",
        "a scenario is no dataset of the hub",
    ),
    (
        "record/evaluation_results/*/source_data/samples_number",
        "a detail of other data",
    ),
    (
        "record/evaluation_results/*/source_data/additional_details/samples_number",
        "a detail of other data",
    ),
    (
        "record/evaluation_results/*/generation_config/additional_details/adapter",
        "the setup of the run",
    ),
    (
        "record/evaluation_results/*/generation_config/additional_details/instructions",
        "the setup of the run",
    ),
    (
        "record/evaluation_results/*/generation_config/additional_details/limit",
        "the setup of the run",
    ),
    (
        "record/evaluation_results/*/generation_config/additional_details/run_name",
        "the setup of the run",
    ),
    (
        "record/evaluation_results/*/generation_config/additional_details/setup_keys",
        "which details are the setup",
    ),
    (
        "record/evaluation_results/*/generation_config/additional_details/shots",
        "the setup of the run",
    ),
    (
        "record/evaluation_results/*/generation_config/additional_details/task_args",
        "the setup of the run",
    ),
    ("row/metadata", "the metric does not define what is right"),
    ("row/sample_hash", "one recipe for all harnesses"),
    (
        "row/input/raw",
        "the question, not the prompt with its examples",
    ),
    ("row/input/formatted", "the prompt with its examples"),
    (
        "row/input/choices",
        "right answers of a free question are no options",
    ),
    (
        "row/output/reasoning_trace",
        "an empty list for no reasoning",
    ),
];

fn tree(corpus: &Path, log: &str) -> Tree {
    Tree::of_directory(&corpus.join("logs/reference-fixtures/helm").join(log))
}

/// The record and the rows of the reference.
fn golden(directory: &Path) -> (Value, Vec<Value>) {
    let mut files = Vec::new();
    collect(directory, &mut files);
    let text_of = |ending: &str| {
        let path = files.iter().find(|path| path.ends_with(ending)).unwrap();
        std::fs::read_to_string(path).unwrap()
    };
    let record = serde_json::from_str(&text_of("0001.json")).unwrap();
    let rows = text_of("_samples.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    (record, rows)
}

fn collect(directory: &Path, files: &mut Vec<String>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path.to_str().unwrap().to_owned());
        }
    }
}

/// The places where two values differ. Null is the same as absent, and `1.0` as `1`.
fn differences(path: &str, ours: &Value, theirs: &Value, found: &mut BTreeSet<String>) {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            for key in ours.keys().chain(theirs.keys()) {
                let of = |map: &serde_json::Map<String, Value>| {
                    map.get(key).cloned().unwrap_or(Value::Null)
                };
                differences(&format!("{path}/{key}"), &of(ours), &of(theirs), found);
            }
        }
        (Value::Array(ours), Value::Array(theirs)) if ours.len() == theirs.len() => {
            for (ours, theirs) in ours.iter().zip(theirs) {
                differences(&format!("{path}/*"), ours, theirs, found);
            }
        }
        (ours, theirs) => {
            let equal = match (ours.as_f64(), theirs.as_f64()) {
                (Some(ours), Some(theirs)) => ours.to_bits() == theirs.to_bits(),
                _ => ours == theirs,
            };
            if !equal {
                found.insert(path.to_owned());
            }
        }
    }
}

#[test]
fn records_and_rows_equal_those_of_the_reference_but_for_what_is_listed() {
    let Some(corpus) = corpus() else {
        return;
    };
    let options = Options {
        retrieved_timestamp: Some("1767225600".to_owned()),
        ..Options::default()
    };
    let mut found = BTreeSet::new();

    for (name, log) in [
        (
            "helm-commonsense",
            "commonsense-dataset=hellaswag,method=multiple_choice_joint,model=eleutherai_pythia-1b-v0",
        ),
        (
            "helm-mmlu",
            "mmlu-subject=philosophy,method=multiple_choice_joint,model=openai_gpt2",
        ),
        ("helm-narrative_qa", "narrative_qa-model=openai_gpt2"),
    ] {
        let (record, rows) = golden(&corpus.join("golden").join(name));
        let ours = tree(&corpus, log).convert_with(&options).unwrap();
        differences("record", &ours.record(), &record, &mut found);
        let our_rows = ours.rows();
        assert_eq!(our_rows.len(), rows.len(), "{name}");
        for (ours, theirs) in our_rows.iter().zip(&rows) {
            differences("row", ours, theirs, &mut found);
        }
    }

    let listed: BTreeSet<String> = DIFFERENCES
        .iter()
        .map(|(path, _)| (*path).to_owned())
        .collect();
    assert_eq!(found, listed);
}

#[test]
fn every_difference_is_documented() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/converter-differences.md");
    let text = std::fs::read_to_string(docs).unwrap();
    let section = text.split("## HELM").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();

    for (path, reason) in DIFFERENCES {
        let field = path
            .replace("record/", "")
            .replace("row/", "")
            .replace("evaluation_results/*/", "");
        let field = field.replace('/', ".");
        assert!(
            section.contains(&format!("`{field}`")),
            "`{field}` ({reason}) is not documented"
        );
    }
}
