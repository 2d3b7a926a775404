use super::*;
use crate::{Log, LogOptions, NoteKey};

const NAME: &str = "witness.example/w1";
const TIME: u64 = 1_790_000_000;

fn key() -> NoteKey {
    NoteKey::from_seed("hub.example/log", &[7; 32]).unwrap()
}

/// A log with leaves.
fn log(dir: &Path, leaves: &[&str]) -> Log {
    let log = Log::open(dir, key(), &LogOptions::default()).unwrap();
    for leaf in leaves {
        log.append(leaf.as_bytes().to_vec()).wait().unwrap();
    }
    log
}

fn witness(dir: &Path) -> Witness {
    Witness::open(dir, NAME, vec![key().verifier()]).unwrap()
}

/// Returns the request of a log that believes the witness to be at this size.
fn request(log: &Log, old: u64) -> String {
    let checkpoint = log.checkpoint();
    let proof = log.consistency(old, checkpoint.claimed().size).unwrap();
    AddCheckpoint {
        old,
        proof: proof.hashes,
        checkpoint: checkpoint.as_ref().clone(),
    }
    .to_string()
}

#[test]
fn a_log_that_grows_is_signed_again_and_again() {
    let dir = tempfile::tempdir().unwrap();
    let log = log(&dir.path().join("log"), &["a", "b", "c"]);
    let witness = witness(&dir.path().join("witness"));

    let first = witness.add_checkpoint(&request(&log, 0), TIME).unwrap();
    log.append(b"d".to_vec()).wait().unwrap();
    let second = witness.add_checkpoint(&request(&log, 3), TIME + 1).unwrap();
    let same = witness.add_checkpoint(&request(&log, 4), TIME + 2).unwrap();

    let mut checkpoint = log.checkpoint().as_ref().clone();
    assert!(checkpoint.add_cosignature(&first, witness.key()).is_err());
    assert_eq!(
        checkpoint.add_cosignature(&second, witness.key()),
        Ok(TIME + 1)
    );
    assert_eq!(
        checkpoint.add_cosignature(&same, witness.key()),
        Ok(TIME + 2)
    );
    let keys = [witness.key().clone()];
    assert_eq!(checkpoint.witnesses(&keys), [(&keys[0], TIME + 2)]);
    assert_eq!(checkpoint.note().signatures().len(), 2, "one each");
}

#[test]
fn a_forked_history_is_not_signed_at_any_size() {
    let dir = tempfile::tempdir().unwrap();
    let honest = log(&dir.path().join("honest"), &["a", "b", "c"]);
    let forked = log(&dir.path().join("forked"), &["a", "B", "c"]);
    let witness = witness(&dir.path().join("witness"));
    witness.add_checkpoint(&request(&honest, 0), TIME).unwrap();

    let same_size = witness.add_checkpoint(&request(&forked, 3), TIME);
    forked.append(b"d".to_vec()).wait().unwrap();
    let larger = witness.add_checkpoint(&request(&forked, 3), TIME);

    assert!(matches!(
        same_size,
        Err(WitnessRefusal::Forked { known: 3 })
    ));
    assert!(matches!(
        larger,
        Err(WitnessRefusal::Inconsistent { known: 3 })
    ));
    let kept = fs_err::read_dir(witness.directory()).unwrap();
    let names = kept.map(|file| file.unwrap().file_name().into_string().unwrap());
    assert!(names.into_iter().any(|name| name.ends_with(".conflict")));
}

#[test]
fn a_log_that_was_set_back_is_not_signed_even_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let old = log(&dir.path().join("old"), &["a", "b"]);
    let new = log(&dir.path().join("new"), &["a", "b", "c"]);
    let place = dir.path().join("witness");
    witness(&place)
        .add_checkpoint(&request(&new, 0), TIME)
        .unwrap();

    let witness = witness(&place);
    let pretends = witness.add_checkpoint(&request(&old, 0), TIME);
    let backwards = AddCheckpoint {
        old: 3,
        proof: Vec::new(),
        checkpoint: old.checkpoint().as_ref().clone(),
    };
    let honest = witness.add_checkpoint(&backwards.to_string(), TIME);

    assert!(matches!(
        pretends,
        Err(WitnessRefusal::NotNewest { known: 3 })
    ));
    assert!(matches!(
        honest,
        Err(WitnessRefusal::Backwards { old: 3, new: 2 })
    ));
    assert_eq!(witness.logs()[0].1, 3);
}

#[test]
fn only_logs_that_are_watched_are_signed_and_only_what_they_signed() {
    let dir = tempfile::tempdir().unwrap();
    let log = log(&dir.path().join("log"), &["a"]);
    let other = NoteKey::from_seed("hub.example/other", &[7; 32]).unwrap();
    let thief = NoteKey::from_seed("hub.example/log", &[8; 32]).unwrap();
    let watches = |name: &str, key: &NoteKey| {
        Witness::open(&dir.path().join(name), NAME, vec![key.verifier()]).unwrap()
    };

    let unknown = watches("one", &other).add_checkpoint(&request(&log, 0), TIME);
    let unsigned = watches("two", &thief).add_checkpoint(&request(&log, 0), TIME);

    assert!(matches!(unknown, Err(WitnessRefusal::UnknownLog(_))));
    assert!(matches!(unsigned, Err(WitnessRefusal::NotSigned)));
}

#[test]
fn what_is_no_request_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let log = log(&dir.path().join("log"), &["a", "b", "c"]);
    let witness = witness(&dir.path().join("witness"));
    let good = request(&log, 0);
    let long = format!(
        "old 0\n{}",
        format!("{}\n", TreeHash::of_nothing()).repeat(64)
    );

    for broken in [
        String::new(),
        good.replace("old 0", "old 00"),
        good.replace("old 0", "old -1"),
        good.replace("old 0\n", "old 0\nAAAA\n"),
        good.replace("old 0\n", &long),
        good.replace("old 0\n\n", "old 0\n"),
        "a".repeat(AddCheckpoint::MAX_LENGTH + 1),
    ] {
        let refused = witness.add_checkpoint(&broken, TIME);
        assert!(matches!(refused, Err(WitnessRefusal::Form)), "{broken}");
    }
    assert_eq!(good.parse::<AddCheckpoint>().unwrap().to_string(), good);
    assert_eq!(witness.logs()[0].1, 0);
}

#[test]
fn a_witness_keeps_its_key_and_its_name_and_is_one_process() {
    let dir = tempfile::tempdir().unwrap();
    let first = witness(dir.path());
    let key = first.key().clone();

    let second = Witness::open(dir.path(), NAME, Vec::new());
    drop(first);
    let renamed = Witness::open(dir.path(), "witness.example/w2", Vec::new());
    let again = witness(dir.path());

    assert!(matches!(second, Err(WitnessError::InUse(_))));
    assert!(matches!(renamed, Err(WitnessError::Named { .. })));
    assert_eq!(again.key(), &key);
}

#[test]
fn a_witness_does_not_open_on_a_state_that_it_did_not_write() {
    let dir = tempfile::tempdir().unwrap();
    let log = log(&dir.path().join("log"), &["a"]);
    let place = dir.path().join("witness");
    witness(&place)
        .add_checkpoint(&request(&log, 0), TIME)
        .unwrap();
    let file = fs_err::read_dir(&place).unwrap().find_map(|file| {
        let path = file.unwrap().path();
        (path.extension()? == "checkpoint").then_some(path)
    });
    let file = file.unwrap();
    let whole = fs_err::read_to_string(&file).unwrap();
    let open = || Witness::open(&place, NAME, vec![key().verifier()]);

    fs_err::write(&file, &whole[..whole.len() / 2]).unwrap();
    let cut = open();
    fs_err::write(&file, whole.replacen("\n1\n", "\n0\n", 1)).unwrap();
    let changed = open();

    assert!(matches!(cut, Err(WitnessError::Damaged(_))));
    assert!(matches!(changed, Err(WitnessError::NotTheKey { .. })));
}
