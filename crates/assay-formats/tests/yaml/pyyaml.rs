//! Documents without a fault here, with tabs and spaces anywhere, can be read by `PyYAML`, which
//! most clients use.

use std::io::Write as _;
use std::process::Stdio;

use assay_formats::{Tape, yaml};
use assay_testkit::python::find_python;

/// A result file with everything that they have: quotes, a block scalar, a comment, flow style.
const FILE: &str = "# results\n- dataset:\n    id: acme/bench\n    task_id: \"a b\"\n  metrics:\n  - {metric_id: accuracy, value: 61.5}\n  notes: |\n    two lines\n    of text\n  source: {url: 'https://example.org', name: x}  # why\n  date: '2026-02-14'\n";
/// Pieces of text that are put into it.
const PIECES: [&str; 11] = [
    "\t", "\t\t", " \t", "\t ", "\t\n", ":\t", "-\t", " ", "  ", ",\t", "#\t",
];
/// Reads documents, divided by NUL, and prints for each whether it can be read.
const SCRIPT: &str = "import sys, yaml
for text in sys.stdin.buffer.read().decode().split(chr(0)):
    try:
        yaml.safe_load(text)
        print('clean')
    except Exception as error:
        print('refused', repr(str(error)))
";

#[test]
fn tabs_and_spaces_that_are_clean_here_are_readable_by_pyyaml() {
    // `PyYAML` is the package `yaml`.
    let Some(mut python) = find_python("yaml") else {
        return;
    };
    let mut clean = Vec::new();
    for at in 0..=FILE.len() {
        for piece in PIECES {
            let text = format!("{}{piece}{}", &FILE[..at], &FILE[at..]);
            if yaml::parse(&text, &mut Tape::new()).is_empty() {
                clean.push(text);
            }
        }
    }

    let mut reader = python
        .args(["-c", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = reader.stdin.take().unwrap();
    let sent = clean.join("\0");
    let writing = std::thread::spawn(move || input.write_all(sent.as_bytes()));
    let output = reader.wait_with_output().unwrap();
    writing.join().unwrap().unwrap();

    let verdicts = String::from_utf8(output.stdout).unwrap();
    assert!(clean.len() > 500, "{}", clean.len());
    assert_eq!(verdicts.lines().count(), clean.len());
    for (text, verdict) in clean.iter().zip(verdicts.lines()) {
        assert_eq!(verdict, "clean", "{text:?}");
    }
}
