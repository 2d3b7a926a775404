//! A workload whose only secret is who runs it: its ID token comes from a provider, is exchanged at
//! a hub, and signs a result. The provider is a pretended one on this machine; the hub and the
//! program are what users run.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};

use crate::fake::{Asked, Fake};
use crate::hub::{Hub, ISSUER, MODEL};
use crate::logs::{LOG, harness_log};
use crate::verified::{row, submit};

const KEY: &[u8] = include_bytes!("../../../assay-trust/fixtures/provider-es256.der");
const WORKFLOW: &str = "org/evals/.github/workflows/eval.yml@refs/tags/v3";
/// The credential of the run at the provider.
const OF_THE_RUN: &str = "of-the-run";

/// A provider of ID tokens: its keys, and a token for whoever shows what the run was given.
/// `change` makes of the claims what it likes.
fn provider(change: impl Fn(&mut Value) + Send + 'static) -> (Fake, Arc<AtomicUsize>) {
    let signed = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&signed);
    let fake = Fake::start(move |asked: &Asked, _| {
        if asked.line == "GET /keys" {
            return (200, key_set());
        }
        let audience = asked.line.strip_prefix("GET /identity?job=7&audience=");
        let bearer = asked.header("authorization");
        let (Some(audience), Some("Bearer of-the-run")) = (audience, bearer) else {
            return (403, "{}".to_owned());
        };
        let number = count.fetch_add(1, Ordering::SeqCst);
        let audience = audience.replace("%3A", ":").replace("%2F", "/");
        let mut claims = claims(&host(asked), &audience, number);
        change(&mut claims);
        (200, json!({ "value": sign(&claims) }).to_string())
    });
    (fake, signed)
}

/// Returns the name of the provider in the request: its own.
fn host(asked: &Asked) -> String {
    format!("http://{}", asked.header("host").unwrap())
}

fn claims(provider: &str, audience: &str, number: usize) -> Value {
    let now = now();
    json!({
        "iss": provider, "aud": audience, "sub": "repo:org/evals:ref:refs/tags/v3", "jti": format!("run-{number}"),
        "iat": now - 5, "nbf": now - 5, "exp": now + 300,
        "repository_owner_id": "1234", "repository_id": "5678", "job_workflow_ref": WORKFLOW,
        "event_name": "push", "runner_environment": "github-hosted", "run_id": "77",
    })
}

fn sign(claims: &Value) -> String {
    let mut header = Header::new(Algorithm::ES256);
    header.kid = Some("ec".to_owned());
    encode(&header, claims, &EncodingKey::from_ec_der(KEY)).unwrap()
}

fn key_set() -> String {
    let key = EncodingKey::from_ec_der(KEY);
    let mut jwk = Jwk::from_encoding_key(&key, Algorithm::ES256).unwrap();
    jwk.common.key_id = Some("ec".to_owned());
    json!({ "keys": [serde_json::to_value(jwk).unwrap()] }).to_string()
}

/// Returns a policy for the runs of one workflow of one repository.
fn policy(provider: &str) -> String {
    format!(
        r#"version = 1

[[issuer]]
url = "{provider}"
kind = "github"
jwks = "{provider}/keys"
algorithms = ["ES256"]

[[integration]]
id = "harness"
frameworks = [{{ name = "lm-evaluation-harness", versions = ">=0.4" }}]
assurance_max = "hosted"

  [[integration.identity]]
  name = "ci"
  kind = "oidc"
  issuer = "{provider}"
  require = {{ repository_owner_id = "1234", repository_id = "5678", job_workflow_ref = "{WORKFLOW}" }}
  events = ["push"]
  assurance = "hosted"

  [[integration.rule]]
  effect = "allow"
  benchmarks = ["alice/*"]
  models = ["*/*"]
"#
    )
}

/// A hub that knows the provider.
fn hub(provider: &Fake) -> Hub {
    let hub = Hub::with_policy(&policy(&provider.url), &["issuer.allow_loopback=true"]);
    hub.write(LOG, harness_log(None));
    hub
}

/// Submits as a run of GitHub Actions does that has the token of bob in its secrets.
fn submitted(hub: &Hub, provider: &Fake) -> crate::hub::Run {
    submitted_with(hub, provider, &[("ASSAY_TOKEN", hub.bob.as_str())])
}

/// Submits as a run of GitHub Actions does, with these secrets.
fn submitted_with(hub: &Hub, provider: &Fake, secrets: &[(&str, &str)]) -> crate::hub::Run {
    let url = format!("{}/identity?job=7", provider.url);
    let identity = [
        ("ACTIONS_ID_TOKEN_REQUEST_URL", url.as_str()),
        ("ACTIONS_ID_TOKEN_REQUEST_TOKEN", OF_THE_RUN),
    ];
    hub.run_with(&submit(&[]), &[&identity[..], secrets].concat())
}

#[expect(
    clippy::disallowed_methods,
    reason = "the program under test asks the clock of the machine, so its tokens are of today"
)]
fn now() -> i64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(elapsed.as_secs()).unwrap()
}

#[test]
fn a_trusted_publisher_gets_a_verified_row_without_any_secret() {
    let (provider, signed) = provider(|_| {});
    let hub = hub(&provider);
    let repository = format!("models/{MODEL}");

    let refused = submitted_with(&hub, &provider, &[]);
    hub.operate(&[
        "admin",
        "publisher",
        "add",
        &repository,
        "--as",
        "alice",
        "--issuer",
        &provider.url,
        "--claim",
        "repository_id=5678",
    ]);
    let run = submitted_with(&hub, &provider, &[]);

    assert_eq!(refused.code, Some(1), "{refused}");
    assert!(refused.stderr.contains("trusted publisher"), "{refused}");
    assert_eq!(run.code, Some(0), "{run}");
    assert_eq!(row(&hub)["standing"]["attested"]["integration"], "harness");
    assert_eq!(
        signed.load(Ordering::SeqCst),
        3,
        "one ID token to be refused, one to write, one to have the entry signed"
    );
}

#[test]
fn a_run_with_nothing_but_its_identity_gets_a_verified_row() {
    let (provider, signed) = provider(|_| {});
    let hub = hub(&provider);

    let run = submitted(&hub, &provider);

    assert_eq!(run.code, Some(0), "{run}");
    let attested = &row(&hub)["standing"]["attested"];
    assert_eq!(attested["issuer"], ISSUER, "{run}");
    assert_eq!(attested["integration"], "harness");
    assert_eq!(attested["assurance"], "hosted");
    assert_eq!(signed.load(Ordering::SeqCst), 1);
    let asked = provider.asked();
    let keys = asked.iter().filter(|asked| asked.line == "GET /keys");
    assert_eq!(keys.count(), 1, "the keys are fetched once");
}

#[test]
fn a_run_of_another_repository_gets_nothing_and_leaves_no_leaf() {
    let (provider, _) = provider(|claims| claims["repository_id"] = json!("9999"));
    let hub = hub(&provider);

    let run = submitted(&hub, &provider);

    assert_eq!(run.code, Some(1), "{run}");
    assert!(run.stderr.contains("invalid_grant"), "{run}");
    assert_eq!(row(&hub), Value::Null, "nothing was sent");
    let checkpoint = hub.text("/v1/log/results/checkpoint");
    assert_eq!(checkpoint.lines().nth(1), Some("0"));
}

#[test]
fn an_identity_for_another_service_is_not_taken() {
    let (provider, _) = provider(|claims| claims["aud"] = json!("https://elsewhere.example"));
    let hub = hub(&provider);

    let run = submitted(&hub, &provider);

    assert_eq!(run.code, Some(1), "{run}");
    assert_eq!(row(&hub), Value::Null, "nothing was sent");
}
