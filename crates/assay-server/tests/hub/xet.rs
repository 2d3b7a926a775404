//! Large files that come by Xet.

use assay_server::{Answer, Person, TestHub};
use assay_xet::{XetHash, chunk_hash, file_hash, range_hash, xorb_hash};
use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

const TAG: [u8; 32] = *b"HFRepoMetaData\0UigEj{\x81W\x83\xa5\xbd\xd9\\\xcd\xd1J\xa9";
const CHUNKS: [&[u8]; 3] = [b"first piece, ", b"second piece, ", b"third piece"];

/// An upload that has begun: where and with which token.
struct Session {
    path: String,
    token: String,
}

impl Session {
    async fn begin(hub: &TestHub, person: Person, revision: &str) -> Self {
        let place = format!("/api/models/alice/small/xet-write-token/{revision}");
        let answer = hub.get(person, &place).await.expect(200);
        let json = answer.json();
        assert_eq!(json["casUrl"], answer.header("x-xet-cas-url").unwrap());
        let url = json["casUrl"].as_str().unwrap();
        Self {
            path: url
                .strip_prefix("http://127.0.0.1:8460")
                .unwrap()
                .to_owned(),
            token: json["accessToken"].as_str().unwrap().to_owned(),
        }
    }

    async fn post(&self, hub: &TestHub, rest: &str, body: Vec<u8>) -> Answer {
        let request = Request::post(format!("{}{rest}", self.path))
            .header("authorization", format!("Bearer {}", self.token))
            .body(Body::from(body))
            .unwrap();
        hub.send(Person::Nobody, request).await
    }

    async fn send_xorb(&self, hub: &TestHub, hash: XetHash, bytes: Vec<u8>) -> Answer {
        let rest = format!("/v1/xorbs/default/{hash}");
        self.post(hub, &rest, bytes).await
    }
}

fn facts() -> Vec<(XetHash, u64)> {
    let facts = CHUNKS.map(|chunk| (chunk_hash(chunk), chunk.len() as u64));
    facts.to_vec()
}

fn content() -> Vec<u8> {
    CHUNKS.concat()
}

fn xorb() -> (XetHash, Vec<u8>) {
    let mut bytes = Vec::new();
    for chunk in CHUNKS {
        let length = u8::try_from(chunk.len()).unwrap();
        bytes.extend([0, length, 0, 0, 0, length, 0, 0]);
        bytes.extend(chunk);
    }
    (xorb_hash(&facts()), bytes)
}

fn record(hash: XetHash, numbers: [u32; 4]) -> Vec<u8> {
    let mut bytes = hash.as_bytes().to_vec();
    bytes.extend(numbers.into_iter().flat_map(u32::to_le_bytes));
    bytes
}

fn oid() -> String {
    let digest = Sha256::digest(content());
    digest
        .iter()
        .fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

/// The shard of one file of all chunks, with this SHA-256 and this size of its only term.
fn shard(xorb: XetHash, sha256: &str, size: usize) -> Vec<u8> {
    let mut bytes = TAG.to_vec();
    bytes.extend(2_u64.to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend(record(file_hash(&facts()), [3 << 30, 1, 0, 0]));
    let size = u32::try_from(size).unwrap();
    bytes.extend(record(xorb, [0, size, 0, 3]));
    let hashes = facts();
    let range = range_hash(hashes.iter().map(|(hash, _)| hash));
    bytes.extend(record(range, [0; 4]));
    bytes.extend(record(sha256.parse().unwrap(), [0; 4]));
    bytes.extend(record(XetHash::from_bytes([0xff; 32]), [0; 4]));
    bytes
}

fn last_line(answer: &Answer) -> Value {
    let text = answer.text();
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

async fn hub_with_model() -> TestHub {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    hub
}

async fn commit_pointer(hub: &TestHub) -> Answer {
    let pointer =
        json!({ "path": "big.bin", "algo": "sha256", "oid": oid(), "size": content().len() });
    let lines = [
        json!({ "key": "header", "value": { "summary": "Add big.bin" } }).to_string(),
        json!({ "key": "lfsFile", "value": pointer }).to_string(),
    ];
    let place = "/api/models/alice/small/commit/main";
    let body = Body::from(lines.join("\n"));
    hub.ask(Person::Alice, axum::http::Method::POST, place, body)
        .await
}

#[tokio::test]
async fn a_file_that_came_by_xet_is_a_large_file_like_any_other() {
    let hub = hub_with_model().await;
    let session = Session::begin(&hub, Person::Alice, "main").await;
    let (hash, bytes) = xorb();

    let first = session
        .send_xorb(&hub, hash, bytes.clone())
        .await
        .expect(200);
    let again = session.send_xorb(&hub, hash, bytes).await.expect(200);
    let shard = shard(hash, &oid(), content().len());
    let done = session
        .post(&hub, "/v2/shards", shard.clone())
        .await
        .expect(200);
    let older = session.post(&hub, "/v1/shards", shard).await.expect(200);
    commit_pointer(&hub).await.expect(200);

    assert_eq!(first.json(), json!({ "was_inserted": true }));
    assert_eq!(again.json(), json!({ "was_inserted": false }));
    assert_eq!(done.header("content-type"), Some("application/x-ndjson"));
    assert_eq!(last_line(&done), json!({ "type": "result" }));
    assert_eq!(older.json(), json!({ "result": 1 }));
    let whole = hub
        .get(Person::Nobody, "/alice/small/resolve/main/big.bin")
        .await;
    assert_eq!(whole.expect(200).body, content());
    let batch = json!({
        "operation": "download",
        "objects": [{ "oid": oid(), "size": content().len() }],
    });
    let batch = hub
        .post(
            Person::Nobody,
            "/alice/small.git/info/lfs/objects/batch",
            batch,
        )
        .await;
    assert!(batch.expect(200).json()["objects"][0]["actions"]["download"].is_object());
}

#[tokio::test]
async fn content_that_is_not_what_it_is_said_to_be_is_refused_in_words() {
    let hub = hub_with_model().await;
    let session = Session::begin(&hub, Person::Alice, "main").await;
    let (hash, bytes) = xorb();
    let other = chunk_hash(b"other");
    let size = content().len();

    let wrong_hash = session
        .send_xorb(&hub, other, bytes.clone())
        .await
        .expect(400);
    let cut_off = session
        .send_xorb(&hub, hash, bytes[..20].to_vec())
        .await
        .expect(400);
    let no_hash = session
        .post(&hub, "/v1/xorbs/default/x", Vec::new())
        .await
        .expect(400);
    let missing = session
        .post(&hub, "/v2/shards", shard(hash, &oid(), size))
        .await;
    session.send_xorb(&hub, hash, bytes).await.expect(200);
    let no_shard = session.post(&hub, "/v2/shards", b"no shard".to_vec()).await;
    let wrong_sha = session
        .post(&hub, "/v2/shards", shard(hash, &"ab".repeat(32), size))
        .await;
    let wrong_size = session
        .post(&hub, "/v2/shards", shard(hash, &oid(), size + 1))
        .await;
    let commit = commit_pointer(&hub).await;

    assert!(
        wrong_hash.text().contains("has the hash"),
        "{}",
        wrong_hash.text()
    );
    assert!(
        cut_off.text().contains("ends too early"),
        "{}",
        cut_off.text()
    );
    assert!(no_hash.text().contains("hexadecimal"), "{}", no_hash.text());
    for (answer, words) in [
        (missing, "upload again"),
        (no_shard, "no shard"),
        (wrong_sha, "hash"),
        (wrong_size, "another size"),
    ] {
        let line = last_line(&answer.expect(200));
        assert_eq!(line["type"], "error", "{line}");
        assert_eq!(line["retryable"], false, "{line}");
        assert!(line["message"].as_str().unwrap().contains(words), "{line}");
    }
    assert_ne!(commit.status, 200);
}

#[tokio::test]
async fn a_xorb_is_for_the_one_who_sent_it() {
    let hub = hub_with_model().await;
    let (hash, bytes) = xorb();
    let owner = Session::begin(&hub, Person::Alice, "main").await;
    owner.send_xorb(&hub, hash, bytes).await.expect(200);

    let for_branch = hub
        .get(Person::Bob, "/api/models/alice/small/xet-write-token/main")
        .await;
    let stranger = Session::begin(&hub, Person::Bob, "None").await;
    let shard = shard(hash, &oid(), content().len());
    let taken = stranger.post(&hub, "/v2/shards", shard).await.expect(200);
    let nobody = hub
        .get(
            Person::Nobody,
            "/api/models/alice/small/xet-write-token/main",
        )
        .await;

    assert_eq!((for_branch.status, nobody.status), (403, 401));
    assert_ne!(owner.path, stranger.path);
    let line = last_line(&taken);
    assert!(
        line["message"].as_str().unwrap().contains("is not here"),
        "{line}"
    );
}

#[tokio::test]
async fn a_token_is_for_one_repository_and_what_is_not_offered_is_not_found() {
    let hub = hub_with_model().await;
    hub.create(Person::Alice, "models/alice/other")
        .await
        .expect(200);
    let session = Session::begin(&hub, Person::Alice, "main").await;
    let elsewhere = Session {
        path: session.path.replace("/small/", "/other/"),
        token: session.token.clone(),
    };
    let forged = Session {
        path: elsewhere.path.clone(),
        token: session.token.replace("~small~", "~other~"),
    };
    let (hash, bytes) = xorb();

    let other = elsewhere.send_xorb(&hub, hash, bytes.clone()).await;
    let forged = forged.send_xorb(&hub, hash, bytes.clone()).await;
    let grant = session
        .post(&hub, &format!("/v1/xorb-grants/default/{hash}"), Vec::new())
        .await;

    assert_eq!((other.status, forged.status), (403, 401));
    assert_eq!(grant.status, 404);
}

#[tokio::test]
async fn xorbs_count_as_uploads_that_wait_until_a_file_is_made_of_them() {
    let hub = TestHub::with(|config| config.limits.waiting_bytes = 100).await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    let session = Session::begin(&hub, Person::Alice, "main").await;
    let (hash, bytes) = xorb();
    let mut other = vec![0, 60, 0, 0, 0, 60, 0, 0];
    other.extend([7; 60]);
    let other_hash = xorb_hash(&[(chunk_hash(&[7; 60]), 60)]);

    session.send_xorb(&hub, hash, bytes).await.expect(200);
    let beyond = session.send_xorb(&hub, other_hash, other).await;

    assert_eq!(beyond.status, 403);
    assert!(
        beyond.text().contains("more than 100 bytes"),
        "{}",
        beyond.text()
    );
}
