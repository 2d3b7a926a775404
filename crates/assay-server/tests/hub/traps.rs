//! Traps that existing clients stumble over, each with its number.

use assay_server::{Person, TestHub};
use axum::body::Body;
use axum::http::Method;
use serde_json::{Value, json};

const BOARD: &str = "/api/datasets/alice/bench/leaderboard";
const EVAL: &str = "name: Bench\ndescription: A benchmark\nmetrics:\n  - {id: wer, display_name: Errors, \
                    higher_is_better: false}\n  - {id: accuracy, display_name: Accuracy, higher_is_better: true, \
                    primary: true}\ntasks:\n  - {id: easy}\n  - {id: hard}\n";
const FILE: &str = ".eval_results/bench.yaml";
/// A result in the dialect with a list of metrics, and one in the dialect with a single value.
const RESULTS: &str = "- dataset: {id: alice/bench, task_id: easy}\n  metrics:\n    - {metric_id: wer, value: 9}\n    - \
                       {metric_id: accuracy, value: 50.5}\n- dataset: {id: alice/bench, task_id: hard}\n  value: 12.5\n";

/// The benchmark `alice/bench`, the model `alice/base` and `bob/tuned`, which is made from it.
async fn hub_with_results() -> TestHub {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "datasets/alice/bench")
        .await
        .expect(200);
    let eval = [("eval.yaml", EVAL)];
    hub.commit(Person::Alice, "datasets/alice/bench", &eval)
        .await
        .expect(200);
    hub.create(Person::Alice, "models/alice/base")
        .await
        .expect(200);
    hub.commit(Person::Alice, "models/alice/base", &[(FILE, RESULTS)])
        .await
        .expect(200);
    hub.create(Person::Bob, "models/bob/tuned")
        .await
        .expect(200);
    let card = "---\nbase_model: alice/base\n---\n";
    hub.commit(
        Person::Bob,
        "models/bob/tuned",
        &[(FILE, RESULTS), ("README.md", card)],
    )
    .await
    .expect(200);
    hub
}

async fn board(hub: &TestHub, query: &str) -> Vec<Value> {
    let answer = hub.get(Person::Nobody, &format!("{BOARD}{query}")).await;
    answer.expect(200).json().as_array().unwrap().clone()
}

fn models(rows: &[Value]) -> Vec<&str> {
    rows.iter()
        .map(|row| row["modelId"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn t02_every_result_has_the_value_and_the_dataset_that_the_client_needs() {
    let hub = hub_with_results().await;

    let info = hub
        .get(Person::Nobody, "/api/models/alice/base?expand=evalResults")
        .await
        .expect(200)
        .json();

    let results = info["evalResults"].as_array().unwrap();
    assert_eq!(results.len(), 2, "{info}");
    let values: Vec<&Value> = results.iter().map(|one| &one["data"]["value"]).collect();
    assert_eq!(values, [&json!(50.5), &json!(12.5)]);
    for result in results {
        assert_eq!(result["filename"], FILE);
        assert_eq!(result["verified"], false);
        let data = &result["data"];
        assert_eq!(data["dataset"]["id"], "alice/bench");
        assert!(data["dataset"]["task_id"].is_string(), "{data}");
        // What has no token must not have the key: the client reads `verifyToken` as text.
        assert_eq!(data.get("verifyToken"), None, "{data}");
        assert_eq!(result.get("pullRequest"), None, "{result}");
    }
}

#[tokio::test]
async fn t03_every_row_of_a_board_has_the_keys_that_the_client_insists_on() {
    let hub = hub_with_results().await;
    let sourced = format!("{RESULTS}  source: {{url: \"https://example.org/log\"}}\n");
    hub.pull(Person::Bob, "models/alice/base", &[(FILE, &sourced)])
        .await
        .expect(200);

    for task in ["easy", "hard"] {
        let query = format!("?task_id={task}&policy=all&base_model=false");
        let rows = board(&hub, &query).await;

        assert!(rows.len() >= 2, "{rows:?}");
        for row in rows {
            assert!(row["rank"].as_u64().is_some_and(|rank| rank > 0), "{row}");
            assert!(row["value"].is_number(), "{row}");
            for key in ["modelId", "filename"] {
                assert!(row[key].is_string(), "{key} of {row}");
            }
            assert!(row["verified"].is_boolean(), "{row}");
            assert!(row["author"]["type"].is_string(), "{row}");
            assert!(row["author"]["name"].is_string(), "{row}");
            // A source may be absent, but one without an address stops the client.
            let source = row.get("source").filter(|source| !source.is_null());
            assert!(
                source.is_none_or(|source| source["url"].is_string()),
                "{row}"
            );
        }
    }
}

#[tokio::test]
async fn t04_models_made_from_others_come_under_either_name_of_the_parameter() {
    let hub = hub_with_results().await;

    for (query, expected) in [
        ("", vec!["alice/base"]),
        ("?base_model=true", vec!["alice/base"]),
        ("?base_model_only=true", vec!["alice/base"]),
        ("?base_model=false", vec!["alice/base", "bob/tuned"]),
        ("?base_model_only=false", vec!["alice/base", "bob/tuned"]),
    ] {
        let rows = board(&hub, query).await;

        let mut shown = models(&rows);
        shown.sort_unstable();
        assert_eq!(shown, expected, "{query}");
    }
}

#[tokio::test]
async fn t05_who_names_nothing_gets_the_first_task_and_the_primary_metric() {
    let hub = hub_with_results().await;

    let plain = hub.get(Person::Nobody, BOARD).await.expect(200);
    let chosen = board(&hub, "?task_id=easy&metric_id=wer").await;
    let hard = board(&hub, "?task_id=hard").await;

    assert_eq!(plain.header("x-assay-task"), Some("easy"));
    assert_eq!(plain.header("x-assay-metric"), Some("accuracy"));
    assert_eq!(plain.json()[0]["value"], 50.5);
    assert_eq!(chosen[0]["value"], 9.0);
    assert_eq!(hard[0]["value"], 12.5);
}

/// The lines of a commit of the results, after a parent or wherever the branch is.
fn lines(parent: Option<&str>) -> String {
    let mut header = json!({ "summary": "Add results", "description": "" });
    if let Some(parent) = parent {
        header["parentCommit"] = parent.into();
    }
    let file = json!({
        "path": ".eval_results/late.yaml",
        "content": "LSBkYXRhc2V0OiB7aWQ6IGFsaWNlL2JlbmNoLCB0YXNrX2lkOiBlYXN5fQogIHZhbHVlOiAxCg==",
        "encoding": "base64",
    });
    let (header, file) = (
        json!({ "key": "header", "value": header }),
        json!({ "key": "file", "value": file }),
    );
    format!("{header}\n{file}")
}

#[tokio::test]
async fn t28_a_commit_whose_answer_got_lost_is_found_again_and_not_made_twice() {
    let hub = hub_with_results().await;
    let api = "/api/models/alice/base";
    let count = async || {
        let log = hub
            .get(Person::Nobody, &format!("{api}/commits/main"))
            .await;
        log.expect(200).json().as_array().unwrap().len()
    };
    let send = async |parent: Option<&str>| {
        let path = format!("{api}/commit/main");
        let body = Body::from(lines(parent));
        hub.ask(Person::Alice, Method::POST, &path, body).await
    };
    let head = hub.get(Person::Nobody, api).await.json();
    let parent = head["sha"].as_str().unwrap().to_owned();

    for parent in [Some(parent.as_str()), Some(&parent[..7]), None] {
        let before = count().await;
        let first = send(parent).await.expect(200).json();
        hub.pass(30);
        let second = send(parent).await.expect(200).json();

        assert_eq!(second["commitOid"], first["commitOid"], "{parent:?}");
        assert!(count().await <= before + 1, "{parent:?}");
    }
    // Somebody else went on meanwhile, and it is still the same commit.
    let log = hub
        .get(Person::Nobody, &format!("{api}/commits/main"))
        .await;
    let made = log.json()[0]["id"].clone();
    hub.commit(Person::Alice, "models/alice/base", &[("notes.md", "x")])
        .await
        .expect(200);
    let third = send(Some(&parent)).await.expect(200).json();
    assert_eq!(third["commitOid"], made);
    // Another one with the same parent is late, and is told so.
    let other = lines(Some(&parent)).replace("Add results", "Add other results");
    let refused = hub
        .ask(
            Person::Alice,
            Method::POST,
            &format!("{api}/commit/main"),
            Body::from(other),
        )
        .await;
    assert_eq!(refused.status, 412, "{}", refused.text());
}
