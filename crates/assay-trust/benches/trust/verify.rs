//! The verdict on an entry, from the bytes of its file to the last check, against one strict
//! Ed25519 verification.

use std::hint::black_box;
use std::time::{Duration, Instant};

use assay_formats::{Tape, yaml};
use assay_model::{RepoPath, Timestamp};
use assay_trust::{
    Assurance, Canonical, Claims, ControlLeaf, Decide, Digest, Digests, Facts, Issue, IssuerTrust,
    Jti, KeyPurpose, KeyState, Outcome, RepoUid, RepoView, SigningKey, Submission, TrustState,
    UnverifiedToken, Verdict, standing,
};

/// The highest allowed cost of an entry, in verifications of a signature.
const BAR: f64 = 2.0;
/// Rounds are many and short: on a machine that does other things too, the best of them was not
/// interrupted.
const ROUNDS: u32 = 3000;
const CALLS: u32 = 5;

const ENTRY: &str = r#"- dataset:
    id: "cais/hle"
    task_id: "hle"
    revision: "5503434ddd753f426f4b38109466949a1217c2bb"
  framework:
    name: "inspect-ai"
    version: "0.4.2"
    command: "inspect eval hle.py --model hf/acme/awesome-model"
  model_revision: "9f3c2c9a1c4e6d1e8b7a6f5e4d3c2b1a09f8e7d6"
  metrics:
    - metric_id: "accuracy"
      value: 20.90
    - metric_id: "stderr"
      value: 0.81
  notes: "no-tools"
"#;

pub(crate) fn run() {
    let scene = Scene::new();
    let (signed, signature) = scene.token.rsplit_once('.').unwrap();
    let signature = ed25519_dalek::Signature::from_bytes(&decode(signature));
    let key = ed25519_dalek::VerifyingKey::from_bytes(scene.key.public().as_bytes()).unwrap();
    // The two take turns, so that whatever else the machine does falls on both; the best turn of
    // each was not interrupted.
    let (mut once, mut whole) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        once = once.min(time(|| {
            key.verify_strict(black_box(signed.as_bytes()), &signature)
                .unwrap();
        }));
        whole = whole.min(time(|| scene.verify()));
    }
    let unsigned = || {
        let token = UnverifiedToken::read(black_box(&scene.token)).unwrap();
        drop(black_box(token.unverified_claims().unwrap()));
    };
    let entry = Canonical::read_file(&scene.file).remove(0).unwrap();
    let own = scene.key.public();
    let bytes = signature.to_bytes();
    let parts = [
        (
            "the signature",
            time_best(|| assert!(own.verifies(black_box(signed.as_bytes()), &bytes))),
        ),
        ("the text as YAML", time_best(|| scene.parse())),
        (
            "the text in canonical form",
            time_best(|| scene.canonical()),
        ),
        ("the token without its signature", time_best(unsigned)),
        (
            "the verdict on the canonical form",
            time_best(|| scene.compute_verdict(&entry)),
        ),
    ];
    println!("one strict Ed25519 verification          {once:>10.2?}");
    println!("verdict on an entry, from file to end    {whole:>10.2?}");
    for (name, time) in parts {
        println!("  of which {name:<36} {time:>10.2?}");
    }
    let ratio = whole.as_secs_f64() / once.as_secs_f64();
    let verdict = if ratio <= BAR { "holds" } else { "MISSED" };
    println!("ratio {ratio:.2}, bar {BAR}: {verdict}");
}

/// The time of one call, over many.
fn time(mut call: impl FnMut()) -> Duration {
    let started = Instant::now();
    for _ in 0..CALLS {
        call();
    }
    started.elapsed() / CALLS
}

fn time_best(mut call: impl FnMut()) -> Duration {
    (0..ROUNDS).map(|_| time(&mut call)).min().unwrap()
}

/// A verified row, and everything that its verdict is made of.
struct Scene {
    key: SigningKey,
    token: String,
    file: String,
    path: RepoPath,
    model: assay_model::RepoId,
    uid: RepoUid,
    facts: Facts,
    trust: TrustState,
}

impl Scene {
    fn new() -> Self {
        let key = SigningKey::from_seed([1; 32]);
        let model: assay_model::RepoId = "acme/awesome-model".parse().unwrap();
        let entry = Canonical::read_file(ENTRY).remove(0).unwrap();
        let claims = claims(&entry, &model);
        let token = key.sign_token(&claims);
        let uid = RepoUid::from_bytes([7; 16]);
        let decide = Decide {
            jti: claims.jti,
            token: Digest::of(token.as_bytes()),
            repo: uid,
            entry: entry.digest(),
            received_at: Timestamp::from_seconds(claims.iat + 120),
            outcome: Outcome::Admitted {
                issue_index: Some(0),
            },
        };
        let facts = Facts {
            results_size: 2,
            issue: Some((0, Issue::of(&claims, key.kid(), &token))),
            decision: Some((1, decide)),
            owner: Some((uid, entry.digest())),
        };
        let trust = TrustState::replay(control(&key).iter().map(ControlLeaf::to_json)).unwrap();
        Self {
            file: entry.to_yaml(Some(&token)),
            path: ".eval_results/hle.yaml".parse().unwrap(),
            key,
            token,
            model,
            uid,
            facts,
            trust,
        }
    }

    fn parse(&self) {
        let mut tape = Tape::with_room_for(self.file.len());
        assert!(yaml::parse(black_box(&self.file), &mut tape).is_empty());
        black_box(tape);
    }

    fn canonical(&self) {
        black_box(Canonical::read_file(black_box(&self.file)));
    }

    fn verify(&self) {
        let entries = Canonical::read_file(black_box(&self.file));
        self.compute_verdict(entries[0].as_ref().unwrap());
    }

    fn compute_verdict(&self, entry: &Canonical) {
        let submission = Submission {
            path: &self.path,
            canonical: Ok(entry),
            is_repeat: false,
        };
        let repo = RepoView {
            uid: self.uid,
            name: &self.model,
        };
        let verdict = standing(&submission, &repo, &self.facts, &self.trust);
        assert!(matches!(black_box(verdict), Verdict::Verified(_)));
    }
}

fn claims(entry: &Canonical, model: &assay_model::RepoId) -> Claims {
    let subject = entry.subject(model).unwrap();
    Claims {
        iss: "https://issuer.example".to_owned(),
        aud: "https://hub.example".to_owned(),
        sub: "inspect-ai".parse().unwrap(),
        jti: Jti::from_bytes([5; 16]),
        iat: 1_790_000_000,
        nbf: 1_790_000_000,
        exp: 1_790_000_900,
        digests: Digests {
            subject: subject.digest(),
            entry: entry.digest(),
        },
        subject,
        assurance: Assurance::Hosted,
        policy: Some(Digest::of(b"policy")),
        act: None,
        evidence: Vec::new(),
    }
}

fn control(key: &SigningKey) -> [ControlLeaf; 2] {
    [
        ControlLeaf::Issuer(IssuerTrust {
            issuer: "https://issuer.example".to_owned(),
            audience: "https://hub.example".to_owned(),
            frameworks: None,
            must_be_logged: true,
            is_trusted: true,
        }),
        ControlLeaf::Key {
            issuer: "https://issuer.example".to_owned(),
            key: key.public(),
            purpose: KeyPurpose::Token,
            state: KeyState::Active,
        },
    ]
}

fn decode(text: &str) -> [u8; 64] {
    use base64::Engine as _;
    let bytes = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(text);
    bytes.unwrap().try_into().unwrap()
}
