use assay_app::issuer::NewCredential;
use assay_server::{Answer, Config, Person, TestHub};
use axum::body::Body;
use axum::http::Request;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use serde_json::{Value, json};

use super::provider::{Provider, client_key};

pub(super) const EVAL_YAML: &str = "\
name: A benchmark
description: Something to be measured by
evaluation_framework: inspect-ai
metrics:
  - id: accuracy
    display_name: Accuracy
    higher_is_better: true
    primary: true
  - id: stderr
    display_name: Standard error
    higher_is_better: false
tasks:
  - id: hard
    config: default
    split: test
";
pub(super) const MODEL_REVISION: &str = "9f3c2c9a1c4e6d1e8b7a6f5e4d3c2b1a09f8e7d6";
pub(super) const WORKFLOW: &str = "org/evals/.github/workflows/eval.yml@refs/tags/v3";

/// A hub with a benchmark, a policy, a provider and machines of every kind.
pub(super) struct Scene {
    pub(super) hub: TestHub,
    pub(super) provider: Provider,
    pub(super) revision: String,
    /// A personal token.
    pub(super) token: String,
    /// The secret of a client.
    pub(super) client_secret: String,
}

/// The policy of the scene.
pub(super) fn policy(provider: &str) -> String {
    format!(
        r#"version = 1

[[issuer]]
url = "{provider}"
kind = "github"
jwks = "{provider}/keys"
algorithms = ["RS256", "ES256"]

[[integration]]
id = "inspect-ai"
frameworks = [{{ name = "inspect-ai", versions = ">=0.3.100" }}]
assurance_max = "hosted"
disclose_targets = true

  [[integration.identity]]
  name = "ci"
  kind = "oidc"
  issuer = "{provider}"
  require = {{ repository_owner_id = "1234", repository_id = "5678", job_workflow_ref = "{WORKFLOW}" }}
  events = ["push"]
  assurance = "hosted"

  [[integration.identity]]
  kind = "oauth_client"
  client_id = "ins-prod"
  auth = "private_key_jwt"

  [[integration.identity]]
  kind = "oauth_client"
  client_id = "ins-old"
  auth = "client_secret"

  [[integration.identity]]
  name = "lab"
  kind = "token"

  [[integration.rule]]
  effect = "allow"
  benchmarks = ["alice/bench"]
  models = ["*/*"]

  [[integration.rule]]
  effect = "deny"
  models = ["acme/internal-*"]

  [integration.limits]
  issue_per_minute = 60
  burst = 20
  same_target_per_day = 5

[[integration]]
id = "other"
frameworks = [{{ name = "lighteval" }}]

  [[integration.identity]]
  name = "box"
  kind = "token"
"#
    )
}

impl Scene {
    pub(super) async fn new() -> Self {
        Self::with(|_| {}).await
    }

    /// A scene whose configuration is changed first.
    pub(super) async fn with(change: impl FnOnce(&mut Config)) -> Self {
        let provider = Provider::start();
        let url = provider.url.clone();
        let hub = TestHub::with(|config| {
            let file = config.data.with_file_name("policy.toml");
            std::fs::write(&file, policy(&url)).unwrap();
            config.issuer.policy = Some(file);
            config.issuer.allow_loopback = true;
            change(config);
        })
        .await;
        hub.create(Person::Alice, "datasets/alice/bench")
            .await
            .expect(200);
        let committed = hub
            .commit(
                Person::Alice,
                "datasets/alice/bench",
                &[("eval.yaml", EVAL_YAML)],
            )
            .await
            .expect(200)
            .json();
        let revision = committed["commitOid"].as_str().unwrap().to_owned();
        let shell = hub.hub().shell();
        let issuer = hub.issuer();
        for id in ["inspect-ai", "other"] {
            issuer.add_integration(&shell, id).await.unwrap();
        }
        let token = credential(&hub, "inspect-ai/lab", None).await.unwrap();
        let client_secret = credential(&hub, "inspect-ai/ins-old", None).await.unwrap();
        credential(&hub, "inspect-ai/ins-prod", Some(client_key())).await;
        Self {
            hub,
            provider,
            revision,
            token,
            client_secret,
        }
    }

    pub(super) fn policy_file(&self) -> std::path::PathBuf {
        self.hub.directory().join("policy.toml")
    }

    /// Returns the name of this issuer.
    pub(super) fn name(&self) -> String {
        self.hub.issuer().name().to_owned()
    }

    /// The moment it is, in seconds.
    pub(super) fn seconds(&self) -> i64 {
        self.hub.now().seconds()
    }

    /// A request for a token.
    pub(super) fn request(&self) -> Value {
        json!({ "model_repo": "bob/model", "entry": {
            "dataset": { "id": "alice/bench", "task_id": "hard", "revision": self.revision },
            "framework": { "name": "inspect-ai", "version": "0.4.2", "command": "inspect eval hard.py" },
            "model_revision": MODEL_REVISION,
            "metrics": [{ "metric_id": "accuracy", "value": 20.9 }, { "metric_id": "stderr", "value": 0.81 }],
            "notes": "no-tools",
        }})
    }

    /// Sends JSON with a bearer token.
    pub(super) async fn post(&self, path: &str, bearer: Option<&str>, body: &str) -> Answer {
        let mut request = Request::post(path).header(CONTENT_TYPE, "application/json");
        if let Some(bearer) = bearer {
            request = request.header(AUTHORIZATION, format!("Bearer {bearer}"));
        }
        let request = request.body(Body::from(body.to_owned())).unwrap();
        self.hub.send(Person::Nobody, request).await
    }

    /// Asks for a token.
    pub(super) async fn issue(&self, bearer: &str, body: &Value) -> Answer {
        self.post("/v1/eval-tokens", Some(bearer), &body.to_string())
            .await
    }

    /// Asks with the key that makes a request unique.
    pub(super) async fn issue_once(&self, key: &str, body: &Value) -> Answer {
        let request = Request::post("/v1/eval-tokens")
            .header(CONTENT_TYPE, "application/json")
            .header(AUTHORIZATION, format!("Bearer {}", self.token))
            .header("idempotency-key", key)
            .body(Body::from(body.to_string()))
            .unwrap();
        self.hub.send(Person::Nobody, request).await
    }

    /// Sends a form to the token endpoint.
    pub(super) async fn exchange(&self, pairs: &[(&str, &str)]) -> Answer {
        let form: Vec<String> = pairs
            .iter()
            .map(|(key, value)| format!("{key}={}", value.replace('+', "%2B").replace(':', "%3A")))
            .collect();
        let request = Request::post("/oauth/token")
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Body::from(form.join("&")))
            .unwrap();
        self.hub.send(Person::Nobody, request).await
    }

    /// Exchanges an ID token.
    pub(super) async fn exchange_id_token(&self, token: &str) -> Answer {
        self.exchange(&[
            (
                "grant_type",
                "urn:ietf:params:oauth:grant-type:token-exchange",
            ),
            (
                "subject_token_type",
                "urn:ietf:params:oauth:token-type:id_token",
            ),
            ("subject_token", token),
        ])
        .await
    }

    /// Shows what a client signed.
    pub(super) async fn exchange_assertion(&self, assertion: &str) -> Answer {
        self.exchange(&[
            ("grant_type", "client_credentials"),
            (
                "client_assertion_type",
                "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            ),
            ("client_assertion", assertion),
        ])
        .await
    }

    /// Returns the claims of a workload.
    pub(super) fn claims(&self, jti: &str) -> Value {
        let now = self.seconds();
        json!({
            "iss": self.provider.url, "aud": self.name(), "sub": "repo:org/evals:ref:refs/tags/v3", "jti": jti,
            "iat": now - 5, "nbf": now - 5, "exp": now + 300,
            "repository_owner_id": "1234", "repository_id": "5678", "job_workflow_ref": WORKFLOW,
            "event_name": "push", "runner_environment": "github-hosted", "run_id": "77", "sha": MODEL_REVISION,
        })
    }

    /// Returns the number of leaves that the log has.
    pub(super) fn logged(&self) -> u64 {
        self.hub.issuer().logged()
    }
}

/// Makes a credential; its secret, when it has one.
pub(super) async fn credential(
    hub: &TestHub,
    identity: &str,
    public_key: Option<String>,
) -> Option<String> {
    let new = NewCredential {
        label: "test".to_owned(),
        days: 30,
        public_key,
    };
    let shell = hub.hub().shell();
    let (_, secret) = hub
        .issuer()
        .add_credential(&shell, identity, new)
        .await
        .unwrap();
    secret.map(|secret| secret.reveal().to_owned())
}
