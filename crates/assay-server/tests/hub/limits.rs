use assay_server::{Person, TestHub};
use axum::body::Body;
use axum::http::Request;
use serde_json::json;
use tower::ServiceExt as _;

#[tokio::test]
async fn a_token_that_asks_too_often_is_told_when_to_come_back() {
    let hub = TestHub::with(|config| config.rates.per_token = 2).await;
    let path = "/api/whoami-v2";

    let first = hub.get(Person::Alice, path).await.expect(200);
    hub.get(Person::Alice, path).await.expect(200);
    let third = hub.get(Person::Alice, path).await.expect(429);
    let other = hub.get(Person::Bob, path).await;
    hub.pass(300);
    let later = hub.get(Person::Alice, path).await;

    assert_eq!(first.header("ratelimit"), Some("\"api\";r=1;t=300"));
    let policy = "\"fixed window\";\"api\";q=2;w=300";
    assert_eq!(first.header("ratelimit-policy"), Some(policy));
    assert_eq!(third.header("ratelimit"), Some("\"api\";r=0;t=300"));
    assert_eq!(third.header("retry-after"), Some("300"));
    assert_eq!((other.status, later.status), (200, 200));
}

#[tokio::test]
async fn an_address_is_limited_without_a_token_and_so_are_those_who_guess() {
    let hub = TestHub::with(|config| config.rates.per_address = 2).await;
    let guess = || {
        Request::get("/api/whoami-v2")
            .header("authorization", "Bearer hf_guess")
            .body(Body::empty())
            .unwrap()
    };

    let mut nobody = Vec::new();
    let mut guesses = Vec::new();
    for _ in 0..3 {
        nobody.push(
            hub.get(Person::Nobody, "/api/models-tags-by-type")
                .await
                .status,
        );
        guesses.push(hub.send(Person::Nobody, guess()).await.status);
    }
    let with_token = hub.get(Person::Alice, "/api/models-tags-by-type").await;

    assert_eq!(nobody, [200, 200, 429]);
    assert_eq!(guesses, [401, 401, 429]);
    assert_eq!(
        with_token.status, 429,
        "those who guessed from here share the address"
    );
}

#[tokio::test]
async fn the_address_behind_a_proxy_is_the_last_one_it_names() {
    let hub = TestHub::with(|config| {
        config.rates.per_address = 1;
        config.trust_proxy = true;
    })
    .await;
    let from = |addresses: &str| {
        Request::get("/api/models-tags-by-type")
            .header("x-forwarded-for", addresses)
            .body(Body::empty())
            .unwrap()
    };

    let first = hub.send(Person::Nobody, from("192.0.2.1")).await;
    let same = hub
        .send(Person::Nobody, from("203.0.113.9, 192.0.2.1"))
        .await;
    let other = hub.send(Person::Nobody, from("192.0.2.1, 192.0.2.2")).await;

    assert_eq!((first.status, same.status, other.status), (200, 429, 200));
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused() {
    let hub = TestHub::with(|config| config.body_bytes = 100).await;
    let body = json!({ "name": "x".repeat(200) });

    let answer = hub.post(Person::Alice, "/api/repos/create", body).await;

    assert_eq!(
        answer.expect(413).json()["error"],
        "the body of this request may have 100 bytes at most"
    );
}

#[tokio::test]
async fn a_commit_within_the_limits_goes_through_and_one_beyond_changes_nothing() {
    let hub = TestHub::with(|config| {
        config.limits.file_bytes = 100;
        config.limits.commit_bytes = 150;
        config.limits.commit_files = 2;
    })
    .await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    let (fits, large) = ("x".repeat(100), "x".repeat(101));
    let repo = "models/alice/small";

    let good = hub.commit(Person::Alice, repo, &[("a", &fits)]).await;
    let large_file = hub.commit(Person::Alice, repo, &[("b", &large)]).await;
    let large_commit = hub
        .commit(Person::Alice, repo, &[("b", &fits), ("c", &fits)])
        .await;
    let many = hub
        .commit(Person::Alice, repo, &[("b", ""), ("c", ""), ("d", "")])
        .await;

    assert_eq!(good.status, 200);
    assert_eq!(
        (large_file.status, large_commit.status, many.status),
        (413, 413, 413)
    );
    assert_eq!(
        hub.get(Person::Nobody, "/alice/small/resolve/main/b")
            .await
            .status,
        404
    );
}

#[tokio::test]
async fn a_request_that_names_two_hosts_is_refused() {
    let hub = TestHub::new().await;
    let request = Request::get("/api/models-tags-by-type")
        .header("host", "127.0.0.1:8460")
        .header("host", "other.example")
        .body(Body::empty())
        .unwrap();

    let answer = hub.send(Person::Nobody, request).await;

    let text = "a request has one `Host` header";
    assert_eq!(answer.expect(400).json()["error"], text);
}

#[tokio::test]
async fn an_answer_beyond_the_budget_of_bytes_is_refused_until_the_others_are_gone() {
    let hub = TestHub::with(|config| config.answer_bytes = 100 << 10).await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    let text = "x".repeat(90 << 10);
    hub.commit(Person::Alice, "models/alice/small", &[("a.txt", &text)])
        .await
        .expect(200);
    let request = || {
        Request::get("/alice/small/resolve/main/a.txt")
            .header("host", "127.0.0.1:8460")
            .body(Body::empty())
            .unwrap()
    };

    let first = hub.router().oneshot(request()).await.unwrap();
    let second = hub.send(Person::Nobody, request()).await.expect(503);
    let small = hub.get(Person::Nobody, "/alice/small").await.status;
    drop(first);
    let third = hub.send(Person::Nobody, request()).await.status;

    assert_eq!(second.header("retry-after"), Some("5"));
    assert_eq!((small, third), (200, 200));
    let metrics = hub.get(Person::Nobody, "/metrics").await.text();
    assert!(metrics.contains("\nassay_answer_bytes 0\n"), "{metrics}");
}
