use assay_app::issuer::PolicyReport;
use assay_server::Person;
use assay_trust::{Canonical, Json, PublicKey, UnverifiedToken};
use serde_json::{Value, json};

use super::scene::{Scene, credential};

fn changed(request: &Value, pointer: &str, value: Value) -> Value {
    let mut request = request.clone();
    *request.pointer_mut(pointer).unwrap() = value;
    request
}

#[tokio::test]
async fn a_machine_gets_a_token_that_is_logged_and_that_the_published_key_verifies() {
    let scene = Scene::new().await;

    let answer = scene
        .issue(&scene.token, &scene.request())
        .await
        .expect(201);

    let issued = answer.json();
    let token = issued["verify_token"].as_str().unwrap();
    let keys = scene
        .hub
        .get(Person::Nobody, "/.well-known/jwks.json")
        .await;
    let keys = keys.expect(200).json();
    let key = &keys["keys"][0];
    let key = json!({ "kty": key["kty"], "crv": key["crv"], "x": key["x"] });
    let key = Json::read(&key.to_string()).unwrap();
    let key = PublicKey::from_jwk(key).unwrap();
    let claims = UnverifiedToken::read(token).unwrap().verify(&key).unwrap();
    assert_eq!(claims.iss, scene.name());
    assert_eq!(claims.sub.as_str(), "inspect-ai");
    assert_eq!(claims.exp - claims.iat, 15 * 60);
    assert_eq!(claims.act.unwrap()["identity"], "inspect-ai/lab");
    assert_eq!(claims.policy, Some(scene.hub.issuer().policy().digest()));
    assert_eq!(issued["jti"], claims.jti.to_string());
    assert_eq!(issued["path"], ".eval_results/bench.yaml");
    assert_eq!(issued["log"]["index"], 0);
    let receipt = issued["log"]["receipt"].as_str().unwrap();
    assert!(receipt.starts_with("c2sp.org/tlog-proof@v1\n"), "{receipt}");
    assert_eq!(scene.logged(), 1);
    let written = Canonical::read_file(issued["entry_yaml"].as_str().unwrap());
    let entry = written[0].as_ref().unwrap();
    assert_eq!(entry.token(), Some(token));
    assert_eq!(issued["digests"]["entry"], entry.digest().to_string());
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}

#[tokio::test]
async fn what_was_issued_is_verified_once_it_is_committed() {
    let scene = Scene::new().await;
    scene
        .hub
        .create(Person::Bob, "models/bob/model")
        .await
        .expect(200);
    let committed = scene
        .hub
        .commit(Person::Bob, "models/bob/model", &[("README.md", "# x")])
        .await;
    let committed = committed.expect(200).json();
    let revision = committed["commitOid"].as_str().unwrap();
    let request = changed(&scene.request(), "/entry/model_revision", json!(revision));
    let issued = scene.issue(&scene.token, &request).await.expect(201).json();
    let (path, yaml) = (
        issued["path"].as_str().unwrap(),
        issued["entry_yaml"].as_str().unwrap(),
    );

    scene
        .hub
        .commit(Person::Bob, "models/bob/model", &[(path, yaml)])
        .await
        .expect(200);

    let jti = issued["jti"].as_str().unwrap();
    let status = scene
        .hub
        .get(Person::Operator, &format!("/v1/eval-tokens/{jti}"))
        .await;
    let status = status.expect(200).json();
    assert_eq!(status["state"], "admitted", "{status}");
    assert!(status["decision"]["log"]["receipt"].is_string(), "{status}");
}

/// Row 58 of the threat table: nobody in particular, and everybody who is nobody here, gets nothing
/// and leaves no leaf.
#[tokio::test]
async fn anonymous_401_and_no_leaf() {
    let scene = Scene::new().await;
    let body = scene.request().to_string();
    let hub_token = scene.hub.secret(Person::Operator).unwrap().to_owned();
    let mut typo = scene.token.clone();
    typo.pop();

    for bearer in [
        None,
        Some(""),
        Some("x"),
        Some(hub_token.as_str()),
        Some(typo.as_str()),
        Some(scene.client_secret.as_str()),
    ] {
        for path in ["/v1/eval-tokens", "/v1/eval-tokens/preview"] {
            let answer = scene.post(path, bearer, &body).await.expect(401);
            assert_eq!(answer.json()["code"], "unauthenticated");
            assert_eq!(
                answer.header("content-type"),
                Some("application/problem+json")
            );
            assert!(
                answer
                    .header("www-authenticate")
                    .unwrap()
                    .starts_with("Bearer")
            );
        }
    }

    assert_eq!(scene.logged(), 0);
}

/// Row 97: what is wrong with a credential is not told, neither by words nor by headers.
#[tokio::test]
async fn auth_error_uniform() {
    let scene = Scene::new().await;
    let shell = scene.hub.hub().shell();
    let revoked = credential(&scene.hub, "inspect-ai/lab", None)
        .await
        .unwrap();
    let id = revoked.split('_').nth(1).unwrap();
    scene
        .hub
        .issuer()
        .revoke_credential(&shell, id)
        .await
        .unwrap();
    let mut unknown = scene.token.clone();
    unknown.replace_range(4..16, "AAAAAAAAAAAA");
    let mut bodies = Vec::new();

    for bearer in [
        None,
        Some("nonsense"),
        Some(revoked.as_str()),
        Some(unknown.as_str()),
    ] {
        let answer = scene
            .post("/v1/eval-tokens", bearer, "{}")
            .await
            .expect(401);
        let mut body = answer.json();
        body["request_id"] = Value::Null;
        bodies.push((body, answer.header("www-authenticate").map(str::to_owned)));
    }
    let mut errors = Vec::new();
    for (client, secret) in [
        ("ins-old", "nonsense"),
        ("nobody", scene.client_secret.as_str()),
        ("ins-prod", scene.client_secret.as_str()),
        ("ins-old", scene.token.as_str()),
    ] {
        let answer = scene
            .exchange(&[
                ("grant_type", "client_credentials"),
                ("client_id", client),
                ("client_secret", secret),
            ])
            .await
            .expect(401);
        errors.push(answer.json());
    }

    bodies.dedup();
    errors.dedup();
    assert_eq!(bodies.len(), 1, "{bodies:?}");
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(errors[0]["error"], "invalid_client");
}

/// Every refusal has its status, its code and its place, and none leaves a leaf.
#[tokio::test]
async fn no_leaf_on_refusal() {
    let scene = Scene::new().await;
    let request = scene.request();
    let secret = "hf_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0";
    let mut unknown = request.clone();
    unknown["nonce"] = json!(1);
    let mut expecting = request.clone();
    expecting["expect"] = json!({ "entry": format!("sha256:{}", "0".repeat(64)) });
    let mut hosted = request.clone();
    hosted["assurance"] = json!("hosted");
    let mut signed = request.clone();
    signed["entry"]["verify_token"] = json!("a.b.c");
    let twice =
        json!([{ "metric_id": "accuracy", "value": 1 }, { "metric_id": "accuracy", "value": 2 }]);

    for (body, status, code, pointer) in [
        (
            changed(&request, "/entry/framework/name", json!("lighteval")),
            403,
            "framework_not_allowed",
            "",
        ),
        (
            changed(&request, "/entry/framework/version", json!("0.3.1")),
            403,
            "framework_not_allowed",
            "",
        ),
        (
            changed(&request, "/model_repo", json!("acme/internal-7b")),
            403,
            "target_not_allowed",
            "",
        ),
        (
            changed(&request, "/entry/dataset/id", json!("alice/other")),
            403,
            "target_not_allowed",
            "",
        ),
        (hosted, 403, "assurance_not_allowed", "/assurance"),
        (
            changed(&request, "/entry/model_revision", json!("9f3c2c9")),
            422,
            "revision_not_full",
            "/entry",
        ),
        (
            changed(&request, "/entry/dataset/revision", json!("9".repeat(40))),
            422,
            "benchmark_revision_unknown",
            "/entry/dataset/revision",
        ),
        (
            changed(&request, "/entry/dataset/task_id", json!("easy")),
            422,
            "task_unknown",
            "/entry/dataset/task_id",
        ),
        (
            changed(&request, "/entry/metrics/1/metric_id", json!("f1")),
            422,
            "metric_unknown",
            "/entry/metrics/1/metric_id",
        ),
        (
            changed(&request, "/entry/metrics", twice),
            422,
            "duplicate_metric",
            "/entry",
        ),
        (
            changed(
                &request,
                "/entry/framework/command",
                json!(format!("HF_TOKEN={secret} inspect eval")),
            ),
            422,
            "secret_detected",
            "/entry/framework/command",
        ),
        (
            changed(&request, "/entry/notes", json!(format!("used {secret}"))),
            422,
            "secret_detected",
            "/entry/notes",
        ),
        (expecting, 422, "digest_disagreement", "/expect/entry"),
        (unknown, 400, "unknown_member", "/nonce"),
        (signed, 400, "malformed", "/entry/verify_token"),
        (
            changed(&request, "/model_repo", json!("../etc")),
            400,
            "malformed",
            "/model_repo",
        ),
        (json!([]), 400, "malformed", ""),
    ] {
        let answer = scene.issue(&scene.token, &body).await;

        let told = answer.json();
        assert_eq!(answer.status, status, "{body} {told}");
        assert_eq!(told["code"], code, "{body} {told}");
        assert_eq!(
            told["pointer"].as_str().unwrap_or_default(),
            pointer,
            "{told}"
        );
        assert!(
            told["type"]
                .as_str()
                .unwrap()
                .ends_with(&code.replace('_', "-"))
        );
        assert!(!told.to_string().contains(secret), "{told}");
    }
    let number = scene
        .request()
        .to_string()
        .replace("20.9", "20.9000000000000000001");
    let told = scene
        .post("/v1/eval-tokens", Some(&scene.token), &number)
        .await
        .expect(400);
    assert!(
        told.json()["code"].as_str().unwrap().starts_with("number"),
        "{}",
        told.text()
    );

    assert_eq!(scene.logged(), 0);
}

/// Names are compared as the hub compares them.
#[tokio::test]
async fn no_other_spelling_of_a_name_gets_round_a_rule_or_a_limit() {
    let scene = Scene::new().await;
    let request = scene.request();
    let denied = changed(&request, "/model_repo", json!("ACME/Internal-7b"));
    let misspelt = changed(&request, "/entry/dataset/id", json!("Alice/Bench"));

    let denied = scene.issue(&scene.token, &denied).await.expect(403).json();
    let misspelt = scene.issue(&scene.token, &misspelt).await;

    assert_eq!(denied["code"], "target_not_allowed", "{denied}");
    let misspelt = misspelt.expect(422).json();
    assert_eq!(misspelt["code"], "entry_invalid", "{misspelt}");
    assert_eq!(misspelt["pointer"], "/entry/dataset/id", "{misspelt}");
    let detail = misspelt["detail"].as_str().unwrap();
    assert!(detail.contains("spelled `alice/bench`"), "{detail}");
    assert_eq!(scene.logged(), 0);
    // Five a day for one model, benchmark and task, however the model is spelled.
    for model in [
        "bob/model",
        "Bob/model",
        "bob/Model",
        "BOB/MODEL",
        "boB/model",
    ] {
        let body = changed(&request, "/model_repo", json!(model));
        scene.issue(&scene.token, &body).await.expect(201);
    }
    let sixth = changed(&request, "/model_repo", json!("bob/modeL"));
    scene.issue(&scene.token, &sixth).await.expect(429);
}

#[tokio::test]
async fn an_entry_that_a_push_would_refuse_is_refused_with_what_the_judge_says() {
    let scene = Scene::new().await;
    let mut request = scene.request();
    request["entry"]["date"] = json!("yesterday");

    let told = scene.issue(&scene.token, &request).await.expect(422).json();

    assert_eq!(told["code"], "entry_invalid", "{told}");
    assert!(
        !told["diagnostics"].as_array().unwrap().is_empty(),
        "{told}"
    );
}

#[tokio::test]
async fn bodies_that_are_too_large_or_compressed_are_refused() {
    let scene = Scene::new().await;
    let large = changed(&scene.request(), "/entry/notes", json!("x".repeat(300_000)));
    let request = axum::http::Request::post("/v1/eval-tokens")
        .header("authorization", format!("Bearer {}", scene.token))
        .header("content-encoding", "gzip")
        .body(axum::body::Body::from("x"))
        .unwrap();

    let too_large = scene.issue(&scene.token, &large).await.expect(413);
    let compressed = scene.hub.send(Person::Nobody, request).await.expect(415);

    assert_eq!(too_large.json()["code"], "too_large");
    assert_eq!(compressed.json()["code"], "content_encoding_refused");
}

#[tokio::test]
async fn a_preview_tells_the_canonical_bytes_and_signs_nothing() {
    let scene = Scene::new().await;
    let denied = changed(
        &scene.request(),
        "/entry/framework/name",
        json!("lighteval"),
    );
    let preview = async |body: &Value| {
        let (path, body) = ("/v1/eval-tokens/preview", body.to_string());
        let answer = scene.post(path, Some(&scene.token), &body).await;
        answer.expect(200).json()
    };

    let (allowed, denied) = (preview(&scene.request()).await, preview(&denied).await);

    assert_eq!(allowed["allowed"], true);
    assert!(
        allowed["decision"]
            .as_str()
            .unwrap()
            .starts_with("the rule on line"),
        "{allowed}"
    );
    assert_eq!(denied["allowed"], false);
    let entry = allowed["entry"].as_str().unwrap();
    let digest = assay_trust::Digest::in_domain("eval-entry/v1", entry.as_bytes());
    assert_eq!(allowed["digests"]["entry"], digest.to_string());
    assert!(
        allowed["claims"]
            .as_str()
            .unwrap()
            .contains(r#""value":20.9}"#)
    );
    assert_eq!(scene.logged(), 0);
}

/// Row 78: a retry gets the same token and makes no leaf.
#[tokio::test]
async fn idempotent_issue() {
    let scene = Scene::new().await;
    let request = scene.request();

    let first = scene.issue_once("run-1", &request).await.expect(201);
    let again = scene.issue_once("run-1", &request).await.expect(201);
    let racing = tokio::join!(
        scene.issue_once("run-2", &request),
        scene.issue_once("run-2", &request),
    );
    let other = changed(&request, "/entry/notes", json!("other"));
    let conflict = scene.issue_once("run-1", &other).await.expect(409);

    assert_eq!(first.text(), again.text());
    assert_eq!(conflict.json()["code"], "idempotency_conflict");
    let mut statuses = [racing.0.status, racing.1.status];
    statuses.sort_unstable();
    assert!(
        statuses == [201, 201] || statuses == [201, 409],
        "{statuses:?}"
    );
    assert_eq!(scene.logged(), 2);
}

#[tokio::test]
async fn a_request_that_was_refused_may_be_made_again_with_its_key() {
    let scene = Scene::new().await;
    let bad = changed(&scene.request(), "/entry/dataset/task_id", json!("easy"));

    scene.issue_once("run-1", &bad).await.expect(422);
    let answer = scene.issue_once("run-1", &scene.request()).await;

    answer.expect(201);
    assert_eq!(scene.logged(), 1);
}

#[tokio::test]
async fn a_token_is_looked_at_and_revoked_by_its_own_integration_and_by_operators_alone() {
    let scene = Scene::new().await;
    let other = credential(&scene.hub, "other/box", None).await.unwrap();
    let issued = scene
        .issue(&scene.token, &scene.request())
        .await
        .expect(201)
        .json();
    let path = format!("/v1/eval-tokens/{}", issued["jti"].as_str().unwrap());
    let revoke = format!("{path}/revoke");
    let look = async |bearer: &str| {
        let request = axum::http::Request::get(&path)
            .header("authorization", format!("Bearer {bearer}"))
            .body(axum::body::Body::empty())
            .unwrap();
        scene.hub.send(Person::Nobody, request).await
    };

    assert_eq!(
        look(&scene.token).await.expect(200).json()["state"],
        "issued"
    );
    look(&other).await.expect(404);
    scene.hub.get(Person::Alice, &path).await.expect(401);
    scene.post(&revoke, Some(&other), "").await.expect(404);
    scene
        .hub
        .post(Person::Alice, &revoke, json!({}))
        .await
        .expect(401);
    let body = r#"{"reason":"the log was cut short"}"#;
    scene
        .post(&revoke, Some(&scene.token), body)
        .await
        .expect(204);
    scene
        .post(&revoke, Some(&scene.token), body)
        .await
        .expect(204);

    let status = scene
        .hub
        .get(Person::Operator, &path)
        .await
        .expect(200)
        .json();
    assert_eq!(status["state"], "revoked");
    assert_eq!(status["revoked"], "the log was cut short");
}

#[tokio::test]
async fn a_policy_is_loaded_when_its_file_changes_and_a_bad_one_changes_nothing() {
    let scene = Scene::new().await;
    let file = scene.policy_file();
    let good = std::fs::read_to_string(&file).unwrap();
    let before = scene.hub.issuer().policy().digest();

    std::fs::write(
        &file,
        good.replace("effect = \"allow\"", "effect = \"permit\""),
    )
    .unwrap();
    let refused = scene.hub.issuer().reload_if_changed().await;
    let kept = scene.hub.issuer().policy().digest();
    scene
        .issue(&scene.token, &scene.request())
        .await
        .expect(201);
    let fault = scene.hub.issuer().policy_fault().unwrap();
    let closed = good.replace(
        "benchmarks = [\"alice/bench\"]",
        "benchmarks = [\"alice/none\"]",
    );
    std::fs::write(&file, closed).unwrap();
    let loaded = scene.hub.issuer().reload_if_changed().await;
    let unchanged = scene.hub.issuer().reload_if_changed().await;

    assert!(matches!(refused, PolicyReport::Refused(_)), "{refused:?}");
    assert_eq!(kept, before);
    assert!(fault.contains("the effect of a rule"), "{fault}");
    assert_eq!(
        (loaded, unchanged),
        (PolicyReport::Loaded, PolicyReport::Unchanged)
    );
    scene
        .issue(&scene.token, &scene.request())
        .await
        .expect(403);
    assert_eq!(scene.hub.issuer().policy_fault(), None);
}

#[tokio::test]
async fn what_the_issuer_says_of_itself_leads_to_its_addresses() {
    let scene = Scene::new().await;

    let told = scene
        .hub
        .get(Person::Nobody, "/.well-known/oauth-authorization-server")
        .await
        .expect(200)
        .json();

    assert_eq!(told["issuer"], scene.name());
    assert_eq!(told["token_endpoint"], "http://127.0.0.1:8460/oauth/token");
    let keys = scene
        .hub
        .get(Person::Nobody, "/.well-known/jwks.json")
        .await
        .expect(200);
    assert_eq!(keys.header("cache-control"), Some("public, max-age=300"));
    assert_eq!(keys.json()["keys"][0]["crv"], "Ed25519");
}

#[test]
fn the_policy_of_the_documentation_can_be_used() {
    let page = include_str!("../../../../../docs/issuer.md");
    let (_, rest) = page.split_once("```toml\n").unwrap();
    let (policy, _) = rest.split_once("```").unwrap();

    let policy = assay_trust::issuer::Policy::read(policy).unwrap();

    assert_eq!(policy.identities().count(), 4);
    assert_eq!(policy.providers().len(), 3);
}
