use std::fs;

use assay_lake::{Error, Lake, Table, check, compact};

use crate::support::{Run, World};

#[tokio::test]
async fn a_reader_keeps_what_it_saw_while_the_lake_changes() {
    let world = World::ingested();
    let engine = world.engine().await;
    let changed = Run {
        score: 0.25,
        samples: vec![1.0, 0.0, 0.0, 0.0],
        ..Run::all()[0].clone()
    };
    changed.write(world.root.path());
    world.ingest();
    compact(&world.lake).unwrap();

    let batches = engine
        .all("SELECT count(*), count(score) FROM instances")
        .await
        .unwrap();

    assert_eq!(crate::support::lines(&batches), ["34 | 34"]);
    drop(engine);
    let swept = compact(&world.lake).unwrap();
    assert!(swept.removed > 0, "{swept:?}");
    assert_eq!(world.answer("SELECT count(*) FROM instances").await, ["30"]);
}

#[tokio::test]
async fn what_a_dead_ingest_left_behind_is_never_seen_and_is_swept_away() {
    let world = World::ingested();
    let tables = world.lake.directory().join("tables/results");
    let left = [
        tables.join("99999999-000001.tmp"),
        tables.join("99999999-000002.parquet"),
    ];
    for path in &left {
        fs::write(path, b"half a file").unwrap();
    }
    let unfinished = world.lake.directory().join("lake.tmp");
    fs::write(&unfinished, b"{\"format\":").unwrap();

    let seen = world.answer("SELECT count(*) FROM results").await;
    compact(&world.lake).unwrap();

    assert_eq!(seen, ["8"]);
    assert!(left.iter().all(|path| !path.exists()));
    assert_eq!(world.answer("SELECT count(*) FROM results").await, ["8"]);
}

#[test]
fn a_manifest_without_its_head_is_not_the_lake() {
    let world = World::ingested();
    let manifest = world.lake.read().unwrap().manifest.clone();
    let next = format!("snapshots/{:08}.json", manifest.snapshot + 1);
    // The process died after it wrote a manifest and before it named it.
    fs::write(world.lake.directory().join(next), b"{\"snapshot\": 99}").unwrap();

    let read = world.lake.read().unwrap();

    assert_eq!(read.manifest, manifest);
}

#[test]
fn one_process_writes_at_a_time() {
    let world = World::ingested();
    let _writing = world.lake.write().unwrap();

    let second = world.lake.write();

    assert!(matches!(second, Err(Error::Busy(_))));
}

#[test]
fn a_directory_with_other_files_does_not_become_a_lake() {
    let world = World::new();
    let lake = Lake::at(world.root.path());

    let refused = lake.write();

    assert!(matches!(refused, Err(Error::NotALake(_))));
    assert!(!world.root.path().join("lake.json").exists());
}

#[test]
fn a_lake_of_a_newer_layout_is_not_read() {
    let world = World::ingested();
    let head = world.lake.directory().join("lake.json");
    fs::write(
        &head,
        r#"{"format": "assay-lake", "version": 2, "snapshot": 1}"#,
    )
    .unwrap();

    let read = world.lake.read();

    assert!(matches!(read, Err(Error::Version { found: 2, known: 1 })));
}

#[test]
fn a_manifest_of_a_stranger_cannot_point_outside_the_lake() {
    let world = World::ingested();
    let mut manifest = world.lake.read().unwrap().manifest.clone();
    manifest.files[0].path = "tables/../../data/secret.parquet".to_owned();
    let path = format!("snapshots/{:08}.json", manifest.snapshot);
    let text = serde_json::to_string(&manifest).unwrap();
    fs::write(world.lake.directory().join(path), text).unwrap();

    let read = world.lake.read();

    assert!(matches!(read, Err(Error::Manifest { .. })), "{read:?}");
}

#[tokio::test]
async fn many_small_files_become_few_and_say_the_same() {
    let world = World::ingested();
    for number in 10..20 {
        let run = Run {
            number,
            ..Run::all()[0].clone()
        };
        run.write(world.root.path());
        let path = format!("data/arith/acme/small/{}.json", run.uuid());
        assert_eq!(world.ingest_paths(&[&path]).added, 1);
    }
    let question = "SELECT model, task, count(*), sum(score) FROM instances GROUP BY model, task ORDER BY model, task";
    let before = world.answer(question).await;

    let compacted = compact(&world.lake).unwrap();

    assert!(
        compacted.files_after < compacted.files_before,
        "{compacted:?}"
    );
    assert_eq!(world.answer(question).await, before);
    assert_eq!(check(&world.lake.read().unwrap()).unwrap(), []);
    let again = compact(&world.lake).unwrap();
    assert_eq!(again.files_before, again.files_after);
}

#[test]
fn a_damaged_file_is_found_and_named() {
    let world = World::ingested();
    let snapshot = world.lake.read().unwrap();
    let file = snapshot.manifest.files[0].clone();
    let path = snapshot.path_of(&file.path);
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 3;
    bytes[middle..middle + 16].fill(0xff);
    fs::write(&path, &bytes).unwrap();
    let cut = snapshot.path_of(&snapshot.manifest.files[1].path);
    fs::write(&cut, b"PAR1").unwrap();

    let faults = check(&snapshot).unwrap();

    let paths: Vec<&str> = faults.iter().map(|fault| fault.path.as_str()).collect();
    assert!(
        paths.contains(&snapshot.manifest.files[1].path.as_str()),
        "{faults:?}"
    );
    assert!(faults.len() >= 2, "{faults:?}");
}

/// Returns the number of samples that the lake has, of a manifest that its files bear out.
fn sound_rows(world: &World) -> u64 {
    let snapshot = world.lake.read().unwrap();
    assert_eq!(check(&snapshot).unwrap(), []);
    let files = snapshot.manifest.files_of(Table::Instances);
    files.map(|file| file.rows).sum()
}

/// Returns the number of files that lie below the tables, finished or not.
fn files(world: &World) -> usize {
    let entries = walkdir::WalkDir::new(world.lake.directory().join("tables"));
    let entries = entries.into_iter().filter_map(Result::ok);
    entries.filter(|entry| entry.file_type().is_file()).count()
}

#[test]
fn an_ingest_that_is_killed_leaves_the_old_lake_or_the_new_one() {
    let world = World::ingested();
    let new = (60..90).map(|number| Run {
        number,
        ..Run::all()[0].clone()
    });
    new.for_each(|run| {
        run.write(world.root.path());
    });
    let (old_rows, new_rows) = (34, 34 + 30 * 8);
    let before = files(&world);

    for begun in [1, 9, 25, 49, 61] {
        let mut child = crate::command::program(&world, &["ingest", "data"])
            .spawn()
            .unwrap();
        // It is killed when it has begun so many files, or was faster than the look at them.
        while files(&world) < before + begun && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();

        let rows = sound_rows(&world);

        assert!(
            rows == old_rows || rows == new_rows,
            "{rows} after {begun} files"
        );
    }
    let report = world.ingest();
    assert_eq!(report.refused.len(), 0, "{:#?}", report.refused);
    assert_eq!(sound_rows(&world), new_rows);
}
