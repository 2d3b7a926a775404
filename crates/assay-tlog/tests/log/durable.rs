//! The promises of a log while nothing goes wrong.

use assay_tlog::{
    AuditOptions, Bundle, Directory, Log, LogError, LogOptions, LogPath, NoteKey, audit,
};

use crate::support::{ORIGIN, export, grow, key, leaf, open, try_open, verifier};

#[test]
fn leaves_come_back_with_their_indexes() {
    let directory = tempfile::tempdir().unwrap();
    let log = open(directory.path());

    grow(&log, 700);

    assert_eq!(log.size(), 700);
    assert_eq!(log.leaf(0).unwrap(), leaf(0));
    assert_eq!(log.leaf(511).unwrap(), leaf(511));
    assert_eq!(log.leaf(699).unwrap(), leaf(699));
    let read: Vec<_> = log.leaves(250..9000).map(Result::unwrap).collect();
    let expected: Vec<_> = (250..700).map(|number| (number, leaf(number))).collect();
    assert_eq!(read, expected);
}

#[test]
fn what_is_not_there_is_told_and_not_made_up() {
    let directory = tempfile::tempdir().unwrap();
    let log = open(directory.path());
    grow(&log, 3);

    assert!(matches!(
        log.leaf(3),
        Err(LogError::NoLeaf { index: 3, size: 3 })
    ));
    assert!(matches!(log.prove(2, 2), Err(LogError::NoLeaf { .. })));
    assert!(matches!(
        log.prove(0, 4),
        Err(LogError::NoSize { asked: 4, .. })
    ));
    assert!(matches!(
        log.consistency(3, 2),
        Err(LogError::NoSize { .. })
    ));
    assert!(matches!(log.receipt(3), Err(LogError::NoLeaf { .. })));
    for path in [
        "tile/0/000",
        "tile/0/000.p/4",
        "tile/1/000.p/1",
        "tile/entries/000",
        "tile/entries/001.p/1",
        "tile/entries/x281/x474/x976/x710/655",
        "checkpoint.last",
        "../secret",
    ] {
        assert_eq!(log.file(path).unwrap(), None, "{path}");
    }
}

#[test]
fn a_leaf_of_the_largest_size_is_logged_and_a_larger_one_refused() {
    let directory = tempfile::tempdir().unwrap();
    let log = open(directory.path());
    let largest = vec![7; Bundle::MAX_ENTRY];

    let fits = log.append(largest.clone()).wait();
    let refused = log.append(vec![7; Bundle::MAX_ENTRY + 1]).wait();
    let empty = log.append(Vec::new()).wait();

    assert_eq!(fits.unwrap(), 0);
    assert!(matches!(refused, Err(LogError::TooLarge(65_536))));
    assert_eq!(empty.unwrap(), 1);
    assert_eq!(log.leaf(0).unwrap(), largest);
    assert_eq!(log.leaf(1).unwrap(), b"");
}

#[test]
fn an_earlier_partial_tile_can_still_be_had() {
    let directory = tempfile::tempdir().unwrap();
    let log = open(directory.path());
    grow(&log, 300);

    let early = log.file("tile/entries/000.p/2").unwrap().unwrap();
    let tile = log.file("tile/0/000.p/2").unwrap().unwrap();

    let bundle = Bundle { index: 0, width: 2 };
    assert_eq!(bundle.read(&early).unwrap(), [leaf(0), leaf(1)]);
    assert_eq!(tile.len(), 64);
    assert!(log.file("tile/0/000").unwrap().unwrap().starts_with(&tile));
}

#[test]
fn an_empty_log_has_a_checkpoint() {
    let directory = tempfile::tempdir().unwrap();
    let log = open(directory.path());

    let checkpoint = log.checkpoint();

    assert_eq!(
        checkpoint.verify(&verifier()).unwrap().text(),
        format!("{ORIGIN}\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n")
    );
    assert!(log.check().is_ok());
}

#[test]
fn the_files_of_a_log_pass_an_audit_and_so_does_the_log_itself() {
    let (directory, mirror) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let log = open(directory.path());
    grow(&log, 66_000);
    export(&log, mirror.path());

    let mut source = Directory::new(mirror.path());
    let audited = audit(&mut source, &verifier(), &AuditOptions::default()).unwrap();

    assert_eq!(audited.entries, 66_000);
    assert_eq!(audited.checkpoint, *log.checkpoint());
    assert_eq!(log.check().unwrap().entries, 66_000);
}

#[test]
fn a_log_is_opened_where_it_was_closed() {
    let directory = tempfile::tempdir().unwrap();
    let mut checkpoints = Vec::new();
    for count in [0, 1, 254, 1, 300, 1] {
        let log = open(directory.path());
        grow(&log, count);
        checkpoints.push(log.checkpoint());
    }

    let log = open(directory.path());

    assert_eq!(log.size(), 557);
    for checkpoint in checkpoints {
        let claimed = checkpoint.claimed();
        assert_eq!(log.root(claimed.size).unwrap(), claimed.root);
    }
    assert!(log.check().is_ok());
}

#[test]
fn a_log_has_one_writer_and_many_readers() {
    let directory = tempfile::tempdir().unwrap();
    let log = open(directory.path());
    grow(&log, 300);

    let second = try_open(directory.path());
    let view = Log::view(directory.path(), verifier()).unwrap();
    grow(&log, 10);

    assert!(matches!(second, Err(LogError::InUse(_))));
    assert_eq!(view.size(), 300);
    assert_eq!(view.leaf(299).unwrap(), leaf(299));
    assert!(view.receipt(42).unwrap().verify(&verifier()).is_ok());
    assert!(matches!(
        view.append(leaf(0)).wait(),
        Err(LogError::ReadOnly)
    ));
    let later = Log::view(directory.path(), verifier()).unwrap();
    assert_eq!(later.size(), 310);
}

#[test]
fn what_was_queued_is_written_before_a_log_is_closed() {
    let directory = tempfile::tempdir().unwrap();
    let log = open(directory.path());
    let pending: Vec<_> = (0..500).map(|number| log.append(leaf(number))).collect();

    drop(log);

    for (index, pending) in (0..).zip(pending) {
        assert_eq!(pending.wait().unwrap(), index);
    }
    assert_eq!(open(directory.path()).size(), 500);
}

#[test]
fn a_log_of_another_key_or_name_is_not_opened() {
    let directory = tempfile::tempdir().unwrap();
    drop(open(directory.path()));

    for (name, seed) in [(ORIGIN, 3), ("hub.example/log/control", 2)] {
        let key = NoteKey::from_seed(name, &[seed; 32]).unwrap();
        let refused = Log::open(directory.path(), key, &LogOptions::default());

        assert_eq!(refused.err().unwrap().code(), "log_not_ours");
    }
}

#[test]
fn a_new_key_goes_on_where_a_former_one_stopped() {
    let directory = tempfile::tempdir().unwrap();
    let log = open(directory.path());
    grow(&log, 5);
    drop(log);
    let new = NoteKey::from_seed(ORIGIN, &[9; 32]).unwrap();
    let options = LogOptions {
        former: vec![key().verifier()],
        ..LogOptions::default()
    };

    let log = Log::open(directory.path(), new.clone(), &options).unwrap();

    assert_eq!(log.checkpoint().verify(&new.verifier()).unwrap().size, 5);
    grow(&log, 1);
    drop(log);
    assert_eq!(
        Log::open(directory.path(), new, &LogOptions::default())
            .err()
            .map(|error| error.code()),
        None
    );
}

#[test]
fn every_name_that_a_log_lists_is_a_file_that_it_has() {
    let directory = tempfile::tempdir().unwrap();
    let log = open(directory.path());
    grow(&log, 600);

    for path in LogPath::between(100, 600) {
        let file = log.file(&path.to_string()).unwrap().unwrap();

        assert!(
            !file.is_empty() && file.len() <= path.max_length(),
            "{path}"
        );
    }
}
