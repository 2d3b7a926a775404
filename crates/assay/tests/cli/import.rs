//! `assay import eee`, as far as it goes without a hub: which records are found, and under which
//! names.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::support::Workspace;

const UUID: &str = "3f0c6e0a-6f0e-4b9e-9a53-0d6c1b1f7a11";
const RECORD: &str = include_str!(
    "../../../../examples/datastore/data/sum-check/acme/tiny-adder/3f0c6e0a-6f0e-4b9e-9a53-0d6c1b1f7a11.json"
);
const SAMPLES: &str = include_str!(
    "../../../../examples/datastore/data/sum-check/acme/tiny-adder/3f0c6e0a-6f0e-4b9e-9a53-0d6c1b1f7a11_samples.jsonl"
);
const LIST: &str = "flat/manifests/sha256_1/entries.jsonl";
const INDEX: &str = "flat/indexes/by_collection/sum-check.jsonl";

fn row() -> Value {
    let object = format!("flat/objects/3f/0c/{UUID}");
    json!({
        "object_uuid": UUID,
        "object_path": format!("{object}.json"),
        "sha256": assay_formats::rows::hex(&Sha256::digest(RECORD)),
        "size_bytes": RECORD.len(),
        "legacy_path": format!("data/sum-check/acme/tiny-adder/{UUID}.json"),
        "benchmark": "sum-check",
        "eval_schema_version": "0.3.0",
        "record_type": "aggregate",
        "instance_level_available": true,
        "instance_level_path": format!("{object}_samples.jsonl"),
    })
}

/// A flat datastore whose newest list has these rows.
fn flat_datastore(rows: &[Value]) -> Workspace {
    let list: Vec<String> = rows.iter().map(Value::to_string).collect();
    let list = list.join("\n");
    Workspace::new()
        .with(
            "flat/latest_manifest.json",
            json!({"entries_path": LIST, "aggregate_file_count": 1}).to_string(),
        )
        .with(LIST, &list)
        .with(INDEX, &list)
        .with(format!("flat/objects/3f/0c/{UUID}.json"), RECORD)
        .with(format!("flat/objects/3f/0c/{UUID}_samples.jsonl"), SAMPLES)
}

fn dry_run(workspace: &Workspace, path: &str) -> (Option<i32>, Value) {
    let run = workspace.run(&["import", "eee", path, "--dry-run", "--format", "json"]);
    (run.code, run.json())
}

#[test]
fn a_flat_datastore_is_imported_like_one_by_benchmark() {
    let workspace = flat_datastore(&[row()]).with(
        format!("tree/data/sum-check/acme/tiny-adder/{UUID}.json"),
        RECORD,
    );
    let workspace = workspace.with(
        format!("tree/data/sum-check/acme/tiny-adder/{UUID}_samples.jsonl"),
        SAMPLES,
    );

    let expected = dry_run(&workspace, "tree");

    assert_eq!(expected.0, Some(0), "{}", expected.1);
    assert_eq!(expected.1["report"]["records"], 1);
    for path in [".", "flat", INDEX] {
        assert_eq!(dry_run(&workspace, path), expected, "{path}");
    }
}

#[test]
fn rows_of_a_flat_datastore_that_lead_astray_are_refused_one_by_one() {
    let changed = |key: &str, value: &str| {
        let mut row = row();
        row[key] = value.into();
        row
    };
    let rows = [
        changed("object_path", "flat/objects/../../secret.json"),
        changed("object_path", "/etc/passwd"),
        changed("legacy_path", "data/../../out.json"),
        changed("instance_level_path", "flat/latest_manifest.json"),
        changed("object_path", "flat/objects/3f/0c/absent.json"),
        changed("sha256", "00"),
        json!(["no", "row"]),
        row(),
    ];
    let workspace = flat_datastore(&rows);

    let (code, account) = dry_run(&workspace, ".");

    assert_eq!(code, Some(1), "{account}");
    assert_eq!(account["report"]["records"], 1, "{account}");
    let refused: Vec<&str> = account["refused"]
        .as_array()
        .unwrap()
        .iter()
        .map(|reason| reason.as_str().unwrap())
        .collect();
    assert_eq!(refused.len(), rows.len() - 1, "{refused:?}");
    for (number, words) in [
        "not below `flat/objects/`",
        "not below `flat/objects/`",
        "not below `data/`",
        "not below `flat/objects/`",
        "No such file",
        "whose SHA-256 is another one",
        "is no row of a list",
    ]
    .iter()
    .enumerate()
    {
        let reason = refused[number];
        assert!(reason.contains(words), "{reason}");
        assert!(
            reason.starts_with(&format!("line {} of", number + 1)),
            "{reason}"
        );
    }
}

#[test]
fn a_manifest_that_cannot_be_read_ends_the_import_with_its_reason() {
    let workspace = Workspace::new().with("flat/latest_manifest.json", "{");

    let run = workspace.run(&["import", "eee", ".", "--dry-run"]);

    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(
        run.stderr.contains("latest_manifest.json` cannot be read"),
        "{run:?}"
    );
}
