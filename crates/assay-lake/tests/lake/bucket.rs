//! A lake in object storage.

use std::path::Path;
use std::process::Output;
use std::time::Duration;

use assay_lake::{Engine, Error, Lake, Limits, Storage as Access};

use crate::command::program;
use crate::questions::questions;
use crate::storage::{SECRET, Storage};
use crate::support::{World, lines};

const PREFIX: &str = "lakes/main";
const ADDRESS: &str = "s3://results/lakes/main";

/// The program, with the keys of a storage in its environment.
fn run(world: &World, storage: &Storage, secret: &str, args: &[&str]) -> Output {
    program(world, args)
        .env("ASSAY_LAKE", ADDRESS)
        .envs(storage.variables(secret))
        .output()
        .unwrap()
}

async fn engine(storage: &Storage) -> Engine {
    let access = Access::from_variables(storage.variables(SECRET));
    let lake = Lake::named(Path::new(ADDRESS), &access).unwrap();
    let limits = Limits {
        memory: 256 << 20,
        timeout: Some(Duration::from_mins(1)),
        threads: 2,
    };
    let snapshot = lake.fetch().await.unwrap();
    Engine::open(snapshot, limits).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lake_in_a_bucket_answers_as_its_directory_does() {
    let world = World::ingested();
    let storage = Storage::serve(PREFIX, world.lake.directory());
    let in_a_directory = world.engine().await;
    let in_a_bucket = engine(&storage).await;

    for (title, sql) in questions() {
        let expected = in_a_directory.all(&sql).await.unwrap();
        let answer = in_a_bucket.all(&sql).await;

        let answer = answer.unwrap_or_else(|error| panic!("{title}: {error}"));
        assert_eq!(lines(&answer), lines(&expected), "{title}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_what_a_query_needs_is_fetched() {
    let world = World::new();
    world.ingest_paths(&["data/arith/acme/small"]);
    world.ingest_paths(&["data/arith/zeta"]);
    let storage = Storage::serve(PREFIX, world.lake.directory());
    let engine = engine(&storage).await;

    let answer = engine
        .all("SELECT count(score), avg(score) FROM instances WHERE model = 'acme/small' AND benchmark = 'arith'")
        .await
        .unwrap();

    assert_eq!(lines(&answer), ["8 | 0.5"]);
    let snapshot = world.lake.read().unwrap();
    let fetched = storage.handed_out();
    let parquet = fetched.keys().filter(|key| key.ends_with(".parquet"));
    let is_asked_for = |path: &String| {
        let file = snapshot
            .manifest
            .files
            .iter()
            .find(|file| file.path == *path);
        file.and_then(|file| file.bounds.as_ref())
            .is_some_and(|own| own.model == ["acme/small"; 2] && own.benchmark == ["arith"; 2])
    };
    assert!(parquet.clone().count() > 0, "{fetched:?}");
    assert!(
        parquet
            .clone()
            .filter(|path| !path.starts_with("tables/sources/"))
            .all(|path| path.starts_with("tables/instances/") && is_asked_for(path)),
        "{fetched:?}"
    );
}

#[test]
fn the_commands_read_and_change_a_bucket() {
    let world = World::new();
    let root = tempfile::tempdir().unwrap();
    let storage = Storage::serve(PREFIX, root.path());
    let question = [
        "query",
        "SELECT count(*) AS n FROM instances",
        "--format",
        "csv",
    ];

    let first = run(&world, &storage, SECRET, &["ingest", "data/arith"]);
    let second = run(&world, &storage, SECRET, &["ingest", "data", "models"]);
    let answer = run(&world, &storage, SECRET, &question);
    let files = run(&world, &storage, SECRET, &["lake", "files", "results"]);
    let versions = run(&world, &storage, SECRET, &["lake", "versions"]);
    let compacted = run(&world, &storage, SECRET, &["lake", "compact"]);
    let checked = run(&world, &storage, SECRET, &["lake", "check"]);
    let again = run(&world, &storage, SECRET, &question);
    let compared = run(
        &world,
        &storage,
        SECRET,
        &["compare", "acme/small", "acme/large", "--task", "sums"],
    );

    let told = |output: &Output| {
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{errors}");
        String::from_utf8(output.stdout.clone()).unwrap()
    };
    assert!(told(&first).starts_with("4 added"), "{first:?}");
    assert!(told(&second).starts_with("4 added, 0 replaced, 4 unchanged"));
    assert_eq!(told(&answer), "n\n34\n");
    assert_eq!(told(&again), "n\n34\n");
    assert!(told(&files).starts_with("s3://results/lakes/main/tables/results/"));
    assert!(told(&versions).contains("s3://results/lakes/main/tables/instances"));
    assert!(told(&compacted).contains("files with"));
    assert!(told(&checked).contains("files are what the logs say"));
    told(&compared);
    assert!(!world.root.path().join("s3:").exists());
}

#[test]
fn a_bucket_that_does_not_open_is_named_and_the_key_is_not() {
    let world = World::ingested();
    let storage = Storage::serve(PREFIX, world.lake.directory());

    let refused = run(&world, &storage, "wrong-secret", &["query", "SELECT 1"]);
    let absent = run(
        &world,
        &storage,
        SECRET,
        &["query", "SELECT 1", "--lake", "s3://results/nothing"],
    );

    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(3));
    assert!(told.contains("s3://results/lakes/main/lake.json"), "{told}");
    assert!(!told.contains("wrong-secret"), "{told}");
    let told = String::from_utf8_lossy(&absent.stderr).into_owned();
    assert_eq!(absent.status.code(), Some(3));
    assert!(
        told.contains("there is no lake at `s3://results/nothing`"),
        "{told}"
    );
}

#[tokio::test]
async fn a_file_that_is_missing_from_a_bucket_is_an_error_and_no_empty_answer() {
    let world = World::ingested();
    let storage = Storage::serve(PREFIX, world.lake.directory());
    let engine = engine(&storage).await;
    let snapshot = world.lake.read().unwrap();
    for file in snapshot.manifest.files_of(assay_lake::Table::Results) {
        std::fs::remove_file(snapshot.path_of(&file.path)).unwrap();
    }

    let answer = engine.all("SELECT sum(score) FROM results").await;

    assert!(matches!(answer, Err(Error::Query(_))), "{answer:?}");
}

#[test]
fn an_address_of_a_directory_may_be_a_url() {
    let world = World::ingested();
    let address = format!("file://{}", world.lake.directory().display());

    let lake = Lake::named(Path::new(&address), &Access::default()).unwrap();

    assert_eq!(lake.directory(), world.lake.directory());
    assert!(matches!(
        Lake::named(Path::new("file://elsewhere/lake"), &Access::default()),
        Err(Error::NoAddress(_))
    ));
}
