use assay_server::{Person, TestHub};
use axum::body::Body;
use axum::http::Method;
use serde_json::{Value, json};

const COMMIT: &str = "/api/models/alice/small/commit/main";

async fn hub_with_model() -> TestHub {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    hub
}

fn lines(lines: &[Value]) -> Body {
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    Body::from(text.join("\n"))
}

fn header() -> Value {
    json!({ "key": "header", "value": { "summary": "Change", "description": "why" } })
}

async fn text_of(hub: &TestHub, path: &str) -> String {
    let address = format!("/alice/small/resolve/main/{path}");
    hub.get(Person::Nobody, &address).await.expect(200).text()
}

#[tokio::test]
async fn a_commit_is_answered_with_its_address_and_can_be_read_back() {
    let hub = hub_with_model().await;

    let answer = hub
        .commit(
            Person::Alice,
            "models/alice/small",
            &[("a/b.txt", "hello"), ("c.txt", "")],
        )
        .await;

    let json = answer.expect(200).json();
    let oid = json["commitOid"].as_str().unwrap();
    assert_eq!(json["success"], true);
    assert_eq!(
        json["commitUrl"],
        format!("http://127.0.0.1:8460/alice/small/commit/{oid}")
    );
    assert_eq!(json.get("pullRequestUrl"), None);
    assert_eq!(text_of(&hub, "a/b.txt").await, "hello");
    assert_eq!(text_of(&hub, "c.txt").await, "");
}

#[tokio::test]
async fn files_are_deleted_moved_and_written_in_one_commit() {
    let hub = hub_with_model().await;
    let files = [
        ("a.txt", "1"),
        ("b.txt", "2"),
        ("dir/c.txt", "3"),
        ("dir/d.txt", "4"),
    ];
    hub.commit(Person::Alice, "models/alice/small", &files)
        .await
        .expect(200);
    let body = lines(&[
        header(),
        json!({ "key": "deletedFile", "value": { "path": "a.txt" } }),
        json!({ "key": "deletedFolder", "value": { "path": "dir/" } }),
        json!({ "key": "file", "value": { "path": "e.txt", "oldPath": "b.txt", "content": "é", "encoding": "utf-8" } }),
    ]);

    hub.ask(Person::Alice, Method::POST, COMMIT, body)
        .await
        .expect(200);

    let tree = hub
        .get(
            Person::Nobody,
            "/api/models/alice/small/tree/main?recursive=true",
        )
        .await;
    let tree = tree.expect(200).json();
    let paths: Vec<&str> = tree
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["e.txt"]);
    assert_eq!(text_of(&hub, "e.txt").await, "é");
}

#[tokio::test]
async fn a_file_of_some_megabytes_arrives_whole() {
    let hub = hub_with_model().await;
    let lines: Vec<String> = (0..500_000).map(|number| format!("{number:06}")).collect();
    let text = lines.join("\n");

    hub.commit(Person::Alice, "models/alice/small", &[("big.txt", &text)])
        .await
        .expect(200);

    assert!(
        text_of(&hub, "big.txt").await == text,
        "the content differs"
    );
    let left = hub.directory().join("data/tmp");
    let uploads = std::fs::read_dir(left).unwrap();
    let uploads = uploads.filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().starts_with("upload-")
    });
    assert_eq!(uploads.count(), 0);
}

#[tokio::test]
async fn a_parent_that_is_not_the_head_is_refused_with_412() {
    let hub = hub_with_model().await;
    let first = hub
        .get(Person::Nobody, "/api/models/alice/small")
        .await
        .json();
    let first = first["sha"].as_str().unwrap().to_owned();
    hub.commit(Person::Alice, "models/alice/small", &[("a", "1")])
        .await
        .expect(200);
    let commit = |parent: &str| {
        lines(&[
            json!({ "key": "header", "value": { "summary": "late", "parentCommit": parent } }),
            json!({ "key": "file", "value": { "path": "x", "content": "eA==", "encoding": "base64" } }),
        ])
    };

    let stale = hub
        .ask(Person::Alice, Method::POST, COMMIT, commit(&first))
        .await;

    let stale = stale.expect(412);
    let message =
        "The branch was updated since you opened this page. Please refresh and try again.";
    assert_eq!(stale.header("x-error-message"), Some(message));
    assert_eq!(stale.json()["error"], message);
}

#[tokio::test]
async fn a_file_that_is_not_there_cannot_be_deleted() {
    let hub = hub_with_model().await;
    let body = lines(&[
        header(),
        json!({ "key": "deletedFile", "value": { "path": "nope" } }),
    ]);

    let answer = hub.ask(Person::Alice, Method::POST, COMMIT, body).await;

    assert_eq!(answer.status, 404);
    assert_eq!(answer.header("x-error-code"), Some("EntryNotFound"));
}

#[tokio::test]
async fn bodies_that_are_no_commit_are_refused_and_change_nothing() {
    let hub = hub_with_model().await;
    let before = hub
        .get(Person::Nobody, "/api/models/alice/small")
        .await
        .json();
    let file = |path: &str| json!({ "key": "file", "value": { "path": path, "content": "eA==", "encoding": "base64" } });

    for (body, status) in [
        (Body::empty(), 400),
        (Body::from("not json"), 400),
        (lines(&[file("a")]), 400),
        (lines(&[header(), header()]), 400),
        (
            lines(&[header(), json!({ "key": "explode", "value": {} })]),
            400,
        ),
        (lines(&[header(), file("../a")]), 422),
        (lines(&[header(), file(".git/config")]), 422),
        (lines(&[header(), file("a\\b")]), 422),
        (lines(&[header(), file("/etc/passwd")]), 422),
    ] {
        let answer = hub.ask(Person::Alice, Method::POST, COMMIT, body).await;

        assert_eq!(answer.status, status, "{}", answer.text());
    }
    let after = hub
        .get(Person::Nobody, "/api/models/alice/small")
        .await
        .json();
    assert_eq!(before["sha"], after["sha"]);
}

#[tokio::test]
async fn strangers_are_sent_away_and_may_open_a_pull_request() {
    let hub = hub_with_model().await;
    let files = [("a.txt", "1")];

    let nobody = hub
        .commit(Person::Nobody, "models/alice/small", &files)
        .await;
    let stranger = hub.commit(Person::Bob, "models/alice/small", &files).await;
    let pull = hub.pull(Person::Bob, "models/alice/small", &files).await;

    assert_eq!(nobody.status, 401);
    assert_eq!(stranger.status, 403);
    let pull = pull.expect(200).json();
    assert_eq!(
        pull["pullRequestUrl"],
        "http://127.0.0.1:8460/alice/small/discussions/1"
    );
    let read = hub
        .get(Person::Nobody, "/alice/small/resolve/refs%2Fpr%2F1/a.txt")
        .await;
    assert_eq!(read.expect(200).text(), "1");
    let on_main = hub
        .get(Person::Nobody, "/alice/small/resolve/main/a.txt")
        .await;
    assert_eq!(on_main.status, 404);
}

#[tokio::test]
async fn a_bad_result_file_is_refused_with_its_place_and_changes_nothing() {
    let hub = hub_with_model().await;
    let bad = "- dataset: {id: alice/bench, task_id: default}\n  value: high\n";

    let answer = hub
        .commit(
            Person::Alice,
            "models/alice/small",
            &[(".eval_results/bench.yaml", bad)],
        )
        .await;

    let answer = answer.expect(400);
    let json = answer.json();
    let finding = &json["diagnostics"][0];
    assert_eq!(finding["severity"], "error");
    assert_eq!(finding["place"]["file"], ".eval_results/bench.yaml");
    assert_eq!(finding["place"]["line"], 2);
    let message = answer.header("x-error-message").unwrap();
    assert!(message.contains(".eval_results/bench.yaml:2:"), "{message}");
    // The body has what git prints: the line, a caret, and each finding once.
    let text = json["error"].as_str().unwrap();
    let code = finding["code"].as_str().unwrap();
    assert_eq!(
        text.matches(&format!("error[{code}]: ")).count(),
        1,
        "{text}"
    );
    assert!(text.contains("--> .eval_results/bench.yaml:2:"), "{text}");
    assert!(text.contains(" ^"), "{text}");
    let file = hub
        .get(
            Person::Nobody,
            "/alice/small/resolve/main/.eval_results/bench.yaml",
        )
        .await;
    assert_eq!(file.status, 404);
}

#[tokio::test]
async fn warnings_do_not_refuse_and_are_told_in_headers() {
    let hub = hub_with_model().await;
    let pending = "- dataset: {id: alice/unknown-bench, task_id: default}\n  value: 1.5\n";

    let answer = hub
        .commit(
            Person::Alice,
            "models/alice/small",
            &[(".eval_results/unknown_bench.yaml", pending)],
        )
        .await;

    let answer = answer.expect(200);
    let warning = answer.header("x-hf-warning").unwrap();
    assert!(warning.contains("; warning["), "{warning}");
}

#[tokio::test]
async fn preupload_tells_how_each_file_is_sent_and_what_is_there_already() {
    let hub = hub_with_model().await;
    hub.commit(Person::Alice, "models/alice/small", &[("a.txt", "hello\n")])
        .await
        .expect(200);
    let question = json!({
        "files": [
            { "path": "a.txt", "sample": "aGVsbG8K", "size": 6 },
            { "path": "z.log", "sample": "eg==", "size": 1 },
        ],
        "gitIgnore": "*.log\n",
    });

    let answer = hub
        .post(
            Person::Alice,
            "/api/models/alice/small/preupload/main",
            question.clone(),
        )
        .await;
    let missing = hub
        .post(
            Person::Alice,
            "/api/models/alice/small/preupload/nope",
            question.clone(),
        )
        .await;
    let stranger = hub
        .post(
            Person::Bob,
            "/api/models/alice/small/preupload/main",
            question.clone(),
        )
        .await;
    let pull = hub
        .post(
            Person::Bob,
            "/api/models/alice/small/preupload/main?create_pr=1",
            question,
        )
        .await;

    let files = answer.expect(200).json()["files"].clone();
    assert_eq!(
        files,
        json!([
            {
                "path": "a.txt",
                "uploadMode": "regular",
                "shouldIgnore": false,
                "oid": "ce013625030ba8dba906f756967f9e9ca394464a",
            },
            { "path": "z.log", "uploadMode": "regular", "shouldIgnore": true },
        ])
    );
    assert_eq!(missing.status, 404);
    assert_eq!(missing.header("x-error-code"), Some("RevisionNotFound"));
    assert_eq!(stranger.status, 403);
    assert_eq!(pull.status, 200);
}
