//! Real records, when they are at hand.

use std::path::Path;

use crate::support::{Memory, is_forensic, judge};

/// The corpus of real records is not part of the repository. Nothing in it is doubted but the one collection that gives
/// intervals as distances from the score.
#[test]
fn real_records_are_doubted_for_one_reason_only() {
    let root = option_env!("ASSAY_CORPUS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
        Into::into,
    );
    let mut files = Memory::default();
    for name in ["golden", "records-0.2.0", "records-0.2.2"] {
        collect(&root.join(name), &mut files);
    }
    if files.0.is_empty() {
        say_skipped(&root);
        return;
    }

    let reports = judge(&files);

    let found: Vec<_> = reports
        .iter()
        .flat_map(|report| report.findings.diagnostics())
        .filter(|found| is_forensic(&found.code.to_string()))
        .filter(|found| !found.place.file.contains("/global-mmlu-lite/"))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn say_skipped(path: &Path) {
    eprintln!("skipped: there is no {}", path.display());
}

/// The records below a directory, if there is one.
fn collect(directory: &Path, files: &mut Memory) {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "json") {
            let bytes = std::fs::read(&path).unwrap();
            files.0.insert(path.display().to_string(), bytes);
        }
    }
}
