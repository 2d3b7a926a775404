//! Webhooks by the calls of clients: made, looked at, changed, switched off and removed by their
//! number.

use assay_server::{Person, TestHub};
use serde_json::{Value, json};

use crate::web_support::{propose, world};

const HOOKS: &str = "/api/settings/webhooks";
/// An address that is never asked, so that a test waits for nobody.
const URL: &str = "https://127.0.0.1:9/hook";

fn watching(kind: &str, name: &str) -> Value {
    json!({
        "url": URL,
        "watched": [{ "type": kind, "name": name }],
        "domains": ["repo", "discussion"],
        "secret": "a secret of my own",
    })
}

/// Makes a webhook, and returns where it is.
async fn made(hub: &TestHub, person: Person, body: Value) -> String {
    let answer = hub.post(person, HOOKS, body).await.expect(200).json();
    let id = answer["webhook"]["id"].as_str().unwrap();
    format!("{HOOKS}/{id}")
}

#[tokio::test]
async fn a_webhook_is_made_shown_changed_and_removed() {
    let hub = world().await;

    let first = hub
        .post(Person::Alice, HOOKS, watching("model", "alice/small"))
        .await;
    let first = first.expect(200).json()["webhook"].clone();
    let path = format!("{HOOKS}/{}", first["id"].as_str().unwrap());
    let shown = hub.get(Person::Alice, &path).await.expect(200).json();
    let listed = hub.get(Person::Alice, HOOKS).await.expect(200).json();
    let body = json!({
        "url": "https://hooks.example.org/second",
        "watched": [{ "type": "user", "name": "alice" }],
        "domains": ["discussion"],
    });
    let changed = hub.post(Person::Alice, &path, body).await.expect(200);
    let kept = json!({ "watched": [] });
    let kept = hub.post(Person::Alice, &path, kept).await.expect(200);
    let gone = hub.delete(Person::Alice, &path, json!({})).await;
    let missing = hub.get(Person::Alice, &path).await;

    let mut expected = json!({
        "id": first["id"],
        "url": URL,
        "watched": [{ "type": "model", "name": "alice/small" }],
        "domains": ["repo", "discussion"],
        "secret": "a secret of my own",
        "disabled": false,
    });
    assert_eq!(first, expected);
    expected["secret"] = Value::Null;
    assert_eq!(
        shown,
        json!({ "webhook": expected }),
        "the secret is shown once"
    );
    assert_eq!(listed, json!([expected]));
    expected["url"] = json!("https://hooks.example.org/second");
    expected["watched"] = json!([{ "type": "user", "name": "alice" }]);
    expected["domains"] = json!(["discussion"]);
    assert_eq!(changed.json(), json!({ "webhook": expected }));
    assert_eq!(kept.json(), changed.json(), "what is not given stays");
    gone.expect(200);
    missing.expect(404);
}

#[tokio::test]
async fn a_webhook_that_is_switched_off_is_told_nothing_until_it_is_on_again() {
    let hub = world().await;
    let mut body = watching("model", "alice/small");
    body["domains"] = json!(["discussion"]);
    let path = made(&hub, Person::Alice, body).await;
    let switch = async |to: &str| {
        let answer = hub
            .post(Person::Alice, &format!("{path}/{to}"), json!({}))
            .await;
        answer.expect(200).json()["webhook"]["disabled"].clone()
    };
    let audit = async |action: &str| {
        let path = format!("/api/assay/audit?action={action}");
        let rows = hub.get(Person::Operator, &path).await.expect(200).json();
        rows["rows"].as_array().unwrap().len()
    };

    assert_eq!(switch("disable").await, true);
    assert_eq!(switch("disable").await, true, "off already");
    propose(&hub, "0.65").await;
    assert_eq!(hub.send_webhooks(false).await, 0);
    assert_eq!(switch("enable").await, false);
    propose(&hub, "0.75").await;

    assert_eq!(hub.send_webhooks(false).await, 1, "the second pull request");
    assert_eq!(audit("webhook.paused").await, 1);
    assert_eq!(audit("webhook.resumed").await, 1);
}

#[tokio::test]
async fn webhooks_are_those_of_the_places_that_the_caller_manages() {
    let hub = world().await;
    let lab = json!({ "name": "lab" });
    hub.post(Person::Alice, "/api/assay/organizations", lab)
        .await
        .expect(200);
    let of_model = made(&hub, Person::Alice, watching("model", "alice/small")).await;
    made(&hub, Person::Alice, watching("dataset", "alice/sums")).await;
    made(&hub, Person::Alice, watching("org", "lab")).await;
    made(&hub, Person::Bob, watching("user", "bob")).await;

    let list = async |person| {
        let list = hub.get(person, HOOKS).await.expect(200).json();
        let list = list.as_array().unwrap().clone();
        let watched = list.into_iter().map(|hook| hook["watched"][0].clone());
        watched.collect::<Vec<Value>>()
    };
    let of = |kind: &str, name: &str| json!({ "type": kind, "name": name });

    assert_eq!(
        list(Person::Alice).await,
        [
            of("model", "alice/small"),
            of("dataset", "alice/sums"),
            of("org", "lab"),
        ]
    );
    assert_eq!(list(Person::Bob).await, [of("user", "bob")]);
    hub.get(Person::Nobody, HOOKS).await.expect(401);
    let none = hub.get(Person::Bob, &format!("{HOOKS}/0")).await;
    let others = hub.get(Person::Bob, &of_model).await;
    assert_eq!((none.status, others.status), (404, 404));
    for (method, body) in [
        ("", json!({ "url": URL })),
        ("/enable", json!({})),
        ("/disable", json!({})),
    ] {
        let path = format!("{of_model}{method}");
        hub.post(Person::Bob, &path, body).await.expect(404);
    }
    hub.delete(Person::Bob, &of_model, json!({}))
        .await
        .expect(404);
    let elsewhere = json!({ "watched": [of("model", "bob/large")] });
    hub.post(Person::Alice, &of_model, elsewhere)
        .await
        .expect(403);
    hub.get(Person::Alice, &of_model).await.expect(200);
}

#[tokio::test]
async fn what_cannot_be_watched_is_refused_with_what_can() {
    let hub = world().await;
    let with = |key: &str, value: Value| {
        let mut body = watching("model", "alice/small");
        body[key] = value;
        body
    };
    let item = json!({ "type": "model", "name": "alice/small" });

    for (body, status, words) in [
        (with("watched", json!([])), 400, "make one for each"),
        (
            with("watched", json!([item, item])),
            400,
            "make one for each",
        ),
        (watching("space", "alice/small"), 400, "a `dataset`"),
        (watching("model", "alice/none"), 404, ""),
        (watching("model", "bob/large"), 403, ""),
        (watching("user", "bob"), 403, "their own webhooks"),
        (with("jobSourceId", json!("job-1")), 400, "no jobs"),
        (with("url", Value::Null), 400, "`url`"),
        (with("url", json!("ftp://example.org")), 400, "address"),
        (with("domains", json!([])), 400, "at least one"),
        (with("domains", json!(["Re po"])), 400, "no scope"),
        (with("secret", json!("")), 400, "draws one"),
        (with("secret", json!("x".repeat(257))), 400, "draws one"),
    ] {
        let answer = hub.post(Person::Alice, HOOKS, body.clone()).await;
        let text = answer.text();

        assert_eq!(answer.status, status, "{body} {text}");
        assert!(text.contains(words), "{body} {text}");
    }
    let drawn = hub
        .post(Person::Alice, HOOKS, with("secret", Value::Null))
        .await;
    let secret = drawn.expect(200).json()["webhook"]["secret"].clone();
    assert!(secret.as_str().unwrap().len() >= 32, "{secret}");
}
