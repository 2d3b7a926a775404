//! A hub of ten times today's size: three million results of 250,000 models on 25,000 boards, the
//! largest with 50,000 rows, read and written by a mixed crowd.
//!
//! The rows are loaded into the index in bulk; of the models, only those that somebody looks at or
//! commits to have a repository, since results are not read from git when a board is shown.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use assay_formats::each;
use assay_git::Repositories;
use assay_model::{
    Entry, MetricId, Number, ObjectId, RepoId, RepoKey, RepoKind, Score, Standing, TaskId,
    Timestamp,
};
use assay_store::{Branch, Card, NewEntry, Store};
use serde_json::json;

use crate::figures::percentile;
use crate::http::{self, Connection};
use crate::process::{HubProcess, memory, program};
use crate::scatter::scattered;
use crate::{Settings, fill};

/// The number of models for each hundred results.
const MODELS_PER_HUNDRED: u32 = 8;
/// The number of results for each board.
const RESULTS_PER_BOARD: u32 = 120;
/// The share of all results that are on the largest board.
const LARGEST: f64 = 1.0 / 60.0;
/// The number of models that get commits.
const WRITTEN: u32 = 64;
/// One of the larger boards has this share of all before it.
const LARGER: usize = 100;
/// The number of people who read a hub of this size at once.
const PEOPLE: f64 = 2_000.0;
/// The time that each looks at a page before the next request, in seconds.
const THINKING: f64 = 30.0;
/// The number of them that can be answered at once.
const CONNECTIONS: usize = 64;
/// The number of readers without a pause, who show how much the hub can do.
const READERS: usize = 8;
/// The time between two commits.
const BETWEEN_COMMITS: Duration = Duration::from_millis(100);
/// Maximum duration of nine of ten and half of the rest of the board pages.
const BAR_MS: f64 = 50.0;
/// The file that says that a hub is loaded, with its operator's token.
const TOKEN: &str = "bench-token";
/// The file that says which database a hub was moved into.
const MOVED: &str = "bench-moved";
/// Number of models that are written before the database is told to keep them.
const MODELS_PER_TRANSACTION: usize = 5_000;

/// A hub that is to be made.
struct Shape {
    models: u32,
    /// Number of rows that each board has, the largest first.
    boards: Vec<u32>,
}

pub(crate) fn measure(settings: &Settings, directory: &Path) {
    let shape = Shape::of(settings.rows);
    let data = match &settings.data {
        Some(kept) => kept.clone(),
        None => directory.join("large"),
    };
    print!(
        "{} results of {} models on {} boards, the largest with {} rows: ",
        shape.boards.iter().sum::<u32>(),
        shape.models,
        shape.boards.len(),
        shape.boards[0],
    );
    let token = loaded(&data, &shape);
    serve("SQLite", &data, &[], token.clone(), &shape, settings);
    match &settings.database {
        Some(url) => {
            let moved = data.join(MOVED);
            if std::fs::read_to_string(&moved).is_ok_and(|before| before == *url) {
                println!("moved into PostgreSQL before");
            } else {
                let start = Instant::now();
                migrate(&data, url);
                println!(
                    "moved into PostgreSQL in {:.0} s",
                    start.elapsed().as_secs_f64()
                );
                std::fs::write(moved, url).unwrap();
            }
            let more = ["--database", url];
            serve("PostgreSQL", &data, &more, token, &shape, settings);
        }
        None => {
            println!("PostgreSQL: not measured; name an empty database with `database=URL`");
        }
    }
}

impl Shape {
    fn of(rows: u32) -> Self {
        let boards = (rows / RESULTS_PER_BOARD).max(2);
        let largest = (f64::from(rows) * LARGEST).ceil();
        // The sizes fall by a power of the number of the board, the one at which they come to all
        // rows together.
        let sizes = |power: f64| -> Vec<u32> {
            (0..boards)
                .map(|number| {
                    let size = largest * f64::from(number + 1).powf(-power);
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "a size that begins at the largest and falls"
                    )]
                    let size = size.ceil() as u32;
                    size
                })
                .collect()
        };
        let (mut low, mut high) = (0.0, 2.0);
        for _ in 0..40 {
            let middle = f64::midpoint(low, high);
            if sizes(middle).iter().sum::<u32>() > rows {
                low = middle;
            } else {
                high = middle;
            }
        }
        Self {
            models: rows / 100 * MODELS_PER_HUNDRED,
            boards: sizes(high),
        }
    }

    /// The boards that each model is on, which differ.
    fn boards_of_models(&self) -> Vec<Vec<u32>> {
        let mut boards = vec![Vec::new(); self.models as usize];
        let mut model = 0;
        for (board, rows) in (0..).zip(&self.boards) {
            for _ in 0..(*rows).min(self.models) {
                boards[model].push(board);
                model = (model + 1) % boards.len();
            }
        }
        boards
    }

    /// A board that is asked for as often as it has rows.
    fn popular(&self, chance: u64) -> u32 {
        let total: u64 = self.boards.iter().map(|rows| u64::from(*rows)).sum();
        let mut at = chance % total;
        for (board, rows) in (0..).zip(&self.boards) {
            match at.checked_sub(u64::from(*rows)) {
                Some(rest) => at = rest,
                None => return board,
            }
        }
        0
    }
}

/// The operator's token of a hub that is loaded now, unless it was before.
fn loaded(data: &Path, shape: &Shape) -> String {
    let kept = data.join(TOKEN);
    if let Ok(token) = std::fs::read_to_string(&kept) {
        println!("loaded before");
        return token;
    }
    let start = Instant::now();
    let token = load(data, shape);
    println!(
        "loaded into SQLite in {:.0} s",
        start.elapsed().as_secs_f64()
    );
    std::fs::write(kept, &token).unwrap();
    token
}

/// Fills the database, and makes the repositories that somebody commits to. Returns the operator's
/// token.
fn load(data: &Path, shape: &Shape) -> String {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (token, written) = runtime.block_on(async {
        let token = fill::operator(data).await;
        let store = Store::open(&data.join("hub.db")).await.unwrap();
        let mut written = load_boards(&store, shape).await;
        written.extend(load_models(&store, shape).await);
        (token, written)
    });
    let git = Repositories::new(data.join("repos")).unwrap();
    let threads = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    each(threads, &written, |(key, files)| {
        git.create(*key, &fill::commit(files)).unwrap();
    });
    token
}

/// A repository that is to be written.
type Written = (RepoKey, Vec<(String, String)>);

/// Writes the boards. What is in their repositories is indexed by the hub itself, when it starts.
async fn load_boards(store: &Store, shape: &Shape) -> Vec<Written> {
    let mut written = Vec::new();
    let mut tx = store.begin().await.unwrap();
    let owner = fill::organisation(&mut tx, "bench").await;
    let boards = u32::try_from(shape.boards.len()).unwrap();
    for number in 0..boards {
        let key = fill::repository(&mut tx, owner, RepoKind::Dataset, &board(number)).await;
        written.push((
            key,
            vec![("eval.yaml".to_owned(), fill::definition(number))],
        ));
    }
    tx.commit().await.unwrap();
    written
}

/// Writes the models; those that have a repository are returned with one of their boards.
async fn load_models(store: &Store, shape: &Shape) -> Vec<Written> {
    let mut written = Vec::new();
    let boards = shape.boards_of_models();
    let numbered: Vec<(u32, Vec<u32>)> = (0..).zip(boards).collect();
    let between = shape.models / WRITTEN;
    let mut owner = None;
    for some in numbered.chunks(MODELS_PER_TRANSACTION) {
        let mut tx = store.begin().await.unwrap();
        for (number, boards) in some {
            if number % fill::MODELS_PER_NAMESPACE == 0 {
                let name = format!("lab-{}", number / fill::MODELS_PER_NAMESPACE);
                owner = Some(fill::organisation(&mut tx, &name).await);
            }
            let id = fill::model(*number);
            let key = fill::repository(&mut tx, owner.unwrap(), RepoKind::Model, &id).await;
            tx.set_card(key, Some(&card())).await.unwrap();
            let is_written = number % between == 0;
            if is_written {
                // What is in its repository is indexed by the hub itself, when it starts.
                let result = (result_path(boards[0]), result_text(boards[0], "0.5"));
                written.push((key, vec![result, card_file(*number)]));
            } else {
                let entries: Vec<NewEntry> =
                    boards.iter().map(|board| entry(*number, *board)).collect();
                tx.replace_entries(key, Branch::Main, moment(), &entries)
                    .await
                    .unwrap();
            }
        }
        tx.commit().await.unwrap();
    }
    written
}

fn migrate(data: &Path, url: &str) {
    let status = program()
        .arg("migrate")
        .args([
            "--from",
            &format!("sqlite:{}", data.join("hub.db").display()),
        ])
        .args(["--to", url])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "the database was not moved");
}

fn serve(
    name: &str,
    data: &Path,
    more: &[&str],
    token: String,
    shape: &Shape,
    settings: &Settings,
) {
    let start = Instant::now();
    let hub = HubProcess::start_with(data, more, Some(token));
    let mut connection = Connection::open(hub.address());
    println!(
        "\n{name}: started in {:.1} s, {:.0} MiB",
        start.elapsed().as_secs_f64(),
        memory(hub.id())
    );
    let larger = u32::try_from(shape.boards.len() / LARGER).unwrap();
    for (what, path) in [
        ("the list of benchmarks", "/benchmarks".to_owned()),
        ("the largest board", format!("/datasets/{}", board(0))),
        (
            "one of the larger boards",
            format!("/datasets/{}", board(larger)),
        ),
    ] {
        let start = Instant::now();
        connection.drain(&http::page(&path));
        let first = start.elapsed().as_secs_f64() * 1e3;
        let start = Instant::now();
        connection.drain(&http::page(&path));
        let second = start.elapsed().as_secs_f64() * 1e3;
        println!("{what}: {first:.0} ms when it is asked for first, {second:.1} ms then");
    }
    mixed(&hub, shape, settings);
    println!("the hub holds {:.0} MiB", memory(hub.id()));
}

/// The pace of readers.
#[derive(Clone, Copy)]
enum Pace {
    /// So many times a second all together, whether or not the one before has been answered, as
    /// people do.
    EachSecond(f64),
    /// As soon as the one before has been answered.
    WithoutPause,
}

/// Readers ask for everything there is, while results come in.
fn mixed(hub: &HubProcess, shape: &Shape, settings: &Settings) {
    println!("\n{READERS} readers who never pause, of a hub that was just started, ms");
    crowd(hub, shape, settings, Pace::WithoutPause);
    println!(
        "\nthen {PEOPLE:.0} people who each ask for something every {THINKING:.0} s, ms from when they wanted it"
    );
    crowd(hub, shape, settings, Pace::EachSecond(PEOPLE / THINKING));
    println!("the bar for pages of boards is {BAR_MS:.0} ms at p95");
}

fn crowd(hub: &HubProcess, shape: &Shape, settings: &Settings, pace: Pace) {
    let (took, done) = (Mutex::new(BTreeMap::new()), AtomicBool::new(false));
    let (commits, next) = (Mutex::new(Vec::new()), AtomicU64::new(0));
    let time = Duration::from_secs(settings.seconds * 10);
    let (readers, salt) = match pace {
        Pace::EachSecond(_) => (CONNECTIONS, 1),
        Pace::WithoutPause => (READERS, 2),
    };
    std::thread::scope(|scope| {
        let (took, done, commits, next) = (&took, &done, &commits, &next);
        scope.spawn(move || {
            let mut connection = Connection::open(hub.address());
            for number in 0_u32.. {
                if done.load(Ordering::Relaxed) {
                    break;
                }
                let written = number % WRITTEN * (shape.models / WRITTEN);
                let board = shape.popular(scattered(salt << 48 | u64::from(number)));
                let text = result_text(board, &format!("0.{salt}5{number:05}"));
                let start = Instant::now();
                connection.commit(
                    &fill::model(written),
                    &hub.token,
                    &result_path(board),
                    &text,
                );
                commits.lock().unwrap().push(start.elapsed().as_secs_f64());
                std::thread::sleep(BETWEEN_COMMITS);
            }
        });
        let start = Instant::now();
        let readers: Vec<_> = (0..readers)
            .map(|_| {
                scope.spawn(move || {
                    let mut connection = Connection::open(hub.address());
                    let mut own: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
                    loop {
                        let turn = next.fetch_add(1, Ordering::Relaxed);
                        let due = match pace {
                            Pace::EachSecond(times) => {
                                start + Duration::from_secs_f64(turn as f64 / times)
                            }
                            Pace::WithoutPause => Instant::now(),
                        };
                        if due - start >= time {
                            break;
                        }
                        std::thread::sleep(due.saturating_duration_since(Instant::now()));
                        let (kind, path) = request(shape, scattered(salt << 40 | turn));
                        connection.drain(&http::page(&path));
                        // Who waits for a free connection waits all the same.
                        own.entry(kind)
                            .or_default()
                            .push(due.elapsed().as_secs_f64());
                    }
                    let mut took = took.lock().unwrap();
                    for (kind, times) in own {
                        took.entry(kind).or_insert_with(Vec::new).extend(times);
                    }
                })
            })
            .collect();
        for reader in readers {
            reader.join().unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
    println!(
        "{:<34}{:>9}{:>9}{:>9}{:>9}{:>9}",
        "", "asked", "p50", "p95", "p99", "most"
    );
    let took = took.into_inner().unwrap();
    let boards: Vec<f64> = took
        .iter()
        .filter(|(kind, _)| kind.contains("board"))
        .flat_map(|(_, times)| times.iter().copied())
        .collect();
    for (kind, times) in &took {
        tell(kind, times);
    }
    tell("all pages of boards", &boards);
    tell("a commit", &commits.into_inner().unwrap());
}

fn tell(kind: &str, times: &[f64]) {
    let of = |hundredths| percentile(times.to_vec(), hundredths) * 1e3;
    println!(
        "{kind:<34}{:>9}{:>9.1}{:>9.1}{:>9.1}{:>9.1}",
        times.len(),
        of(50),
        of(95),
        of(99),
        of(100)
    );
}

/// Returns a random request of a reader.
fn request(shape: &Shape, chance: u64) -> (&'static str, String) {
    let popular = shape.popular(chance >> 8);
    let any = u32::try_from((chance >> 8) % shape.boards.len() as u64).unwrap();
    let model = u32::try_from((chance >> 8) % u64::from(shape.models)).unwrap();
    let written = model % WRITTEN * (shape.models / WRITTEN);
    let page = |number: u32| format!("/datasets/{}", board(number));
    match chance % 100 {
        0..40 => ("a board, as often as it has rows", page(popular)),
        40..50 => ("any board", page(any)),
        50..58 => {
            let last = shape.boards[popular as usize] / 100 + 1;
            let number = u32::try_from((chance >> 16) % u64::from(last)).unwrap() + 1;
            (
                "a further page of a board",
                format!("{}?page={number}", page(popular)),
            )
        }
        58..63 => ("the largest board", page(0)),
        63..68 => (
            "a board, only what is verified",
            format!("{}?verified=true", page(popular)),
        ),
        68..73 => (
            "a board, by a word",
            format!("{}?q=model-{}", page(popular), model % 1000),
        ),
        73..78 => (
            "a board as JSON, 100 rows",
            format!("/api/datasets/{}/leaderboard?limit=100", board(popular)),
        ),
        78..93 => ("a model", format!("/{}", fill::model(written))),
        93..97 => ("a search", format!("/search?q=model-{model}")),
        _ => ("home", "/".to_owned()),
    }
}

fn board(number: u32) -> String {
    format!("bench/large-{number}")
}

fn result_path(number: u32) -> String {
    let id: RepoId = board(number).parse().unwrap();
    format!(".eval_results/{}", id.result_file_name())
}

fn result_text(number: u32, value: &str) -> String {
    fill::result_of(&board(number), number, value)
}

fn card_file(number: u32) -> (String, String) {
    let text = format!("---\nlicense: mit\n---\n\n# Model {number}\n");
    ("README.md".to_owned(), text)
}

fn task() -> TaskId {
    "main".parse().unwrap()
}

fn moment() -> Timestamp {
    Timestamp::from_seconds(fill::MOMENT)
}

fn card() -> Card {
    Card {
        data: json!({ "license": "mit" }),
        tags: vec!["license:mit".to_owned(), "language:en".to_owned()],
        base_models: Vec::new(),
        license: Some("mit".to_owned()),
        pipeline_tag: None,
        library: None,
        parameters: Some(7_000_000_000),
    }
}

fn entry(model: u32, number: u32) -> NewEntry {
    let metric: MetricId = "accuracy".parse().unwrap();
    let thousandths = scattered(u64::from(model) << 32 | u64::from(number)) % 10_000;
    let value = Number::new(thousandths as f64 / 1e4).unwrap();
    let name = board(number);
    NewEntry {
        file: result_path(number).parse().unwrap(),
        ordinal: 0,
        data: json!({
            "dataset": { "id": name, "task_id": "main" },
            "metrics": [{ "metric_id": "accuracy", "value": value.get() }],
            "date": "2026-02-14",
            "source": { "url": format!("https://lab.example/report/{model}"), "name": "Technical report" },
            "notes": "five shots, greedy decoding, one run",
        }),
        entry: Entry {
            date: Some("2026-02-14".parse().unwrap()),
            notes: Some("five shots, greedy decoding, one run".to_owned()),
            ..Entry::new(
                name.parse().unwrap(),
                task(),
                vec![Score {
                    sample_size: Some(1000),
                    ..Score::new(Some(metric), value)
                }],
            )
        },
        findings: Vec::new(),
        moment: moment(),
        evidence: None,
        standing: Standing::no_token(),
        commit: ObjectId::from_bytes([1; 20]),
        committed: moment(),
        submitter: None,
        author: "Lab".to_owned(),
    }
}
