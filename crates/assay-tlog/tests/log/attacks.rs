//! Logs that lie, found out through their files alone.

use std::path::Path;

use assay_tlog::{
    AuditFault, AuditOptions, AuditReport, Bundle, Depth, Directory, Log, LogPath, NoteKey,
    SignedCheckpoint, Tile, TreeHash, audit,
};
use tempfile::TempDir;

use crate::support::{ORIGIN, export, grow, leaf, open, verifier};

const SIZE: u64 = 700;

/// A mirror of a log, and the checkpoint that someone kept when the log had 600 leaves.
struct Mirror {
    log: Log,
    kept: SignedCheckpoint,
    files: TempDir,
    _directory: TempDir,
}

impl Mirror {
    fn new() -> Self {
        let (directory, files) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let log = open(directory.path());
        grow(&log, 600);
        let kept = log.checkpoint().as_ref().clone();
        grow(&log, SIZE - 600);
        export(&log, files.path());
        Self {
            log,
            kept,
            files,
            _directory: directory,
        }
    }

    fn path(&self) -> &Path {
        self.files.path()
    }

    fn audit(
        &self,
        depth: Depth,
        since: Option<&SignedCheckpoint>,
    ) -> Result<AuditReport, AuditFault> {
        let options = AuditOptions {
            since,
            depth,
            ..AuditOptions::default()
        };
        audit(&mut Directory::new(self.path()), &verifier(), &options)
    }

    /// Returns the fault that both kinds of audit find, with the kept checkpoint; they must agree.
    fn fault(&self) -> AuditFault {
        let thorough = self.audit(Depth::Entries, Some(&self.kept)).unwrap_err();
        if let Err(quick) = self.audit(Depth::Tiles, Some(&self.kept)) {
            assert_eq!(quick.code(), thorough.code());
        }
        thorough
    }

    /// Rewrites an entry in its bundle.
    fn rewrite(&self, index: u64, new: &[u8]) {
        self.edit_bundle(index, |leaves, at| leaves[at] = new.to_vec());
    }

    fn edit_bundle(&self, index: u64, edit: impl FnOnce(&mut Vec<Vec<u8>>, usize)) {
        let number = index / 256;
        let width = u16::try_from((SIZE - number * 256).min(256)).unwrap();
        let bundle = Bundle {
            index: number,
            width,
        };
        let path = self.path().join(LogPath::Bundle(bundle).to_string());
        let bytes = fs_err::read(&path).unwrap();
        let mut leaves: Vec<_> = bundle
            .read(&bytes)
            .unwrap()
            .iter()
            .map(|l| l.to_vec())
            .collect();
        edit(&mut leaves, usize::try_from(index % 256).unwrap());
        let mut bytes = Vec::new();
        for leaf in leaves {
            bytes.extend_from_slice(&u16::try_from(leaf.len()).unwrap().to_be_bytes());
            bytes.extend_from_slice(&leaf);
        }
        fs_err::write(path, bytes).unwrap();
    }

    fn edit(&self, path: &str, edit: impl FnOnce(&mut Vec<u8>)) {
        let path = self.path().join(path);
        let mut bytes = fs_err::read(&path).unwrap();
        edit(&mut bytes);
        fs_err::write(path, bytes).unwrap();
    }
}

/// The files of another log under the same key, as its operator could make it.
fn other_history(size: u64, differs_at: u64, files: &Path) {
    let directory = tempfile::tempdir().unwrap();
    let log = open(directory.path());
    let pending: Vec<_> = (0..size)
        .map(|number| {
            let is_other = number == differs_at;
            log.append(if is_other {
                b"another".to_vec()
            } else {
                leaf(number)
            })
        })
        .collect();
    for own in pending {
        own.wait().unwrap();
    }
    fs_err::remove_dir_all(files).unwrap();
    export(&log, files);
}

#[test]
fn an_honest_log_passes_both_audits() {
    let mirror = Mirror::new();

    let thorough = mirror.audit(Depth::Entries, Some(&mirror.kept)).unwrap();
    let quick = mirror.audit(Depth::Tiles, Some(&mirror.kept)).unwrap();

    assert_eq!((thorough.entries, thorough.since), (700, Some(600)));
    assert_eq!((quick.entries, quick.since), (100, Some(600)));
    assert!(quick.files < thorough.files);
    assert_eq!(quick.checkpoint, *mirror.log.checkpoint());
}

#[test]
fn a_rewritten_entry_is_named() {
    let mirror = Mirror::new();
    mirror.rewrite(300, b"{\"outcome\":\"admitted\"}");

    let fault = mirror.fault();

    assert!(
        matches!(fault, AuditFault::Rewritten { index: Some(300) }),
        "{fault}"
    );
}

#[test]
fn a_rewritten_entry_is_found_when_its_tiles_were_made_to_fit() {
    let mirror = Mirror::new();
    let new = leaf(9_999);
    mirror.rewrite(620, &new);
    mirror.edit("tile/0/002.p/188", |bytes| {
        let at = (620 - 512) * 32;
        bytes[at..at + 32].copy_from_slice(TreeHash::of_leaf(&new).as_bytes());
    });

    let fault = mirror.fault();
    let fresh = mirror.audit(Depth::Entries, None).unwrap_err();

    assert!(
        matches!(fault, AuditFault::Rewritten { index: None }),
        "{fault}"
    );
    assert_eq!(fresh.code(), "rewritten_entry");
}

#[test]
fn an_entry_taken_out_of_its_bundle_is_a_dropped_one() {
    let mirror = Mirror::new();
    mirror.edit_bundle(690, |leaves, at| {
        leaves.remove(at);
    });

    let fault = mirror.fault();

    assert!(
        matches!(fault, AuditFault::Dropped { index: 699 }),
        "{fault}"
    );
}

#[test]
fn a_bundle_that_is_not_there_is_a_dropped_entry() {
    let mirror = Mirror::new();
    fs_err::remove_file(mirror.path().join("tile/entries/001")).unwrap();

    let fault = mirror.fault();

    assert!(
        matches!(fault, AuditFault::Dropped { index: 256 }),
        "{fault}"
    );
}

#[test]
fn a_log_that_shrank_and_was_signed_again_has_dropped_entries() {
    let mirror = Mirror::new();
    other_history(599, u64::MAX, mirror.path());

    let fault = mirror.fault();

    assert!(
        matches!(fault, AuditFault::Shrunk { was: 600, is: 599 }),
        "{fault}"
    );
    assert!(mirror.audit(Depth::Entries, None).is_ok());
}

#[test]
fn a_log_that_vanished_has_dropped_all_it_had() {
    let mirror = Mirror::new();
    fs_err::remove_file(mirror.path().join("checkpoint")).unwrap();

    let fault = mirror.fault();
    let fresh = mirror.audit(Depth::Entries, None).unwrap_err();

    assert!(
        matches!(fault, AuditFault::Shrunk { was: 600, is: 0 }),
        "{fault}"
    );
    assert_eq!(fresh.code(), "no_checkpoint");
    assert!(!fresh.is_about_the_log());
}

#[test]
fn another_history_of_the_same_size_is_a_fork() {
    let mirror = Mirror::new();
    other_history(600, 17, mirror.path());

    let fault = mirror.fault();

    let AuditFault::Forked { old, new } = fault else {
        panic!("{fault}");
    };
    assert_eq!(*old, mirror.kept);
    assert_eq!(new.verify(&verifier()).unwrap().size, 600);
}

#[test]
fn a_longer_history_that_does_not_begin_with_the_old_one_is_a_fork() {
    let mirror = Mirror::new();
    other_history(800, 17, mirror.path());

    assert_eq!(mirror.fault().code(), "forked_history");
    assert!(mirror.audit(Depth::Entries, None).is_ok());
    assert_eq!(
        mirror
            .audit(Depth::Tiles, Some(&mirror.kept))
            .unwrap_err()
            .code(),
        "forked_history"
    );
}

#[test]
fn a_history_that_differs_only_after_the_kept_checkpoint_is_none_of_ours_to_refuse() {
    let mirror = Mirror::new();
    other_history(800, 600, mirror.path());

    assert!(mirror.audit(Depth::Entries, Some(&mirror.kept)).is_ok());
    assert_eq!(
        mirror
            .audit(Depth::Entries, Some(mirror.log.checkpoint().as_ref()))
            .unwrap_err()
            .code(),
        "forked_history"
    );
}

#[test]
fn a_checkpoint_that_the_log_did_not_sign_is_refused() {
    let forged = NoteKey::from_seed(ORIGIN, &[66; 32]).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let log = Log::open(directory.path(), forged, &assay_tlog::LogOptions::default()).unwrap();
    let mirror = Mirror::new();
    export(&log, mirror.path());

    assert_eq!(mirror.fault().code(), "bad_signature");
}

#[test]
fn any_change_to_a_checkpoint_is_noticed() {
    for (from, to) in [
        ("\n700\n", "\n701\n"),
        ("\n700\n", "\n699\n"),
        (ORIGIN, "hub.example/log/control"),
    ] {
        let mirror = Mirror::new();
        mirror.edit("checkpoint", |bytes| {
            *bytes = String::from_utf8(bytes.clone())
                .unwrap()
                .replacen(from, to, 1)
                .into_bytes();
        });

        assert_eq!(mirror.fault().code(), "bad_signature", "{to}");
    }
}

#[test]
fn a_kept_checkpoint_that_the_log_never_signed_accuses_nobody() {
    let mirror = Mirror::new();
    let changed = mirror.kept.to_string().replace("\n600\n", "\n800\n");
    let changed: SignedCheckpoint = changed.parse().unwrap();

    let fault = mirror.audit(Depth::Entries, Some(&changed)).unwrap_err();

    assert_eq!(fault.code(), "bad_earlier_checkpoint");
    assert!(!fault.is_about_the_log());
}

#[test]
fn wrong_and_missing_tiles_are_told_apart_from_wrong_entries() {
    for (path, width) in [
        ("tile/0/001", 256),
        ("tile/0/002.p/188", 188),
        ("tile/1/000.p/2", 2),
    ] {
        let mirror = Mirror::new();
        mirror.edit(path, |bytes| bytes[33] ^= 1);
        let wrong = mirror.fault();
        mirror.edit(path, |bytes| bytes.truncate(32 * (width - 1)));
        let short = mirror.fault();
        fs_err::remove_file(mirror.path().join(path)).unwrap();
        let missing = mirror.fault();

        assert_eq!(
            wrong.to_string(),
            format!("`{path}` is not made of the entries of the log")
        );
        assert_eq!(short.code(), "wrong_tile");
        assert_eq!(missing.to_string(), format!("`{path}` is missing"));
    }
}

#[test]
fn a_log_that_grew_while_it_was_read_passes() {
    let mirror = Mirror::new();
    // Partial files may go away when full ones take their place.
    let checkpoint = fs_err::read(mirror.path().join("checkpoint")).unwrap();
    grow(&mirror.log, 400);
    export(&mirror.log, mirror.path());
    fs_err::write(mirror.path().join("checkpoint"), checkpoint).unwrap();
    for partial in ["tile/entries/002.p", "tile/0/002.p"] {
        fs_err::remove_dir_all(mirror.path().join(partial)).unwrap();
    }

    let audited = mirror.audit(Depth::Entries, Some(&mirror.kept)).unwrap();

    assert_eq!(audited.entries, SIZE);
    assert!(mirror.audit(Depth::Tiles, Some(&mirror.kept)).is_ok());
}

#[test]
fn a_tile_of_any_length_is_no_reason_to_panic() {
    for length in [0, 1, 31, 33, 8191, 8193, 20_000] {
        let mirror = Mirror::new();
        mirror.edit("tile/0/000", |bytes| bytes.resize(length, 0));
        assert_eq!(mirror.fault().code(), "wrong_tile", "{length}");
        assert!(
            Tile {
                level: 0,
                index: 0,
                width: 256
            }
            .read(&vec![0; length])
            .is_err()
        );
    }
}
