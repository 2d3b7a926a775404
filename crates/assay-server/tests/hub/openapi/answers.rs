use assay_server::{Person, TestHub};
use serde_json::{Value, json};

use super::document;

const BENCHMARK: &str = "name: Sums
description: Sums in words.
metrics:
  - id: accuracy
    display_name: Accuracy
    higher_is_better: true
    primary: true
tasks:
  - id: sums
    config: default
    split: test
";
const RESULT: &str =
    "- dataset:\n    id: alice/sums\n    task_id: sums\n  value: 0.5\n  date: '2026-01-05'\n";

/// A hub with a benchmark, a result on `main` and one in a pull request.
async fn filled() -> TestHub {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "datasets/alice/sums")
        .await
        .expect(200);
    hub.commit(
        Person::Alice,
        "datasets/alice/sums",
        &[("eval.yaml", BENCHMARK)],
    )
    .await
    .expect(200);
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    let card = ("README.md", "---\nlicense: mit\n---\n");
    hub.commit(
        Person::Alice,
        "models/alice/small",
        &[card, (".eval_results/sums.yaml", RESULT)],
    )
    .await
    .expect(200);
    let other = RESULT.replace("0.5", "0.75");
    hub.pull(
        Person::Bob,
        "models/alice/small",
        &[(".eval_results/more.yaml", &other)],
    )
    .await
    .expect(200);
    hub
}

/// Returns whether an answer is what the document says of a path, a method and a status.
fn faults(document: &Value, path: &str, method: &str, status: u16, answer: &Value) -> Vec<String> {
    let response = &document["paths"][path][method]["responses"][status.to_string()];
    let response = match response["$ref"].as_str() {
        Some(place) => document.pointer(&place[1..]).unwrap(),
        None => response,
    };
    let mut schema = response["content"]["application/json"]["schema"].clone();
    assert!(
        schema.is_object(),
        "{method} {path} {status} is not described"
    );
    schema["components"] = document["components"].clone();
    let validator = jsonschema::validator_for(&schema).unwrap();
    validator
        .iter_errors(answer)
        .map(|error| format!("{method} {path}: {error} at {}", error.instance_path()))
        .collect()
}

#[tokio::test]
async fn what_the_hub_answers_is_what_the_document_says() {
    let hub = filled().await;
    let document = document().await;
    let of_model = "/api/models/{namespace}/{name}";
    let questions = [
        ("/api/whoami-v2".to_owned(), "/api/whoami-v2", 200),
        (
            "/api/users/{account}/overview".to_owned(),
            "/api/users/bob/overview",
            200,
        ),
        (
            "/api/users/{account}/overview".to_owned(),
            "/api/users/carol/overview",
            404,
        ),
        (
            "/api/models".to_owned(),
            "/api/models?full=true&expand=evalResults&expand=siblings",
            200,
        ),
        (
            "/api/datasets".to_owned(),
            "/api/datasets?filter=benchmark",
            200,
        ),
        (
            of_model.to_owned(),
            "/api/models/alice/small?blobs=true",
            200,
        ),
        (
            of_model.to_owned(),
            "/api/models/alice/small?expand=evalResults",
            200,
        ),
        (of_model.to_owned(), "/api/models/alice/none", 404),
        (
            format!("{of_model}/refs"),
            "/api/models/alice/small/refs?include_prs=1",
            200,
        ),
        (
            format!("{of_model}/tree/{{revision}}"),
            "/api/models/alice/small/tree/main?recursive=1&expand=1",
            200,
        ),
        (
            format!("{of_model}/commits/{{revision}}"),
            "/api/models/alice/small/commits/main",
            200,
        ),
        (
            format!("{of_model}/discussions"),
            "/api/models/alice/small/discussions",
            200,
        ),
        (
            format!("{of_model}/discussions/{{num}}"),
            "/api/models/alice/small/discussions/1?diff=1",
            200,
        ),
        (
            "/api/datasets/{namespace}/{name}/leaderboard".to_owned(),
            "/api/datasets/alice/sums/leaderboard?policy=all",
            200,
        ),
        (
            "/api/settings/webhooks".to_owned(),
            "/api/settings/webhooks",
            200,
        ),
    ];

    let mut found = Vec::new();
    for (path, asked, status) in &questions {
        let answer = hub.get(Person::Alice, asked).await.expect(*status);
        found.extend(faults(&document, path, "get", *status, &answer.json()));
    }

    assert!(found.is_empty(), "{found:#?}");
}

#[tokio::test]
async fn what_the_hub_answers_to_changes_is_what_the_document_says() {
    let hub = filled().await;
    let document = document().await;
    let of_model = "/api/models/{namespace}/{name}";
    let below = |rest: &str| format!("/api/models/alice/small{rest}");
    let broken = RESULT.replace("0.5", "lots");

    let mut found = Vec::new();
    let mut judge = |path: &str, status: u16, answer: assay_server::Answer| {
        let json = answer.expect(status).json();
        found.extend(faults(&document, path, "post", status, &json));
    };
    let commit = format!("{of_model}/commit/{{revision}}");
    let told = hub
        .commit(Person::Alice, "models/alice/small", &[("a.txt", "a")])
        .await;
    judge(&commit, 200, told);
    let told = hub
        .pull(Person::Bob, "models/alice/small", &[("b.txt", "b")])
        .await;
    judge(&commit, 200, told);
    let refused = [(".eval_results/sums.yaml", broken.as_str())];
    let told = hub
        .commit(Person::Alice, "models/alice/small", &refused)
        .await;
    judge(&commit, 400, told);
    let new = json!({ "title": "A question", "description": "Why?" });
    let told = hub.post(Person::Bob, &below("/discussions"), new).await;
    judge(&format!("{of_model}/discussions"), 200, told);
    let said = json!({ "comment": "Because." });
    let told = hub
        .post(Person::Alice, &below("/discussions/1/comment"), said)
        .await;
    judge(
        &format!("{of_model}/discussions/{{num}}/comment"),
        200,
        told,
    );
    let title = json!({ "title": "A better title" });
    let told = hub
        .post(Person::Alice, &below("/discussions/1/title"), title)
        .await;
    judge(&format!("{of_model}/discussions/{{num}}/title"), 200, told);
    let told = hub
        .post(Person::Alice, &below("/discussions/1/merge"), json!({}))
        .await;
    judge(&format!("{of_model}/discussions/{{num}}/merge"), 200, told);
    let closed = json!({ "status": "closed", "comment": "no" });
    let told = hub
        .post(Person::Alice, &below("/discussions/2/status"), closed)
        .await;
    judge(&format!("{of_model}/discussions/{{num}}/status"), 200, told);
    let repo = json!({ "name": "small", "type": "model" });
    let told = hub.post(Person::Alice, "/api/repos/create", repo).await;
    judge("/api/repos/create", 409, told);
    let files = json!({ "files": [{ "path": "a.txt", "size": 1, "sample": "YQ==" }] });
    let told = hub
        .post(Person::Alice, &below("/preupload/main"), files)
        .await;
    judge(&format!("{of_model}/preupload/{{revision}}"), 200, told);

    assert!(found.is_empty(), "{found:#?}");
}
