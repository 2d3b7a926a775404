//! The records of the wild. They are not part of the repository: without them the test says so and
//! passes.

use std::collections::BTreeMap;
use std::path::Path;

use assay_convert::upgrade;
use assay_testkit::corpus::{files_below, find_corpus, unpack_records};

use crate::files::InMemory;

struct Outcome {
    records: usize,
    valid: usize,
    refused: BTreeMap<&'static str, usize>,
}

/// Upgrades all records of one version and holds what comes out against the judge and the published
/// schema.
fn upgrade_all(corpus: &Path, version: &str) -> Outcome {
    let records = unpack_records(corpus, Path::new(env!("CARGO_TARGET_TMPDIR")));
    let paths = files_below(&records.join(format!("records-{version}")));
    let mut refused = BTreeMap::new();
    let mut files = InMemory::default();
    for path in &paths {
        let text = std::fs::read_to_string(path).unwrap();
        match upgrade::record(&text, &path.to_string_lossy()) {
            Ok(upgraded) => {
                assert_eq!(upgraded.report.from.as_str(), version);
                files.0.insert(upgraded.path, upgraded.json.into_bytes());
            }
            Err(refusal) => *refused.entry(refusal.reasons[0].kind.slug()).or_default() += 1,
        }
    }
    assert_eq!(files.errors(), Vec::<String>::new());
    follow_the_schema(corpus, &files);
    Outcome {
        records: paths.len(),
        valid: files.0.len(),
        refused,
    }
}

fn follow_the_schema(corpus: &Path, files: &InMemory) {
    let text = std::fs::read_to_string(corpus.join("schemas/eval.schema.0.3.0.json")).unwrap();
    let schema: serde_json::Value = serde_json::from_str(&text).unwrap();
    let validator = jsonschema::draft7::new(&schema).unwrap();
    for (path, bytes) in &files.0 {
        let record = serde_json::from_slice(bytes).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&record)
            .map(|error| error.to_string())
            .collect();
        assert_eq!(errors, Vec::<String>::new(), "{path}");
    }
}

#[test]
fn the_records_of_the_wild_are_upgraded_or_refused_for_a_known_reason() {
    let Some(corpus) = find_corpus() else {
        return;
    };

    let old = upgrade_all(&corpus, "0.2.0");
    let new = upgrade_all(&corpus, "0.2.2");

    assert_eq!((old.records, old.valid), (5320, 5264));
    assert_eq!(
        old.refused,
        BTreeMap::from([
            ("path-depth", 1),
            ("path-not-portable", 11),
            ("score-out-of-bounds", 44)
        ])
    );
    assert_eq!((new.records, new.valid), (246, 246));
    assert_eq!(new.refused, BTreeMap::new());
}
