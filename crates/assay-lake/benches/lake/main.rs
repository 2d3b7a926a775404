//! `just bench lake`: what a lake costs, as ratios against named peers measured in the same run.
//!
//! Options (after `--`): `samples=1000000` how many samples are generated, `duckdb=PYTHON` an
//! interpreter with `DuckDB` installed, `jobs=N` threads for everyone. Times are of the wall, the
//! best of several, so the machine should be idle.
#![expect(clippy::print_stdout, reason = "a benchmark reports on stdout")]
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark that cannot run should stop"
)]
#![expect(
    clippy::cast_precision_loss,
    reason = "ratios need no more than a few digits"
)]

mod generate;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use assay_check::{Context, FileKind, Files, Item, validate};
use assay_lake::compare::{Question, compare};
use assay_lake::ingest::{Options, ingest};
use assay_lake::{Engine, Lake, Limits, Table};

/// How often a question is asked; the best counts.
const ROUNDS: usize = 5;
/// Number of samples two models that share.
const SHARED: usize = 15_000;
/// The question of every board.
const QUESTION: &str = "SELECT model, task, count(*) AS samples, avg(score) AS mean, \
                        1.96 * stddev(score) / sqrt(count(*)) AS half_width \
                        FROM instances GROUP BY model, task ORDER BY model, task";
/// Asks the same of `DuckDB` and prints the best time in seconds.
const PEER: &str = r"
import duckdb, sys, time
threads, rounds, question, files = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
duckdb.sql(f'SET threads = {threads}')
duckdb.sql(f'CREATE VIEW instances AS SELECT * FROM read_parquet({files!r})')
best = float('inf')
for _ in range(rounds):
    start = time.perf_counter()
    rows = duckdb.sql(question).fetchall()
    best = min(best, time.perf_counter() - start)
print(best, len(rows))
";

struct Settings {
    samples: usize,
    jobs: usize,
    duckdb: Option<String>,
}

impl Settings {
    fn from_arguments() -> Self {
        let mut settings = Self {
            samples: 1_000_000,
            jobs: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            duckdb: None,
        };
        for argument in std::env::args().skip(1) {
            match argument.split_once('=') {
                Some(("samples", number)) => settings.samples = number.parse().unwrap(),
                Some(("jobs", number)) => settings.jobs = number.parse().unwrap(),
                Some(("duckdb", python)) => settings.duckdb = Some(python.to_owned()),
                // Cargo passes `--bench`.
                _ => {}
            }
        }
        settings
    }
}

fn main() {
    let settings = Settings::from_arguments();
    let root = tempfile::tempdir().unwrap();
    let raw = generate::datastore(root.path(), settings.samples, SHARED);
    println!(
        "{} samples, {:.0} MB of JSONL, {} threads",
        settings.samples,
        raw as f64 / 1e6,
        settings.jobs
    );
    let lake = Lake::at(root.path().join("lake"));
    take_in(root.path(), &lake, raw, settings.jobs);
    sizes(&lake, raw);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(settings.jobs)
        .enable_time()
        .build()
        .unwrap();
    let ours = runtime.block_on(answer(&lake, settings.jobs));
    peer(&lake, &settings, ours);
    runtime.block_on(head_to_head(&lake, settings.jobs));
}

fn take_in(root: &Path, lake: &Lake, raw: u64, jobs: usize) {
    let data = root.join("data");
    let records: Vec<Item> = generate::records(&data)
        .into_iter()
        .map(|path| Item {
            path: path.to_str().unwrap().into(),
            kind: Some(FileKind::Record),
        })
        .collect();
    let options = assay_check::Options {
        jobs,
        ..assay_check::Options::default()
    };
    let start = Instant::now();
    let reports = validate(&Disk, &records, &Context::default(), &options);
    let validated = start.elapsed().as_secs_f64();
    assert!(reports.iter().all(|report| !report.findings.has_errors()));
    let start = Instant::now();
    let options = Options {
        jobs,
        progress: &|_, _| {},
    };
    let report = ingest(lake, &[data], &options).unwrap();
    let taken = start.elapsed().as_secs_f64();
    assert_eq!(report.refused.len(), 0);
    let speed = |seconds: f64| raw as f64 / 1e6 / seconds;
    println!(
        "ingest: {:.0} MB/s, {:.0} % of the {:.0} MB/s of `assay validate` (wanted: 60 %)",
        speed(taken),
        100.0 * validated / taken,
        speed(validated)
    );
}

fn sizes(lake: &Lake, raw: u64) {
    let snapshot = lake.read().unwrap();
    let bytes = |table| -> u64 {
        let files = snapshot.manifest.files_of(table);
        files.map(|file| file.bytes).sum()
    };
    println!(
        "scores: {:.2} % of the raw samples (wanted: under 5 %); text: {:.1} %",
        100.0 * bytes(Table::Instances) as f64 / raw as f64,
        100.0 * bytes(Table::Messages) as f64 / raw as f64,
    );
}

fn limits(jobs: usize) -> Limits {
    Limits {
        memory: 4 << 30,
        timeout: None,
        threads: jobs,
    }
}

async fn answer(lake: &Lake, jobs: usize) -> f64 {
    let engine = Engine::open(lake.read().unwrap(), limits(jobs))
        .await
        .unwrap();
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let batches = engine.all(QUESTION).await.unwrap();
        best = best.min(start.elapsed().as_secs_f64());
        assert!(!batches.is_empty());
    }
    println!(
        "mean, interval and count by model and task: {:.1} ms",
        best * 1e3
    );
    best
}

#[expect(
    clippy::disallowed_methods,
    reason = "the peer is run as a shell runs it"
)]
fn peer(lake: &Lake, settings: &Settings, ours: f64) {
    let Some(python) = &settings.duckdb else {
        println!("DuckDB: not measured; name a Python that has it with `duckdb=PYTHON`");
        return;
    };
    let snapshot = lake.read().unwrap();
    let files: Vec<PathBuf> = snapshot
        .manifest
        .files_of(Table::Instances)
        .map(|file| snapshot.path_of(&file.path))
        .collect();
    let output = Command::new(python)
        .args([
            "-c",
            PEER,
            &settings.jobs.to_string(),
            &ROUNDS.to_string(),
            QUESTION,
        ])
        .args(files)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let theirs: f64 = text.split_whitespace().next().unwrap().parse().unwrap();
    println!(
        "DuckDB on the same files: {:.1} ms, {:.2} times as long as ours (wanted: 1 or more)",
        theirs * 1e3,
        theirs / ours
    );
}

async fn head_to_head(lake: &Lake, jobs: usize) {
    let question = Question {
        model_a: "head/one".to_owned(),
        model_b: "head/two".to_owned(),
        flips: 10,
        ..Question::default()
    };
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let engine = Engine::open(lake.read().unwrap(), limits(jobs))
            .await
            .unwrap();
        let comparison = compare(&engine, &question).await.unwrap();
        best = best.min(start.elapsed().as_secs_f64());
        assert_eq!(comparison.shared, SHARED as u64);
    }
    println!(
        "head to head on {SHARED} shared samples: {:.0} ms (wanted: under 300)",
        best * 1e3
    );
}

/// The file system.
struct Disk;

impl Files for Disk {
    fn open(&self, path: &str) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(File::open(path)?))
    }

    fn size(&self, path: &str) -> Option<u64> {
        std::fs::metadata(path).ok().map(|metadata| metadata.len())
    }
}
