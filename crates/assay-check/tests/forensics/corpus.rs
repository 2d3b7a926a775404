//! Real records, when they are at hand.

use std::path::Path;

use assay_testkit::corpus::{files_below, find_corpus, unpack_records};

use crate::support::{Memory, is_forensic, judge};

/// The corpus of real records is not part of the repository. Nothing in it is doubted but the one
/// collection that gives intervals as distances from the score.
#[test]
fn real_records_are_doubted_for_one_reason_only() {
    let Some(corpus) = find_corpus() else {
        return;
    };
    let records = unpack_records(&corpus, Path::new(env!("CARGO_TARGET_TMPDIR")));
    let mut files = Memory::default();
    for path in [files_below(&corpus.join("golden")), files_below(&records)].concat() {
        if path.extension().is_some_and(|ending| ending == "json") {
            let bytes = std::fs::read(&path).unwrap();
            files.0.insert(path.display().to_string(), bytes);
        }
    }

    let reports = judge(&files);

    let (known, found): (Vec<_>, Vec<_>) = reports
        .iter()
        .flat_map(|report| report.findings.diagnostics())
        .filter(|found| is_forensic(&found.code.to_string()))
        // Findings across records are counted one by one in `records`.
        .filter(|found| !("AY610"..="AY617").contains(&found.code.to_string().as_str()))
        .partition(|found| found.place.file.contains("/global-mmlu-lite/"));
    assert!(found.is_empty(), "{found:#?}");
    assert!(!known.is_empty(), "the known collection was looked at");
}
