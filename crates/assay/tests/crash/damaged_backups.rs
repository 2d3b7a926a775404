//! Backups that are interrupted, damaged, incomplete, or of a hub that is.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::checks::{check_index, directory};
use crate::git;
use crate::load::World;
use crate::restored::{Backups, restore, told};
use crate::server::Place;
use assay_testkit::random::Random;

/// The number of times that a backup is killed.
const KILLS: u64 = 12;
/// The seed of the random moments.
const SEED: u64 = 7;
/// The size of a file that is much larger than everything else of a hub.
const LARGE: usize = 3_000_000;
/// Number of bytes that a backup may copy at most when little has changed. Most of it is the
/// database.
const LITTLE: u64 = 1_000_000;

/// A hub with three models, stopped.
fn stopped_hub() -> (Place, [i64; 4]) {
    let hub = Place::new();
    let server = hub.serve();
    let world = World::new(&server);
    (hub, world.keys)
}

/// Commits a file.
fn commit(hub: &Place, world: &World, path: &str, text: &str) {
    let place = "models/operator/committed/commit/main";
    let answer = world.client.commit(&world.url(), place, path, text);
    answer.unwrap().good();
    assert!(hub.data().is_dir());
}

/// Texts that do not get smaller when they are packed.
fn noise(size: usize) -> String {
    let mut random = Random::new(SEED);
    let words = std::iter::repeat_with(|| format!("{:016x}", random.draw()));
    words.take(size / 16).collect()
}

#[test]
fn a_backup_copies_what_is_new_and_removes_what_is_old() {
    let hub = Place::new();
    let server = hub.serve();
    let world = World::new(&server);
    commit(&hub, &world, "noise.txt", &noise(LARGE));
    let backups = Backups::new();

    let first = backups.make(&hub, &[]);
    commit(&hub, &world, "small.txt", "small");
    let second = backups.make(&hub, &[]);
    let with_first = backups.pieces();
    let third = backups.make(&hub, &["--keep", "2"]);
    let without_first = backups.pieces();

    assert!(first["copied_bytes"].as_u64().unwrap() > LARGE as u64 / 2);
    for later in [&second, &third] {
        assert!(later["copied_bytes"].as_u64().unwrap() < LITTLE, "{later}");
    }
    assert_eq!(
        third["removed"],
        Value::Array(vec![first["generation"].clone()])
    );
    assert_eq!(backups.generations(&hub).len(), 2);
    let at = second["generation"].as_str().unwrap();
    let (code, text) = backups.verify(&hub, &["--at", at]);
    assert_eq!(code, Some(0), "{text}");
    // The pieces that only the first one needed are gone with it.
    assert!(
        with_first
            .iter()
            .any(|piece| !without_first.contains(piece))
    );
    backups.make(&hub, &["--keep", "1"]);
    assert_eq!(backups.generations(&hub).len(), 1);
}

#[test]
fn a_backup_leaves_the_live_files_of_a_database_with_another_name_out() {
    let hub = Place::new();
    let moved = hub.data().join("moved.db");
    let hub = hub.with_database(&format!("sqlite:{}", moved.display()));
    let server = hub.serve();
    let world = World::new(&server);
    let backups = Backups::new();
    let path = backups.path();
    let args = ["admin", "backup", path.to_str().unwrap()];

    // The command is not told where the database is: `hub.json` says so.
    let made = hub.without_database()(&[&args[..], &["--format", "json"]].concat());
    let made = told(&made);
    let elsewhere = Place::new();
    told(&restore(&elsewhere, &backups.path(), &[]));

    assert_eq!(made["whole"], true, "{made}");
    assert!(moved.is_file());
    assert!(!elsewhere.data().join("moved.db").exists());
    check_index(&elsewhere);
    let restored = elsewhere.serve();
    let url = format!("{}/api/models/operator/committed", restored.url);
    world.client.get(&url).unwrap().good();
}

#[test]
fn a_backup_made_after_the_clock_was_ahead_is_the_newest() {
    let hub = Place::new().with_fake_clock();
    let Some(clock) = hub.clock() else {
        return;
    };
    let server = hub.serve();
    let world = World::new(&server);
    let backups = Backups::new();
    clock.set("+30d");
    backups.make(&hub, &["--keep", "1"]);
    clock.set("+0");
    commit(&hub, &world, "later.txt", "later");

    let made = backups.make(&hub, &["--keep", "1"]);
    let elsewhere = Place::new();
    let restored = told(&restore(&elsewhere, &backups.path(), &[]));

    assert_eq!(restored["generation"], made["generation"]);
    assert_eq!(
        backups.generations(&hub),
        [made["generation"].as_str().unwrap()]
    );
}

#[test]
fn a_backup_that_is_killed_leaves_the_generations_before_it_whole() {
    let hub = Place::new();
    let server = hub.serve();
    let world = World::new(&server);
    let backups = Backups::new();
    let begun = Instant::now();
    backups.make(&hub, &[]);
    let most = u64::try_from(begun.elapsed().as_millis()).unwrap();
    let mut random = Random::new(SEED);

    for round in 0..KILLS {
        commit(
            &hub,
            &world,
            "noise.txt",
            &noise(64 * (1 + usize::try_from(round).unwrap())),
        );
        let path = backups.path();
        let args = ["admin", "backup", path.to_str().unwrap(), "--keep", "2"];
        let mut command = hub.assay(&args);
        let mut child = command.arg("--data").arg(hub.data()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(random.below(most)));
        // It may have ended by itself.
        let _ = child.kill();
        child.wait().unwrap();

        let (code, text) = backups.verify(&hub, &[]);
        assert_eq!(code, Some(0), "{text}");
    }

    backups.make(&hub, &["--keep", "1"]);
    let (code, text) = backups.verify(&hub, &[]);
    assert_eq!(code, Some(0), "{text}");
    let elsewhere = Place::new();
    told(&restore(&elsewhere, &backups.path(), &[]));
}

/// Changes the byte in the middle of a file.
fn flip(path: &Path) {
    let mut bytes = std::fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn whatever_is_damaged_in_a_backup_is_found() {
    let (hub, _) = stopped_hub();
    let backups = Backups::new();
    backups.make(&hub, &[]);
    let pieces: Vec<PathBuf> = backups.pieces();
    assert!(pieces.len() > 20, "{}", pieces.len());

    // Every piece is needed by something, whichever it is.
    for path in pieces.iter().step_by(4) {
        let bytes = std::fs::read(path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();

        flip(path);
        let (code, text) = backups.verify(&hub, &[]);
        assert_eq!(code, Some(1), "{name}: {text}");
        assert!(
            text.contains(name) && text.contains("is damaged"),
            "{name}: {text}"
        );

        std::fs::remove_file(path).unwrap();
        let (code, text) = backups.verify(&hub, &[]);
        assert_eq!(code, Some(1), "{name}: {text}");
        assert!(text.contains("is not there"), "{name}: {text}");
        std::fs::write(path, bytes).unwrap();
    }

    // What is gone is copied again by the next backup.
    std::fs::remove_file(&pieces[0]).unwrap();
    backups.make(&hub, &[]);
    let (code, text) = backups.verify(&hub, &[]);
    assert_eq!(code, Some(0), "{text}");

    let newest = backups.generations(&hub).pop().unwrap();
    flip(&backups.path().join(format!("generations/{newest}.json")));
    let (code, text) = backups.verify(&hub, &["--at", &newest]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("is damaged"), "{text}");
    let refused = restore(&Place::new(), &backups.path(), &["--at", &newest]);
    assert_eq!(refused.status.code(), Some(1));
}

#[test]
fn a_hub_is_restored_to_nothing_but_an_empty_directory() {
    let (hub, _) = stopped_hub();
    let own = hub.data().join("own-file");
    std::fs::write(&own, "of another version").unwrap();
    let large = hub.data().join("lfs/ab/cd");
    std::fs::create_dir_all(&large).unwrap();
    std::fs::write(large.join("abcd"), noise(9_000_000)).unwrap();
    let backups = Backups::new();
    backups.make(&hub, &[]);
    let elsewhere = Place::new();

    let restored = told(&restore(&elsewhere, &backups.path(), &[]));
    let again = restore(&elsewhere, &backups.path(), &[]);

    // The mirror of the logs may be there as well.
    assert!(
        restored["repositories"].as_u64().unwrap() >= 4,
        "{restored}"
    );
    for path in [
        "own-file",
        "lfs/ab/cd/abcd",
        "trust/passphrase",
        "trust/results/entries",
    ] {
        let (one, other) = (hub.data().join(path), elsewhere.data().join(path));
        assert_eq!(
            std::fs::read(one).unwrap(),
            std::fs::read(other).unwrap(),
            "{path}"
        );
    }
    let text = String::from_utf8(again.stderr).unwrap();
    assert_eq!(again.status.code(), Some(1), "{text}");
    assert!(text.contains("is not empty"), "{text}");
    let into_itself = hub.data().join("backups");
    let refused = hub.operate(&["admin", "backup", into_itself.to_str().unwrap()]);
    let text = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1), "{text}");
    assert!(text.contains("lie in each other"), "{text}");
}

#[cfg(unix)]
#[test]
fn secrets_are_as_private_after_a_restore_as_before() {
    use std::os::unix::fs::PermissionsExt as _;
    let (hub, _) = stopped_hub();
    let backups = Backups::new();
    backups.make(&hub, &[]);
    let elsewhere = Place::new();

    told(&restore(&elsewhere, &backups.path(), &[]));

    let mode = |path: PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(backups.path()), 0o700);
    assert_eq!(mode(elsewhere.data()), 0o700);
    assert_eq!(mode(elsewhere.data().join("hub.db")), 0o600);
    assert_eq!(mode(elsewhere.data().join("trust/passphrase")), 0o600);
}

#[test]
fn what_a_hub_has_lost_is_told_and_the_rest_is_backed_up() {
    let (hub, keys) = stopped_hub();
    let backups = Backups::new();
    let whole = backups.make(&hub, &[]);
    let whole = whole["generation"].as_str().unwrap();
    let broken = directory(&hub, keys[0]);
    let head = git::good(&broken, &["rev-parse", "refs/heads/main"]);
    std::fs::remove_file(broken.join(format!("objects/{}/{}", &head[..2], &head[2..]))).unwrap();
    std::fs::remove_dir_all(directory(&hub, keys[1])).unwrap();

    let made = backups.run(&hub, &["--keep", "1"]);

    assert_eq!(made.status.code(), Some(1));
    let made: Value = serde_json::from_slice(&made.stdout).unwrap();
    let faults = made["faults"].to_string();
    assert_eq!(made["faults"].as_array().unwrap().len(), 2, "{faults}");
    assert!(
        faults.contains("leads to an object that is not there"),
        "{faults}"
    );
    assert!(
        faults.contains(&format!("repository {} is recorded", keys[1])),
        "{faults}"
    );
    // The generation that has what was lost stays, and is the one that is restored.
    assert_eq!(backups.generations(&hub).len(), 2);
    let elsewhere = Place::new();
    let restored = told(&restore(&elsewhere, &backups.path(), &[]));
    assert_eq!(restored["generation"], whole);
    git::good(
        &directory(&elsewhere, keys[0]),
        &["rev-parse", "refs/heads/main"],
    );
}

#[test]
fn a_place_has_the_backups_of_one_hub() {
    let (hub, _) = stopped_hub();
    let (other, _) = stopped_hub();
    let backups = Backups::new();
    backups.make(&hub, &[]);

    let refused = backups.run(&other, &[]);

    let text = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1), "{text}");
    assert!(text.contains("has backups of another hub"), "{text}");
}
