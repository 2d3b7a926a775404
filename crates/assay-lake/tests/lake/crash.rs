use std::fs;
use std::time::Duration;

use assay_lake::{Error, Lake, RETENTION, Table, check, compact};

use crate::support::{Run, World};

/// Removes at once what no version has any more.
const AT_ONCE: Duration = Duration::ZERO;

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
    compact(&world.lake, RETENTION).unwrap();

    let batches = engine
        .all("SELECT count(*), count(score) FROM instances")
        .await
        .unwrap();

    assert_eq!(crate::support::lines(&batches), ["34 | 34"]);
    drop(engine);
    let swept = compact(&world.lake, AT_ONCE).unwrap();
    assert!(swept.removed > 0, "{swept:?}");
    assert_eq!(world.answer("SELECT count(*) FROM instances").await, ["30"]);
    assert_eq!(check(&world.lake.read().unwrap()).unwrap(), []);
}

#[tokio::test]
async fn what_a_dead_ingest_left_behind_is_never_seen_and_is_removed() {
    let world = World::ingested();
    let tables = world.lake.directory().join("tables/results");
    let left = [
        tables.join("unfinished-000001.tmp"),
        tables.join("99999999-000002.parquet"),
    ];
    for path in &left {
        fs::write(path, b"half a file").unwrap();
    }

    let seen = world.answer("SELECT count(*) FROM results").await;
    compact(&world.lake, RETENTION).unwrap();
    let kept = left.iter().all(|path| path.exists());
    compact(&world.lake, AT_ONCE).unwrap();

    assert_eq!(seen, ["8"]);
    assert!(kept, "a writer may still need them");
    assert!(left.iter().all(|path| !path.exists()));
    assert_eq!(world.answer("SELECT count(*) FROM results").await, ["8"]);
}

#[tokio::test]
async fn a_version_of_a_table_that_the_lake_does_not_name_is_not_seen() {
    let world = World::ingested();
    let before = world.lake.read().unwrap().manifest.clone();
    let changed = Run {
        score: 0.25,
        samples: vec![1.0, 0.0, 0.0, 0.0],
        ..Run::all()[0].clone()
    };
    changed.write(world.root.path());
    world.ingest();
    let after = world.lake.read().unwrap().manifest.clone();
    // The process died after it committed the other tables and before it committed the table of sources.
    let log = world.lake.directory().join("tables/sources/_delta_log");
    let last = log.join(format!("{:020}.json", after.snapshot));
    fs::remove_file(last).unwrap();

    let read = world.lake.read().unwrap().manifest;
    let rows = world.answer("SELECT count(*) FROM instances").await;
    let report = world.ingest();

    assert_ne!(after.versions, before.versions);
    assert_eq!(read, before);
    assert_eq!(rows, ["34"]);
    assert_eq!((report.added, report.replaced), (0, 1));
    assert_eq!(world.answer("SELECT count(*) FROM instances").await, ["30"]);
    assert_eq!(check(&world.lake.read().unwrap()).unwrap(), []);
}

#[test]
fn two_writers_at_once_lose_nothing() {
    let world = World::new();
    for number in 60..80 {
        let run = Run {
            number,
            ..Run::all()[0].clone()
        };
        run.write(world.root.path());
    }
    let writers = ["data/prose", "data/tools", "data/arith", "models", "data"];
    let children = writers.map(|path| {
        let mut program = crate::command::program(&world, &["ingest", path]);
        program.spawn().unwrap()
    });

    for child in children {
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{told}");
    }

    assert_eq!(sound_rows(&world), 34 + 20 * 8);
    assert_eq!(world.ingest().unchanged, 28);
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
fn a_lake_of_another_layout_is_not_read() {
    let world = World::ingested();
    let head = world.lake.directory().join("lake.json");
    let with_version = |version: u32| {
        let text = format!(r#"{{"format": "assay-lake", "version": {version}, "snapshot": 1}}"#);
        fs::write(&head, text).unwrap();
        world.lake.read().map(|_| ()).unwrap_err()
    };

    let newer = with_version(3);
    let older = with_version(1);

    assert!(matches!(newer, Error::Version { found: 3, known: 2 }));
    assert!(matches!(older, Error::OldVersion { found: 1, .. }));
    assert!(older.to_string().contains("assay ingest PATHS --lake"));
}

#[test]
fn a_log_of_a_stranger_cannot_point_outside_the_lake() {
    let world = World::ingested();
    let log = world.lake.directory().join("tables/results/_delta_log");
    let commit = log.join(format!("{:020}.json", 1));
    let text = fs::read_to_string(&commit).unwrap();
    let path = world.lake.read().unwrap().manifest;
    let path = path.files_of(Table::Results).next().unwrap().path.clone();
    let name = path.rsplit('/').next().unwrap();
    for outside in [
        "../../data/secret.parquet",
        "/etc/passwd",
        "file:///etc/passwd",
    ] {
        fs::write(&commit, text.replace(name, outside)).unwrap();

        let read = world.lake.read();

        assert!(matches!(read, Err(Error::Manifest { .. })), "{read:?}");
    }
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

    let compacted = compact(&world.lake, RETENTION).unwrap();

    assert!(
        compacted.files_after < compacted.files_before,
        "{compacted:?}"
    );
    assert_eq!(world.answer(question).await, before);
    assert_eq!(check(&world.lake.read().unwrap()).unwrap(), []);
    let again = compact(&world.lake, RETENTION).unwrap();
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

/// How many samples the lake has, of a manifest that its files bear out.
fn sound_rows(world: &World) -> u64 {
    let snapshot = world.lake.read().unwrap();
    assert_eq!(check(&snapshot).unwrap(), []);
    let files = snapshot.manifest.files_of(Table::Instances);
    files.map(|file| file.rows).sum()
}

/// How often an ingest is killed: a handful of times, or as often as the environment says.
#[expect(
    clippy::disallowed_methods,
    reason = "the environment of the test asks for more"
)]
fn number_of_kills() -> u64 {
    let asked = std::env::var("ASSAY_LAKE_WRITER_KILLS");
    asked.ok().and_then(|text| text.parse().ok()).unwrap_or(5)
}

/// The names of all files of a lake.
fn files(world: &World) -> usize {
    let entries = walkdir::WalkDir::new(world.lake.directory());
    entries.into_iter().filter_map(Result::ok).count()
}

#[test]
#[expect(clippy::print_stderr, reason = "how often it came to what is reported")]
fn an_ingest_that_is_killed_leaves_the_old_lake_or_the_new_one() {
    let kills = number_of_kills();
    let (old_rows, new_rows) = (34, 34 + 30 * 8);
    let (mut old, mut new) = (0, 0);
    for kill in 0..kills {
        let world = World::ingested();
        let runs = (60..90).map(|number| Run {
            number,
            ..Run::all()[0].clone()
        });
        runs.for_each(|run| {
            run.write(world.root.path());
        });
        let before = files(&world);
        // An ingest of these makes so many names one after the other, some of which go again.
        let begun = usize::try_from(kill % 24).unwrap();
        let mut child = crate::command::program(&world, &["ingest", "data"])
            .spawn()
            .unwrap();
        // It is killed when it has made so many files, or was faster than the look at them.
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
        old += u64::from(rows == old_rows);
        new += u64::from(rows == new_rows);
        let report = world.ingest();
        assert_eq!(report.refused.len(), 0, "{:#?}", report.refused);
        assert_eq!(sound_rows(&world), new_rows);
    }
    eprintln!("of {kills} killed ingests {old} left the old lake and {new} the new one");
}
