use std::path::Path;

use assay_testkit::logs::lm_eval_results;
use serde_json::{Value, json};

use crate::support::{Run, Workspace};

const BOARD: &str = "\
,win_rate,standard_error,n_wins,n_wins_base,n_draws,n_total,mode,avg_length,length_controlled_winrate\n\
model-a,40.5,1.5,312,493,0,805,minimal,1488,52.25\n\
model-b,22.25,1.25,174,628,3,805,verified,1445,30.5\n";
const RESULTS: &str = "runs/acme__model-x/results_2026-08-01T00-00-00.000000.json";
const SAMPLES: &str = "runs/acme__model-x/samples_sums_2026-08-01T00-00-00.000000.jsonl";
const BENCHMARK: &str = "\
name: Sums\ndescription: Sums in words.\nmetrics:\n  - id: accuracy\n    display_name: Accuracy\n    \
higher_is_better: true\n    unit: percentage\n    primary: true\ntasks:\n  - id: sums\n    config: default\n    split: test\n";

fn samples() -> String {
    let row = |number: u64| {
        let right = number != 3;
        let answers = if right {
            ["-1.5", "-7.5"]
        } else {
            ["-7.5", "-1.5"]
        };
        let row = json!({
            "doc_id": number,
            "doc": { "question": format!("{number}+1"), "choices": ["yes", "no"], "answer": 0 },
            "target": "0",
            "arguments": {
                "gen_args_0": { "arg_0": format!("{number}+1?"), "arg_1": " yes" },
                "gen_args_1": { "arg_0": format!("{number}+1?"), "arg_1": " no" },
            },
            "resps": [[[answers[0], "False"]], [[answers[1], "False"]]],
            "filtered_resps": [[answers[0], "False"], [answers[1], "False"]],
            "filter": "none",
            "metrics": ["acc"],
            "doc_hash": "0".repeat(64), "prompt_hash": "0".repeat(64), "target_hash": "0".repeat(64),
            "acc": if right { 1.0 } else { 0.0 },
        });
        format!("{row}\n")
    };
    (0..4).map(row).collect()
}

fn logs() -> Workspace {
    Workspace::new()
        .with("boards/leaderboard.csv", BOARD)
        .with(RESULTS, lm_eval_results("acme/model-x", "acme/sums", None))
        .with(SAMPLES, samples())
        .with("runs/notes.txt", "two runs")
}

/// Every file below a directory, with its bytes.
fn files(root: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = walkdir::WalkDir::new(root)
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let name = entry.path().strip_prefix(root).unwrap();
            (
                name.to_string_lossy().into_owned(),
                std::fs::read(entry.path()).unwrap(),
            )
        })
        .collect();
    files.sort();
    files
}

fn summary(run: &Run) -> Value {
    run.json()["summary"].clone()
}

#[test]
fn the_commands_of_the_reference_converters_work_behind_the_name_of_the_program() {
    // `python3 -m eval_converters.lm_eval --log_path <path> --include_samples` is printed there.
    let workspace = logs();
    let line = ["convert", "lm_eval", "--log_path", RESULTS];

    let run = workspace.run(&[&line[..], &["--include_samples"]].concat());

    assert_eq!(run.code, Some(0), "{run}");
    assert!(files(&workspace.path().join("data")).len() >= 2, "{run}");
}

#[test]
fn logs_of_several_harnesses_become_records_that_are_valid() {
    let workspace = logs();

    let run = workspace.run(&["convert", ".", "--out", "store", "--format", "json"]);
    let judged = workspace.run(&[
        "validate", "store", "--layout", "strict", "--format", "json",
    ]);

    assert_eq!(run.code, Some(0), "{run}");
    let summary = summary(&run);
    assert_eq!(
        (&summary["logs"], &summary["converted"]),
        (&json!(2), &json!(2)),
        "{run}"
    );
    assert_eq!(
        (&summary["written"], &summary["rows"]),
        (&json!(3), &json!(4)),
        "{run}"
    );
    let document = run.json();
    let harness = |index: usize| document["logs"][index]["harness"].clone();
    assert_eq!(
        (harness(0), harness(1)),
        (json!("alpaca-eval"), json!("lm-eval"))
    );
    assert_ne!(judged.code, Some(1), "{judged}");
    let store = files(&workspace.path().join("store"));
    assert_eq!(store.len(), 4, "three records and one samples file");
}

#[test]
fn converting_again_or_with_other_threads_changes_nothing() {
    let workspace = logs();
    workspace.run(&["convert", ".", "--out", "one", "--jobs", "1"]);
    let before = files(&workspace.path().join("one"));

    let again = workspace.run(&[
        "convert", "boards", "runs", "--out", "one", "--format", "json",
    ]);
    workspace.run(&["convert", "boards", "runs", "--out", "other", "--jobs", "4"]);

    assert_eq!(again.code, Some(0), "{again}");
    assert_eq!(summary(&again)["unchanged"], 3, "{again}");
    assert_eq!(files(&workspace.path().join("one")), before);
    assert_eq!(files(&workspace.path().join("other")), before);
}

#[test]
fn a_record_with_other_content_is_refused_and_stays() {
    let workspace = logs();
    workspace.run(&["convert", RESULTS, "--out", "store"]);
    let before = files(&workspace.path().join("store"));

    let run = workspace.run(&[
        "convert",
        RESULTS,
        "--out",
        "store",
        "--source-organization",
        "Other",
    ]);

    assert_eq!(run.code, Some(1), "{run}");
    assert!(run.stdout.contains("[output-differs]"), "{run}");
    assert_eq!(files(&workspace.path().join("store")), before);
}

#[test]
fn a_broken_log_is_refused_and_the_others_are_converted() {
    let workspace = logs()
        .with("runs/cut.eval", "PK\u{3}\u{4}")
        .with("runs/strange.json", "{}");

    let run = workspace.run(&[
        "convert",
        "runs",
        "runs/strange.json",
        "--out",
        "store",
        "--format",
        "json",
    ]);

    assert_eq!(run.code, Some(1), "{run}");
    let summary = summary(&run);
    assert_eq!(
        (&summary["converted"], &summary["refused"]),
        (&json!(1), &json!(2)),
        "{run}"
    );
    let logs = run.json()["logs"].clone();
    let reason = |path: &str| {
        let own = logs
            .as_array()
            .unwrap()
            .iter()
            .find(|log| log["path"] == path);
        own.unwrap()["refused"]["reason"].clone()
    };
    assert_eq!(reason("runs/cut.eval"), "damaged");
    assert_eq!(reason("runs/strange.json"), "not-recognised");
    assert_eq!(files(&workspace.path().join("store")).len(), 2);
}

#[test]
fn a_dry_run_tells_the_same_and_writes_nothing() {
    let workspace = logs();

    let dry = workspace.run(&["convert", ".", "--dry-run", "--format", "json"]);
    let there = workspace.path().join("store").exists();
    let real = workspace.run(&[
        "convert", "boards", "runs", "--out", "store", "--format", "json",
    ]);

    assert_eq!(dry.code, Some(0), "{dry}");
    assert!(!there);
    assert_eq!(dry.json()["logs"], real.json()["logs"]);
}

#[test]
fn without_samples_there_is_the_record_alone() {
    let workspace = logs();

    let run = workspace.run(&["convert", "lm-eval", ".", "--out", "store", "--no-samples"]);

    assert_eq!(run.code, Some(0), "{run}");
    let store = files(&workspace.path().join("store"));
    assert_eq!(store.len(), 1);
    assert!(
        run.summary()
            .starts_with("converted 1 of 1 log: 1 record (0 unchanged), 0 rows"),
        "{run}"
    );
}

#[test]
fn what_is_not_there_exits_3() {
    let workspace = logs();
    for arguments in [
        &["convert", "no.eval", "--out", "store"][..],
        &["convert", "no/*.eval", "--out", "store"],
        &["convert", "inspect", "boards", "--out", "store"],
        &["convert", RESULTS, "--out", "-"],
        &["convert", RESULTS],
    ] {
        let run = workspace.run(arguments);

        assert_eq!(run.code, Some(3), "{arguments:?} {run}");
        assert!(run.stderr.contains("error"), "{run}");
    }
}

#[test]
fn a_log_becomes_an_entry_in_the_unit_of_the_benchmark() {
    let workspace = logs().with("benchmarks/acme/sums/eval.yaml", BENCHMARK);
    let line = [
        "convert",
        RESULTS,
        "--to",
        "eval-results",
        "--benchmark",
        "acme/sums",
        "--task",
        "sums",
        "--model",
        "acme/model-x",
        "--benchmarks",
        "benchmarks",
        "--out",
    ];
    let with = |out: &str| workspace.run(&line.iter().copied().chain([out]).collect::<Vec<_>>());

    let printed = with("-");
    let written = with("model");
    let again = with("model");
    let judged = workspace.run(&[
        "validate",
        "model/.eval_results",
        "--benchmarks",
        "benchmarks",
    ]);

    assert_eq!(
        (printed.code, written.code, again.code),
        (Some(0), Some(0), Some(0)),
        "{printed}"
    );
    assert!(
        printed
            .stdout
            .contains("metric_id: \"accuracy\"\n      value: 75\n"),
        "{printed}"
    );
    assert!(printed.stderr.contains("0.75 became 75"), "{printed}");
    assert_eq!(
        workspace.read("model/.eval_results/sums.yaml"),
        printed.stdout
    );
    assert!(again.stderr.contains("nothing to add"), "{again}");
    assert_eq!(judged.code, Some(0), "{judged}");
}

#[test]
fn an_entry_that_the_benchmark_does_not_know_is_refused() {
    let workspace = logs().with("benchmarks/acme/sums/eval.yaml", BENCHMARK);

    let run = workspace.run(&[
        "convert",
        RESULTS,
        "--to",
        "eval-results",
        "--benchmark",
        "acme/sums",
        "--task",
        "digits",
        "--model",
        "acme/model-x",
        "--benchmarks",
        "benchmarks",
        "--out",
        "model",
    ]);

    assert_eq!(run.code, Some(1), "{run}");
    assert!(run.stderr.contains("AY"), "{run}");
    assert!(!workspace.path().join("model").exists());
}
