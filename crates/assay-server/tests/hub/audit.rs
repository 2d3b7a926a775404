//! The audit log over HTTP, on its page and in the request log.

use std::io;
use std::sync::{Arc, Mutex};

use assay_server::{Person, TestHub};
use serde_json::{Value, json};
use tracing::instrument::WithSubscriber as _;

use crate::web_support::Browser;

async fn rows(hub: &TestHub, query: &str) -> Vec<Value> {
    let path = format!("/api/assay/audit?{query}");
    let page = hub.get(Person::Operator, &path).await.expect(200).json();
    page["rows"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_deletion_names_its_actor_address_and_request() {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    let body = json!({ "name": "small", "organization": "alice", "type": "model" });

    let deleted = hub
        .delete(Person::Alice, "/api/repos/delete", body)
        .await
        .expect(200);

    let found = rows(&hub, "action=repo.deleted").await;
    let [row] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(row["actor"]["type"], "account");
    assert_eq!(row["actor"]["name"], "alice");
    assert!(row["actor"]["token"].is_i64());
    assert_eq!(
        row["subject"],
        json!({ "type": "model", "name": "alice/small", "detail": null })
    );
    assert_eq!(row["address"], "127.0.0.1");
    assert_eq!(row["requestId"].as_str(), deleted.header("x-request-id"));
    assert_eq!(rows(&hub, "repo=alice/small").await.len(), 2);
    assert_eq!(rows(&hub, "account=alice&action=repo").await.len(), 2);
    assert_eq!(rows(&hub, "since=2999-01-01").await.len(), 0);
}

#[tokio::test]
async fn an_address_of_a_trusted_proxy_is_the_one_that_it_names() {
    let hub = TestHub::with(|config| config.trust_proxy = true).await;
    let request = axum::http::Request::post("/api/repos/create")
        .header("x-forwarded-for", "203.0.113.9, 2001:db8::7")
        .body(axum::body::Body::from(
            json!({ "name": "small" }).to_string(),
        ))
        .unwrap();

    hub.send(Person::Alice, request).await.expect(200);

    let found = rows(&hub, "action=repo.created").await;
    assert_eq!(found[0]["address"], "2001:db8::7");
}

#[tokio::test]
async fn the_audit_log_is_for_operators_and_has_pages() {
    let hub = TestHub::new().await;

    let by_alice = hub.get(Person::Alice, "/api/assay/audit").await;
    let by_nobody = hub.get(Person::Nobody, "/api/assay/audit").await;
    let wrong = hub
        .get(Person::Operator, "/api/assay/audit?action=nothing")
        .await;
    let first = hub
        .get(Person::Operator, "/api/assay/audit?limit=4")
        .await
        .expect(200)
        .json();
    let next = first["next"].as_i64().unwrap();
    let second = rows(&hub, &format!("limit=4&before={next}")).await;

    assert_eq!(
        (by_alice.status, by_nobody.status, wrong.status),
        (403, 401, 400)
    );
    assert_eq!(first["rows"].as_array().unwrap().len(), 4);
    assert_eq!(second.len(), 2, "three users and their tokens");
}

#[tokio::test]
async fn operators_look_at_the_audit_log_in_a_browser() {
    let hub = TestHub::new().await;
    for number in 0..60 {
        hub.create(Person::Alice, &format!("models/alice/m{number}"))
            .await
            .expect(200);
    }
    let mut operator = Browser::of(&hub, Person::Operator).await;
    let mut alice = Browser::of(&hub, Person::Alice).await;

    let newest = operator.get("/admin/audit").await.expect(200).text();
    let filtered = operator
        .get("/admin/audit?account=alice&action=repo.created&repo=alice%2Fm7")
        .await
        .expect(200)
        .text();
    let refused = alice.get("/admin/audit").await;

    assert!(newest.contains("sign_in.succeeded") && newest.contains("rel=\"next\""));
    assert!(filtered.contains("alice/m7") && !filtered.contains("alice/m8<"));
    assert_eq!(refused.status, 403);
}

/// The lines that were logged.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

async fn logged(hub: &TestHub, person: Person, path: &str) -> (Value, String) {
    // Without a second subscriber, an event that another test meets first is disabled for the whole
    // process.
    let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry());
    let written = Written::default();
    let sink = written.clone();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_writer(move || sink.clone())
        .finish();
    hub.get(person, path).with_subscriber(subscriber).await;
    let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    let line = text.lines().find(|line| line.contains("was answered with"));
    (serde_json::from_str(line.unwrap()).unwrap(), text)
}

#[tokio::test]
async fn the_request_log_names_account_and_repository_and_the_address_when_that_is_wanted() {
    let hub = TestHub::new().await;
    let path = "/datasets/alice/hidden/resolve/main/a?signature=secret-part";

    let (line, text) = logged(&hub, Person::Alice, path).await;
    let (anonymous, _) = logged(&hub, Person::Nobody, "/api/models/alice/m").await;
    let with_addresses = TestHub::with(|config| config.log_addresses = true).await;
    let (addressed, _) = logged(&with_addresses, Person::Nobody, "/healthz").await;

    assert_eq!(line["account"], "alice");
    assert_eq!(line["repo"], "datasets/alice/hidden");
    assert_eq!(line.get("address"), None);
    assert!(!text.contains("secret-part") && !text.contains(hub.secret(Person::Alice).unwrap()));
    assert_eq!(
        (anonymous.get("account"), &anonymous["repo"]),
        (None, &json!("alice/m"))
    );
    assert_eq!(addressed["address"], "127.0.0.1");
}
