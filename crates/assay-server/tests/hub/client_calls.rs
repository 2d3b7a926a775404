//! Calls of clients beside files, commits and discussions.

use assay_server::{Person, TestHub};
use axum::body::Body;
use axum::http::Method;
use serde_json::json;
use sha2::{Digest as _, Sha256};

const EVAL_YAML: &str = "name: Sums\ndescription: Sums of two numbers.\nmetrics:\n  - id: accuracy\n    display_name: Accuracy\n    primary: true\n    higher_is_better: true\ntasks:\n  - id: words\n";

async fn hub_with_model() -> TestHub {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    hub
}

fn digest(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest
        .iter()
        .fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

/// Uploads a large file by a link, and commits it if it is given a path.
async fn put_large(hub: &TestHub, content: &'static [u8], path: Option<&str>) -> String {
    let oid = digest(content);
    let question =
        json!({ "operation": "upload", "objects": [{ "oid": oid, "size": content.len() }] });
    let batch = hub
        .post(
            Person::Alice,
            "/alice/small.git/info/lfs/objects/batch",
            question,
        )
        .await
        .expect(200)
        .json();
    let href = batch["objects"][0]["actions"]["upload"]["href"].as_str();
    let link = href.unwrap().strip_prefix("http://127.0.0.1:8460").unwrap();
    hub.ask(Person::Nobody, Method::PUT, link, Body::from(content))
        .await
        .expect(200);
    if let Some(path) = path {
        let pointer = json!({ "path": path, "algo": "sha256", "oid": oid, "size": content.len() });
        let lines = [
            json!({ "key": "header", "value": { "summary": "Add a file" } }).to_string(),
            json!({ "key": "lfsFile", "value": pointer }).to_string(),
        ];
        let place = "/api/models/alice/small/commit/main";
        hub.ask(
            Person::Alice,
            Method::POST,
            place,
            Body::from(lines.join("\n")),
        )
        .await
        .expect(200);
    }
    oid
}

#[tokio::test]
async fn large_files_are_listed_and_only_those_that_no_commit_names_are_deleted() {
    let hub = hub_with_model().await;
    let named = put_large(&hub, b"named by a commit", Some("deep/big.bin")).await;
    let list = "/api/models/alice/small/lfs-files";

    let listed = hub.get(Person::Alice, list).await.expect(200).json();
    let deletions = json!({ "deletions": { "sha": [named], "rewriteHistory": true } });
    let refused = hub
        .post(Person::Alice, &format!("{list}/batch"), deletions)
        .await;

    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(listed[0]["fileOid"], named);
    assert_eq!(listed[0]["filename"], "deep/big.bin");
    assert_eq!(listed[0]["size"], 17);
    let words = refused.expect(409).text();
    assert!(words.contains("assay admin purge"), "{words}");
}

#[tokio::test]
async fn a_repository_is_duplicated_with_its_history_branches_tags_and_large_files() {
    let hub = hub_with_model().await;
    put_large(&hub, b"named by a commit", Some("big.bin")).await;
    for (path, body) in [
        ("branch/side", json!({})),
        ("tag/main", json!({ "tag": "v1" })),
    ] {
        hub.post(
            Person::Alice,
            &format!("/api/models/alice/small/{path}"),
            body,
        )
        .await
        .expect(200);
    }
    let place = "/api/models/alice/small/duplicate";
    let copy = json!({ "repository": "bob/copy", "visibility": "private" });

    let made = hub.post(Person::Bob, place, copy.clone()).await.expect(200);
    let again = hub.post(Person::Bob, place, copy).await.expect(409);
    let elsewhere = json!({ "repository": "alice/copy" });
    hub.post(Person::Bob, place, elsewhere).await.expect(403);

    assert_eq!(
        made.json(),
        json!({ "url": "http://127.0.0.1:8460/bob/copy", "filesCopyPending": false })
    );
    assert_eq!(again.json()["url"], "http://127.0.0.1:8460/bob/copy");
    let get = async |path: &str| hub.get(Person::Bob, path).await.expect(200);
    let info = async |id: &str| get(&format!("/api/models/{id}")).await.json();
    let (from, to) = (info("alice/small").await, info("bob/copy").await);
    assert_eq!((&to["sha"], &to["private"]), (&from["sha"], &json!(true)));
    let refs = get("/api/models/bob/copy/refs").await.json();
    assert_eq!(refs["branches"].as_array().unwrap().len(), 2);
    assert_eq!(refs["tags"][0]["name"], "v1");
    let file = get("/bob/copy/resolve/main/big.bin").await;
    assert_eq!(file.text(), "named by a commit");
}

#[tokio::test]
async fn a_body_that_is_no_card_is_told_apart_from_a_card_with_faults() {
    let hub = TestHub::new().await;
    let place = "/api/validate-yaml";
    let ask = async |body: &'static str| {
        hub.ask(Person::Nobody, Method::POST, place, Body::from(body))
            .await
    };

    let unreadable = ask("{").await.expect(422).json();
    let faulty = ask(r#"{"content":"---\na: [\n---\n","repoType":"model"}"#).await;

    assert!(
        unreadable["error"]
            .as_str()
            .unwrap()
            .contains("cannot be read")
    );
    assert!(
        !faulty.expect(400).json()["errors"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn a_status_that_is_there_already_is_no_error() {
    let hub = hub_with_model().await;
    let new = json!({ "title": "A draft", "pullRequest": true });
    hub.post(Person::Bob, "/api/models/alice/small/discussions", new)
        .await
        .expect(200);
    let lines = [
        json!({ "key": "header", "value": { "summary": "Add a note" } }).to_string(),
        json!({ "key": "file", "value": { "path": "note.txt", "content": "aGVsbG8=", "encoding": "base64" } }).to_string(),
    ];
    let place = "/api/models/alice/small/commit/refs%2Fpr%2F1";
    hub.ask(
        Person::Bob,
        Method::POST,
        place,
        Body::from(lines.join("\n")),
    )
    .await
    .expect(200);
    let status = "/api/models/alice/small/discussions/1/status";
    let set = async |status_wanted: &str| {
        let body = json!({ "status": status_wanted });
        hub.post(Person::Bob, status, body).await
    };

    let opened = set("open").await.expect(200).json();
    set("closed").await.expect(200);
    let closed_again = set("closed").await.expect(200).json();

    assert_eq!(opened["newStatus"]["data"]["status"], "open");
    assert_eq!(closed_again["newStatus"]["data"]["status"], "closed");
    let details = hub
        .get(Person::Nobody, "/api/models/alice/small/discussions/1")
        .await
        .expect(200)
        .json();
    let events = details["events"].as_array().unwrap();
    let changes = events
        .iter()
        .filter(|event| event["type"] == "status-change");
    assert_eq!(details["status"], "closed");
    assert_eq!(
        changes
            .filter(|event| event["data"]["status"] == "closed")
            .count(),
        1
    );
}

#[tokio::test]
async fn commits_are_formatted_as_text_that_runs_nothing() {
    let hub = hub_with_model().await;
    let lines = [
        json!({ "key": "header", "value": { "summary": "Add <b>bold</b>", "description": "a & b" } })
            .to_string(),
        json!({ "key": "file", "value": { "path": "note.txt", "content": "aGVsbG8=", "encoding": "base64" } }).to_string(),
    ];
    let place = "/api/models/alice/small/commit/main";
    hub.ask(
        Person::Alice,
        Method::POST,
        place,
        Body::from(lines.join("\n")),
    )
    .await
    .expect(200);

    let commits = "/api/models/alice/small/commits/main";
    let plain = hub.get(Person::Nobody, commits).await.expect(200).json();
    let formatted = format!("{commits}?expand[]=formatted");
    let formatted = hub.get(Person::Nobody, &formatted).await.expect(200).json();

    assert!(plain[0].get("formatted").is_none());
    let own = &formatted[0]["formatted"];
    assert_eq!(own["title"], "Add &lt;b&gt;bold&lt;/b&gt;");
    assert_eq!(own["message"], "a &amp; b");
}

#[tokio::test]
async fn a_benchmark_has_its_tag_and_a_card_that_claims_it_does_not() {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "datasets/alice/sums")
        .await
        .expect(200);
    hub.create(Person::Alice, "datasets/alice/claims")
        .await
        .expect(200);
    hub.commit(
        Person::Alice,
        "datasets/alice/sums",
        &[("eval.yaml", EVAL_YAML)],
    )
    .await
    .expect(200);
    let card = "---\ntags: [benchmark, math]\n---\n# Claims\n";
    hub.commit(
        Person::Alice,
        "datasets/alice/claims",
        &[("README.md", card)],
    )
    .await
    .expect(200);
    let tags = async |id: &str| {
        let place = format!("/api/datasets/{id}");
        hub.get(Person::Nobody, &place).await.expect(200).json()["tags"].clone()
    };

    let (benchmark, claims) = (tags("alice/sums").await, tags("alice/claims").await);
    let page = hub
        .get(Person::Nobody, "/datasets/alice/sums")
        .await
        .expect(200);

    assert_eq!(benchmark, json!(["benchmark"]));
    assert_eq!(claims, json!(["math"]));
    assert!(page.text().contains(">Benchmark</span>"));
}

#[tokio::test]
async fn accounts_are_told_of_with_what_the_caller_may_see() {
    let hub = hub_with_model().await;
    let secret =
        json!({ "name": "hidden", "organization": "alice", "type": "model", "private": true });
    hub.post(Person::Alice, "/api/repos/create", secret)
        .await
        .expect(200);

    let overview = "/api/users/alice/overview";
    let to_all = hub.get(Person::Nobody, overview).await.expect(200).json();
    let to_alice = hub.get(Person::Alice, overview).await.expect(200).json();
    let own = hub
        .get(Person::Alice, "/api/settings/repositories")
        .await
        .expect(200)
        .json();

    assert_eq!(
        (&to_all["numModels"], &to_alice["numModels"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(to_all["numDatasets"], 0);
    let visibility = own
        .as_array()
        .unwrap()
        .iter()
        .map(|repo| &repo["visibility"]);
    assert_eq!(visibility.collect::<Vec<_>>(), ["private", "public"]);
    assert!(own[0]["storage"].as_u64().unwrap() > 0);
}

#[tokio::test]
async fn strangers_send_large_files_for_a_pull_request_against_a_branch() {
    let hub = hub_with_model().await;
    let ask = async |reference: &str| {
        let question = json!({
            "operation": "upload",
            "objects": [{ "oid": digest(b"x"), "size": 1 }],
            "ref": { "name": reference },
        });
        let place = "/alice/small.git/info/lfs/objects/batch";
        hub.post(Person::Bob, place, question).await.status
    };

    assert_eq!(ask("refs/for/main").await, 200);
    assert_eq!(ask("refs/pr/new").await, 200);
    assert_eq!(ask("refs/heads/main").await, 403);
}

#[tokio::test]
async fn files_that_gitattributes_or_libraries_want_beside_git_are_large() {
    let hub = hub_with_model().await;
    let files = [
        (
            ".gitattributes",
            "*.bin filter=lfs diff=lfs merge=lfs -text\n",
        ),
        ("sub/.gitattributes", "small.bin -filter\n"),
    ];
    hub.commit(Person::Alice, "models/alice/small", &files)
        .await
        .expect(200);
    let names = [
        "w.bin",
        "sub/w.bin",
        "sub/small.bin",
        "notes.txt",
        "data/train.parquet",
    ];
    let files: Vec<_> = names
        .iter()
        .map(|path| json!({ "path": path, "size": 10, "sample": "" }))
        .collect();

    let answer = hub
        .post(
            Person::Alice,
            "/api/models/alice/small/preupload/main",
            json!({ "files": files }),
        )
        .await
        .expect(200)
        .json();

    let modes = answer["files"].as_array().unwrap().iter();
    let modes: Vec<&str> = modes
        .map(|file| file["uploadMode"].as_str().unwrap())
        .collect();
    assert_eq!(modes, ["lfs", "lfs", "regular", "regular", "lfs"]);
}
