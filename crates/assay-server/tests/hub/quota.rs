//! Quotas of accounts and repositories, and removals by operators.

use assay_model::{RepoId, RepoKind};
use assay_server::{Person, TestHub};
use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

const MODEL: &str = "models/alice/small";
const BATCH: &str = "/alice/small.git/info/lfs/objects/batch";
const REASON: &str = "a court order";

fn digest(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().fold(String::new(), |digits, byte| {
        digits + &format!("{byte:02x}")
    })
}

async fn hub_with(change: impl FnOnce(&mut assay_server::Config)) -> TestHub {
    let hub = TestHub::with(change).await;
    hub.create(Person::Alice, MODEL).await.expect(200);
    hub
}

/// The answer of the batch for one object.
async fn batch(hub: &TestHub, person: Person, operation: &str, bytes: &[u8]) -> Value {
    let question = json!({
        "operation": operation,
        "transfers": ["basic"],
        "objects": [{ "oid": digest(bytes), "size": bytes.len() }],
        "hash_algo": "sha256",
    });
    let answer = hub.post(person, BATCH, question).await.expect(200);
    answer.json()["objects"][0].clone()
}

/// Uploads a large file; the status of the upload.
async fn upload(hub: &TestHub, person: Person, bytes: &'static [u8]) -> u16 {
    let told = batch(hub, person, "upload", bytes).await;
    let href = told["actions"]["upload"]["href"]
        .as_str()
        .unwrap()
        .to_owned();
    let link = href.strip_prefix("http://127.0.0.1:8460").unwrap();
    let request = Request::builder().method(Method::PUT).uri(link);
    let request = request.body(Body::from(bytes)).unwrap();
    hub.send(Person::Nobody, request).await.status
}

async fn commit_large(hub: &TestHub, place: &str, bytes: &[u8]) -> u16 {
    let file =
        json!({ "path": "big.bin", "algo": "sha256", "oid": digest(bytes), "size": bytes.len() });
    let lines = [
        json!({ "key": "header", "value": { "summary": "Add big.bin" } }).to_string(),
        json!({ "key": "lfsFile", "value": file }).to_string(),
    ];
    let body = Body::from(lines.join("\n"));
    let answer = hub.ask(Person::Alice, Method::POST, place, body).await;
    answer.status
}

#[tokio::test]
async fn an_upload_that_no_commit_names_is_served_to_nobody_and_ends_after_a_day() {
    let hub = hub_with(|_| {}).await;
    let bytes: &[u8] = b"weights that wait";
    assert_eq!(upload(&hub, Person::Bob, bytes).await, 200);

    let before = batch(&hub, Person::Alice, "download", bytes).await;
    hub.pass(25 * 3600);
    let shell = hub.hub().shell();
    let grace = std::time::Duration::ZERO;
    hub.hub()
        .operations()
        .collect_large_files(&shell, grace, false)
        .await
        .unwrap();
    let committed = commit_large(&hub, "/api/models/alice/small/commit/main", bytes).await;

    assert_eq!(before["error"]["code"], 404, "{before}");
    assert_eq!(committed, 400, "its bytes are gone");
}

#[tokio::test]
async fn a_commit_keeps_the_upload_that_it_names() {
    let hub = hub_with(|_| {}).await;
    let bytes: &[u8] = b"weights that are committed";
    assert_eq!(upload(&hub, Person::Alice, bytes).await, 200);
    let committed = commit_large(&hub, "/api/models/alice/small/commit/main", bytes).await;
    assert_eq!(committed, 200);

    hub.pass(25 * 3600);
    let shell = hub.hub().shell();
    hub.hub()
        .operations()
        .collect_large_files(&shell, std::time::Duration::ZERO, false)
        .await
        .unwrap();

    let told = batch(&hub, Person::Nobody, "download", bytes).await;
    assert!(told["actions"]["download"].is_object(), "{told}");
}

#[tokio::test]
async fn a_stranger_uploads_small_files_only_and_not_many() {
    let hub = hub_with(|config| {
        config.limits.stranger_file_bytes = 10;
        config.limits.stranger_waiting_bytes = 15;
    })
    .await;

    let large = batch(&hub, Person::Bob, "upload", b"eleven bytes").await;
    let first = upload(&hub, Person::Bob, b"ten bytes.").await;
    let second = batch(&hub, Person::Bob, "upload", b"six...").await;
    let owner = upload(&hub, Person::Alice, b"the owner has other limits").await;

    assert_eq!(large["error"]["code"], 413, "{large}");
    assert_eq!(first, 200);
    assert_eq!(second["error"]["code"], 413, "{second}");
    assert_eq!(owner, 200);
}

#[tokio::test]
async fn a_repository_and_an_account_store_no_more_than_they_may() {
    let hub = hub_with(|config| config.limits.repository_objects = 10).await;
    let files = [("a.txt", "a"), ("b.txt", "b"), ("c.txt", "c")];

    let first = hub.commit(Person::Alice, MODEL, &files).await;
    let more: Vec<(String, String)> = (0..9)
        .map(|number| (format!("d{number}"), format!("{number}")))
        .collect();
    let more: Vec<(&str, &str)> = more.iter().map(|(a, b)| (&**a, &**b)).collect();
    let second = hub.commit(Person::Alice, MODEL, &more).await;

    first.expect(200);
    let second = second.expect(403);
    assert!(second.text().contains("git objects"), "{}", second.text());

    let hub = hub_with(|config| config.limits.account_bytes = 2000).await;
    let noise: String = (0..4000u32)
        .map(|n| char::from(33 + (n * n % 89) as u8))
        .collect();
    let refused = hub
        .commit(Person::Alice, MODEL, &[("noise.txt", &noise)])
        .await;
    let refused = refused.expect(403);
    assert!(refused.text().contains("`alice`"), "{}", refused.text());
}

#[tokio::test]
async fn an_account_writes_so_often_in_a_minute_and_reads_on() {
    let hub = hub_with(|config| config.limits.writes_per_minute = 2).await;

    let first = hub.commit(Person::Alice, MODEL, &[("a.txt", "a")]).await;
    let second = hub.commit(Person::Alice, MODEL, &[("b.txt", "b")]).await;
    let read = hub.get(Person::Alice, "/api/models/alice/small").await;
    let other = hub.create(Person::Bob, "models/bob/small").await;
    hub.pass(60);
    let later = hub.commit(Person::Alice, MODEL, &[("b.txt", "b")]).await;

    first.expect(200);
    let second = second.expect(429);
    assert!(second.header("retry-after").is_some());
    read.expect(200);
    other.expect(200);
    later.expect(200);
}

#[tokio::test]
async fn an_account_has_so_many_open_pull_requests_in_a_repository() {
    let hub = hub_with(|config| config.limits.open_pulls = 1).await;

    let first = hub.pull(Person::Bob, MODEL, &[("a.txt", "a")]).await;
    let second = hub.pull(Person::Bob, MODEL, &[("b.txt", "b")]).await;
    let draft = json!({ "title": "A draft", "description": "", "pullRequest": true });
    let place = "/api/models/alice/small/discussions";
    let draft = hub.post(Person::Bob, place, draft).await;

    first.expect(200);
    second.expect(403);
    draft.expect(403);
}

#[tokio::test]
async fn of_pull_requests_opened_at_once_no_more_stay_than_may_be_open() {
    let hub = hub_with(|config| config.limits.open_pulls = 1).await;

    let (first, second, third) = tokio::join!(
        hub.pull(Person::Bob, MODEL, &[("a.txt", "a")]),
        hub.pull(Person::Bob, MODEL, &[("b.txt", "b")]),
        hub.pull(Person::Bob, MODEL, &[("c.txt", "c")]),
    );

    let mut statuses = [first.status, second.status, third.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 403, 403]);
}

#[tokio::test]
async fn a_purged_pull_request_is_gone_with_its_commits_and_everyone_can_read_why() {
    let hub = hub_with(|_| {}).await;
    let pulled = hub
        .pull(Person::Bob, MODEL, &[("evil.txt", "malware")])
        .await;
    let pulled = pulled.expect(200);
    let commit = pulled.json()["commitOid"].as_str().unwrap().to_owned();
    let file = format!("/alice/small/resolve/{commit}/evil.txt");
    hub.get(Person::Nobody, &file).await.expect(200);
    let id: RepoId = "alice/small".parse().unwrap();

    let report = hub
        .hub()
        .operations()
        .purge_discussion(&hub.hub().shell(), RepoKind::Model, &id, 1, REASON)
        .await
        .unwrap();

    assert_eq!(report.commits, 1);
    hub.get(Person::Nobody, &file).await.expect(404);
    let details = hub
        .get(Person::Nobody, "/api/models/alice/small/discussions/1")
        .await;
    let details = details.expect(200).text().clone();
    assert!(
        !details.contains("evil") && details.contains("Removed"),
        "{details}"
    );
    let told = hub
        .get(Person::Nobody, "/api/assay/removals")
        .await
        .expect(200);
    assert_eq!(told.json()["removals"][0]["reason"], REASON);
    assert_eq!(told.json()["removals"][0]["repo"], MODEL);
    assert_eq!(told.json()["removals"][0]["subject"], "#1");
    let differences = hub
        .hub()
        .operations()
        .check_index(&|_, _| {})
        .await
        .unwrap()
        .differences;
    assert_eq!(differences, []);
}

#[tokio::test]
async fn purged_commits_are_gone_and_later_ones_stay() {
    let hub = hub_with(|_| {}).await;
    let commit = async |path: &str, text: &str| {
        let made = hub.commit(Person::Alice, MODEL, &[(path, text)]).await;
        made.expect(200).json()["commitOid"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let good = commit("good.txt", "good").await;
    let bad = commit("bad.txt", "a secret").await;
    commit("later.txt", "later").await;
    let id: RepoId = "alice/small".parse().unwrap();
    let shell = hub.hub().shell();

    let range = (good.as_str(), bad.as_str());
    let purged =
        hub.hub()
            .operations()
            .purge_commits(&shell, RepoKind::Model, &id, "main", range, REASON);
    purged.await.unwrap();

    let place = |revision: &str, path: &str| format!("/alice/small/resolve/{revision}/{path}");
    hub.get(Person::Nobody, &place("main", "good.txt"))
        .await
        .expect(200);
    hub.get(Person::Nobody, &place("main", "later.txt"))
        .await
        .expect(200);
    hub.get(Person::Nobody, &place("main", "bad.txt"))
        .await
        .expect(404);
    hub.get(Person::Nobody, &place(&bad, "bad.txt"))
        .await
        .expect(404);
    let checked = hub
        .hub()
        .operations()
        .check_index(&|_, _| {})
        .await
        .unwrap();
    assert_eq!(checked.differences, []);
}

#[tokio::test]
async fn commits_whose_files_were_changed_later_are_not_purged_in_part() {
    let hub = hub_with(|_| {}).await;
    let mut commits = Vec::new();
    for text in ["one", "two with a secret", "three with a secret"] {
        let made = hub.commit(Person::Alice, MODEL, &[("a.txt", text)]).await;
        let made = made.expect(200).json()["commitOid"]
            .as_str()
            .unwrap()
            .to_owned();
        commits.push(made);
    }
    let id: RepoId = "alice/small".parse().unwrap();
    let shell = hub.hub().shell();

    let range = (commits[0].as_str(), commits[1].as_str());
    let purged = hub
        .hub()
        .operations()
        .purge_commits(&shell, RepoKind::Model, &id, "main", range, REASON)
        .await;

    let told = purged.unwrap_err().to_string();
    assert!(told.contains("`a.txt`"), "{told}");
    let range = (commits[0].as_str(), commits[2].as_str());
    let purged =
        hub.hub()
            .operations()
            .purge_commits(&shell, RepoKind::Model, &id, "main", range, REASON);
    assert_eq!(purged.await.unwrap().commits, 2);
}

#[tokio::test]
async fn a_purged_account_has_no_personal_data_and_cannot_sign_in() {
    let hub = hub_with(|_| {}).await;
    let draft = json!({ "title": "A question", "description": "my phone number is 555", "pullRequest": false });
    hub.post(Person::Bob, "/api/models/alice/small/discussions", draft)
        .await
        .expect(200);

    let shell = hub.hub().shell();
    hub.hub()
        .operations()
        .purge_account(&shell, "bob", REASON)
        .await
        .unwrap();

    hub.get(Person::Bob, "/api/whoami-v2").await.expect(401);
    let details = hub
        .get(Person::Nobody, "/api/models/alice/small/discussions/1")
        .await;
    assert!(!details.expect(200).text().contains("555"));
    let told = hub
        .get(Person::Nobody, "/api/assay/removals")
        .await
        .expect(200);
    assert_eq!(told.json()["removals"][0]["subject"], "bob");
}
