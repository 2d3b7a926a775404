//! A conversion that a signal ends leaves nothing behind.

use std::fmt::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::support::Workspace;

/// Enough that the conversion is not over before it is interrupted.
const ROWS: u64 = 150_000;

#[test]
fn ctrl_c_leaves_no_scratch_files_and_no_directories() {
    let results = json!({
        "results": { "sums": { "alias": "sums", "acc,none": 1.0 } },
        "configs": { "sums": { "task": "sums", "output_type": "multiple_choice" } },
        "versions": { "sums": 1.0 },
        "n-shot": { "sums": 0 },
        "higher_is_better": { "sums": { "acc": true } },
        "config": { "model": "hf", "model_args": "pretrained=acme/model-x" },
        "date": 1_785_542_400.5,
        "lm_eval_version": "0.4.9",
        "model_name": "acme/model-x",
    });
    let mut samples = String::new();
    for number in 0..ROWS {
        let row = json!({
            "doc_id": number, "doc": {}, "target": "0", "filter": "none", "metrics": ["acc"], "acc": 1.0,
            "arguments": { "gen_args_0": { "arg_0": format!("{number}+1?"), "arg_1": " yes" } },
            "resps": [[["-1.5", "False"]]], "filtered_resps": [["-1.5", "False"]],
        });
        writeln!(samples, "{row}").unwrap();
    }
    let workspace = Workspace::new()
        .with(
            "run/results_2026-08-01T00-00-00.000000.json",
            results.to_string(),
        )
        .with("run/samples_sums_2026-08-01T00-00-00.000000.jsonl", samples);
    let out = workspace.path().join("new/out");

    let mut child = workspace
        .command(&["convert", "run", "--out", "new/out"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let has_begun = || std::fs::read_dir(&out).is_ok_and(|mut files| files.next().is_some());
    while !has_begun() {
        assert_eq!(child.try_wait().unwrap(), None, "it was over at once");
        std::thread::yield_now();
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let status = child.wait().unwrap();

    assert_eq!(status.signal(), Some(Signal::INT.as_raw()));
    assert!(!workspace.path().join("new").exists());
}
