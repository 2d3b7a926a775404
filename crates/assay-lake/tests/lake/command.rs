//! The program as people and scripts meet it: exit codes and what it prints.

use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::support::{Run, World};

/// The program on the lake of a world, in its directory and with nothing else in its environment.
#[expect(
    clippy::disallowed_methods,
    reason = "the program under test is no git command, and its environment is cleared here"
)]
pub(crate) fn program(world: &World, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay-lake"));
    command
        .args(args)
        .current_dir(world.root.path())
        .env_clear()
        .env("ASSAY_LAKE", world.lake.directory())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// A program of the system.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "the program is no git command")]
pub(crate) fn system(name: &str) -> Command {
    Command::new(name)
}

fn run(world: &World, args: &[&str]) -> Output {
    program(world, args).output().unwrap()
}

fn stdout(output: &Output) -> String {
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn an_ingest_reports_in_words_and_as_json() {
    let world = World::new();

    let first = run(&world, &["ingest", "data", "models"]);
    let second = run(&world, &["ingest", "data", "models", "--format", "json"]);

    assert_eq!(
        stdout(&first),
        "8 added, 0 replaced, 0 unchanged, 0 refused; 8 results and 34 samples came in\n"
    );
    let report: Value = serde_json::from_str(&stdout(&second)).unwrap();
    assert_eq!(report["report"]["unchanged"], 8);
    assert_eq!(report["report"]["added"], 0);
}

#[test]
fn a_refused_file_exits_1_with_its_place_and_the_next_step() {
    let world = World::new();
    let run_of = &Run::all()[0];
    let path = run_of.write(world.root.path());
    let mut record = run_of.record(&run_of.rows());
    record["evaluation_results"][0]["score_details"]["score"] = "high".into();
    std::fs::write(path, record.to_string()).unwrap();

    let output = run(&world, &["ingest", "data"]);

    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(told.contains("was left out: it breaks rules"), "{told}");
    assert!(
        told.contains("score_details.score") && told.contains("help:"),
        "{told}"
    );
}

#[test]
fn an_answer_comes_in_every_form() {
    let world = World::ingested();
    let sql =
        "SELECT model, score, slice FROM standings WHERE task = 'sums' AND rank < 3 ORDER BY rank";
    let query = |format: &str| stdout(&run(&world, &["query", sql, "--format", format]));

    assert_eq!(
        query("table"),
        "model       score  slice\n\
         ----------  -----  -----\n\
         acme/large   0.75\n\
         acme/small    0.5\n"
    );
    assert_eq!(
        query("csv"),
        "model,score,slice\nacme/large,0.75,\nacme/small,0.5,\n"
    );
    assert_eq!(
        query("ndjson"),
        "{\"model\":\"acme/large\",\"score\":0.75,\"slice\":null}\n{\"model\":\"acme/small\",\"score\":0.5,\"slice\":null}\n"
    );
    let rows: Value = serde_json::from_str(&query("json")).unwrap();
    assert_eq!(rows[1]["model"], "acme/small");
}

#[test]
fn an_answer_in_parquet_is_read_back() {
    let world = World::ingested();
    let path = world.root.path().join("answer.parquet");
    let path = path.to_str().unwrap();

    let output = run(
        &world,
        &[
            "query",
            "SELECT sample_id, score FROM instances",
            "--format",
            "parquet",
            "--out",
            path,
        ],
    );

    assert_eq!(stdout(&output), "");
    let file = std::fs::File::open(path).unwrap();
    let reader =
        parquet::arrow::arrow_reader::ParquetRecordBatchReader::try_new(file, 1024).unwrap();
    let rows: usize = reader.map(|batch| batch.unwrap().num_rows()).sum();
    assert_eq!(rows, 34);
}

#[test]
fn no_rows_are_still_an_answer_with_columns() {
    let world = World::ingested();
    let sql = "SELECT model FROM results WHERE model = 'nobody'";

    let csv = run(&world, &["query", sql, "--format", "csv"]);
    let json = run(&world, &["query", sql, "--format", "json"]);

    assert_eq!(stdout(&csv), "model\n");
    assert_eq!(stdout(&json), "[]\n");
}

#[test]
fn a_query_that_fails_leaves_no_header_behind() {
    let world = World::ingested();
    let failing = "SELECT CAST(model AS INT) AS number FROM instances";

    for format in ["csv", "json", "ndjson", "parquet", "table"] {
        let output = run(&world, &["query", failing, "--format", format]);

        assert_eq!(output.status.code(), Some(3), "{format}");
        assert!(output.stdout.is_empty(), "{format}");
    }
}

#[test]
fn a_query_comes_from_a_file_too() {
    let world = World::ingested();
    std::fs::write(
        world.root.path().join("q.sql"),
        "SELECT count(*) AS n\nFROM results;\n",
    )
    .unwrap();

    let output = run(&world, &["query", "-f", "q.sql", "--format", "csv"]);

    assert_eq!(stdout(&output), "n\n8\n");
}

#[test]
fn what_a_terminal_would_obey_is_not_printed_in_a_table() {
    let world = World::ingested();

    let output = run(&world, &["query", "SELECT 'a' || chr(27) || '[31mb' AS x"]);

    assert_eq!(stdout(&output), "x\n------------\na\\u{1b}[31mb\n");
}

#[test]
fn a_wrong_query_exits_3_and_says_what_is_wrong() {
    let world = World::ingested();

    for (sql, expected) in [
        ("SELECT nope FROM results", "no field named nope"),
        ("SELEC 1", "expected: an SQL statement"),
        ("DROP TABLE results", "only questions can be asked here"),
    ] {
        let output = run(&world, &["query", sql]);

        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{sql}");
        assert!(
            told.starts_with("error: ") && told.contains(expected),
            "{told}"
        );
    }
}

#[test]
fn a_chain_of_operators_without_end_is_refused_and_overflows_no_stack() {
    let world = World::ingested();
    let file = world.root.path().join("long.sql");
    let chain = "+1".repeat(30_000);
    std::fs::write(file, format!("SELECT sum(score{chain}) FROM results")).unwrap();

    let output = run(&world, &["query", "-f", "long.sql"]);

    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("more than 2048 operators"), "{told}");
}

#[test]
fn two_models_are_compared_in_words_and_as_json() {
    let world = World::ingested();
    let args = ["compare", "acme/small", "acme/large", "--task", "sums"];

    let words = stdout(&run(&world, &args));
    let json: Value = serde_json::from_str(&stdout(&run(
        &world,
        &[&args[..], &["--format", "json"]].concat(),
    )))
    .unwrap();

    assert!(
        words.contains("A right             3         1\nA wrong             3         1\n"),
        "{words}"
    );
    assert!(words.contains("question  sums: 4 + 1"), "{words}");
    assert_eq!(json["comparison"]["only_b_right"], 3);
    assert_eq!(json["comparison"]["flips"].as_array().unwrap().len(), 4);
}

#[test]
fn a_lake_is_counted_compacted_checked_and_listed() {
    let world = World::ingested();

    let stats: Value = serde_json::from_str(&stdout(&run(
        &world,
        &["lake", "stats", "--format", "json"],
    )))
    .unwrap();
    let compacted = stdout(&run(&world, &["lake", "compact"]));
    let checked = stdout(&run(&world, &["lake", "check"]));
    let files = stdout(&run(&world, &["lake", "files", "results"]));

    assert_eq!(stats["tables"]["instances"]["rows"], 34);
    assert!(compacted.contains("files with"), "{compacted}");
    assert!(checked.contains("files are what the logs say"), "{checked}");
    assert!(
        files
            .lines()
            .all(|line| std::path::Path::new(line).is_file())
            && !files.is_empty(),
        "{files}"
    );
}

#[test]
fn a_lake_that_is_damaged_exits_1() {
    let world = World::ingested();
    let snapshot = world.lake.read().unwrap();
    std::fs::write(snapshot.path_of(&snapshot.manifest.files[0].path), b"PAR1").unwrap();

    let output = run(&world, &["lake", "check"]);

    assert_eq!(output.status.code(), Some(1));
}
