//! The same proof, checked by a program that shares no line with this one:
//! `tests/python/verify.py`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use assay_testkit::python::find_python;
use assay_trust::{Digest, Json};

use crate::proofs::Scene;
use crate::support::{ENTRY, canonical};

/// The package that the independent program uses.
const PACKAGE: &str = "cryptography";

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/verify.py")
}

/// Writes a proof, a trust note and an entry, and has Python check them.
fn check(mut python: Command, proof: &str, note: &str, entry: &str) -> Output {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        fs_err::write(&path, text).unwrap();
        path
    };
    python
        .arg(script())
        .arg(write("row.proof", proof))
        .arg(write("trust.note", note))
        .arg(write("entry.json", entry))
        .output()
        .unwrap()
}

#[test]
fn an_independent_program_agrees_on_token_digests_proofs_and_commit() {
    let Some(python) = find_python(PACKAGE) else {
        return;
    };
    let scene = Scene::new();
    let proof = scene.proof();
    let entry = canonical(ENTRY);
    let request = entry.as_json().replace("20.9,", "20.90,");

    let output = check(
        python,
        &proof.to_json(),
        &scene.note().to_string(),
        &request,
    );

    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    for ours in [
        Digest::of(scene.token.as_bytes()).to_string(),
        entry.digest().to_string(),
        proof.git.id.to_string(),
    ] {
        assert!(said.contains(&ours), "{ours} is not in\n{said}");
    }
}

#[test]
fn an_independent_program_refuses_a_forged_proof_too() {
    let Some(_) = find_python(PACKAGE) else {
        return;
    };
    let scene = Scene::new();
    let entry = canonical(ENTRY);
    let (note, text) = (scene.note().to_string(), scene.proof().to_json());
    let reforged = |change: &dyn Fn(&mut Json)| {
        let mut json = Json::read(&text).unwrap();
        change(&mut json);
        if let Json::Map(members) = &mut json {
            members.remove("sha256");
        }
        let digest = Digest::in_domain("assay-proof/v1", json.to_jcs().as_bytes());
        json.set("sha256", Some(Json::shown(&digest)));
        json.to_jcs()
    };
    let swapped = reforged(&|json| {
        let decide = json.get("decide").cloned();
        json.set("issue", decide);
    });
    let shortened = reforged(&|json| {
        let Some(Json::Map(control)) = json.get("control").cloned() else {
            panic!("a proof has a control log");
        };
        let mut control = Json::Map(control);
        control.set("leaves", Some(Json::List(Vec::new())));
        json.set("control", Some(control));
    });

    for (proof, entry) in [
        (swapped, entry.as_json().to_owned()),
        (shortened, entry.as_json().to_owned()),
        (text.clone(), entry.as_json().replace("20.9", "21.9")),
        (
            text.replacen("hub.example", "hub.exampla", 1),
            entry.as_json().to_owned(),
        ),
    ] {
        let output = check(find_python(PACKAGE).unwrap(), &proof, &note, &entry);
        assert!(!output.status.success());
    }
}
