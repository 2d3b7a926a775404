//! The real logs of several releases. They are not part of the repository: without them the test
//! says so and passes.

use std::path::{Path, PathBuf};

use super::support::{assert_sound, convert_bytes, corpus, jobs};

fn logs_below(directory: &Path, logs: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            logs_below(&path, logs);
        } else {
            logs.push(path);
        }
    }
}

#[test]
fn every_real_log_converts_and_stands_before_the_judge() {
    let Some(corpus) = corpus() else { return };
    let mut logs = Vec::new();
    for directory in ["inspect", "inspect-small", "reference-fixtures/inspect"] {
        logs_below(&corpus.join("logs").join(directory), &mut logs);
    }
    logs.sort();
    let mut refused = Vec::new();

    for path in &logs {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match convert_bytes(std::fs::read(path).unwrap(), &jobs(2)) {
            Ok(outcome) => {
                assert_sound(&outcome);
                assert!(!outcome.results().is_empty(), "{name}");
            }
            Err(refusal) => refused.push((name, refusal.slug())),
        }
    }

    assert!(logs.len() > 30, "{}", logs.len());
    let nothing = "nothing-to-convert";
    let expected = [
        ("noscore.eval".to_owned(), nothing),
        ("noscore.json".to_owned(), nothing),
    ];
    assert_eq!(refused, expected);
}
