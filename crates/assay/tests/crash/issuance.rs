//! An issuer that is killed while many ask it for tokens: what it gave away is in its log, and
//! nothing is there twice.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use assay_tlog::{Log, Receipt};
use assay_trust::proof::TrustNote;
use assay_trust::{Digest, Jti, ResultsLeaf};
use serde_json::{Value, json};

use crate::client::{Client, SUMS};
use crate::kills::{number, tell};
use crate::server::{Place, Server};
use assay_testkit::random::Random;

/// The number of kills of the issuer, unless `ASSAY_CRASH_ISSUER_KILLS` is set.
const KILLS: u64 = 40;
/// The number of concurrent requests.
const ASKING: u64 = 4;
/// The longest life of an issuer once it has given a token away, in milliseconds.
const LIFE: u64 = 150;
/// The time between two requests to a server that is just being started.
const PAUSE: Duration = Duration::from_millis(5);
const MODEL_REVISION: &str = "9f3c2c9a1c4e6d1e8b7a6f5e4d3c2b1a09f8e7d6";
/// One integration that may ask as fast as it can: this is about the log and not about limits.
const POLICY: &str = r#"version = 1

[[integration]]
id = "harness"
frameworks = [{ name = "inspect-ai" }]

  [[integration.identity]]
  kind = "token"
  name = "lab"

  [[integration.rule]]
  effect = "allow"
  benchmarks = ["operator/*"]
  models = ["*/*"]

  [integration.limits]
  issue_per_minute = 1000000
  burst = 1000000
  issue_per_day = 10000000
  integration_per_day = 10000000
  distinct_models_per_day = 10000000
"#;

/// A token that the issuer has given away.
struct Given {
    jti: Jti,
    token: Digest,
    index: u64,
    receipt: Receipt,
}

/// Those who ask, and what they got.
struct Askers {
    operator: Client,
    client: Client,
    revision: String,
    url: Mutex<String>,
    over: AtomicBool,
    number: AtomicU64,
    given: Mutex<Vec<Given>>,
    faults: Mutex<Vec<String>>,
}

impl Askers {
    /// Asks again and again; each time for another model, so that nobody is suspected of picking
    /// scores.
    fn work(&self) {
        while !self.over.load(Ordering::SeqCst) {
            if self.ask().is_none() {
                std::thread::sleep(PAUSE);
            }
        }
    }

    /// Waits until one more token was given: a life in which nobody was served shows nothing.
    fn await_one(&self) {
        let given = || self.given.lock().unwrap().len();
        let before = given();
        while given() == before && self.faults.lock().unwrap().is_empty() {
            std::thread::sleep(PAUSE);
        }
    }

    fn ask(&self) -> Option<()> {
        let number = self.number.fetch_add(1, Ordering::SeqCst);
        let body = json!({ "model_repo": format!("operator/model-{number}"), "entry": {
            "dataset": { "id": "operator/sums", "task_id": "words", "revision": self.revision },
            "framework": { "name": "inspect-ai", "version": "0.4.2" },
            "model_revision": MODEL_REVISION,
            "metrics": [{ "metric_id": "accuracy", "value": 50 }],
        }});
        let url = format!("{}/v1/eval-tokens", self.url.lock().unwrap().clone());
        let answer = self.client.post(&url, &body)?;
        if answer.status != 201 {
            let text = format!("{}: {}", answer.status, answer.body);
            self.faults.lock().unwrap().push(text);
            return None;
        }
        let given = given(&answer.json());
        self.given.lock().unwrap().push(given);
        Some(())
    }
}

fn given(answer: &Value) -> Given {
    let text = |pointer: &str| answer.pointer(pointer).unwrap().as_str().unwrap();
    Given {
        jti: text("/jti").parse().unwrap(),
        token: Digest::of(text("/verify_token").as_bytes()),
        index: answer["log"]["index"].as_u64().unwrap(),
        receipt: text("/log/receipt").parse().unwrap(),
    }
}

/// A hub with a benchmark, and those who ask it for tokens.
fn askers(place: &Place, server: &Server) -> Askers {
    let operator = Client::new(server.token.as_ref().unwrap());
    operator.create(&server.url, "dataset", "sums");
    let to = "datasets/operator/sums/commit/main";
    let defined = operator.commit(&server.url, to, "eval.yaml", SUMS);
    let defined = defined.unwrap().good().json();
    let policy = ["--policy", "policy.toml"];
    let operate = |args: &[&str]| {
        let done = place.operate(&[args, &policy].concat());
        assert!(done.status.success(), "{done:?}");
        done.stdout
    };
    operate(&["issuer", "integration", "add", "harness"]);
    let line = ["issuer", "credential", "add", "harness/lab"];
    let made = operate(&[&line[..], &["--format", "json"]].concat());
    let made: Value = serde_json::from_slice(&made).unwrap();
    Askers {
        operator,
        client: Client::new(made["secret"].as_str().unwrap()),
        revision: defined["commitOid"].as_str().unwrap().to_owned(),
        url: Mutex::new(server.url.clone()),
        over: AtomicBool::new(false),
        number: AtomicU64::new(0),
        given: Mutex::default(),
        faults: Mutex::default(),
    }
}

#[test]
fn a_token_that_was_given_away_is_in_the_log_however_often_the_issuer_is_killed() {
    let kills = number("ASSAY_CRASH_ISSUER_KILLS", KILLS);
    let place = Place::new();
    std::fs::write(place.path().join("policy.toml"), POLICY).unwrap();
    let settings = ["issuer.policy=policy.toml"];
    let mut server = place.serve_with(&settings);
    let askers = askers(&place, &server);
    let mut random = Random::new(5);

    let server = std::thread::scope(|scope| {
        for _ in 0..ASKING {
            scope.spawn(|| askers.work());
        }
        for _ in 0..kills {
            askers.await_one();
            std::thread::sleep(Duration::from_millis(random.below(LIFE)));
            server.kill();
            server = place.serve_with(&settings);
            askers.url.lock().unwrap().clone_from(&server.url);
        }
        askers.await_one();
        askers.over.store(true, Ordering::SeqCst);
        server
    });

    assert_eq!(*askers.faults.lock().unwrap(), Vec::<String>::new());
    let note = format!("{}/.well-known/eval-trust", server.url);
    let note = askers.operator.get(&note);
    let note: TrustNote = note.unwrap().good().body.parse().unwrap();
    let audited = place
        .assay(&["log", "audit", &server.url, "--no-progress"])
        .output();
    let audited = audited.unwrap();
    assert!(audited.status.success(), "{audited:?}");
    let given = askers.given.lock().unwrap();
    let log = Log::view(&place.data().join("trust/results"), note.results.clone()).unwrap();
    tell(&format!(
        "{kills} kills: {} tokens given, {} leaves",
        given.len(),
        log.size()
    ));
    check(&log, &note, &given);
    drop(server);
}

/// Checks that every promise is there, where it was promised, once.
fn check(log: &Log, note: &TrustNote, given: &[Given]) {
    let leaves: Vec<_> = log
        .leaves(0..log.size())
        .map(|leaf| match ResultsLeaf::read(&leaf.unwrap().1).unwrap() {
            ResultsLeaf::Issue(issue) => issue,
            ResultsLeaf::Decide(decide) => panic!("nobody has pushed: {decide:?}"),
        })
        .collect();
    let tokens: BTreeSet<Jti> = leaves.iter().map(|issue| issue.jti).collect();
    assert_eq!(tokens.len(), leaves.len(), "a token is in the log twice");
    let mut places = BTreeSet::new();
    for one in given {
        assert!(
            places.insert(one.index),
            "index {} was given twice",
            one.index
        );
        let leaf = &leaves[usize::try_from(one.index).unwrap()];
        assert_eq!((leaf.jti, leaf.token), (one.jti, one.token));
        assert_eq!(one.receipt.index(), one.index);
        let signed = one.receipt.verify(&note.results).unwrap();
        // The checkpoint that came with it is one that the log still goes on from.
        assert_eq!(log.root(signed.size).unwrap(), signed.root);
    }
}
