//! Trusted publishers and sign-in by device code, through the router.

use assay_server::{Answer, Person, TestHub};
use axum::body::Body;
use axum::http::Request;
use jsonwebtoken::Algorithm;
use serde_json::{Value, json};

use super::provider::sign;
use super::scene::Scene;
use crate::web_support::{Browser, form_token};

const EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const DEVICE: &str = "urn:ietf:params:oauth:grant-type:device_code";

/// The claims of a run of `org/evals`, for the hub.
fn claims(scene: &Scene) -> Value {
    let now = scene.hub.now().millis() / 1_000;
    json!({
        "iss": scene.provider.url,
        "aud": scene.hub.issuer().name(),
        "sub": "repo:org/evals:ref:refs/heads/main",
        "repository": "org/evals",
        "run_id": "77",
        "event_name": "push",
        "iat": now,
        "exp": now + 300,
    })
}

/// Exchanges an ID token as the client does.
async fn exchange(hub: &TestHub, claims: &Value, resource: &str) -> Answer {
    let body = json!({
        "grant_type": EXCHANGE,
        "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
        "subject_token": sign(claims, Algorithm::RS256),
        "resource": resource,
    });
    hub.post(Person::Nobody, "/oauth/token", body).await
}

async fn scene_with_publisher() -> Scene {
    let scene = Scene::new().await;
    scene
        .hub
        .create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    let mut browser = Browser::of(&scene.hub, Person::Alice).await;
    let page = browser
        .get("/alice/small/settings/publishers")
        .await
        .expect(200);
    let fields = [
        ("_form", form_token(&page.text())),
        ("issuer", scene.provider.url.clone()),
        ("claims", "repository=org/evals".to_owned()),
    ];
    let path = "/alice/small/settings/publishers";
    browser.send_form(path, &fields).await.expect(303);
    scene
}

/// Commits a file with a token.
async fn commit(hub: &TestHub, token: &str, repo: &str) -> u16 {
    let lines = [
        json!({ "key": "header", "value": { "summary": "from CI" } }),
        json!({ "key": "file", "value": { "path": "notes.txt", "content": "hi", "encoding": "utf-8" } }),
    ];
    let body = lines.map(|line| line.to_string()).join("\n");
    let request = Request::post(format!("/api/models/{repo}/commit/main"))
        .header("authorization", format!("Bearer {token}"))
        .header("content-type", "application/x-ndjson")
        .body(Body::from(body))
        .unwrap();
    hub.send(Person::Nobody, request).await.status
}

#[tokio::test]
async fn a_trusted_publisher_writes_to_its_repository_for_an_hour_and_nowhere_else() {
    let scene = scene_with_publisher().await;
    let hub = &scene.hub;
    hub.create(Person::Alice, "models/alice/other")
        .await
        .expect(200);

    let granted = exchange(hub, &claims(&scene), "alice/small").await;

    let granted = granted.expect(200).json();
    assert_eq!(granted["expires_in"], 3600);
    let token = granted["access_token"].as_str().unwrap();
    assert_eq!(commit(hub, token, "alice/small").await, 200);
    assert_eq!(commit(hub, token, "alice/other").await, 403);
    // The client exchanges the same ID token in every process.
    let again = exchange(hub, &claims(&scene), "alice/small").await;
    again.expect(200);
    hub.pass(3_600);
    assert_eq!(commit(hub, token, "alice/small").await, 401);
}

#[tokio::test]
async fn an_id_token_that_differs_in_anything_that_counts_is_refused() {
    let scene = scene_with_publisher().await;
    let hub = &scene.hub;
    let with = |name: &str, value: Value| {
        let mut claims = claims(&scene);
        claims[name] = value;
        claims
    };
    let wrong = [
        with("repository", json!("org/other")),
        with("aud", json!("https://elsewhere.example.org")),
        with("event_name", json!("pull_request_target")),
        with("exp", json!(hub.now().millis() / 1_000 - 3_600)),
        with("iss", json!("https://nobody.example.org")),
    ];

    for claims in wrong {
        let answer = exchange(hub, &claims, "alice/small").await;

        assert_eq!(
            answer.expect(400).json()["error"],
            "invalid_grant",
            "{claims}"
        );
    }
    let missing = exchange(hub, &claims(&scene), "alice/missing").await;
    let unlisted = exchange(hub, &claims(&scene), "datasets/alice/bench").await;
    assert_eq!(missing.expect(400).json(), unlisted.expect(400).json());
    let user = exchange(hub, &claims(&scene), "alice").await;
    assert_eq!(user.expect(400).json()["error"], "invalid_target");
}

#[tokio::test]
async fn removing_a_publisher_ends_its_tokens() {
    let scene = scene_with_publisher().await;
    let hub = &scene.hub;
    let granted = exchange(hub, &claims(&scene), "alice/small").await;
    let granted = granted.expect(200).json();
    let token = granted["access_token"].as_str().unwrap();
    let mut browser = Browser::of(hub, Person::Alice).await;
    let path = "/alice/small/settings/publishers";
    let page = browser.get(path).await.expect(200).text();
    assert!(page.contains("repository=org/evals"), "{page}");
    let fields = [("_form", form_token(&page)), ("id", "1".to_owned())];

    let path = "/alice/small/settings/publishers/remove";
    browser.send_form(path, &fields).await.expect(303);

    assert_eq!(commit(hub, token, "alice/small").await, 401);
    exchange(hub, &claims(&scene), "alice/small")
        .await
        .expect(400);
}

#[tokio::test]
async fn publishers_are_for_those_who_manage_the_repository_and_say_whose_they_are() {
    let scene = scene_with_publisher().await;
    let mut bob = Browser::of(&scene.hub, Person::Bob).await;
    let mut alice = Browser::of(&scene.hub, Person::Alice).await;
    let path = "/alice/small/settings/publishers";
    let page = alice.get(path).await.expect(200).text();
    let fields = [
        ("_form", form_token(&page)),
        ("issuer", scene.provider.url.clone()),
        ("claims", "environment=release".to_owned()),
    ];

    bob.get(path).await.expect(403);
    let refused = alice.send_form(path, &fields).await;

    assert!(refused.expect(400).text().contains("anybody"));
}

async fn poll(hub: &TestHub, code: &str) -> Answer {
    let body = json!({ "grant_type": DEVICE, "device_code": code, "client_id": "any" });
    hub.post(Person::Nobody, "/oauth/token", body).await
}

async fn decide(hub: &TestHub, person: Person, code: &str, decision: &str) -> Answer {
    let mut browser = Browser::of(hub, person).await;
    let page = browser.get("/login/device").await.expect(200).text();
    let fields = [
        ("_form", form_token(&page)),
        ("code", code.to_lowercase()),
        ("decision", decision.to_owned()),
    ];
    browser.send_form("/login/device", &fields).await
}

#[tokio::test]
async fn a_program_is_signed_in_when_somebody_approves_its_code_once() {
    let hub = TestHub::new().await;
    let begun = hub.post(Person::Nobody, "/oauth/device", json!({})).await;
    let begun = begun.expect(200).json();
    let device = begun["device_code"].as_str().unwrap();
    let code = begun["user_code"].as_str().unwrap();
    assert!(
        begun["verification_uri_complete"]
            .as_str()
            .unwrap()
            .ends_with(code)
    );

    // More often than wrong guesses are allowed: waiting is no guess.
    for _ in 0..12 {
        let waiting = poll(&hub, device).await.expect(400).json();
        assert_eq!(waiting["error"], "authorization_pending");
        hub.pass(5);
    }
    assert_eq!(
        poll(&hub, device).await.expect(400).json()["error"],
        "authorization_pending"
    );
    assert_eq!(
        poll(&hub, device).await.expect(400).json()["error"],
        "slow_down"
    );
    decide(&hub, Person::Alice, code, "write").await.expect(303);
    let granted = poll(&hub, device).await.expect(200).json();

    let token = granted["access_token"].as_str().unwrap();
    let request = Request::get("/api/whoami-v2")
        .header("authorization", format!("Bearer {token}"))
        .body(Body::empty())
        .unwrap();
    let who = hub.send(Person::Nobody, request).await.expect(200).json();
    assert_eq!(who["name"], "alice");
    assert_eq!(
        poll(&hub, device).await.expect(400).json()["error"],
        "expired_token"
    );
    decide(&hub, Person::Bob, code, "write").await.expect(404);
}

#[tokio::test]
async fn a_denied_or_expired_code_signs_nobody_in() {
    let hub = TestHub::new().await;
    let begin = async || {
        let begun = hub.post(Person::Nobody, "/oauth/device", json!({})).await;
        begun.expect(200).json()
    };
    let (denied, expired) = (begin().await, begin().await);
    let text = |begun: &Value, name: &str| begun[name].as_str().unwrap().to_owned();
    let code = text(&denied, "user_code");
    decide(&hub, Person::Alice, &code, "deny").await.expect(303);

    let answer = poll(&hub, &text(&denied, "device_code")).await;

    assert_eq!(answer.expect(400).json()["error"], "access_denied");
    hub.pass(15 * 60);
    let answer = poll(&hub, &text(&expired, "device_code")).await;
    assert_eq!(answer.expect(400).json()["error"], "expired_token");
    let code = text(&expired, "user_code");
    decide(&hub, Person::Alice, &code, "write")
        .await
        .expect(404);
}
