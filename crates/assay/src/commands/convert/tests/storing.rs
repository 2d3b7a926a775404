use std::path::Path;

use assay_convert::convert::{Datastore as _, Identity, RecordWriter};
use assay_formats::eee::record::{
    EvaluationResult, Library, ModelInfo, Record, ScoreDetails, SourceData, SourceMetadata,
};

use crate::commands::convert::store::{ConvertedRecord, DiskStore, Settled};

fn identity() -> Identity {
    Identity::new("sums", "acme/model-x", &[b"log"])
}

fn record(score: f64) -> Record {
    let source = SourceMetadata {
        source_name: Some("test".to_owned()),
        source_type: "evaluation_run",
        source_organization_name: "Acme".to_owned(),
        source_organization_url: None,
        source_organization_logo_url: None,
        evaluator_relationship: "first_party",
        additional_details: std::collections::BTreeMap::new(),
    };
    let library = Library {
        name: "test".to_owned(),
        version: "1".to_owned(),
        additional_details: std::collections::BTreeMap::new(),
    };
    let model = ModelInfo::new("model-x".to_owned(), "acme/model-x".to_owned());
    let mut record = Record::new(
        "sums/acme/model-x/1767225600".to_owned(),
        "1767225600".to_owned(),
        source,
        library,
        model,
    );
    record.evaluation_results.push(EvaluationResult {
        evaluation_result_id: "accuracy".to_owned(),
        evaluation_name: "sums".to_owned(),
        source_data: SourceData::Other {
            dataset_name: "sums".to_owned(),
            additional_details: std::collections::BTreeMap::new(),
        },
        evaluation_timestamp: None,
        metric_config: assay_convert::convert::known_metric("accuracy")
            .unwrap()
            .config(),
        score_details: ScoreDetails {
            score,
            details: std::collections::BTreeMap::new(),
            uncertainty: None,
        },
        generation_config: None,
    });
    record
}

fn rows(score: f64) -> Vec<u8> {
    let row = serde_json::json!({
        "schema_version": "0.3.0",
        "evaluation_id": "sums/acme/model-x/1767225600",
        "model_id": "acme/model-x",
        "evaluation_name": "sums",
        "evaluation_result_id": "accuracy",
        "sample_id": "1",
        "sample_hash": "0".repeat(64),
        "interaction_type": "single_turn",
        "input": { "raw": "1+1", "formatted": null, "reference": ["2"], "choices": null },
        "output": { "raw": ["2"], "reasoning_trace": null },
        "messages": null,
        "answer_attribution": [{
            "turn_idx": 0, "source": "output.raw", "extracted_value": "2",
            "extraction_method": "exact_match", "is_terminal": true
        }],
        "evaluation": { "score": score, "is_correct": true, "num_turns": 1, "tool_calls_count": 0 }
    });
    format!("{row}\n").into_bytes()
}

fn made(scratch: Option<&Path>, score: f64) -> ConvertedRecord {
    let store = DiskStore::new(scratch, 1);
    let mut writer = RecordWriter::begin(&store, identity()).unwrap();
    writer.rows(&rows(score), 1).unwrap();
    writer.finish(record(score)).unwrap();
    store.into_made().pop().unwrap()
}

fn files(root: &Path) -> Vec<String> {
    let mut files: Vec<String> = walkdir::WalkDir::new(root)
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    files
}

#[test]
fn a_pair_appears_whole_and_a_second_time_changes_nothing() {
    let out = tempfile::tempdir().unwrap();
    let identity = identity();

    let first = made(Some(out.path()), 1.0);
    let faults = first.faults.clone();
    let first = first.settle(out.path(), true, false).unwrap();
    let second = made(Some(out.path()), 1.0)
        .settle(out.path(), true, false)
        .unwrap();

    assert_eq!(faults, []);
    assert!(matches!(first, Settled::Written), "{first:?}");
    assert!(matches!(second, Settled::Unchanged), "{second:?}");
    let uuid = &identity.uuid;
    assert_eq!(
        files(out.path()),
        [format!("{uuid}.json"), format!("{uuid}_samples.jsonl")]
    );
    let samples = std::fs::read(out.path().join(identity.samples_path())).unwrap();
    assert_eq!(samples, rows(1.0));
}

#[test]
fn other_bytes_under_the_same_name_are_never_overwritten() {
    let out = tempfile::tempdir().unwrap();
    made(Some(out.path()), 1.0)
        .settle(out.path(), true, false)
        .unwrap();
    let before = files(out.path());

    let other = made(Some(out.path()), 0.0)
        .settle(out.path(), true, false)
        .unwrap();

    assert!(
        matches!(&other, Settled::Differs(fault) if fault.reason == "output-differs"),
        "{other:?}"
    );
    assert_eq!(files(out.path()), before);
    let samples = std::fs::read(out.path().join(identity().samples_path())).unwrap();
    assert_eq!(samples, rows(1.0));
}

#[test]
fn samples_that_lost_their_record_get_it_back() {
    let out = tempfile::tempdir().unwrap();
    let pair = made(Some(out.path()), 1.0);
    let record = out.path().join(pair.path());
    pair.settle(out.path(), true, false).unwrap();
    std::fs::remove_file(&record).unwrap();

    let again = made(Some(out.path()), 1.0)
        .settle(out.path(), true, false)
        .unwrap();

    assert!(matches!(again, Settled::Written), "{again:?}");
    assert!(record.is_file());
}

#[test]
fn a_pair_that_is_dropped_leaves_no_trace() {
    let out = tempfile::tempdir().unwrap();
    let store = DiskStore::new(Some(out.path()), 1);

    let mut pair = store.begin(&identity()).unwrap();
    pair.rows().write_all(b"half a row").unwrap();
    drop(pair);
    drop(made(Some(out.path()), 1.0));

    assert_eq!(files(out.path()), [] as [String; 0]);
}

#[test]
fn a_dry_run_tells_the_same_and_writes_nothing() {
    let out = tempfile::tempdir().unwrap();

    let settled = made(None, 1.0).settle(out.path(), false, false).unwrap();

    assert!(matches!(settled, Settled::Written), "{settled:?}");
    assert_eq!(files(out.path()), [] as [String; 0]);
}

#[test]
fn validation_refuses_a_score_out_of_bounds_and_names_the_row() {
    let out = tempfile::tempdir().unwrap();

    let made = made(Some(out.path()), 7.0);

    assert!(!made.faults.is_empty());
    assert!(
        made.faults.iter().any(|fault| fault.path.contains("score")),
        "{:?}",
        made.faults
    );
}
