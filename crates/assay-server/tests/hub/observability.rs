use assay_server::{Person, TestHub};
use axum::body::Body;
use axum::http::Method;

#[tokio::test]
async fn every_answer_has_an_id_of_its_own() {
    let hub = TestHub::new().await;

    let good = hub.get(Person::Nobody, "/healthz").await.expect(200);
    let bad = hub.get(Person::Nobody, "/nowhere").await.expect(404);

    let (good, bad) = (
        good.header("x-request-id").unwrap(),
        bad.header("x-request-id").unwrap(),
    );
    assert_ne!(good, bad);
}

#[tokio::test]
async fn metrics_count_requests_by_route_and_name_no_repository() {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/hidden-name")
        .await
        .expect(200);
    hub.commit(Person::Alice, "models/alice/hidden-name", &[("a", "1")])
        .await
        .expect(200);
    hub.get(Person::Nobody, "/api/models/alice/nothing")
        .await
        .expect(401);

    let text = hub.get(Person::Nobody, "/metrics").await.expect(200).text();

    for line in [
        "assay_commits_total 1",
        "assay_http_requests_total{method=\"GET\",route=\"/api/models/{namespace}/{name}\",status=\"401\"} 1",
        "assay_http_requests_total{method=\"POST\",route=\"/api/repos/create\",status=\"200\"} 1",
    ] {
        assert!(text.lines().any(|own| own == line), "{line}\n{text}");
    }
    assert!(!text.contains("hidden-name"));
}

#[tokio::test]
async fn metrics_can_be_switched_off() {
    let hub = TestHub::with(|config| config.metrics = false).await;

    let answer = hub.get(Person::Nobody, "/metrics").await;

    assert_eq!(answer.status, 404);
}

#[tokio::test]
async fn unknown_addresses_and_methods_are_answered_in_json() {
    let hub = TestHub::new().await;

    let address = hub.get(Person::Nobody, "/api/no/such/thing").await;
    let method = hub
        .ask(
            Person::Nobody,
            Method::PATCH,
            "/api/repos/create",
            Body::empty(),
        )
        .await;

    assert_eq!(
        address.expect(404).json(),
        serde_json::json!({ "error": "Not found" })
    );
    assert!(method.expect(405).json()["error"].is_string());
}

#[tokio::test]
async fn a_browser_may_read_the_headers_that_clients_need() {
    let hub = TestHub::new().await;
    let request = axum::http::Request::get("/api/models/alice/nothing")
        .header("origin", "https://example.org")
        .body(Body::empty())
        .unwrap();

    let answer = hub.send(Person::Nobody, request).await;

    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    let exposed = answer.header("access-control-expose-headers").unwrap();
    assert!(
        exposed.contains("x-error-code") && exposed.contains("x-repo-commit"),
        "{exposed}"
    );
    assert_eq!(answer.header("access-control-allow-credentials"), None);
}
