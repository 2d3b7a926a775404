use std::fs;

use serde_json::{Value, json};

use crate::support::{Run, Workspace};

const STEM: &str = "data/gsm8k/acme/model-x/5eed0000-0000-4000-8000-000000000100";

/// A directory `in` with records, and one `out` for what becomes of them.
struct Bench(Workspace);

impl Bench {
    fn with(files: &[(&str, String)]) -> Self {
        let place = |workspace: Workspace, (path, text): &(&str, String)| {
            workspace.with(format!("in/{path}"), text)
        };
        Self(files.iter().fold(Workspace::new(), place))
    }

    /// Runs the command on `in`, into `out`.
    fn run(&self, more: &[&str]) -> Run {
        self.run_on(&["in"], more)
    }

    fn run_on(&self, paths: &[&str], more: &[&str]) -> Run {
        let line = ["upgrade", "--jobs", "2", "--out", "out"];
        self.0.run(&[&line, paths, more].concat())
    }

    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.0.path().join("out").join(path)).ok()
    }

    /// Every file below `out`, with nothing left behind on the way.
    fn written(&self) -> Vec<String> {
        let root = self.0.path().join("out");
        let mut files: Vec<String> = walkdir::WalkDir::new(&root)
            .into_iter()
            .filter_map(Result::ok)
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| {
                let path = entry.path().strip_prefix(&root).unwrap();
                path.to_str().unwrap().to_owned()
            })
            .collect();
        files.sort();
        files
    }
}

fn record(score: f64) -> Value {
    json!({
        "schema_version": "0.2.0",
        "evaluation_id": "gsm8k/acme_model-x/1767225600",
        "retrieved_timestamp": "1767225600",
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": "Acme",
            "evaluator_relationship": "third_party"
        },
        "model_info": {"name": "Model X", "id": "acme/model-x"},
        "evaluation_results": [{
            "evaluation_name": "GSM8K",
            "source_data": {"dataset_name": "gsm8k", "source_type": "other"},
            "metric_config": {
                "lower_is_better": false, "score_type": "continuous", "min_score": 0, "max_score": 1
            },
            "score_details": {"score": score}
        }]
    })
}

fn row() -> Value {
    json!({
        "schema_version": "0.2.0", "evaluation_id": "x", "model_id": "x", "evaluation_name": "GSM8K",
        "sample_id": 1, "interaction_type": "single_turn",
        "input": {"raw": "1+1?", "reference": "2"}, "output": {"raw": "2"},
        "answer_attribution": [], "evaluation": {"score": true, "is_correct": true}
    })
}

fn record_file() -> String {
    format!("{STEM}.json")
}

#[test]
fn records_and_samples_are_written_below_the_output() {
    let mut with_samples = record(1.0);
    with_samples["detailed_evaluation_results"] =
        json!({"format": "jsonl", "file_path": "/elsewhere/old.jsonl"});
    let bench = Bench::with(&[
        (&record_file(), with_samples.to_string()),
        (&format!("{STEM}.jsonl"), row().to_string()),
        ("data/manifest.json", "{\"no\": \"record\"}".to_owned()),
    ]);

    let run = bench.run(&[]);

    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run}");
    assert!(
        run.stdout
            .contains("1 record: 1 upgraded, 0 refused; 1 file passed over"),
        "{run}"
    );
    assert_eq!(
        bench.written(),
        [record_file(), format!("{STEM}_samples.jsonl")]
    );
    let json: Value = serde_json::from_str(&bench.read(&record_file()).unwrap()).unwrap();
    let companion = &json["detailed_evaluation_results"];
    assert_eq!(companion["file_path"], format!("{STEM}_samples.jsonl"));
    assert_eq!(companion["total_rows"], 1);
}

#[test]
fn a_second_run_changes_nothing() {
    let bench = Bench::with(&[(&record_file(), record(0.5).to_string())]);
    bench.run(&[]);
    let first = bench.read(&record_file());

    let run = bench.run(&[]);

    assert_eq!(run.code, Some(0), "{run}");
    assert_eq!(bench.read(&record_file()), first);
}

#[test]
fn a_current_record_is_copied_with_its_samples_byte_for_byte() {
    let bench = Bench::with(&[
        (&record_file(), record(1.0).to_string()),
        (&format!("{STEM}_samples.jsonl"), row().to_string()),
    ]);
    bench.run(&[]);
    let once = bench.0.path().join("out");

    let again = Bench::with(&[]);
    let run = again.run_on(&[once.to_str().unwrap()], &[]);

    assert_eq!(run.code, Some(0), "{run}");
    assert!(run.stdout.contains("nothing had to be changed"), "{run}");
    for file in bench.written() {
        assert_eq!(again.read(&file), bench.read(&file));
    }
}

#[test]
fn other_bytes_are_never_written_over() {
    let bench = Bench::with(&[(&record_file(), record(0.5).to_string())]);
    let bench = Bench(bench.0.with(format!("out/{STEM}.json"), "mine"));

    let run = bench.run(&[]);

    assert_eq!(run.code, Some(1), "{run}");
    assert!(
        run.stdout.contains("refused 1 record: output-differs"),
        "{run}"
    );
    assert_eq!(bench.read(&record_file()).as_deref(), Some("mine"));
}

#[test]
fn of_two_records_for_one_place_the_first_wins() {
    let bench = Bench::with(&[
        (&format!("a/{STEM}.json"), record(0.1).to_string()),
        (&format!("b/{STEM}.json"), record(0.2).to_string()),
    ]);

    let run = bench.run(&[]);

    assert_eq!(run.code, Some(1), "{run}");
    assert!(
        bench
            .read(&record_file())
            .unwrap()
            .contains("\"score\": 0.1")
    );
}

#[test]
fn a_dry_run_writes_nothing() {
    let bench = Bench::with(&[
        (&record_file(), record(1.0).to_string()),
        (&format!("{STEM}_samples.jsonl"), row().to_string()),
    ]);

    let run = bench.run(&["--dry-run"]);

    assert_eq!(run.code, Some(0), "{run}");
    assert!(
        run.stdout.contains("nothing was written (dry run)"),
        "{run}"
    );
    assert!(!bench.0.path().join("out").exists());
}

#[test]
fn what_is_refused_is_not_written_and_is_told() {
    let bench = Bench::with(&[(&record_file(), record(-1.0).to_string())]);

    let run = bench.run(&["--format", "json"]);

    let report = run.json();
    assert_eq!(run.code, Some(1), "{run}");
    assert_eq!(bench.written(), Vec::<String>::new());
    assert_eq!(report["summary"]["refused"], 1);
    assert_eq!(report["records"][0]["from"], "0.2.0");
    assert_eq!(report["records"][0]["output"], Value::Null);
    assert_eq!(
        report["records"][0]["refused"][0]["reason"],
        "score-out-of-bounds"
    );
}

#[test]
fn a_bad_row_refuses_its_record_and_names_the_line() {
    let rows = format!("{}\n\n{{}}\n", row());
    let bench = Bench::with(&[
        (&record_file(), record(1.0).to_string()),
        (&format!("{STEM}_samples.jsonl"), rows),
    ]);

    let run = bench.run(&[]);

    assert_eq!(run.code, Some(1), "{run}");
    assert!(run.stdout.contains("samples line 3"), "{run}");
    assert_eq!(bench.written(), Vec::<String>::new());
}

#[test]
fn the_report_has_every_change() {
    let bench = Bench::with(&[(&record_file(), record(0.5).to_string())]);

    bench.run(&["--report", "report.json"]);

    let report: Value = serde_json::from_str(&bench.0.read("report.json")).unwrap();
    let record = &report["records"][0];
    assert_eq!(record["output"], record_file());
    assert_eq!(
        record["changes"][0],
        json!({"kind": "filled", "path": "eval_library.name", "detail": "with `unknown`"})
    );
    assert_eq!(record["changes"].as_array().map(Vec::len), Some(4));
}

#[test]
fn globs_find_records_and_directories_called_like_files_are_no_records() {
    let named_like_a_file = "data/gsm8k/acme/m.json/5eed0000-0000-4000-8000-000000000101.json";
    let bench = Bench::with(&[(named_like_a_file, record(0.5).to_string())]);

    let run = bench.run_on(&["in/data/**/*.json"], &[]);

    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run}");
    assert_eq!(bench.written(), [named_like_a_file]);
}

#[test]
fn what_is_not_there_fails_the_run_and_not_the_rest() {
    let bench = Bench::with(&[(&record_file(), record(0.5).to_string())]);

    let run = bench.run_on(&["nowhere", "in/*.txt", "in"], &[]);

    assert_eq!(run.code, Some(3), "{run}");
    assert!(run.stdout.contains("1 upgraded"), "{run}");
    assert_eq!(
        run.stderr,
        "error: `nowhere` cannot be read: there is no such file or directory\n\
         error: `in/*.txt` cannot be read: no file has this name or matches this pattern\n"
    );
}

#[test]
fn the_answer_does_not_depend_on_the_number_of_threads() {
    let files: Vec<(String, String)> = (0..20)
        .map(|number| {
            let path =
                format!("data/b/d/m{number}/5eed0000-0000-4000-8000-0000000001{number:02}.json");
            (path, record(f64::from(number) / 15.0).to_string())
        })
        .collect();
    let files: Vec<(&str, String)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.clone()))
        .collect();
    let bench = Bench::with(&files);
    let report = |jobs: &str| {
        let line = ["upgrade", "in", "--out", "out", "--dry-run", "--format"];
        bench
            .0
            .run(&[&line[..], &["json", "--jobs", jobs]].concat())
    };

    let (one, many) = (report("1"), report("7"));

    assert_eq!(one.json()["summary"]["records"], 20, "{one}");
    assert_eq!(one, many);
}

#[test]
fn a_samples_file_stands_for_its_record() {
    let samples = format!("in/{STEM}_samples.jsonl");
    let bench = Bench::with(&[
        (&record_file(), record(1.0).to_string()),
        (&format!("{STEM}_samples.jsonl"), row().to_string()),
    ]);

    let run = bench.run_on(&[&samples, &format!("in/{STEM}.json")], &[]);

    assert_eq!(run.code, Some(0), "{run}");
    assert!(run.stdout.contains("\n1 record: 1 upgraded"), "{run}");
    assert_eq!(
        bench.written(),
        [record_file(), format!("{STEM}_samples.jsonl")]
    );
}

#[test]
fn what_is_named_and_no_record_is_refused_and_not_passed_over() {
    let bench = Bench::with(&[
        ("eval.yaml", "name: A\n".to_owned()),
        ("notes.json", "{}".to_owned()),
        (&format!("{STEM}_samples.jsonl"), row().to_string()),
    ]);
    let samples = format!("in/{STEM}_samples.jsonl");

    let run = bench.run_on(&["in/eval.yaml", "in/notes.json", &samples], &[]);

    assert_eq!(run.code, Some(1), "{run}");
    assert!(
        run.stdout.contains("3 records: 0 upgraded, 3 refused;"),
        "{run}"
    );
    assert_eq!(bench.written(), Vec::<String>::new());
}

#[test]
fn what_a_terminal_would_obey_is_spelled_out() {
    let mut hostile = record(-1.0);
    hostile["evaluation_results"][0]["evaluation_name"] = json!("\u{1b}]0;owned\u{7}");
    hostile["schema_version"] = json!("\u{1b}[31m");
    let bench = Bench::with(&[
        (&record_file(), hostile.to_string()),
        ("data/b/d/m/\u{1b}[2J.json", record(0.5).to_string()),
    ]);

    let run = bench.run(&[]);

    assert_eq!(run.code, Some(1), "{run}");
    assert!(run.stdout.contains("\\u{1b}[2J.json"), "{run}");
    assert!(!run.stdout.contains('\u{1b}'), "{run}");
    assert!(!run.stderr.contains('\u{1b}'), "{run}");
}

#[test]
fn a_report_that_cannot_be_written_fails_the_run() {
    let bench = Bench::with(&[(&record_file(), record(0.5).to_string())]);

    let run = bench.run(&["--report", "nowhere/report.json"]);

    assert_eq!(run.code, Some(3), "{run}");
    assert!(
        run.stderr
            .starts_with("error: the report `nowhere/report.json` cannot be written: "),
        "{run}"
    );
    assert_eq!(bench.written(), [record_file()]);
}
