//! From a harness log to a verified row, against the issuer and the verifier of a real hub.

use serde_json::Value;

use crate::hub::{BENCHMARK, FILE, Hub, ISSUER, MODEL};
use crate::logs::{LOG, harness_log};

/// The line that submits a log.
pub(crate) fn submit<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let line = [
        "submit",
        LOG,
        "--benchmark",
        BENCHMARK,
        "--task",
        "sums",
        "--model",
        MODEL,
    ];
    line.into_iter().chain(more.iter().copied()).collect()
}

/// Returns the command by which bob submits, with a credential.
pub(crate) fn bob<'a>(hub: &'a Hub, credential: &'a str) -> [(&'static str, &'a str); 2] {
    [("ASSAY_TOKEN", &hub.bob), ("ASSAY_CREDENTIAL", credential)]
}

/// The first row of the board.
pub(crate) fn row(hub: &Hub) -> Value {
    let board = hub.get(&format!("/api/datasets/{BENCHMARK}/leaderboard"));
    board
        .as_array()
        .unwrap()
        .first()
        .cloned()
        .unwrap_or_default()
}

#[test]
fn a_log_becomes_a_verified_row_in_one_command_and_stays_one_when_it_is_merged() {
    let (hub, credential) = Hub::with_issuer();
    hub.write(LOG, harness_log(None));

    let first = hub.run_with(&submit(&[]), &bob(&hub, &credential));
    let open = row(&hub);
    let again = hub.run_with(&submit(&[]), &bob(&hub, &credential));
    hub.run(&["hub", "pr", "merge", MODEL, "1"], &hub.alice);
    let merged = hub.run_with(&submit(&["--format", "json"]), &bob(&hub, &credential));

    assert_eq!(first.code, Some(0), "{first}");
    assert!(
        first
            .stdout
            .contains("alice/Sums sums: accuracy 75; verified (attributed, by harness)"),
        "{first}"
    );
    assert!(
        open["verified"] == true && open["pullRequest"] == 1,
        "{open}"
    );
    assert_eq!(open["standing"]["attested"]["integration"], "harness");
    assert!(again.stdout.starts_with("nothing to do"), "{again}");
    assert_eq!(merged.json()["entries"][0]["status"], "merged", "{merged}");
    assert_eq!(
        merged.json()["entries"][0]["standing"]["state"],
        "verified",
        "{merged}"
    );
    assert_eq!(row(&hub)["verified"], true);
    assert_eq!(
        hub.operate(&["reindex", "--check", "--no-progress"]).code,
        Some(0)
    );
}

#[test]
fn a_dry_run_shows_the_request_and_nothing_is_issued() {
    let (hub, credential) = Hub::with_issuer();
    hub.write(LOG, harness_log(None));

    let run = hub.run_with(
        &submit(&["--dry-run", "--format", "json"]),
        &bob(&hub, &credential),
    );

    assert_eq!(run.code, Some(0), "{run}");
    let document = run.json();
    let request = &document["requests"][0];
    assert_eq!(request["url"], format!("{}/v1/eval-tokens", hub.url));
    assert_eq!(request["body"]["model_repo"], MODEL);
    assert_eq!(document["entries"][0]["status"], "would-send");
    let log = hub.operate(&["issuer", "log", "--format", "json"]);
    let events = log.json();
    assert!(
        events
            .as_array()
            .unwrap()
            .iter()
            .all(|event| event["jti"].is_null()),
        "{log}"
    );
}

#[test]
fn without_a_credential_it_is_said_that_nothing_will_be_verified() {
    let (hub, _) = Hub::with_issuer();
    hub.write(LOG, harness_log(None));

    let run = hub.run(&submit(&[]), &hub.bob);

    assert_eq!(run.code, Some(0), "{run}");
    assert!(
        run.stderr.contains("no credential") && run.stderr.contains("stay unverified"),
        "{run}"
    );
    assert!(run.stdout.contains("; unverified"), "{run}");
    assert_eq!(row(&hub)["standing"]["reason"], "no_token");
}

#[test]
fn what_the_issuer_refuses_is_not_sent() {
    let (hub, credential) = Hub::with_issuer();
    hub.write(LOG, harness_log(None));

    let framework = hub.run_with(
        &submit(&["--framework", "inspect-ai"]),
        &bob(&hub, &credential),
    );
    let stranger = hub.run_with(&submit(&[]), &bob(&hub, "evp_000000000000_nobody"));
    let unsigned = hub.run_with(
        &submit(&["--framework", "inspect-ai", "--no-token"]),
        &bob(&hub, &credential),
    );

    assert_eq!(framework.code, Some(1), "{framework}");
    assert!(
        framework.stderr.contains("framework_not_allowed"),
        "{framework}"
    );
    assert_eq!(stranger.code, Some(1), "{stranger}");
    assert!(stranger.stderr.contains("unauthenticated"), "{stranger}");
    assert_eq!(unsigned.code, Some(0), "{unsigned}");
    assert!(
        unsigned.stdout.starts_with("opened pull request 1 "),
        "{unsigned}"
    );
}

#[test]
fn a_token_that_does_not_hold_is_sent_and_told_with_its_reason() {
    let (hub, _) = Hub::with_issuer();
    let entry = crate::signed::signed(0)
        .replace("cais/hle", BENCHMARK)
        .replace("task_id: hle", "task_id: sums")
        .replace("    - metric_id: stderr\n      value: 0.81\n", "")
        .replace(
            "5503434ddd753f426f4b38109466949a1217c2bb",
            &hub.commit_of("datasets", BENCHMARK),
        )
        .replace(
            "9f3c2c9a1c4e6d1e8b7a6f5e4d3c2b1a09f8e7d6",
            &hub.commit_of("models", MODEL),
        );
    let file = hub.write("results.yaml", entry);

    let run = hub.run(
        &["submit", file.to_str().unwrap(), "--model", MODEL],
        &hub.bob,
    );

    assert_eq!(run.code, Some(2), "{run}");
    assert!(run.stdout.contains("; unverified"), "{run}");
    assert_eq!(row(&hub)["standing"]["reason"], "unknown_key");
}

#[test]
fn a_signed_file_is_verified_by_its_author_before_anybody_sees_it() {
    let (hub, _) = Hub::with_issuer();
    let policy = hub.place().join("policy.toml");
    let secret = hub.credential("harness/lab-client", policy.to_str().unwrap());
    hub.write(LOG, harness_log(None));
    let entry = hub.run_with(
        &[
            "convert",
            LOG,
            "--to",
            "eval-results",
            "--benchmark",
            BENCHMARK,
            "--task",
            "sums",
            "--model",
            MODEL,
            "--hub",
            &hub.url,
            "--out",
            "model",
        ],
        &[],
    );
    assert_eq!(entry.code, Some(0), "{entry}");
    let file = hub.place().join("model").join(FILE);
    let file = file.to_str().unwrap();
    let client = [
        ("ASSAY_CLIENT_ID", "lab-client"),
        ("ASSAY_CLIENT_SECRET", secret.as_str()),
    ];

    let signed = hub.run_with(
        &["token", "request", file, "--model", MODEL, "--write"],
        &client,
    );
    let keys = hub.write("jwks.json", hub.text("/.well-known/jwks.json"));
    let verified = hub.run_with(
        &[
            "verify",
            file,
            "--keys",
            keys.to_str().unwrap(),
            "--format",
            "json",
        ],
        &[],
    );
    let sent = hub.run(&["submit", file, "--model", MODEL], &hub.bob);

    assert_eq!(signed.code, Some(0), "{signed}");
    let entry = &verified.json()["entries"][0];
    assert_eq!(
        (&entry["state"], &entry["signature"]),
        (&"holds".into(), &"holds".into()),
        "{verified}"
    );
    assert_eq!(entry["claims"]["iss"], ISSUER);
    assert_eq!(
        entry["claims"]["model_revision"],
        hub.commit_of("models", MODEL)
    );
    assert_eq!(sent.code, Some(0), "{sent}");
    assert_eq!(row(&hub)["verified"], true);
}

#[test]
fn a_client_is_known_by_its_key_and_needs_no_secret() {
    let (hub, _) = Hub::with_issuer();
    hub.write(LOG, harness_log(None));
    let public =
        r#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;
    let private = public.replace(
        "\"x\"",
        "\"d\":\"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A\",\"x\"",
    );
    let public = hub.write("public.jwk", public);
    let private = hub.write("private.jwk", private);
    let policy = hub.place().join("policy.toml");
    hub.operate(&[
        "issuer",
        "credential",
        "add",
        "harness/key-client",
        "--policy",
        policy.to_str().unwrap(),
        "--public-key",
        public.to_str().unwrap(),
        "--days",
        "365",
    ]);
    let client = [
        ("ASSAY_TOKEN", hub.bob.as_str()),
        ("ASSAY_CLIENT_ID", "key-client"),
        ("ASSAY_CLIENT_KEY", private.to_str().unwrap()),
    ];

    let run = hub.run_with(&submit(&[]), &client);

    assert_eq!(run.code, Some(0), "{run}");
    assert_eq!(row(&hub)["verified"], true, "{run}");
}
