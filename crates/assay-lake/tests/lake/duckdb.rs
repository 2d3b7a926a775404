//! Another engine reads the files: `DuckDB`, where a Python has it.

use std::process::Command;

use assay_lake::Table;

use crate::support::World;

/// Prints the answer to the second argument over the files of the tables, a line a row. The first argument has the files of each
/// table, as `table=file`.
const SCRIPT: &str = r"
import duckdb, sys
files = {}
for pair in sys.argv[2:]:
    table, path = pair.split('=', 1)
    files.setdefault(table, []).append(path)
for table, paths in files.items():
    duckdb.sql(f'CREATE VIEW {table} AS SELECT * FROM read_parquet({paths!r})')
for row in duckdb.sql(sys.argv[1]).fetchall():
    print(' | '.join('-' if value is None else str(value) for value in row))
";

/// A Python with `DuckDB`; none where there is no such thing.
#[expect(
    clippy::disallowed_methods,
    reason = "the test command says which Python has it, and it is run as a shell runs it"
)]
fn python() -> Option<String> {
    let named = std::env::var("ASSAY_LAKE_PYTHON").ok();
    let python = named.unwrap_or_else(|| "python3".to_owned());
    let output = Command::new(&python).args(["-c", "import duckdb"]).output();
    output
        .is_ok_and(|output| output.status.success())
        .then_some(python)
}

#[expect(clippy::disallowed_methods, reason = "it is run as a shell runs it")]
fn ask(python: &str, world: &World, sql: &str) -> Vec<String> {
    let snapshot = world.lake.read().unwrap();
    let files = Table::ALL.into_iter().flat_map(|table| {
        snapshot
            .manifest
            .files_of(table)
            .map(move |file| (table, file.path.clone()))
    });
    let pairs = files
        .map(|(table, path)| format!("{}={}", table.as_str(), snapshot.path_of(&path).display()));
    let output = Command::new(python)
        .args(["-c", SCRIPT, sql])
        .args(pairs)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    let answer = String::from_utf8(output.stdout).unwrap();
    answer.lines().map(str::to_owned).collect()
}

#[tokio::test]
#[expect(clippy::print_stderr, reason = "a test that is passed over says so")]
async fn duckdb_reads_the_same_from_the_same_files() {
    let Some(python) = python() else {
        eprintln!(
            "passed over: no Python has DuckDB; `pip install duckdb` and name it in ASSAY_LAKE_PYTHON"
        );
        return;
    };
    let world = World::ingested();

    for sql in [
        "SELECT model, task, count(*), avg(score) FROM instances GROUP BY model, task ORDER BY model, task",
        "SELECT benchmark, task, model, metric, score, origin, record_id FROM results ORDER BY record_id, position",
        "SELECT record_id, model, library, instances, digest FROM records ORDER BY record_id",
        "SELECT sample_id, part, role, content FROM messages WHERE benchmark = 'tools' ORDER BY line, position",
        "SELECT count(*) FROM instances i JOIN messages m ON m.record_id = i.record_id AND m.line = i.line",
    ] {
        let theirs = ask(&python, &world, sql);

        let ours = world.answer(sql).await;
        assert!(!ours.is_empty(), "{sql}");
        assert_eq!(theirs, ours, "{sql}");
    }
}
