//! The logs of a hub that runs, audited from outside while its operator cheats. They have the keys
//! of their logs, so what they serve is well signed: only what others have kept gives them away.

use std::path::Path;

use assay_tlog::{Log, LogOptions, NoteKey};
use assay_trust::SigningKey;
use serde_json::Value;

use crate::hub::{Hub, MODEL, Run, alone};
use crate::logs::{LOG, harness_log};
use crate::verified::{bob, row, submit};

/// The file that an auditor keeps.
const KEPT: &str = "audit.json";

/// A hub whose results log has an issuance and a decision, audited once.
fn audited() -> Hub {
    let (hub, credential) = Hub::with_issuer();
    hub.write(LOG, harness_log(None));
    let sent = hub.run_with(&submit(&[]), &bob(&hub, &credential));
    assert_eq!(sent.code, Some(0), "{sent}");
    let first = audit(&hub, &["--save", KEPT]);
    assert_eq!(first.code, Some(0), "{first}");
    assert!(
        first
            .stdout
            .contains("results: 2 entries, nothing is wrong"),
        "{first}"
    );
    hub
}

fn audit(hub: &Hub, more: &[&str]) -> Run {
    let line = ["log", "audit", &hub.url, "--no-progress"];
    hub.run_with(&[&line[..], more].concat(), &[])
}

/// Has the operator change something, and tells the auditor on which port the hub is now.
fn restart_after(hub: &mut Hub, change: impl FnOnce(&Path)) {
    let before = hub.url.clone();
    hub.restart_after(change);
    let kept = hub.place().join(KEPT);
    let text = std::fs::read_to_string(&kept).unwrap();
    std::fs::write(kept, text.replace(&before, &hub.url)).unwrap();
}

/// Returns the fault of the results log, and its place.
fn fault(hub: &Hub) -> (String, Value) {
    let run = audit(hub, &["--since", KEPT, "--format", "json"]);
    assert_eq!(run.code, Some(1), "{run}");
    let logs = run.json()["logs"].clone();
    assert_eq!(
        logs[1]["status"], "ok",
        "the control log is as it was: {run}"
    );
    (
        logs[0]["code"].as_str().unwrap().to_owned(),
        logs[0].clone(),
    )
}

/// The key of the results log, as whoever runs the hub can open it.
fn key_of(trust: &Path) -> NoteKey {
    let mut keys = std::fs::read_dir(trust.join("keys")).unwrap();
    let file = keys.find_map(|file| {
        let path = file.unwrap().path();
        let name = path.file_name()?.to_str()?;
        name.starts_with("results-log-").then(|| path.clone())
    });
    let sealed = std::fs::read_to_string(file.unwrap()).unwrap();
    let passphrase = std::fs::read_to_string(trust.join("passphrase")).unwrap();
    let key = SigningKey::open(&sealed, passphrase.trim().as_bytes()).unwrap();
    let origin = std::fs::read_to_string(trust.join("origin")).unwrap();
    key.note_key(&format!("{}/log/results", origin.trim()))
        .unwrap()
}

/// Writes the results log of a data directory anew, with the same key and other leaves.
fn write_anew(data: &Path, change: impl FnOnce(&mut Vec<Vec<u8>>)) {
    let trust = data.join("trust");
    let place = trust.join("results");
    let key = key_of(&trust);
    let mut leaves = {
        let log = Log::view(&place, key.verifier()).unwrap();
        let leaves = log.leaves(0..log.size());
        leaves.map(|leaf| leaf.unwrap().1).collect()
    };
    change(&mut leaves);
    std::fs::remove_dir_all(&place).unwrap();
    let log = Log::open(&place, key, &LogOptions::default()).unwrap();
    for leaf in leaves {
        log.append(leaf).wait().unwrap();
    }
}

/// Another text of the same length.
fn altered(bytes: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let other = text.replacen("\"exp\":1", "\"exp\":2", 1);
    assert_ne!(text, other);
    other.into_bytes()
}

#[test]
fn a_hub_that_rewrites_an_entry_is_found_out() {
    let hub = audited();
    let entries = hub.place().join("data/trust/results/entries");
    let bytes = std::fs::read(&entries).unwrap();
    // The length in front of each leaf is no text, so the leaf is changed where it stands.
    let at = bytes
        .windows(7)
        .position(|part| part == b"\"exp\":1")
        .unwrap();
    let mut other = bytes.clone();
    other[at + 6] = b'2';
    std::fs::write(&entries, other).unwrap();

    let (code, told) = fault(&hub);

    assert_eq!(code, "rewritten_entry", "{told}");
    assert_eq!(told["index"], 0);
}

#[test]
fn a_hub_that_drops_an_entry_is_found_out() {
    let mut hub = audited();

    restart_after(&mut hub, |data| {
        write_anew(data, |leaves| leaves.truncate(1));
        // Its index knows of the entry too, so whoever drops one makes a new hub around the old
        // log.
        for file in ["hub.db", "hub.db-wal", "hub.db-shm", "hub.json"] {
            let _ = std::fs::remove_file(data.join(file));
        }
        std::fs::remove_dir_all(data.join("repos")).unwrap();
    });
    let (code, told) = fault(&hub);

    assert_eq!(code, "dropped_entry", "{told}");
}

#[test]
fn a_hub_that_forks_its_history_is_found_out() {
    let mut hub = audited();

    restart_after(&mut hub, |data| {
        write_anew(data, |leaves| leaves[0] = altered(&leaves[0]));
    });
    let (code, told) = fault(&hub);
    let text = audit(&hub, &["--since", KEPT]);

    assert_eq!(code, "forked_history", "{told}");
    let signatures = text.stdout.matches("\u{2014} hub.example/log/results ");
    assert_eq!(signatures.count(), 2, "both are shown to anyone: {text}");
}

#[test]
fn a_hub_with_a_wrong_name_gets_its_right_one_and_loses_nothing() {
    let mut hub = audited();
    let old = hub.write("old.note", hub.text("/.well-known/eval-trust"));
    let jti = row(&hub)["standing"]["attested"]["jti"]
        .as_str()
        .unwrap()
        .to_owned();
    let fetch = ["hub", "proof", MODEL, &jti];
    let proof = hub.write("old.proof", hub.run_with(&fetch, &[]).stdout);
    let busy = hub.place().join("data");
    let right = "https://right.example";
    let refused = alone(
        hub.place(),
        &["trust", "rename", right, "--data", busy.to_str().unwrap()],
    );

    let before = hub.url.clone();
    let renamed = hub.rename(right);
    let kept = hub.place().join(KEPT);
    let text = std::fs::read_to_string(&kept).unwrap();
    std::fs::write(&kept, text.replace(&before, &hub.url)).unwrap();

    assert_eq!(refused.code, Some(1), "{refused}");
    assert!(refused.stderr.contains("stop it"), "{refused}");
    assert_eq!(renamed.code, Some(0), "{renamed}");
    assert!(
        renamed
            .stdout
            .contains("`hub.example` became `right.example`"),
        "{renamed}"
    );
    // The note has the new name and says the former one.
    let note = hub.text("/.well-known/eval-trust");
    let new = hub.write("new.note", &note);
    assert!(
        note.contains("results right.example/log/results+"),
        "{note}"
    );
    assert!(note.ends_with("formerly hub.example\n"), "{note}");
    // What was signed before is verified: on the board, offline with the note of then, and with
    // that of now.
    assert_eq!(row(&hub)["standing"]["verified"], true);
    let again = hub.write("new.proof", hub.run_with(&fetch, &[]).stdout);
    let verify = |proof: &Path, note: &Path| {
        let [proof, note] = [proof, note].map(|path| path.to_str().unwrap());
        alone(hub.place(), &["verify", proof, "--trust", note])
    };
    assert_eq!(verify(&proof, &old).code, Some(0));
    assert_eq!(verify(&proof, &new).code, Some(0));
    assert_eq!(verify(&again, &new).code, Some(0));
    let stale = verify(&again, &old);
    assert_eq!(stale.code, Some(1), "{stale}");
    assert!(
        stale.stdout.contains("fetch its trust note again"),
        "{stale}"
    );
    // An auditor who kept the checkpoints of before finds one history.
    let audited = audit(&hub, &["--since", KEPT]);
    assert_eq!(audited.code, Some(0), "{audited}");
    assert!(
        audited
            .stdout
            .contains("it was called `hub.example/log/results` at the earlier audit"),
        "{audited}"
    );
}
