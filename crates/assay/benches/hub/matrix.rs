//! The matrix of a hub with thousands of models and all the columns that it shows: how soon its
//! pages begin, how large they are, and what the hub holds in memory while people filter, sort and
//! turn pages.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use assay_formats::each;
use assay_git::Repositories;
use assay_model::{RepoId, RepoKind};
use assay_store::Store;

use crate::figures::{median, percentile};
use crate::fill::{self, MODELS_PER_NAMESPACE};
use crate::http::{self, Connection};
use crate::process::{HubProcess, memory};

/// The models, and the benchmarks with the tasks of each: 60 columns.
const MODELS: u32 = 5_000;
const BENCHMARKS: u32 = 10;
const TASKS: u32 = 6;
/// Number of pages that are asked for: the first page again and again, then as many that nobody
/// asked for before.
const PAGES: u32 = 500;
/// Maximum duration of a page, in milliseconds, and how large it may be, in bytes.
const BAR_MS: f64 = 50.0;
const BAR_BYTES: usize = 120_000;

pub(crate) fn measure(directory: &Path) {
    let data = directory.join("matrix");
    let start = Instant::now();
    let token = write(&data);
    let written = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let hub = HubProcess::start(&data, Some(token));
    println!(
        "a hub with {} results of {MODELS} models on {} tasks: written in {written:.0} s, indexed in {:.0} s",
        MODELS * BENCHMARKS * TASKS,
        BENCHMARKS * TASKS,
        start.elapsed().as_secs_f64()
    );
    let mut connection = Connection::open(hub.address());
    let before = memory(hub.id());
    let first = timed(&mut connection, "/results");
    println!(
        "the first request for the matrix: {:.0} ms, {} bytes; memory {before:.0} to {:.0} MiB",
        first.0,
        first.1,
        memory(hub.id())
    );
    ask(
        &mut connection,
        &hub,
        "the first page, again and again",
        |_| "/results".to_owned(),
    );
    ask(
        &mut connection,
        &hub,
        "pages that nobody asked for",
        |number| match number % 5 {
            0 => format!("/results?page={}", number % 100 + 1),
            1 => format!("/results?q=model-{number}"),
            2 => format!(
                "/results?sort=bench/wide-{}:task-{}&page={}",
                number % BENCHMARKS,
                number % TASKS,
                number % 90 + 1
            ),
            3 => format!(
                "/results?org=lab-{}&reversed={number}",
                number % (MODELS / MODELS_PER_NAMESPACE)
            ),
            _ => format!("/results?page={}&q=lab-{}", number % 2 + 1, number % 50),
        },
    );
    ask(&mut connection, &hub, "pages of models", |number| {
        format!("/{}", fill::model(number))
    });
    println!("the bars are {BAR_MS:.0} ms at the median and {BAR_BYTES} bytes\n");
}

/// Asks for pages one after the other and prints how long they took, how large they were, and the
/// memory of the hub.
fn ask(connection: &mut Connection, hub: &HubProcess, name: &str, page: impl Fn(u32) -> String) {
    let before = memory(hub.id());
    let (times, sizes): (Vec<f64>, Vec<usize>) = (0..PAGES)
        .map(|number| timed(connection, &page(number)))
        .unzip();
    println!(
        "{name}: median {:.2} ms, p95 {:.2} ms, largest {} bytes; memory {before:.0} to {:.0} MiB",
        median(times.clone()),
        percentile(times, 95),
        sizes.into_iter().max().unwrap_or_default(),
        memory(hub.id())
    );
}

/// Asks for a page: how long it took in milliseconds, to its last byte, and how many bytes it has.
fn timed(connection: &mut Connection, path: &str) -> (f64, usize) {
    let start = Instant::now();
    let body = connection.fetch(&http::get(path));
    (start.elapsed().as_secs_f64() * 1e3, body.len())
}

/// Writes the benchmarks and models and returns the operator's token.
fn write(data: &Path) -> String {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (token, planned) = runtime.block_on(async {
        let token = fill::operator(data).await;
        (token, records(data).await)
    });
    let git = Arc::new(Repositories::new(data.join("repos")).unwrap());
    let threads = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    each(threads, &planned, |(key, files)| {
        git.create(*key, &fill::commit(files)).unwrap();
    });
    token
}

async fn records(data: &Path) -> Vec<(assay_model::RepoKey, Vec<(String, String)>)> {
    let store = Store::open(&data.join("hub.db")).await.unwrap();
    let mut tx = store.begin().await.unwrap();
    let mut planned = Vec::new();
    let owner = fill::organisation(&mut tx, "bench").await;
    for number in 0..BENCHMARKS {
        let key = fill::repository(&mut tx, owner, RepoKind::Dataset, &benchmark(number)).await;
        planned.push((key, vec![("eval.yaml".to_owned(), definition(number))]));
    }
    for first in (0..MODELS).step_by(MODELS_PER_NAMESPACE as usize) {
        let name = format!("lab-{}", first / MODELS_PER_NAMESPACE);
        let owner = fill::organisation(&mut tx, &name).await;
        for number in first..first + MODELS_PER_NAMESPACE {
            let key = fill::repository(&mut tx, owner, RepoKind::Model, &fill::model(number)).await;
            planned.push((
                key,
                (0..BENCHMARKS)
                    .map(|board| results(number, board))
                    .collect(),
            ));
        }
    }
    tx.commit().await.unwrap();
    planned
}

fn benchmark(number: u32) -> String {
    format!("bench/wide-{number}")
}

fn definition(number: u32) -> String {
    let tasks: Vec<String> = (0..TASKS)
        .map(|task| format!("  - id: \"task-{task}\"\n"))
        .collect();
    let tasks = tasks.concat();
    format!(
        "name: \"Wide {number}\"\ndescription: \"A generated benchmark\"\nmetrics:\n  - id: \"accuracy\"\n    display_name: \"Accuracy\"\n    higher_is_better: true\n    unit: \"proportion\"\n    primary: true\ntasks:\n{tasks}"
    )
}

/// The results of a model on a benchmark. One task in seven has none.
fn results(model: u32, board: u32) -> (String, String) {
    let benchmark: RepoId = benchmark(board).parse().unwrap();
    let entry = |task: u32| {
        let value = (model * 7919 + board * 131 + task * 17) % 10_000;
        format!(
            "- dataset: {{id: \"{benchmark}\", task_id: \"task-{task}\"}}\n  metrics: [{{metric_id: \"accuracy\", value: 0.{value:04}}}]\n  date: \"2026-02-14\"\n"
        )
    };
    let tasks = (0..TASKS).filter(|task| !(model + board + task).is_multiple_of(7));
    let text = tasks.map(entry).collect();
    (
        format!(".eval_results/{}", benchmark.result_file_name()),
        text,
    )
}
