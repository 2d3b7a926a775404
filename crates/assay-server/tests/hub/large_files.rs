use assay_server::{Person, TestHub};
use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

const BATCH: &str = "/alice/small.git/info/lfs/objects/batch";
const CONTENT: &[u8] = b"many bytes that git does not have to know";

fn oid(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest
        .iter()
        .fold(String::new(), |oid, byte| format!("{oid}{byte:02x}"))
}

fn question(operation: &str) -> Value {
    json!({
        "operation": operation,
        "transfers": ["basic", "multipart"],
        "objects": [{ "oid": oid(CONTENT), "size": CONTENT.len() }],
        "hash_algo": "sha256",
    })
}

fn path(href: &Value) -> String {
    let href = href.as_str().unwrap();
    href.strip_prefix("http://127.0.0.1:8460")
        .unwrap()
        .to_owned()
}

async fn hub_with_model() -> TestHub {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    hub
}

/// Returns the address to upload the file to, and the one that confirms it.
async fn upload_links(hub: &TestHub) -> (String, String) {
    let batch = hub
        .post(Person::Alice, BATCH, question("upload"))
        .await
        .expect(200);
    assert_eq!(
        batch.header("content-type"),
        Some("application/vnd.git-lfs+json")
    );
    let actions = batch.json()["objects"][0]["actions"].clone();
    (
        path(&actions["upload"]["href"]),
        path(&actions["verify"]["href"]),
    )
}

async fn put(hub: &TestHub, link: &str, bytes: &'static [u8]) -> u16 {
    let request = Request::builder()
        .method(Method::PUT)
        .uri(link)
        .body(Body::from(bytes))
        .unwrap();
    hub.send(Person::Nobody, request).await.status
}

/// Commits the pointer of the file that was uploaded.
async fn commit_pointer(hub: &TestHub) {
    let lines = [
        json!({ "key": "header", "value": { "summary": "Add big.bin" } }).to_string(),
        json!({ "key": "lfsFile", "value": { "path": "big.bin", "algo": "sha256", "oid": oid(CONTENT), "size": CONTENT.len() } })
            .to_string(),
    ];
    let body = Body::from(lines.join("\n"));
    let place = "/api/models/alice/small/commit/main";
    hub.ask(Person::Alice, Method::POST, place, body)
        .await
        .expect(200);
}

#[tokio::test]
async fn a_large_file_is_sent_by_a_link_without_credentials_and_then_committed_and_read() {
    let hub = hub_with_model().await;
    let (upload, verify) = upload_links(&hub).await;

    assert_eq!(put(&hub, &upload, CONTENT).await, 200);
    let told = json!({ "oid": oid(CONTENT), "size": CONTENT.len() });
    hub.post(Person::Alice, &verify, told).await.expect(200);
    commit_pointer(&hub).await;

    let head = hub
        .head(Person::Nobody, "/alice/small/resolve/main/big.bin")
        .await
        .expect(200);
    let etag = format!("\"{}\"", oid(CONTENT));
    assert_eq!(head.header("etag"), Some(etag.as_str()));
    assert_eq!(head.header("x-linked-etag"), Some(etag.as_str()));
    assert_eq!(head.header("x-linked-size"), Some("41"));
    let whole = hub
        .get(Person::Nobody, "/alice/small/resolve/main/big.bin")
        .await
        .expect(200);
    assert_eq!(whole.body, CONTENT);
    let part = Request::get("/alice/small/resolve/main/big.bin")
        .header("range", "bytes=5-9")
        .body(Body::empty())
        .unwrap();
    assert_eq!(
        hub.send(Person::Nobody, part).await.expect(206).text(),
        "bytes"
    );
    let pointer = hub
        .get(Person::Nobody, "/alice/small/raw/main/big.bin")
        .await
        .expect(200);
    assert!(
        pointer
            .text()
            .starts_with("version https://git-lfs.github.com/spec/v1\n")
    );
    let tree = hub
        .get(Person::Nobody, "/api/models/alice/small/tree/main")
        .await
        .json();
    let entry = tree
        .as_array()
        .unwrap()
        .iter()
        .find(|entry| entry["path"] == "big.bin")
        .unwrap();
    assert_eq!(
        (&entry["size"], &entry["lfs"]["size"]),
        (&json!(41), &json!(41))
    );
}

#[tokio::test]
async fn what_is_there_is_not_sent_again_and_can_be_fetched_by_a_link() {
    let hub = hub_with_model().await;
    let (upload, _) = upload_links(&hub).await;
    assert_eq!(put(&hub, &upload, CONTENT).await, 200);
    commit_pointer(&hub).await;

    let again = hub
        .post(Person::Alice, BATCH, question("upload"))
        .await
        .expect(200)
        .json();
    let download = hub
        .post(Person::Nobody, BATCH, question("download"))
        .await
        .expect(200)
        .json();

    assert_eq!(again["objects"][0].get("actions"), None);
    let link = path(&download["objects"][0]["actions"]["download"]["href"]);
    assert_eq!(
        hub.get(Person::Nobody, &link).await.expect(200).body,
        CONTENT
    );
}

#[tokio::test]
async fn a_link_that_was_changed_or_is_late_is_worth_nothing() {
    let hub = hub_with_model().await;
    let (upload, _) = upload_links(&hub).await;

    let other_file = upload.replace(&oid(CONTENT), &oid(b"other"));
    let larger = upload.replace("size=41", "size=4100");
    let as_download = hub.get(Person::Nobody, &upload).await.status;
    let statuses = [
        put(&hub, &other_file, b"other").await,
        put(&hub, &larger, CONTENT).await,
        as_download,
    ];
    hub.pass(3600 + 1);
    let late = put(&hub, &upload, CONTENT).await;

    assert_eq!((statuses, late), ([403, 403, 403], 403));
}

#[tokio::test]
async fn bytes_that_are_not_the_file_are_refused() {
    let hub = hub_with_model().await;
    let (upload, verify) = upload_links(&hub).await;

    let status = put(&hub, &upload, b"other bytes, of which there are also 41!!").await;

    assert!((400..500).contains(&status), "{status}");
    let told = json!({ "oid": oid(CONTENT), "size": CONTENT.len() });
    assert_eq!(hub.post(Person::Alice, &verify, told).await.status, 422);
}

#[tokio::test]
async fn nobody_uploads_and_git_is_challenged() {
    let hub = hub_with_model().await;

    let nobody = hub.post(Person::Nobody, BATCH, question("upload")).await;
    let missing = hub
        .post(Person::Nobody, BATCH, question("download"))
        .await
        .expect(200)
        .json();

    assert_eq!(nobody.status, 401);
    assert!(
        nobody
            .header("www-authenticate")
            .unwrap()
            .starts_with("Basic ")
    );
    assert_eq!(missing["objects"][0]["error"]["code"], 404);
}

#[tokio::test]
async fn a_file_of_another_repository_cannot_be_claimed_by_its_hash() {
    let hub = hub_with_model().await;
    let (upload, _) = upload_links(&hub).await;
    assert_eq!(put(&hub, &upload, CONTENT).await, 200);
    hub.create(Person::Bob, "models/bob/mine").await.expect(200);
    let lines = [
        json!({ "key": "header", "value": { "summary": "Take it" } }).to_string(),
        json!({ "key": "lfsFile", "value": { "path": "big.bin", "algo": "sha256", "oid": oid(CONTENT) } }).to_string(),
    ];

    let body = Body::from(lines.join("\n"));
    let answer = hub
        .ask(
            Person::Bob,
            Method::POST,
            "/api/models/bob/mine/commit/main",
            body,
        )
        .await;

    assert!((400..500).contains(&answer.status), "{}", answer.status);
}

#[tokio::test]
async fn a_stranger_uploads_for_a_pull_request_and_not_for_a_branch() {
    let hub = hub_with_model().await;
    let ask = async |name: Option<&str>| {
        let mut question = question("upload");
        if let Some(name) = name {
            question["ref"] = json!({ "name": name });
        }
        hub.post(Person::Bob, BATCH, question).await.status
    };

    assert_eq!(ask(None).await, 200);
    assert_eq!(ask(Some("refs/pr/1")).await, 200);
    assert_eq!(ask(Some("refs/heads/main")).await, 403);
    assert_eq!(ask(Some("main")).await, 403);
}
