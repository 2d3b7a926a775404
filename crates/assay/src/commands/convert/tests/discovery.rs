use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use assay_convert::convert::{Harness, Logs as _};

use super::write;
use crate::commands::convert::Source;
use crate::commands::convert::discover::{DiscoveredLogs, discover};
use crate::commands::convert::logs::DiskLogs;

const INSPECT: &str = r#"{"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}}"#;
const LM_EVAL: &str = r#"{"results": {}, "configs": {}, "n-shot": {}, "lm_eval_version": "0.4.9"}"#;
const LIGHTEVAL: &str = r#"{"config_general": {}, "results": {}}"#;

fn logs() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("b/run.eval", "PK"),
        ("b/run.json", INSPECT),
        ("b/notes.json", "{\"a\": 1}"),
        ("b/readme.md", "# logs"),
        ("a/results_2026.json", LM_EVAL),
        ("c/results_2026.json", LIGHTEVAL),
        ("c/leaderboard.csv", "\"\",win_rate,n_total\nm,1,2\n"),
        ("c/other.csv", "x,y\n"),
        ("runs/sums:model=m/run_spec.json", "{}"),
        ("runs/sums:model=m/stats.json", "[]"),
        ("runs/sums:model=m/results_1.json", LM_EVAL),
        ("runs/broken/run_spec.json", "{}"),
        (".hidden/run.eval", "PK"),
    ] {
        write(root.path(), path, text);
    }
    root
}

fn found(
    root: &tempfile::TempDir,
    paths: &[&str],
    source: Source,
) -> (DiscoveredLogs, Vec<(String, Option<Harness>)>) {
    let paths: Vec<PathBuf> = paths.iter().map(|path| root.path().join(path)).collect();
    let found = discover(&DiskLogs, &paths, source);
    let prefix = format!("{}/", root.path().display());
    let logs = found
        .logs
        .iter()
        .map(|log| (log.path.replace(&prefix, ""), log.harness))
        .collect();
    (found, logs)
}

#[test]
fn a_directory_gives_its_logs_sorted_and_a_run_directory_is_one_log() {
    let root = logs();

    let (found, logs) = found(&root, &["."], Source::Auto);

    let strip = |path: &str| path.trim_start_matches("./").to_owned();
    let logs: Vec<(String, Option<Harness>)> = logs
        .into_iter()
        .map(|(path, harness)| (strip(&path), harness))
        .collect();
    let expected = [
        (".hidden/run.eval", Harness::Inspect),
        ("a/results_2026.json", Harness::LmEval),
        ("b/run.eval", Harness::Inspect),
        ("b/run.json", Harness::Inspect),
        ("c/leaderboard.csv", Harness::AlpacaEval),
        ("c/results_2026.json", Harness::Lighteval),
        ("runs/sums:model=m", Harness::Helm),
    ]
    .map(|(path, harness)| (path.to_owned(), Some(harness)));
    assert_eq!(logs, expected);
    // The notes, the text, the other table, and what is left of a run.
    assert_eq!((found.passed_over.len(), found.missing.len()), (4, 0));
    assert_eq!(found.logs[6].bytes, 4 + LM_EVAL.len() as u64);
}

#[test]
fn a_known_harness_takes_its_own_logs_alone() {
    let root = logs();
    let source = Source::Known(Harness::LmEval);

    let (_, logs) = found(&root, &["a", "c", "b/notes.json"], source);

    // A file that was named and is no such log is told of later.
    let expected = [
        ("a/results_2026.json", Some(Harness::LmEval)),
        ("b/notes.json", None),
    ];
    assert_eq!(
        logs,
        expected.map(|(path, harness)| (path.to_owned(), harness))
    );
}

#[test]
fn hidden_directories_are_searched_but_for_those_of_tools() {
    let root = tempfile::tempdir().unwrap();
    for directory in [".__model", ".git"] {
        let path = root.path().join(directory);
        std::fs::create_dir(&path).unwrap();
        std::fs::write(path.join("results_2026.json"), LM_EVAL).unwrap();
    }

    let (found, logs) = found(&root, &["."], Source::Auto);

    assert_eq!(logs.len(), 1, "{logs:?}");
    assert!(logs[0].0.ends_with(".__model/results_2026.json"));
    assert_eq!(found.passed_over.len(), 1);
    assert_eq!(
        Path::new(&found.passed_over[0]).file_name(),
        Some(OsStr::new(".git"))
    );
}

#[test]
fn a_pattern_matches_files_and_run_directories() {
    let root = logs();

    let (files, logs) = found(&root, &["*/run.*", "runs/*"], Source::Auto);

    let paths: Vec<&str> = logs.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(
        paths,
        [
            ".hidden/run.eval",
            "b/run.eval",
            "b/run.json",
            "runs/sums:model=m"
        ]
    );
    assert!(files.missing.is_empty());
}

#[test]
fn what_is_not_there_is_told_and_a_log_counts_once() {
    let root = logs();

    let (found, logs) = found(
        &root,
        &[
            "no.eval",
            "no/*.eval",
            "b/[",
            "runs/broken",
            "b/run.eval",
            "b",
            "b/notes.json",
        ],
        Source::Auto,
    );

    assert_eq!(found.missing.len(), 4, "{:?}", found.missing);
    assert!(
        found.missing[3].starts_with("no log found in"),
        "{:?}",
        found.missing
    );
    let runs = logs.iter().filter(|(path, _)| path == "b/run.eval");
    assert_eq!(runs.count(), 1);
    assert_eq!(logs.last(), Some(&("b/notes.json".to_owned(), None)));
}

#[test]
fn names_in_a_directory_are_sorted_and_a_directory_is_no_file() {
    let root = logs();
    let directory = root.path().join("b");
    let directory = directory.to_str().unwrap();

    let names = DiskLogs.list(directory).unwrap();

    assert_eq!(names, ["notes.json", "readme.md", "run.eval", "run.json"]);
    assert!(DiskLogs.open(directory).is_err());
    assert!(DiskLogs.open(&format!("{directory}/no")).is_err());
}
