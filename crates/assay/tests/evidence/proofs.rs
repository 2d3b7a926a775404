//! The proof of a row, without the hub that shows it.

use crate::hub::{FILE, Hub, MODEL, alone};
use crate::logs::{LOG, harness_log};
use crate::verified::{bob, row, submit};

/// A hub with one verified row, its trust note and the proof of the row.
struct Proved {
    hub: Hub,
    note: String,
    proof: String,
    jti: String,
}

fn proved() -> Proved {
    let (hub, credential) = Hub::with_issuer();
    hub.write(LOG, harness_log(None));
    let sent = hub.run_with(&submit(&[]), &bob(&hub, &credential));
    assert_eq!(sent.code, Some(0), "{sent}");
    let note = hub.write("hub.note", hub.text("/.well-known/eval-trust"));
    let standing = row(&hub)["standing"].clone();
    let jti = standing["attested"]["jti"].as_str().unwrap().to_owned();
    let fetched = hub.run_with(&["hub", "proof", MODEL, &jti], &[]);
    assert_eq!(fetched.code, Some(0), "{fetched}");
    let proof = hub.write("row.proof", &fetched.stdout);
    Proved {
        note: note.to_str().unwrap().to_owned(),
        proof: proof.to_str().unwrap().to_owned(),
        hub,
        jti,
    }
}

#[test]
fn a_row_is_proved_on_a_machine_without_a_network() {
    let Proved {
        hub, note, proof, ..
    } = proved();
    let elsewhere = tempfile::tempdir().unwrap();

    let offline = alone(elsewhere.path(), &["verify", &proof, "--trust", &note]);
    let json = alone(
        elsewhere.path(),
        &["verify", &proof, "--trust", &note, "--format", "json"],
    );
    let own = alone(elsewhere.path(), &["verify", &proof]);
    let online = hub.run_with(
        &["verify", &proof, "--hub", &hub.url, "--max-trust-age", "1h"],
        &[],
    );

    assert_eq!(offline.code, Some(0), "{offline}");
    for words in [
        "verified\n",
        "alice/model-x at ",
        "accuracy 75",
        "harness",
        "first seen",
        "attributed",
    ] {
        assert!(offline.stdout.contains(words), "{words}\n{offline}");
    }
    let document = json.json();
    assert_eq!(
        (&document["state"], &document["anchor"]),
        (&"verified".into(), &"given".into())
    );
    assert_eq!(document["path"], FILE);
    // Anyone can make a proof that agrees with itself.
    assert_eq!(own.code, Some(2), "{own}");
    assert!(
        own.stdout.starts_with("consistent, but not verified:"),
        "{own}"
    );
    assert!(own.stderr.contains("anyone could have made it"), "{own}");
    assert_eq!(online.code, Some(0), "{online}");
    assert!(std::fs::metadata(&proof).unwrap().len() < 20_000);
}

/// Row 85 of the threat table: whoever cannot tell how old what they know of revocations is gets an
/// exit code of its own.
#[test]
fn stale_control_log_exit_code() {
    let Proved {
        hub, note, proof, ..
    } = proved();

    let run = alone(
        hub.place(),
        &["verify", &proof, "--trust", &note, "--max-trust-age", "30d"],
    );

    assert_eq!(run.code, Some(2), "{run}");
    assert!(
        run.stdout.starts_with("verified\n") && run.stderr.contains("how old"),
        "{run}"
    );
}

#[test]
fn a_byte_of_a_proof_that_was_changed_is_noticed_wherever_it_stands() {
    let Proved {
        hub, note, proof, ..
    } = proved();
    let whole = std::fs::read(&proof).unwrap();
    // Every byte is tried by the library; here a few show that the program says so.
    for at in (0..whole.len()).step_by(whole.len() / 23) {
        let mut changed = whole.clone();
        changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
        std::fs::write(&proof, &changed).unwrap();

        let run = alone(hub.place(), &["verify", &proof, "--trust", &note]);

        assert!(matches!(run.code, Some(1 | 3)), "{at}\n{run}");
    }
}

#[test]
fn a_proof_of_another_hub_is_not_that_of_this_one() {
    let Proved { hub, proof, .. } = proved();
    let other = proved();

    let run = alone(hub.place(), &["verify", &proof, "--trust", &other.note]);

    assert_eq!(run.code, Some(1), "{run}");
    assert!(
        run.stdout.contains("the trust note that was given"),
        "{run}"
    );
}

#[test]
fn what_was_revoked_since_is_known_to_those_who_ask() {
    let Proved {
        hub,
        note,
        proof,
        jti,
    } = proved();
    let revoked = hub.operate(&["trust", "revoke", "--jti", &jti, "--reason", "a mistake"]);
    assert_eq!(revoked.code, Some(0), "{revoked}");

    let before = alone(hub.place(), &["verify", &proof, "--trust", &note]);
    let now = hub.run_with(
        &[
            "verify", &proof, "--trust", &note, "--hub", &hub.url, "--format", "json",
        ],
        &[],
    );

    assert_eq!(before.code, Some(0), "{before}");
    assert_eq!(now.code, Some(1), "{now}");
    assert_eq!(now.json()["state"], "revoked");
    assert_eq!(now.json()["why"]["reason"], "token_revoked");
}

#[test]
fn a_result_file_is_verified_with_what_a_hub_trusts() {
    let Proved { hub, .. } = proved();
    let text = hub.text(&format!("/{MODEL}/resolve/refs%2Fpr%2F1/{FILE}"));
    let file = hub.write(&format!("model/{FILE}"), &text);
    let changed = hub.write("changed.yaml", text.replace("value: 75", "value: 76"));

    let good = hub.run_with(&["verify", file.to_str().unwrap(), "--hub", &hub.url], &[]);
    let bad = hub.run_with(
        &["verify", changed.to_str().unwrap(), "--hub", &hub.url],
        &[],
    );

    assert_eq!(good.code, Some(0), "{good}");
    assert!(
        good.stdout
            .contains("signed by an issuer that the hub trusts"),
        "{good}"
    );
    assert_eq!(bad.code, Some(1), "{bad}");
    assert!(bad.stdout.contains("claim_mismatch:metrics"), "{bad}");
}
