//! Recovery from files that a crash, a bad disk or a careless hand left behind.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use assay_tlog::{Log, LogError, LogOptions};

use crate::support::{copy, grow, key, leaf, open, try_open};

fn append_bytes(path: &Path, bytes: &[u8]) {
    let mut file = File::options().append(true).open(path).unwrap();
    file.write_all(bytes).unwrap();
}

fn truncate(path: &Path, by: u64) {
    let file = File::options().write(true).open(path).unwrap();
    let length = file.metadata().unwrap().len();
    file.set_len(length - by).unwrap();
}

fn flip(path: &Path, at: usize) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[at] ^= 0x40;
    std::fs::write(path, bytes).unwrap();
}

fn code(outcome: Result<Log, LogError>) -> &'static str {
    outcome.map_or_else(|error| error.code(), |_| "opened")
}

/// A log of so many leaves that was closed, and its directory.
fn closed(size: u64) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let log = open(directory.path());
    grow(&log, size);
    drop(log);
    directory
}

#[test]
fn a_torn_end_that_nobody_was_told_of_is_cut_off() {
    let directory = closed(300);
    let entries = directory.path().join("entries");
    let before = std::fs::read(&entries).unwrap();
    append_bytes(&entries, b"\0\x05whole\0\x50torn");

    let log = open(directory.path());

    assert_eq!(log.size(), 300);
    assert_eq!(std::fs::read(&entries).unwrap(), before);
    grow(&log, 1);
    assert_eq!(log.leaf(300).unwrap(), leaf(300));
    assert!(log.check().is_ok());
}

#[test]
fn hashes_and_offsets_are_made_again_from_the_entries() {
    for name in ["hashes.0", "hashes.1", "offsets"] {
        let directory = closed(1500);
        for damage in [
            |path: &Path| std::fs::write(path, b"").unwrap(),
            |path: &Path| flip(path, 7),
            |path: &Path| truncate(path, 1),
            |path: &Path| append_bytes(path, &[9; 100]),
        ] {
            damage(&directory.path().join(name));

            let log = open(directory.path());

            grow(&log, 3);
            assert_eq!(log.leaf(700).unwrap(), leaf(700), "{name}");
        }
        // Damage far from the edge is found by the walk, not by the start, and never becomes a
        // wrong receipt.
        let log = open(directory.path());
        assert!(log.receipt(1).is_ok() || name == "hashes.0", "{name}");
    }
}

#[test]
fn a_damaged_hash_becomes_an_error_and_never_a_wrong_receipt() {
    let directory = closed(1500);
    flip(&directory.path().join("hashes.0"), 40);
    let log = open(directory.path());

    let receipt = log.receipt(0);
    let check = log.check();

    assert_eq!(receipt.unwrap_err().code(), "log_damaged");
    assert_eq!(check.unwrap_err().code(), "wrong_tile");
}

#[test]
fn a_log_that_is_smaller_than_its_checkpoint_is_refused() {
    let directory = closed(300);
    truncate(&directory.path().join("entries"), 1);

    assert_eq!(
        code(try_open(directory.path())),
        "log_smaller_than_checkpoint"
    );
}

#[test]
fn a_log_that_differs_from_its_checkpoint_is_refused() {
    let directory = closed(300);
    let last = std::fs::metadata(directory.path().join("entries"))
        .unwrap()
        .len()
        - 1;
    flip(
        &directory.path().join("entries"),
        usize::try_from(last).unwrap(),
    );

    assert_eq!(
        code(try_open(directory.path())),
        "log_differs_from_checkpoint"
    );
}

#[test]
fn an_entry_that_was_rewritten_far_from_the_edge_is_found_by_the_walk() {
    let directory = closed(1500);
    flip(&directory.path().join("entries"), 10);
    let log = open(directory.path());

    let fault = log.check().unwrap_err();

    assert_eq!(
        fault.to_string(),
        "entry 0 was rewritten: it is not what the log signed for"
    );
}

#[test]
fn log_rollback_refused() {
    let (directory, backup) = (closed(10), tempfile::tempdir().unwrap());
    copy(directory.path(), backup.path());
    let log = open(directory.path());
    grow(&log, 5);
    drop(log);
    let largest = std::fs::read(directory.path().join("checkpoint.largest")).unwrap();
    copy(backup.path(), directory.path());
    std::fs::write(directory.path().join("checkpoint.largest"), largest).unwrap();

    let refused = try_open(directory.path()).err().unwrap();

    assert_eq!(refused.code(), "log_rollback_refused");
    assert!(matches!(
        refused,
        LogError::Rollback {
            remembered: 15,
            found: 10,
            ..
        }
    ));
}

#[test]
fn a_copy_that_went_another_way_is_refused() {
    let (directory, fork) = (closed(10), tempfile::tempdir().unwrap());
    copy(directory.path(), fork.path());
    let log = open(directory.path());
    grow(&log, 5);
    drop(log);
    let log = open(fork.path());
    for number in 0..9_u8 {
        log.append(vec![number]).wait().unwrap();
    }
    drop(log);
    std::fs::copy(
        directory.path().join("checkpoint.largest"),
        fork.path().join("checkpoint.largest"),
    )
    .unwrap();

    assert_eq!(code(try_open(fork.path())), "log_differs_from_checkpoint");
}

#[test]
fn a_log_that_vanished_is_not_begun_again_when_its_size_is_remembered_elsewhere() {
    let (directory, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let options = LogOptions {
        largest: Some(elsewhere.path().join("results.largest")),
        ..LogOptions::default()
    };
    let first = directory.path().join("first");
    let log = Log::open(&first, key(), &options).unwrap();
    grow(&log, 2);
    drop(log);

    let refused = Log::open(&directory.path().join("second"), key(), &options);

    assert_eq!(code(refused), "log_rollback_refused");
}

#[test]
fn a_checkpoint_torn_by_a_power_cut_leaves_the_one_before_it() {
    let directory = tempfile::tempdir().unwrap();
    let log = open(directory.path());
    log.append(leaf(0)).wait().unwrap();
    let largest = std::fs::read(directory.path().join("checkpoint.largest")).unwrap();
    log.append(leaf(1)).wait().unwrap();
    let crashed = tempfile::tempdir().unwrap();
    copy(directory.path(), crashed.path());
    // The empty log was signed for first, so the third checkpoint lies in the second slot.
    flip(&crashed.path().join("checkpoint.last"), 4096 + 50);

    let refused = try_open(crashed.path());
    std::fs::write(crashed.path().join("checkpoint.largest"), largest).unwrap();
    let recovered = open(crashed.path());

    // A leaf that was acknowledged is missing: that is said for as long as anything remembers it.
    assert_eq!(code(refused), "log_rollback_refused");
    assert_eq!(recovered.size(), 1);
    assert_eq!(recovered.leaf(0).unwrap(), leaf(0));
}

#[test]
fn entries_without_any_checkpoint_are_not_thrown_away() {
    let directory = closed(3);
    std::fs::remove_file(directory.path().join("checkpoint.last")).unwrap();
    std::fs::remove_file(directory.path().join("checkpoint.largest")).unwrap();

    assert_eq!(code(try_open(directory.path())), "log_damaged");
}

#[test]
fn every_snapshot_of_a_log_under_load_can_be_opened() {
    let directory = tempfile::tempdir().unwrap();
    let log = open(directory.path());
    let mut next = 0;
    for _ in 0..20 {
        let pending: Vec<_> = (next..next + 40)
            .map(|number| log.append(leaf(number)))
            .collect();
        next += 40;
        let acknowledged = log.size();
        let snapshot = tempfile::tempdir().unwrap();
        // The order of copying is that in which files must be ahead of each other: what is signed
        // for is there.
        for name in ["checkpoint.largest", "checkpoint.last", "entries"] {
            std::fs::copy(directory.path().join(name), snapshot.path().join(name)).unwrap();
        }

        let copy = open(snapshot.path());

        assert!(copy.size() >= acknowledged);
        assert!(copy.check().is_ok());
        for own in pending {
            own.wait().unwrap();
        }
    }
}
