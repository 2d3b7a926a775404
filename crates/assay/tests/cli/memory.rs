use std::io::Write as _;
use std::process::Stdio;

use crate::support::Workspace;

/// The number of bytes that are validated: enough to tell memory that grows with the file from
/// memory that does not.
const FILE_BYTES: usize = 96 << 20;
/// The most memory of the program, in KiB.
const MAX_KIB: u64 = 64 << 10;

/// A clean row of about a kilobyte.
fn row(number: usize) -> String {
    format!(
        r#"{{"schema_version": "0.3.0", "evaluation_id": "sums/acme/model-x/1", "model_id": "acme/model-x", "evaluation_name": "sums", "sample_id": "s{number}", "interaction_type": "single_turn", "input": {{"raw": "{}", "reference": ["4"]}}, "output": {{"raw": ["{}"]}}, "answer_attribution": [], "evaluation": {{"score": 1.0, "is_correct": true}}}}
"#,
        "what is two plus two? ".repeat(20),
        "it is four. ".repeat(30),
    )
}

#[test]
fn memory_does_not_grow_with_the_file() {
    let arguments = [
        "validate",
        "-",
        "--as",
        "eee-samples",
        "--quiet",
        "--jobs",
        "2",
    ];
    let workspace = Workspace::new();
    let mut child = workspace
        .command(&arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();

    let mut written = 0;
    for number in 0.. {
        let row = row(number);
        stdin.write_all(row.as_bytes()).unwrap();
        written += row.len();
        if written >= FILE_BYTES {
            break;
        }
    }
    // All but the last few blocks have been validated by now, and the program still waits for more.
    let peak = peak_kib(child.id());
    drop(stdin);

    assert!(child.wait().unwrap().code().is_some());
    let Some(peak) = peak else {
        // Only Linux tells; elsewhere the run above has at least ended well.
        return;
    };
    assert!(
        peak < MAX_KIB,
        "{peak} KiB for a file of {FILE_BYTES} bytes"
    );
}

/// The most memory that a process has taken so far, where the system tells.
fn peak_kib(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
