use assay_app::{NewIssuer, NewRevocation, RevokedFrom};
use assay_server::{Person, TestHub};
use assay_trust::{Assurance, Canonical, Claims, Digests, Jti, Scope, SigningKey};
use serde_json::Value;

pub(crate) const BOARD: &str = "/api/datasets/alice/bench/leaderboard";
pub(crate) const EVAL: &str = "name: Bench\ndescription: A benchmark\nmetrics:\n  - {id: accuracy, display_name: Accuracy, \
                    higher_is_better: true, primary: true}\ntasks:\n  - {id: default}\n";
pub(crate) const FILE: &str = ".eval_results/bench.yaml";
/// The moment at which every test begins.
const NOW: i64 = 1_771_065_000;
const HUB: &str = "http://127.0.0.1:8460";
pub(crate) const ISSUER: &str = "https://evals.example";

/// A hub with a benchmark and a model, that trusts an issuer elsewhere whose key the test has.
pub(crate) struct Scene {
    pub(crate) hub: TestHub,
    benchmark: String,
    model: String,
    pub(crate) key: SigningKey,
}

impl Scene {
    pub(crate) async fn new(model: &str) -> Self {
        let hub = TestHub::new().await;
        hub.create(Person::Alice, "datasets/alice/bench")
            .await
            .expect(200);
        let bench = hub
            .commit(
                Person::Alice,
                "datasets/alice/bench",
                &[("eval.yaml", EVAL)],
            )
            .await;
        hub.create(Person::Alice, &format!("models/{model}"))
            .await
            .expect(200);
        let made = hub
            .commit(
                Person::Alice,
                &format!("models/{model}"),
                &[("README.md", "hi")],
            )
            .await;
        let key = SigningKey::from_seed([7; 32]);
        let issuer = NewIssuer {
            issuer: ISSUER.to_owned(),
            audience: None,
            frameworks: None,
            must_be_logged: false,
            keys: vec![key.public()],
        };
        hub.hub()
            .evidence()
            .trust_issuer(&hub.hub().shell(), issuer)
            .await
            .unwrap();
        let commit = |answer: assay_server::Answer| {
            let oid = answer.expect(200).json()["commitOid"]
                .as_str()
                .map(str::to_owned);
            oid.unwrap()
        };
        Self {
            benchmark: commit(bench),
            model: commit(made),
            hub,
            key,
        }
    }

    /// An entry for a model, signed now.
    pub(crate) fn signed(&self, model: &str, value: &str, number: u8) -> String {
        let text = format!(
            "- dataset:\n    id: alice/bench\n    task_id: default\n    revision: \"{}\"\n  framework:\n    name: inspect-ai\n    version: \"0.4.2\"\n  model_revision: \"{}\"\n  metrics:\n    - metric_id: accuracy\n      value: {value}\n",
            self.benchmark, self.model
        );
        let canonical = Canonical::read_file(&text).remove(0).unwrap();
        let subject = canonical.subject(&model.parse().unwrap()).unwrap();
        let claims = Claims {
            iss: ISSUER.to_owned(),
            aud: HUB.to_owned(),
            sub: "inspect-ai".parse().unwrap(),
            jti: jti(number),
            iat: NOW,
            nbf: NOW,
            exp: NOW + 900,
            digests: Digests {
                subject: subject.digest(),
                entry: canonical.digest(),
            },
            subject,
            assurance: Assurance::Hosted,
            policy: None,
            act: None,
            evidence: Vec::new(),
        };
        let token = self.key.sign_token(&claims);
        format!("{text}  verify_token: {token}\n")
    }

    pub(crate) async fn push(&self, model: &str, text: &str) {
        let files = [(FILE, text)];
        self.hub
            .commit(Person::Alice, &format!("models/{model}"), &files)
            .await
            .expect(200);
    }

    pub(crate) async fn rows(&self) -> Value {
        self.hub.get(Person::Nobody, BOARD).await.expect(200).json()
    }
}

pub(crate) fn jti(number: u8) -> Jti {
    Jti::from_bytes([number; 16])
}

pub(crate) async fn revoke(scene: &Scene, scope: Scope) {
    let hub = scene.hub.hub();
    let new = NewRevocation {
        scope,
        from: RevokedFrom::Start,
        reason: "a test".to_owned(),
    };
    hub.evidence()
        .revoke(&hub.shell(), new, false)
        .await
        .unwrap();
}
