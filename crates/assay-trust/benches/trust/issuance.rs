//! Tokens issued: claims, canonical form, signature, leaf, and a log on disk that acknowledges only
//! what is durable.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use assay_tlog::{Log, LogOptions, NoteKey, Pending};
use assay_trust::{
    Assurance, Canonical, Claims, Digest, Digests, Issue, Jti, SigningKey, UnverifiedToken,
};

use crate::cost::{cpu_time, memory_mib, quantile};

/// Number of tokens that a second one core has to issue.
const BAR: f64 = 5_000.0;
/// Number of requests that wait at once.
const IN_FLIGHT: usize = 2_048;

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
"#;

pub(crate) fn run(tokens: u64) {
    let directory = tempfile::tempdir_in(".").unwrap();
    let note_key = NoteKey::from_seed("hub.example/log/results", &[2; 32]).unwrap();
    let log = Log::open(directory.path(), note_key, &LogOptions::default()).unwrap();
    let issuer = Issuer {
        key: SigningKey::from_seed([1; 32]),
        claims: claims(),
    };
    issuer.check();
    let (start, before) = (Instant::now(), cpu_time());
    let mut latencies = Vec::new();
    let mut waiting: VecDeque<(Instant, Pending)> = VecDeque::new();
    for number in 0..tokens {
        if waiting.len() == IN_FLIGHT {
            latencies.push(acknowledged(waiting.pop_front()));
        }
        let (_token, leaf) = issuer.issue(number);
        waiting.push_back((Instant::now(), log.append(leaf)));
    }
    while !waiting.is_empty() {
        latencies.push(acknowledged(waiting.pop_front()));
    }
    let (wall, cpu) = (start.elapsed(), cpu_time().saturating_sub(before));
    assert_eq!(log.size(), tokens);
    report(tokens, wall, cpu, &mut latencies);
    println!("  the log was checked whole: {}", log.check().is_ok());
}

#[expect(
    clippy::cast_precision_loss,
    reason = "ratios need no more than a few digits"
)]
fn report(tokens: u64, wall: Duration, cpu: Duration, latencies: &mut [Duration]) {
    println!(
        "tokens issued, durable and under a signed checkpoint: {tokens}, {IN_FLIGHT} in flight"
    );
    for (name, time) in [("CPU second", cpu), ("second by the clock", wall)] {
        let rate = tokens as f64 / time.as_secs_f64();
        let verdict = if rate >= BAR { "holds" } else { "MISSED" };
        let ratio = rate / BAR;
        println!(
            "  per {name:<20} {rate:>9.0}   {ratio:>5.2} times the bar of {BAR:.0}: {verdict}"
        );
    }
    let (middle, slow) = (quantile(latencies, 0.5), quantile(latencies, 0.99));
    println!(
        "  from request to acknowledgement: {middle:.1?} in the middle, {slow:.1?} at the 99th percentile; {} MiB of memory",
        memory_mib()
    );
}

fn acknowledged(waiting: Option<(Instant, Pending)>) -> Duration {
    let (asked, pending) = waiting.unwrap();
    pending.wait().unwrap();
    asked.elapsed()
}

struct Issuer {
    key: SigningKey,
    claims: Claims,
}

impl Issuer {
    /// A token and the leaf that says that it was issued.
    fn issue(&self, number: u64) -> (String, Vec<u8>) {
        let mut jti = [0; 16];
        jti[..8].copy_from_slice(&number.to_be_bytes());
        let claims = Claims {
            jti: Jti::from_bytes(jti),
            ..self.claims.clone()
        };
        let token = self.key.sign_token(&claims);
        let leaf = Issue::of(&claims, self.key.kid(), &token).to_json();
        (token, leaf.into_bytes())
    }

    /// Checks that the real thing is measured: the token verifies.
    fn check(&self) {
        let (token, _) = self.issue(7);
        let token = UnverifiedToken::read(&token).unwrap();
        assert!(token.verify(&self.key.public()).is_ok());
    }
}

fn claims() -> Claims {
    let model = "acme/awesome-model".parse().unwrap();
    let entry = Canonical::read_file(ENTRY).remove(0).unwrap();
    let subject = entry.subject(&model).unwrap();
    Claims {
        iss: "https://issuer.example".to_owned(),
        aud: "https://hub.example".to_owned(),
        sub: "inspect-ai".parse().unwrap(),
        jti: Jti::from_bytes([0; 16]),
        iat: 1_790_000_000,
        nbf: 1_790_000_000,
        exp: 1_790_000_900,
        digests: Digests {
            entry: entry.digest(),
            subject: subject.digest(),
        },
        subject,
        assurance: Assurance::Hosted,
        policy: Some(Digest::of(b"policy")),
        act: None,
        evidence: Vec::new(),
    }
}
