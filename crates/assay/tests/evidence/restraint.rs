//! Those who ask the issuer for too much, and the operator who looks into it at the shell while the
//! hub runs.

use crate::hub::{BENCHMARK, Hub, MODEL};

/// The number of refusals before an identity is slowed.
const REFUSALS: usize = 30;

/// Asks for a token of a framework that the policy does not allow, and returns the status of the
/// answer.
fn ask(hub: &Hub, credential: &str) -> u16 {
    let revision = "0".repeat(40);
    let body = serde_json::json!({
        "model_repo": MODEL,
        "entry": {
            "dataset": { "id": BENCHMARK, "task_id": "sums", "revision": revision },
            "framework": { "name": "somebody-elses", "version": "1.0.0" },
            "model_revision": revision,
            "metrics": [{ "metric_id": "accuracy", "value": 75 }],
        },
    });
    let answer = ureq::post(format!("{}/v1/eval-tokens", hub.url))
        .config()
        .http_status_as_error(false)
        .build()
        .header("authorization", format!("Bearer {credential}"))
        .header("content-type", "application/json")
        .send(body.to_string());
    answer.unwrap().status().as_u16()
}

#[test]
fn who_is_slowed_is_seen_by_the_operator_and_let_go_at_once() {
    let (hub, credential) = Hub::with_issuer();
    let policy = hub.place().join("policy.toml");
    let policy = ["--policy", policy.to_str().unwrap()];
    let operate = |line: &[&str]| hub.operate(&[&["issuer", "identity"], line, &policy].concat());

    let refused: Vec<u16> = (0..REFUSALS).map(|_| ask(&hub, &credential)).collect();
    // The first after that is still taken: those who are slowed get one at a time.
    let slowed = [ask(&hub, &credential), ask(&hub, &credential)];
    let told = operate(&["list"]);
    operate(&["resume", "harness/lab"]);
    let forgiven = operate(&["list", "--format", "json"]);
    let after = ask(&hub, &credential);

    assert_eq!(refused, [403; REFUSALS]);
    assert_eq!(slowed[1], 429);
    let line = told
        .stdout
        .lines()
        .find(|line| line.starts_with("harness/lab "));
    let line = line.unwrap_or_else(|| panic!("{told}"));
    assert!(
        line.contains("slowed until ") && line.contains("requests were refused within an hour"),
        "{told}"
    );
    assert!(!forgiven.stdout.contains("refused within"), "{forgiven}");
    assert_eq!(after, 403, "refused, and no longer slowed");
}
