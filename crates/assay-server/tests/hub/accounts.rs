use assay_server::{Person, TestHub};
use axum::body::Body;
use axum::http::Request;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

const WHO_AM_I: &str = "/api/whoami-v2";

fn with_authorization(value: &str) -> Request<Body> {
    Request::builder()
        .uri(WHO_AM_I)
        .header("authorization", value)
        .body(Body::empty())
        .unwrap()
}

#[tokio::test]
async fn a_token_tells_whose_it_is_and_what_it_may() {
    let hub = TestHub::new().await;

    let answer = hub.get(Person::Alice, WHO_AM_I).await.expect(200);

    let json = answer.json();
    assert_eq!(json["name"], "alice");
    assert_eq!(json["type"], "user");
    assert_eq!(json["orgs"], serde_json::json!([]));
    assert_eq!(json["auth"]["accessToken"]["role"], "write");
    assert_eq!(json["auth"]["accessToken"]["displayName"], "test-alice");
}

#[tokio::test]
async fn nobody_is_asked_to_sign_in_and_a_wrong_token_is_never_nobody() {
    let hub = TestHub::new().await;

    let nobody = hub.get(Person::Nobody, WHO_AM_I).await;
    let wrong = hub
        .send(Person::Nobody, with_authorization("Bearer hf_wrong"))
        .await;

    assert_eq!(nobody.status, 401);
    assert_eq!(wrong.status, 401);
    assert_eq!(
        wrong.header("x-error-message"),
        Some("Invalid credentials in Authorization header")
    );
    assert_eq!(wrong.header("x-error-code"), None);
}

#[tokio::test]
async fn a_wrong_token_is_refused_even_where_nobody_may_read() {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/open")
        .await
        .expect(200);
    let request = Request::builder()
        .uri("/api/models/alice/open")
        .header("authorization", "Bearer hf_wrong")
        .body(Body::empty())
        .unwrap();

    let answer = hub.send(Person::Nobody, request).await;

    assert_eq!(answer.status, 401);
}

#[tokio::test]
async fn a_token_works_as_the_password_of_basic_too() {
    let hub = TestHub::new().await;
    let secret = hub.secret(Person::Bob).unwrap();
    let basic = format!("Basic {}", STANDARD.encode(format!("hf_user:{secret}")));

    let answer = hub.send(Person::Nobody, with_authorization(&basic)).await;

    assert_eq!(answer.expect(200).json()["name"], "bob");
}

#[tokio::test]
async fn an_overview_tells_of_users_and_only_of_users() {
    let hub = TestHub::new().await;

    let user = hub.get(Person::Nobody, "/api/users/alice/overview").await;
    let not_an_organisation = hub
        .get(Person::Nobody, "/api/organizations/alice/overview")
        .await;
    let absent = hub.get(Person::Nobody, "/api/users/carol/overview").await;

    assert_eq!(user.expect(200).json()["fullname"], "Alice");
    assert_eq!(not_an_organisation.status, 404);
    assert_eq!(absent.status, 404);
}
