//! Measures how fast a large hub is filled and read: 100,000 entries of 25,000 models on twenty
//! boards.
//!
//! Run with `cargo bench -p assay-store`.

#![expect(clippy::print_stdout, reason = "the figures are the output")]
#![expect(clippy::unwrap_used, reason = "a benchmark stops at the first fault")]

use std::time::Instant;

use assay_model::{Entry, Number, ObjectId, RepoKey, RepoKind, Score, Standing, TaskId, Timestamp};
use assay_store::{
    AccountKind, Branch, Card, Filter, NewAccount, NewBenchmark, NewEntry, NewRepository, Settings,
    Sort, Store,
};
use serde_json::json;

const MODELS: u32 = 25_000;
const ENTRIES_PER_MODEL: u32 = 4;
const BOARDS: u32 = 20;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(run());
}

async fn run() {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(&directory.path().join("hub.db")).await.unwrap();

    let start = Start::now();
    let keys = make_repositories(&store).await;
    report("make 25,000 repositories with cards", start);

    let start = Start::now();
    write_entries(&store, &keys).await;
    report("insert 100,000 entries in one transaction", start);

    read(&store, &keys).await;
    change(&store, &keys).await;

    let start = Start::now();
    let mut dump = store.index_dump().await.unwrap();
    let mut rows = 0;
    while dump.next().await.unwrap().is_some() {
        rows += 1;
    }
    report(&format!("dump the index, {rows} rows"), start);
}

async fn make_repositories(store: &Store) -> Vec<RepoKey> {
    let mut tx = store.begin().await.unwrap();
    let owner = NewAccount {
        name: "acme".to_owned(),
        kind: AccountKind::Organisation,
        fullname: None,
        email: None,
        operator: false,
        created: Timestamp::from_millis(0),
        founder: None,
    };
    let owner = tx.add_account(&owner).await.unwrap();
    let mut keys = Vec::new();
    for number in 0..MODELS + BOARDS {
        let (kind, name) = match number.checked_sub(MODELS) {
            None => (RepoKind::Model, format!("acme/model-{number}")),
            Some(board) => (RepoKind::Dataset, format!("acme/bench-{board}")),
        };
        let new = NewRepository {
            kind,
            id: name.parse().unwrap(),
            owner,
            creator: None,
            created: Timestamp::from_millis(number.into()),
            settings: Settings::default(),
        };
        let key = tx.add_repository(&new).await.unwrap();
        match kind {
            RepoKind::Model => keys.push(key),
            RepoKind::Dataset => tx.set_benchmark(key, Some(&benchmark())).await.unwrap(),
        }
        tx.set_card(key, Some(&card())).await.unwrap();
    }
    tx.commit().await.unwrap();
    keys
}

async fn write_entries(store: &Store, keys: &[RepoKey]) {
    let mut tx = store.begin().await.unwrap();
    for (number, key) in (0..).zip(keys) {
        let entries: Vec<_> = (0..ENTRIES_PER_MODEL)
            .map(|ordinal| entry(number, ordinal))
            .collect();
        tx.replace_entries(*key, Branch::Main, Timestamp::from_millis(1), &entries)
            .await
            .unwrap();
    }
    tx.commit().await.unwrap();
}

async fn read(store: &Store, keys: &[RepoKey]) {
    let task: TaskId = "main".parse().unwrap();
    let start = Start::now();
    for _ in 0..20 {
        let board = store
            .entries_of_board("acme/bench-0", Some(&task), None)
            .await
            .unwrap();
        assert_eq!(board.len(), 5000);
    }
    report("read a board of 5,000 entries, 20 times", start);

    let start = Start::now();
    let mut ids = Vec::new();
    for _ in 0..20 {
        let board = store
            .ranking_rows_of_board("acme/bench-0", Some(&task), None)
            .await
            .unwrap();
        assert_eq!(board.len(), 5000);
        ids = board.iter().map(|brief| brief.id).take(100).collect();
    }
    report("read a board of 5,000 entries in brief, 20 times", start);

    let start = Start::now();
    for _ in 0..100 {
        let rows = store.entries_with(&ids).await.unwrap();
        assert_eq!(rows.len(), 100);
    }
    report("read 100 entries by their number, 100 times", start);

    let start = Start::now();
    for key in keys.iter().take(1000) {
        store.entries_of_model(*key, None).await.unwrap();
    }
    report("read the results of a model, 1,000 times", start);

    let start = Start::now();
    for key in keys.iter().take(1000) {
        store
            .ranking_rows_of_model("acme/bench-0", *key)
            .await
            .unwrap();
    }
    report("read what a model has on a board, 1,000 times", start);

    let start = Start::now();
    for _ in 0..1000 {
        store.generation().await.unwrap();
    }
    report("ask for the generation, 1,000 times", start);

    let mut filter = Filter::new(RepoKind::Model, 100);
    filter.tags = vec!["license:mit".to_owned()];
    filter.search = vec!["model-24".to_owned()];
    for sort in [Sort::Created, Sort::Updated, Sort::Name] {
        filter.sort = sort;
        let start = Start::now();
        let page = store.repositories(&filter).await.unwrap();
        let rows = page.items.len();
        report(&format!("list {rows} by tag, text and {sort:?}"), start);
    }
}

async fn change(store: &Store, keys: &[RepoKey]) {
    let start = Start::now();
    for (number, key) in (0..).zip(keys).take(1000) {
        let mut entries: Vec<_> = (0..ENTRIES_PER_MODEL)
            .map(|ordinal| entry(number, ordinal))
            .collect();
        entries[0].entry.scores[0].value = Number::new(1.0).unwrap();
        let mut tx = store.begin().await.unwrap();
        tx.replace_entries(*key, Branch::Main, Timestamp::from_millis(2), &entries)
            .await
            .unwrap();
        tx.commit().await.unwrap();
    }
    report("change one entry and commit, 1,000 times", start);
}

fn entry(model: u32, ordinal: u32) -> NewEntry {
    let board = (model + ordinal) % BOARDS;
    let value = Number::new(f64::from(model % 1000) / 1000.0).unwrap();
    let dataset = format!("acme/bench-{board}");
    NewEntry {
        file: format!(".eval_results/bench_{board}.yaml").parse().unwrap(),
        ordinal,
        data: json!({ "dataset": { "id": dataset, "task_id": "main" }, "value": value.get() }),
        entry: Entry {
            date: Some("2026-02-14".parse().unwrap()),
            notes: Some("five shots, greedy".to_owned()),
            ..Entry::new(
                dataset.parse().unwrap(),
                "main".parse().unwrap(),
                vec![Score {
                    sample_size: Some(1000),
                    ..Score::new(None, value)
                }],
            )
        },
        findings: Vec::new(),
        moment: Timestamp::from_millis(1),
        evidence: None,
        standing: Standing::no_token(),
        commit: ObjectId::from_bytes([1; 20]),
        committed: Timestamp::from_millis(1),
        submitter: None,
        author: "Alice".to_owned(),
    }
}

fn benchmark() -> NewBenchmark {
    NewBenchmark {
        revision: ObjectId::from_bytes([1; 20]),
        definition: json!({}),
        tasks: vec!["main".parse().unwrap()],
        valid: true,
    }
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

/// The beginning of a measurement, by the clock and by processor time.
#[derive(Clone, Copy)]
struct Start {
    clock: Instant,
    processor: u64,
}

impl Start {
    fn now() -> Self {
        Self {
            clock: Instant::now(),
            processor: processor(),
        }
    }
}

/// The milliseconds that all threads have computed so far: on a machine that others use, a better
/// measure than the clock. None are told where the system does not.
fn processor() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    // User and system time, in hundredths of a second.
    let times = fields.split_whitespace().skip(11).take(2);
    times
        .filter_map(|time| time.parse::<u64>().ok())
        .sum::<u64>()
        * 10
}

fn report(what: &str, start: Start) {
    let clock = start.clock.elapsed().as_secs_f64() * 1000.0;
    let processor = processor() - start.processor;
    println!("{clock:>9.1} ms, {processor:>6} ms computed  {what}");
}
