//! The logs of the wild. They are not part of the repository: without them the tests say so and
//! pass.

use std::path::{Path, PathBuf};

use super::support::{Disk, converted, corpus};

fn results_below(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            results_below(&path, found);
        } else if name.starts_with("results_") {
            found.push(path);
        }
    }
}

#[test]
fn the_logs_of_the_wild_become_records_that_break_no_rule() {
    let Some(corpus) = corpus() else { return };
    let mut found = Vec::new();
    for directory in ["logs/lm_eval", "logs/reference-fixtures/lm_eval"] {
        results_below(&corpus.join(directory), &mut found);
    }
    found.sort();

    let counts: Vec<(usize, u64)> = found
        .iter()
        .map(|path| {
            let outcome = converted(&Disk, &path.to_string_lossy());
            let rows = outcome
                .converted
                .iter()
                .map(|converted| converted.rows)
                .sum();
            (outcome.converted.len(), rows)
        })
        .collect();

    // A generation with two filters; two tasks of which two metrics are no scores; the fixture of
    // the reference.
    assert_eq!(counts, [(1, 12), (2, 8 * 2 + 5), (2, 10)]);
}
