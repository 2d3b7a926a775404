use std::process::Stdio;

use insta::assert_snapshot;
use serde_json::json;

use crate::support::{BROKEN, RECORD, Workspace, misspelt_record, pretty, record};

#[test]
fn a_clean_directory_exits_0_and_says_so() {
    let workspace = Workspace::new()
        .with(RECORD, pretty(&record()))
        .with("notes.json", "[1, 2]");

    let run = workspace.run(&["validate"]);

    assert_eq!(run.code, Some(0), "{run}");
    assert!(run.summary().starts_with("checked 1 file ("), "{run}");
    assert!(run.summary().ends_with("; 1 other file passed over"));
}

#[test]
fn an_error_exits_1_with_place_caret_and_next_step() {
    let workspace = Workspace::new().with("run.json", BROKEN);

    let run = workspace.run(&["validate", "run.json"]);

    assert_snapshot!(run);
}

#[test]
fn warnings_that_are_allowed_are_printed_and_pass() {
    let workspace = Workspace::new().with(RECORD, misspelt_record());

    let run = workspace.run(&["validate", "--allow-warnings"]);

    assert_eq!(run.code, Some(0), "{run}");
    assert!(run.stdout.contains("warning[AY106]"), "{run}");
    let both = workspace.run(&["validate", "--allow-warnings", "--deny-warnings"]);
    assert_eq!(both.code, Some(3), "{both}");
}

#[test]
fn a_warning_exits_2_and_is_an_error_when_denied() {
    let workspace = Workspace::new().with(RECORD, misspelt_record());

    let run = workspace.run(&["validate"]);
    let denied = workspace.run(&["validate", "--deny-warnings"]);

    assert_eq!((run.code, denied.code), (Some(2), Some(1)), "{run}");
    assert!(
        run.stdout
            .contains("warning[AY106]: `source_nam` is not a key of `source_metadata`")
    );
    assert!(run.summary().ends_with(": 1 warning"), "{run}");
}

#[test]
fn a_path_that_is_not_there_exits_3_and_the_others_are_judged() {
    let workspace = Workspace::new().with("run.json", BROKEN);

    let run = workspace.run(&["validate", "no.json", "run.json", "no/*.json", "eval.yaml"]);

    assert_snapshot!(run);
}

#[test]
fn wrong_usage_exits_3() {
    let workspace = Workspace::new();
    let wrong: [&[&str]; 8] = [
        &["validate", "--no-such-flag"],
        &["validate", "--as", "banana"],
        &["validate", "--jobs", "0"],
        &["validate", "--fix", "-"],
        &["validate", "--hub", "hub.example"],
        &["validate", "--benchmarks", "nowhere"],
        &["no-such-command"],
        &[],
    ];
    for args in wrong {
        let run = workspace.run(args);

        assert_eq!(run.code, Some(3), "{args:?} {run}");
        assert!(!run.stderr.is_empty() && run.stdout.is_empty(), "{run}");
    }
}

#[test]
fn a_folder_of_scripts_beside_the_records_of_an_evaluation_is_passed_over() {
    let workspace = Workspace::new()
        .with(RECORD, pretty(&record()))
        .with("data/sums/utils/adapter.py", "print('made the records')\n")
        .with(
            "data/sums/utils/models.json",
            "{\"small\": \"acme/model-x\"}\n",
        )
        .with("utils/sums/README.md", "# How the records were made\n");

    let run = workspace.run(&[
        "validate", "data", "utils", "--layout", "strict", "--format", "json",
    ]);

    let files = run.json()["files"].clone();
    let paths: Vec<&str> = files
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, [RECORD], "{run}");
    assert_eq!(run.json()["summary"]["errors"], 0, "{run}");
}

#[test]
fn a_failure_is_told_in_json_to_those_who_asked_for_json() {
    let workspace = Workspace::new();
    for (line, code, words) in [
        ("admin user list --data nowhere", 3, "there is no hub in"),
        ("hub whoami", 3, "which hub?"),
        (
            "validate --benchmarks nowhere",
            3,
            "there is no such directory",
        ),
        ("validate --no-such-flag", 3, "unexpected argument"),
    ] {
        let line: Vec<&str> = line.split(' ').chain(["--format", "json"]).collect();

        let run = workspace.run(&line);

        let told = run.json();
        assert_eq!(run.code, Some(code), "{run}");
        assert_eq!(told["version"], 1, "{run}");
        assert_eq!(told["exit_code"], code, "{run}");
        assert!(told["error"].as_str().unwrap().contains(words), "{run}");
    }
}

#[test]
fn a_file_that_was_named_and_is_none_of_ours_is_an_error() {
    let workspace = Workspace::new().with("letter.txt", "dear all");

    let run = workspace.run(&["validate", "letter.txt"]);

    assert_snapshot!(run);
}

#[test]
fn nothing_to_check_is_said() {
    let run = Workspace::new().run(&["validate"]);

    assert_eq!(
        (run.code, run.stdout.as_str()),
        (Some(0), "found no files to check\n")
    );
}

#[test]
fn findings_alike_are_shown_once_and_counted() {
    let mut workspace = Workspace::new();
    for number in 0..13 {
        workspace = workspace.with(format!("run{number:02}.json"), BROKEN);
    }

    let run = workspace.run(&["validate"]);

    assert_snapshot!(run);
}

#[test]
fn findings_that_differ_only_in_what_they_quote_are_shown_a_few_times() {
    let entry = |number: usize| {
        format!(
            "- dataset: {{id: acme/sums, task_id: t{number}}}\n  value: 0.5\n  framework: {{name: x, version: 1.{number}}}\n"
        )
    };
    let entries: String = (1..=8).map(entry).collect();
    let workspace = Workspace::new().with(".eval_results/sums.yaml", entries);

    let run = workspace.run(&["validate"]);

    assert_eq!(run.stdout.matches("error[AY102]").count(), 5, "{run}");
    assert!(
        run.stdout
            .contains("… and 3 findings more of AY102 in 1 file; `--format json` lists them\n"),
        "{run}"
    );
    assert!(run.stdout.contains("8 errors"), "{run}");
}

#[test]
fn findings_beyond_the_limit_are_counted_and_not_shown() {
    let rows = "{\"sample_id\": oops}\n".repeat(60);
    let workspace = Workspace::new().with("rows.jsonl", &rows);

    let limited = workspace.run(&[
        "validate",
        "rows.jsonl",
        "--as",
        "eee-samples",
        "--max-errors",
        "2",
    ]);
    let all = workspace.run(&[
        "validate",
        "rows.jsonl",
        "--as",
        "eee-samples",
        "--max-errors",
        "0",
    ]);

    assert!(
        limited
            .stdout
            .contains("… and 1 more like this in this file\n"),
        "{limited}"
    );
    assert!(
        limited
            .stdout
            .contains("… and 58 findings of AY006 not shown; `--max-errors 0` shows all\n")
    );
    assert!(
        all.stdout
            .contains("… and 59 more like this in this file\n"),
        "{all}"
    );
    assert!(
        limited
            .summary()
            .contains("1 samples file with 60 rows): 6"),
        "{limited}"
    );
}

#[test]
fn a_place_deep_inside_a_long_row_is_shown_with_its_true_column() {
    let row = format!(
        "{{\"sample_id\": \"{}\", \"input\": oops}}\n",
        "é".repeat(4000)
    );
    let workspace = Workspace::new().with("rows.jsonl", format!("\n{row}"));

    let run = workspace.run(&["validate", "rows.jsonl", "--as", "eee-samples"]);

    let shown: Vec<&str> = run
        .stdout
        .lines()
        .skip_while(|line| !line.contains("AY006"))
        .take(5)
        .collect();
    assert_snapshot!(shown.join("\n"));
}

#[test]
fn quiet_prints_the_summary_only() {
    let workspace = Workspace::new().with("run.json", BROKEN);

    let run = workspace.run(&["validate", "-q"]);

    assert_eq!(run.stdout, "checked 1 file (49 bytes): 1 error\n");
    assert_eq!(run.code, Some(1));
}

#[test]
fn standard_input_is_recognised_by_its_content() {
    let run = Workspace::new().run_on(&["validate", "-"], BROKEN);

    assert_snapshot!(run);
}

#[cfg(unix)]
#[test]
fn what_comes_through_a_pipe_is_not_missed_by_its_neighbours() {
    let mut with_samples = record();
    with_samples["detailed_evaluation_results"] = json!({
        "format": "jsonl",
        "file_path": RECORD.replace(".json", "_samples.jsonl"),
        "hash_algorithm": "sha256",
        "checksum": "0".repeat(64),
        "total_rows": 1,
    });
    for path in ["-", "/dev/stdin"] {
        let run = Workspace::new().run_on(&["validate", path], pretty(&with_samples));

        assert_eq!(run.code, Some(0), "{run}");
    }
}

#[test]
fn samples_on_standard_input_are_judged_row_by_row() {
    let rows = "{\"sample_id\": oops}\n".repeat(3);

    let run = Workspace::new().run_on(
        &["validate", "-", "--as", "eee-samples", "--format", "json"],
        rows,
    );

    let file = &run.json()["files"][0];
    assert_eq!(file["path"], "<stdin>");
    assert_eq!(file["kind"], "eee-samples");
    assert_eq!(file["rows"], 3);
    assert_eq!(file["counts"], json!({"AY006": 3}));
}

#[test]
fn what_a_terminal_would_obey_never_reaches_it() {
    let text = "{\n  \"evaluation_id\": \"\u{1b}]0;owned\u{7}\u{202e}\u{9b}31m\", \"model_info\": oops\n}\n";
    let workspace = Workspace::new().with("ev\u{1b}[31mil\n\u{202e}.json", text);

    for format in ["rich", "github"] {
        let run = workspace.run(&["validate", "--format", format]);

        let obeyed =
            |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c);
        assert!(!run.stdout.contains(obeyed), "{run}");
        assert!(run.stdout.contains("ev\\u{1b}[31mil"), "{run}");
        assert_eq!(run.code, Some(1));
    }
}

#[test]
fn colours_follow_the_flag() {
    let workspace = Workspace::new().with("run.json", BROKEN);

    let plain = workspace.run(&["validate"]);
    let coloured = workspace.run(&["validate", "--color", "always"]);

    assert!(!plain.stdout.contains('\u{1b}'));
    assert!(coloured.stdout.contains("\u{1b}["));
}

#[test]
fn the_number_of_threads_changes_no_byte_of_any_format() {
    let mut workspace =
        Workspace::new().with("rows_samples.jsonl", "{\"sample_id\": oops}\n".repeat(500));
    for number in 0..40 {
        let text = BROKEN
            .replace("oops", &"[".repeat(number % 3))
            .replace("\"e\"", &format!("\"{number}\""));
        workspace = workspace.with(format!("d{}/run{number}.json", number % 7), text);
    }
    for format in ["rich", "json", "github", "sarif"] {
        let one = workspace.run(&["validate", "--jobs", "1", "--format", format]);
        let many = workspace.run(&["validate", "--jobs", "8", "--format", format]);

        assert_eq!(one, many);
        assert_eq!(one.code, Some(1));
    }
}

#[test]
fn a_reader_that_closes_the_pipe_is_no_failure() {
    let mut workspace = Workspace::new();
    for number in 0..50 {
        workspace = workspace.with(format!("run{number}.json"), BROKEN);
    }
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);

    let output = workspace
        .command(&["validate", "--format", "json"])
        .stdin(Stdio::null())
        .stdout(writer)
        .output()
        .unwrap();

    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
