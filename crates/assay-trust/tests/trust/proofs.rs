//! Proofs of a row: what they show, with whose keys, and that no byte of them can be changed.

use assay_model::{ObjectId, Timestamp};
use assay_tlog::{Log, LogOptions, Receipt, VerifierKey};
use assay_trust::proof::{Anchor, GitProof, Proof, ProofError, TrustNote, log_name};
use assay_trust::{
    Canonical, ControlLeaf, Decide, Digest, Issue, Json, KeyState, Outcome, Reason, RepoUid, Scope,
    SigningKey, Verdict,
};
use proptest::prelude::*;
use tempfile::TempDir;

use crate::support::{
    ENTRY, ISSUER, MODEL, NOW, canonical, claims_for, own_issuer, token_key, with_token,
};

/// A hub on disk with one verified row, and noise before and after it in the log.
pub(crate) struct Scene {
    _dir: TempDir,
    results: Log,
    control: Log,
    pub(crate) token: String,
    file: String,
    indices: (u64, u64),
}

impl Scene {
    pub(crate) fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let open = |name: &str, seed: u8| {
            let key = SigningKey::from_seed([seed; 32]);
            let key = key.note_key(&format!("hub.example/log/{name}")).unwrap();
            Log::open(&dir.path().join(name), key, &LogOptions::default()).unwrap()
        };
        let (results, control) = (open("results", 2), open("control", 3));
        let key = SigningKey::from_seed([1; 32]);
        for leaf in [own_issuer(), token_key(&key, ISSUER, KeyState::Active)] {
            control.append(leaf.to_json().into_bytes()).wait().unwrap();
        }
        let claims = claims_for(ENTRY, MODEL, 1);
        let token = key.sign_token(&claims);
        let append = |leaf: String| results.append(leaf.into_bytes()).wait().unwrap();
        let noise = |number: u8| {
            let claims = claims_for(ENTRY, MODEL, number);
            Issue::of(&claims, key.kid(), "noise").to_json()
        };
        append(noise(100));
        let issue = append(Issue::of(&claims, key.kid(), &token).to_json());
        append(noise(101));
        let decide = Decide {
            jti: claims.jti,
            token: Digest::of(token.as_bytes()),
            repo: RepoUid::from_bytes([7; 16]),
            entry: canonical(ENTRY).digest(),
            received_at: Timestamp::from_seconds(NOW + 120),
            outcome: Outcome::Admitted {
                issue_index: Some(issue),
            },
        };
        let decide = append(decide.to_json());
        append(noise(102));
        Self {
            _dir: dir,
            file: with_token(ENTRY, &token),
            indices: (issue, decide),
            results,
            control,
            token,
        }
    }

    fn log(&self, leaf: &ControlLeaf) {
        let pending = self.control.append(leaf.to_json().into_bytes());
        pending.wait().unwrap();
    }

    pub(crate) fn note(&self) -> TrustNote {
        TrustNote {
            hub: "https://hub.example".to_owned(),
            issuer: ISSUER.to_owned(),
            results: self.results.key().clone(),
            control: self.control.key().clone(),
            formerly: Vec::new(),
        }
    }

    fn receipt(&self, index: u64) -> Receipt {
        self.results.receipt(index).unwrap()
    }

    pub(crate) fn proof(&self) -> Proof {
        let control = self.control.leaves(0..self.control.size());
        Proof {
            note: self.note(),
            git: git_proof(&self.file, "hle.yaml", "100644"),
            issue: Some(self.receipt(self.indices.0)),
            decide: self.receipt(self.indices.1),
            control: control
                .map(|leaf| String::from_utf8(leaf.unwrap().1).unwrap())
                .collect(),
            control_checkpoint: self.control.checkpoint().as_ref().clone(),
        }
    }
}

/// The objects of a commit that has the file among others.
fn git_proof(file: &str, name: &str, mode: &str) -> GitProof {
    let blob = object("blob", file.as_bytes());
    let other = object("blob", b"other");
    let directory = tree(&[("100644", "gpqa.yaml", other), (mode, name, blob)]);
    let root = tree(&[
        ("100644", ".gitattributes", other),
        ("40000", ".eval_results", object("tree", &directory)),
        ("100644", "README.md", other),
        ("100644", "config.json", other),
        ("100644", "model.safetensors", other),
    ]);
    let commit = format!(
        "tree {}\nparent {other}\nauthor Ann <ann@example.org> 1790000100 +0000\ncommitter Ann <ann@example.org> 1790000100 +0000\n\nAdd results\n",
        object("tree", &root)
    );
    GitProof {
        id: object("commit", commit.as_bytes()),
        commit: commit.into_bytes(),
        root,
        directory,
        file: file.to_owned(),
    }
}

fn object(kind: &str, bytes: &[u8]) -> ObjectId {
    let mut hasher = sha1dc::Hasher::new();
    hasher.update(format!("{kind} {}\0", bytes.len()).as_bytes());
    hasher.update(bytes);
    ObjectId::from_bytes(*hasher.finalize().unwrap().as_bytes())
}

fn tree(entries: &[(&str, &str, ObjectId)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (mode, name, id) in entries {
        bytes.extend_from_slice(format!("{mode} {name}\0").as_bytes());
        bytes.extend_from_slice(id.as_bytes());
    }
    bytes
}

#[test]
fn a_proof_says_what_was_signed_by_whom_when_first_seen_and_that_it_stands() {
    let scene = Scene::new();
    let text = scene.proof().to_json();

    let proven = text
        .parse::<Proof>()
        .unwrap()
        .verify(Some(&scene.note()))
        .unwrap();

    let Verdict::Verified(attestation) = &proven.verdict else {
        panic!("{:?}", proven.verdict);
    };
    assert_eq!(attestation.claims, claims_for(ENTRY, MODEL, 1));
    assert_eq!(attestation.received_at.seconds(), NOW + 120);
    assert_eq!(
        (attestation.issue_index, attestation.decide_index),
        scene_indices(&scene)
    );
    assert_eq!(proven.repo, RepoUid::from_bytes([7; 16]));
    assert_eq!(proven.path.as_str(), ".eval_results/hle.yaml");
    assert_eq!(
        (proven.position, proven.results_size, proven.control_size),
        (0, 5, 2)
    );
    assert_eq!(proven.anchor, Anchor::Given);
}

fn scene_indices(scene: &Scene) -> (Option<u64>, u64) {
    (Some(scene.indices.0), scene.indices.1)
}

#[test]
fn a_usual_proof_is_small() {
    let size = Scene::new().proof().to_json().len();

    // At ten million leaves there are 24 hashes a receipt instead of three: 2 * 21 * 46 bytes more.
    assert!(size + 2 * 21 * 46 < 20_000, "{size} bytes");
}

#[test]
fn without_keys_of_the_reader_a_proof_only_agrees_with_itself() {
    let scene = Scene::new();

    let proven = scene.proof().verify(None).unwrap();

    assert_eq!(proven.anchor, Anchor::Own);
}

#[test]
fn a_hub_that_made_everything_itself_does_not_pass_for_the_one_that_is_trusted() {
    let scene = Scene::new();
    let mut note = scene.note();
    let key = SigningKey::from_seed([66; 32])
        .note_key("hub.example/log/results")
        .unwrap();
    note.results = key.verifier();

    let refused = scene.proof().verify(Some(&note)).unwrap_err();

    assert!(matches!(refused, ProofError::OtherHub { .. }));
    // And a proof that names the trusted keys but was signed by others.
    let mut forged = scene.proof();
    forged.note = note.clone();
    let refused = forged.verify(Some(&note)).unwrap_err();
    assert!(matches!(refused, ProofError::Receipt { .. }), "{refused:?}");
}

#[test]
fn a_revoked_row_does_not_stand_any_more() {
    let scene = Scene::new();
    scene.log(&ControlLeaf::Revoke {
        scope: Scope::Integration("inspect-ai".parse().unwrap()),
        from_index: 0,
        reason: "fabricated".to_owned(),
        actor: "operator".to_owned(),
    });

    let proven = scene.proof().verify(Some(&scene.note())).unwrap();

    assert!(
        matches!(&proven.verdict, Verdict::Revoked(no) if no.reason == Reason::IntegrationRevoked)
    );
}

#[test]
fn a_revocation_cannot_be_left_out() {
    let scene = Scene::new();
    scene.log(&ControlLeaf::Revoke {
        scope: Scope::Integration("inspect-ai".parse().unwrap()),
        from_index: 0,
        reason: "fabricated".to_owned(),
        actor: "operator".to_owned(),
    });
    let mut proof = scene.proof();

    proof.control.pop();
    assert_eq!(proof.verify(None), Err(ProofError::ControlRoot));
    proof.control.push(own_issuer().to_json());
    assert_eq!(proof.verify(None), Err(ProofError::ControlRoot));
}

#[test]
fn copied_receipts_useless() {
    let scene = Scene::new();
    // The receipts of one row beside the file of another repository: the entry was decided on
    // elsewhere.
    let mut proof = scene.proof();
    let other = ENTRY.replace("no-tools", "mine");
    proof.git = git_proof(&with_token(&other, &scene.token), "hle.yaml", "100644");

    assert_eq!(proof.verify(None), Err(ProofError::NoEntry));
    // And the receipts of noise.
    let mut proof = scene.proof();
    proof.issue = Some(scene.receipt(0));
    let proven = proof.verify(None).unwrap();
    assert!(
        matches!(&proven.verdict, Verdict::Unverified(no) if no.reason == Reason::IssuanceRecordMismatch)
    );
    proof.issue = None;
    let proven = proof.verify(None).unwrap();
    assert!(
        matches!(&proven.verdict, Verdict::Unverified(no) if no.reason == Reason::NotInIssuanceLog)
    );
    proof.decide = scene.receipt(0);
    assert_eq!(proof.verify(None), Err(ProofError::WrongLeaf("decision")));
}

#[test]
fn the_file_must_be_a_plain_file_of_the_commit_under_its_name() {
    let scene = Scene::new();
    let with = |git: GitProof| {
        let mut proof = scene.proof();
        proof.git = git;
        proof.verify(None)
    };

    for (name, mode) in [
        ("gpqa2.yaml", "100644"),
        ("hle.yaml", "120000"),
        ("hle.yaml", "160000"),
        ("HLE.yaml", "100644"),
        ("gpqa.yaml", "100644"),
    ] {
        let refused = with(git_proof(&scene.file, name, mode)).unwrap_err();
        assert!(
            matches!(refused, ProofError::Git(_)),
            "{name} {mode}: {refused:?}"
        );
    }
    let mut other = git_proof(&scene.file, "hle.yaml", "100644");
    other
        .file
        .push_str("# a comment changes nothing but the file\n");
    assert_eq!(with(other), Err(ProofError::Git("the file is another")));
    assert!(with(git_proof(&scene.file, "hle.yaml", "100755")).is_ok());
}

#[test]
fn a_proof_from_before_a_hub_was_renamed_stays_one() {
    let scene = Scene::new();
    let old = scene.note();
    let key = |key: &VerifierKey, log| {
        VerifierKey::from_public(&log_name("right.example", log), &key.public_bytes()).unwrap()
    };
    let new = TrustNote {
        hub: "https://right.example".to_owned(),
        issuer: "https://right.example".to_owned(),
        results: key(&old.results, "results"),
        control: key(&old.control, "control"),
        formerly: vec!["hub.example".to_owned()],
    };
    let silent = TrustNote {
        formerly: Vec::new(),
        ..new.clone()
    };
    let later = Proof {
        note: new.clone(),
        ..scene.proof()
    };

    assert!(scene.proof().verify(Some(&new)).is_ok());
    assert!(matches!(
        scene.proof().verify(Some(&silent)),
        Err(ProofError::OtherHub { .. })
    ));
    assert!(matches!(
        later.verify(Some(&old)),
        Err(ProofError::Renamed { .. })
    ));
    assert_eq!(new.to_string().parse(), Ok(new));
}

#[test]
fn a_trust_note_has_one_spelling_and_two_keys() {
    let note = Scene::new().note();
    let text = note.to_string();

    assert_eq!(text.parse::<TrustNote>(), Ok(note.clone()));
    for changed in [
        text.trim_end().to_owned(),
        format!("{text}\n"),
        format!("{text}extra line\n"),
        text.replace("v1", "v2"),
        text.replace("hub ", "hub  "),
        text.replace('\n', "\r\n"),
        text.replace(&note.control.to_string(), &note.results.to_string()),
    ] {
        assert!(changed.parse::<TrustNote>().is_err(), "{changed}");
    }
}

#[test]
fn every_changed_byte_of_a_proof_is_noticed() {
    let scene = Scene::new();
    let text = scene.proof().to_json();
    assert!(text.parse::<Proof>().is_ok());

    for at in 0..text.len() {
        let mut bytes = text.clone().into_bytes();
        bytes[at] ^= 1 << (at % 7);
        let is_read = String::from_utf8(bytes).is_ok_and(|text| text.parse::<Proof>().is_ok());
        assert!(!is_read, "byte {at} of {}", text.len());
    }
    for cut in [0, 1, text.len() / 2, text.len() - 1] {
        assert!(text[..cut].parse::<Proof>().is_err());
    }
    assert!(format!("{text}\n").parse::<Proof>().is_err());
}

/// A proof with one byte changed somewhere and the digest of everything made to fit again: what a
/// forger would do.
fn forged(text: &str, at: usize, flip: u8) -> Option<Proof> {
    let mut bytes = text.as_bytes().to_vec();
    bytes[at] ^= flip;
    let mut json = Json::read_exact(std::str::from_utf8(&bytes).ok()?).ok()?;
    if let Json::Map(members) = &mut json {
        members.remove("sha256");
    }
    let digest = Digest::in_domain("assay-proof/v1", json.to_jcs().as_bytes());
    json.set("sha256", Some(Json::shown(&digest)));
    json.to_jcs().parse().ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_forger_who_repairs_the_digest_gains_nothing(place in 0.0..1.0_f64, bit in 0..7_u32) {
        thread_local! {
            static PROOF: (String, TrustNote) = {
                let scene = Scene::new();
                (scene.proof().to_json(), scene.note())
            };
        }
        PROOF.with(|(text, note)| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a place in a few kilobytes")]
            let at = (place * text.len() as f64) as usize;
            let digest = text.find(r#","sha256":"#).unwrap();
            // The digest itself is repaired, so a change in it is none.
            prop_assume!(!(digest..digest + 84).contains(&at));
            if let Some(proof) = forged(text, at, 1 << bit) {
                let outcome = proof.verify(Some(note));
                let is_verified = matches!(&outcome, Ok(proven) if matches!(proven.verdict, Verdict::Verified(_)));
                prop_assert!(!is_verified, "byte {at}: {outcome:?}");
            }
            Ok(())
        })?;
    }
}

#[test]
fn canonical_form_of_the_file_in_a_proof_is_found_by_token_and_content() {
    let scene = Scene::new();
    let changed = with_token(&ENTRY.replace("20.90", "99"), &scene.token);
    let mut proof = scene.proof();
    proof.git = git_proof(&format!("{changed}{}", scene.file), "hle.yaml", "100644");

    let proven = proof.verify(None).unwrap();

    assert_eq!(proven.position, 1);
    assert!(matches!(proven.verdict, Verdict::Verified(_)));
    assert_eq!(Canonical::read_file(&proof.git.file).len(), 2);
}
