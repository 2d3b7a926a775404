//! Audits that ask for witnesses: whoever never kept a checkpoint finds a fork by what others have
//! signed.

use std::path::Path;

use assay_tlog::{
    AddCheckpoint, AuditFault, AuditOptions, AuditReport, Depth, Directory, Log, LogPath, Quorum,
    SignedCheckpoint, Witness, WitnessKey, audit,
};
use tempfile::TempDir;

use crate::support::{export, grow, open, verifier};

const TIME: u64 = 1_790_000_000;

/// Two witnesses and a log that they watch.
struct Scene {
    log: Log,
    witnesses: Vec<Witness>,
    place: TempDir,
}

impl Scene {
    fn new(leaves: u64) -> Self {
        let place = tempfile::tempdir().unwrap();
        let log = open(&place.path().join("log"));
        grow(&log, leaves);
        let witness =
            |name: &str| Witness::open(&place.path().join(name), name, vec![verifier()]).unwrap();
        Self {
            log,
            witnesses: vec![witness("w1.example"), witness("w2.example")],
            place,
        }
    }

    /// The newest checkpoint with what the first so many witnesses signed.
    fn cosigned(&self, count: usize) -> SignedCheckpoint {
        let mut signed = self.log.checkpoint().as_ref().clone();
        for witness in &self.witnesses[..count] {
            let old = witness.logs()[0].1;
            let proof = self.log.consistency(old, signed.claimed().size).unwrap();
            let request = AddCheckpoint {
                old,
                proof: proof.hashes,
                checkpoint: self.log.checkpoint().as_ref().clone(),
            };
            let line = witness.add_checkpoint(&request.to_string(), TIME).unwrap();
            signed.add_cosignature(&line, witness.key()).unwrap();
        }
        signed
    }

    fn keys(&self) -> Vec<WitnessKey> {
        self.witnesses.iter().map(|own| own.key().clone()).collect()
    }

    /// Shows an auditor a log, with a checkpoint that witnesses signed beside it.
    fn show(&self, log: &Log, witnessed: Option<&SignedCheckpoint>) -> TempDir {
        let files = tempfile::tempdir_in(self.place.path()).unwrap();
        export(log, files.path());
        if let Some(witnessed) = witnessed {
            put(files.path(), LogPath::Witnessed, witnessed);
        }
        files
    }

    fn audit(&self, files: &Path, not_before: u64) -> Result<AuditReport, AuditFault> {
        let keys = self.keys();
        let options = AuditOptions {
            depth: Depth::Entries,
            quorum: Some(Quorum {
                keys: &keys,
                at_least: 2,
                not_before,
            }),
            ..AuditOptions::default()
        };
        audit(&mut Directory::new(files), &verifier(), &options)
    }
}

fn put(files: &Path, path: LogPath, signed: &SignedCheckpoint) {
    fs_err::write(files.join(path.to_string()), signed.to_string()).unwrap();
}

#[test]
fn a_log_that_both_witnesses_signed_passes_and_tells_what_they_saw() {
    let scene = Scene::new(300);
    let early = scene.cosigned(2);
    let files = scene.show(&scene.log, None);
    put(files.path(), LogPath::Checkpoint, &early);

    let at_once = scene.audit(files.path(), TIME).unwrap().seen.unwrap();
    grow(&scene.log, 300);
    let grown = scene.show(&scene.log, Some(&early));
    let later = scene.audit(grown.path(), TIME).unwrap();

    assert_eq!((at_once.size, at_once.witnesses.len()), (300, 2));
    assert_eq!(at_once.witnesses[0], ("w1.example".to_owned(), TIME));
    assert_eq!(later.seen.unwrap().size, 300);
    assert_eq!(later.entries, 600);
}

#[test]
fn too_few_witnesses_or_old_signatures_are_not_enough() {
    let scene = Scene::new(300);
    let none = scene.show(&scene.log, None);
    let nobody = scene.audit(none.path(), TIME).unwrap_err();
    let one = scene.cosigned(1);
    let one = scene.show(&scene.log, Some(&one));
    let one = scene.audit(one.path(), TIME).unwrap_err();
    let both = scene.cosigned(2);
    let both = scene.show(&scene.log, Some(&both));
    let old = scene.audit(both.path(), TIME + 1).unwrap_err();

    let counts = |fault: &AuditFault| match fault {
        AuditFault::NotWitnessed {
            signed,
            wanted,
            stale,
        } => (*signed, *wanted, *stale),
        other => panic!("{other}"),
    };
    assert_eq!(counts(&nobody), (0, 2, 0));
    assert_eq!(counts(&one), (1, 2, 0));
    assert_eq!(counts(&old), (0, 2, 2));
    assert!(old.is_about_the_log() && old.code() == "not_witnessed");
}

/// Row 81 of the threat table: the log signs both histories, and the auditor has seen neither
/// before.
#[test]
fn a_history_that_contradicts_what_witnesses_signed_is_found_at_the_first_audit() {
    let scene = Scene::new(600);
    let witnessed = scene.cosigned(2);
    let place = tempfile::tempdir().unwrap();
    let forked = open(place.path());
    forked.append(b"another".to_vec()).wait().unwrap();
    grow(&forked, 699);
    let cut = tempfile::tempdir().unwrap();
    let cut = open(cut.path());
    grow(&cut, 500);

    let plain = scene.show(&forked, None);
    let alone = audit(
        &mut Directory::new(plain.path()),
        &verifier(),
        &AuditOptions::default(),
    );
    let shown = scene.show(&forked, Some(&witnessed));
    let fork = scene.audit(shown.path(), TIME).unwrap_err();
    let shown = scene.show(&cut, Some(&witnessed));
    let drop = scene.audit(shown.path(), TIME).unwrap_err();

    assert!(alone.is_ok(), "nobody else could tell");
    assert!(matches!(fork, AuditFault::Forked { .. }), "{fork}");
    assert!(
        matches!(drop, AuditFault::Shrunk { was: 600, is: 500 }),
        "{drop}"
    );
}

#[test]
fn what_witnesses_signed_counts_only_under_the_signature_of_the_log() {
    let scene = Scene::new(300);
    let witnessed = scene.cosigned(2).to_string();
    let line = witnessed
        .lines()
        .find(|line| line.contains("hub.example/log/results K"));
    let stripped = witnessed.replace(&format!("{}\n", line.unwrap()), "");
    let files = scene.show(&scene.log, None);
    fs_err::write(files.path().join("witnessed"), stripped).unwrap();

    let fault = scene.audit(files.path(), TIME).unwrap_err();

    assert!(matches!(fault, AuditFault::NotSigned(_)), "{fault}");
}
