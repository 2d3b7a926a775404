use std::fs;
use std::path::Path;

use clap::Parser;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{UpgradeArgs, Verdict, upgrade};

const STEM: &str = "data/gsm8k/acme/model-x/5eed0000-0000-4000-8000-000000000100";

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    args: UpgradeArgs,
}

/// A directory with records, and one for what becomes of them.
struct Bench {
    directory: TempDir,
}

impl Bench {
    fn with(files: &[(&str, String)]) -> Self {
        let bench = Self {
            directory: TempDir::new().unwrap(),
        };
        for (path, text) in files {
            let path = bench.path(&format!("in/{path}"));
            fs::create_dir_all(Path::new(&path).parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        bench
    }

    fn path(&self, path: &str) -> String {
        let path = self.directory.path().join(path);
        path.to_str().unwrap().to_owned()
    }

    /// Runs the command on `in`, into `out`.
    fn run(&self, more: &[&str]) -> (Verdict, String, String) {
        self.run_on(&[&self.path("in")], more)
    }

    fn run_on(&self, paths: &[&str], more: &[&str]) -> (Verdict, String, String) {
        let out_directory = self.path("out");
        let line = ["upgrade", "--jobs", "2", "--out", &out_directory];
        let line = line.iter().chain(paths).chain(more);
        let args = Cli::try_parse_from(line).unwrap().args;
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let verdict = upgrade(&args, &mut out, &mut err);
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (verdict, text(out), text(err))
    }

    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.path(&format!("out/{path}"))).ok()
    }

    /// Every file below `out`, with nothing left behind on the way.
    fn written(&self) -> Vec<String> {
        let root = self.path("out");
        let mut files: Vec<String> = walkdir::WalkDir::new(&root)
            .into_iter()
            .filter_map(Result::ok)
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| {
                entry
                    .path()
                    .strip_prefix(&root)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned()
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

    let (verdict, out, err) = bench.run(&[]);

    assert_eq!((verdict, err.as_str()), (Verdict::Upgraded, ""));
    assert!(
        out.contains("1 record: 1 upgraded, 0 refused; 1 file passed over"),
        "{out}"
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

    let (verdict, _, _) = bench.run(&[]);

    assert_eq!(verdict, Verdict::Upgraded);
    assert_eq!(bench.read(&record_file()), first);
}

#[test]
fn a_current_record_is_copied_with_its_samples_byte_for_byte() {
    let bench = Bench::with(&[
        (&record_file(), record(1.0).to_string()),
        (&format!("{STEM}_samples.jsonl"), row().to_string()),
    ]);
    bench.run(&[]);
    let once = bench.path("out");

    let again = Bench::with(&[]);
    let (verdict, out, _) = again.run_on(&[&once], &[]);

    assert_eq!(verdict, Verdict::Upgraded);
    assert!(out.contains("nothing had to be changed"), "{out}");
    for file in bench.written() {
        assert_eq!(again.read(&file), bench.read(&file));
    }
}

#[test]
fn other_bytes_are_never_written_over() {
    let bench = Bench::with(&[(&record_file(), record(0.5).to_string())]);
    let target = bench.path(&format!("out/{STEM}.json"));
    fs::create_dir_all(Path::new(&target).parent().unwrap()).unwrap();
    fs::write(&target, "mine").unwrap();

    let (verdict, out, _) = bench.run(&[]);

    assert_eq!(verdict, Verdict::Refused);
    assert!(out.contains("refused 1 record: output-differs"), "{out}");
    assert_eq!(bench.read(&record_file()).as_deref(), Some("mine"));
}

#[test]
fn of_two_records_for_one_place_the_first_wins() {
    let bench = Bench::with(&[
        (&format!("a/{STEM}.json"), record(0.1).to_string()),
        (&format!("b/{STEM}.json"), record(0.2).to_string()),
    ]);

    let (verdict, _, _) = bench.run(&[]);

    assert_eq!(verdict, Verdict::Refused);
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

    let (verdict, out, _) = bench.run(&["--dry-run"]);

    assert_eq!(verdict, Verdict::Upgraded);
    assert!(out.contains("nothing was written (dry run)"), "{out}");
    assert!(!Path::new(&bench.path("out")).exists());
}

#[test]
fn what_is_refused_is_not_written_and_is_told() {
    let bench = Bench::with(&[(&record_file(), record(-1.0).to_string())]);

    let (verdict, out, _) = bench.run(&["--format", "json"]);

    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(verdict, Verdict::Refused);
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

    let (verdict, out, _) = bench.run(&[]);

    assert_eq!(verdict, Verdict::Refused);
    assert!(out.contains("samples line 3"), "{out}");
    assert_eq!(bench.written(), Vec::<String>::new());
}

#[test]
fn the_report_has_every_change() {
    let bench = Bench::with(&[(&record_file(), record(0.5).to_string())]);
    let report = bench.path("report.json");

    bench.run(&["--report", &report]);

    let report: Value = serde_json::from_str(&fs::read_to_string(report).unwrap()).unwrap();
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
    let glob = bench.path("in/data/**/*.json");

    let (verdict, _, err) = bench.run_on(&[&glob], &[]);

    assert_eq!((verdict, err.as_str()), (Verdict::Upgraded, ""));
    assert_eq!(bench.written(), [named_like_a_file]);
}

#[test]
fn what_is_not_there_fails_the_run_and_not_the_rest() {
    let bench = Bench::with(&[(&record_file(), record(0.5).to_string())]);
    let (nowhere, nothing) = (bench.path("nowhere"), bench.path("in/*.txt"));

    let (verdict, out, err) = bench.run_on(&[&nowhere, &nothing, &bench.path("in")], &[]);

    assert_eq!(verdict, Verdict::Failed);
    assert!(out.contains("1 upgraded"), "{out}");
    assert!(err.contains("nowhere` does not exist"), "{err}");
    assert!(err.contains("*.txt` matches no JSON file"), "{err}");
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
        let line = [
            "upgrade",
            &bench.path("in"),
            "--out",
            &bench.path("out"),
            "--dry-run",
            "--format",
            "json",
            "--jobs",
            jobs,
        ];
        let args = Cli::try_parse_from(line).unwrap().args;
        let mut out = Vec::new();
        upgrade(&args, &mut out, &mut Vec::new());
        out
    };

    let (one, many) = (report("1"), report("7"));

    assert!(!one.is_empty());
    assert_eq!(one, many);
}
