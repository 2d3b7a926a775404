//! Rights that end while a request is on its way: its body is held back until they have.

use std::convert::Infallible;

use assay_app::{NewToken, Scope};
use assay_server::{Answer, Person, TestHub};
use axum::body::{Body, Bytes};
use axum::http::header::AUTHORIZATION;
use axum::http::{Method, Request};
use futures_util::StreamExt as _;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tokio::sync::oneshot;

/// A token of a person that can be revoked, with its number.
async fn token(hub: &TestHub, user: &str) -> (i64, String) {
    let new = NewToken {
        label: "ci".to_owned(),
        scope: Scope::Write,
        expires: None,
    };
    let made = hub
        .hub()
        .accounts()
        .create_token(&hub.hub().shell(), user, new)
        .await;
    let (info, secret) = made.unwrap();
    (info.id, secret.reveal().to_owned())
}

/// Sends a request whose body waits, once the handler has asked for it, until something has been
/// done.
async fn send_while(
    hub: &TestHub,
    request: axum::http::request::Builder,
    body: Vec<u8>,
    done_meanwhile: impl Future<Output = ()>,
) -> Answer {
    let (asked, is_asked) = oneshot::channel();
    let (done, is_done) = oneshot::channel();
    let first = Bytes::copy_from_slice(&body[..1]);
    let rest = Bytes::copy_from_slice(&body[1..]);
    let pieces = futures_util::stream::once(async move {
        asked.send(()).unwrap();
        Ok::<_, Infallible>(first)
    });
    let pieces = pieces.chain(futures_util::stream::once(async move {
        is_done.await.unwrap();
        Ok(rest)
    }));
    let request = request.body(Body::from_stream(pieces)).unwrap();
    let meanwhile = async {
        is_asked.await.unwrap();
        done_meanwhile.await;
        done.send(()).unwrap();
    };
    let (answer, ()) = tokio::join!(hub.send(Person::Nobody, request), meanwhile);
    answer
}

fn commit_of(path: &str) -> Vec<u8> {
    let header = json!({ "key": "header", "value": { "summary": "Add", "description": "" } });
    let file = json!({ "content": "aGVsbG8=", "path": path, "encoding": "base64" });
    let file = json!({ "key": "file", "value": file });
    format!("{header}\n{file}\n").into_bytes()
}

#[tokio::test]
async fn a_commit_whose_token_is_revoked_on_its_way_is_refused() {
    for place in ["commit/main", "commit/main?create_pr=1"] {
        let hub = TestHub::new().await;
        hub.create(Person::Alice, "models/alice/small")
            .await
            .expect(200);
        let (id, secret) = token(&hub, "alice").await;
        let request = Request::builder()
            .method(Method::POST)
            .uri(format!("/api/models/alice/small/{place}"))
            .header(AUTHORIZATION, format!("Bearer {secret}"));
        let revoke = async {
            let shell = hub.hub().shell();
            hub.hub()
                .accounts()
                .revoke_token(&shell, "alice", id)
                .await
                .unwrap();
        };

        let answer = send_while(&hub, request, commit_of("a.txt"), revoke).await;

        assert_eq!(answer.status, 401, "{place}");
        let file = "/alice/small/resolve/main/a.txt";
        assert_eq!(hub.get(Person::Alice, file).await.status, 404);
        let pull = "/api/models/alice/small/discussions/1";
        assert_eq!(hub.get(Person::Alice, pull).await.status, 404);
    }
}

#[tokio::test]
async fn a_comment_whose_account_is_disabled_on_its_way_is_refused() {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    let opened = json!({ "title": "A question", "description": "Why?", "pullRequest": false });
    hub.post(Person::Alice, "/api/models/alice/small/discussions", opened)
        .await
        .expect(200);
    let (_, secret) = token(&hub, "bob").await;
    let request = Request::builder()
        .method(Method::POST)
        .uri("/api/models/alice/small/discussions/1/comment")
        .header("content-type", "application/json")
        .header(AUTHORIZATION, format!("Bearer {secret}"));
    let disable = async {
        let shell = hub.hub().shell();
        hub.hub()
            .accounts()
            .disable_account(&shell, "bob")
            .await
            .unwrap();
    };

    let body = json!({ "comment": "said afterwards" })
        .to_string()
        .into_bytes();
    let answer = send_while(&hub, request, body, disable).await;

    assert_eq!(answer.status, 401);
    let told = hub
        .get(Person::Alice, "/api/models/alice/small/discussions/1")
        .await;
    assert!(!told.text().contains("said afterwards"), "{}", told.text());
}

#[tokio::test]
async fn a_large_file_whose_token_is_revoked_on_its_way_is_not_registered() {
    let content = b"many bytes that git does not have to know";
    let digest = Sha256::digest(content);
    let oid = digest
        .iter()
        .fold(String::new(), |oid, byte| format!("{oid}{byte:02x}"));
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    let (id, secret) = token(&hub, "alice").await;
    let objects = json!([{ "oid": oid, "size": content.len() }]);
    let batch = json!({ "operation": "upload", "transfers": ["basic"], "objects": objects });
    let request = Request::builder()
        .method(Method::POST)
        .uri("/alice/small.git/info/lfs/objects/batch")
        .header(AUTHORIZATION, format!("Bearer {secret}"))
        .header("content-type", "application/json")
        .body(Body::from(batch.to_string()))
        .unwrap();
    let batch = hub.send(Person::Nobody, request).await.expect(200);
    let link = batch.json()["objects"][0]["actions"]["upload"]["href"].clone();
    let link = link
        .as_str()
        .unwrap()
        .split_once("8460")
        .unwrap()
        .1
        .to_owned();
    let shell = hub.hub().shell();
    let revoke = async {
        hub.hub()
            .accounts()
            .revoke_token(&shell, "alice", id)
            .await
            .unwrap();
    };

    let put = || Request::builder().method(Method::PUT).uri(&link);
    let held_back = send_while(&hub, put(), content.to_vec(), revoke).await;
    let later = put().body(Body::from(content.as_slice())).unwrap();
    let later = hub.send(Person::Nobody, later).await;

    assert_eq!((held_back.status, later.status), (401, 401));
    let verify = json!({ "oid": oid, "size": content.len() });
    let path = "/alice/small.git/info/lfs/objects/verify";
    assert_eq!(hub.post(Person::Alice, path, verify).await.status, 422);
}
