//! Answers that are kept: they stay while nothing they tell has changed, and go when something has.

use assay_server::{Person, TestHub};
use serde_json::{Value, json};

const BOARD: &str = "/api/datasets/alice/bench/leaderboard";
const SMALL: &str = "/api/models/alice/small?expand=evalResults";
const FILE: &str = ".eval_results/bench.yaml";

fn definition(metric: &str) -> String {
    format!(
        "name: Bench\ndescription: A benchmark\nmetrics:\n  - {{id: {metric}, display_name: Metric, higher_is_better: \
         true, primary: true}}\ntasks:\n  - {{id: default}}\n"
    )
}

fn results(benchmark: &str, value: f64) -> String {
    format!(
        "- dataset: {{id: {benchmark}, task_id: default}}\n  metrics:\n    - {{metric_id: accuracy, value: {value}}}\n"
    )
}

/// Two benchmarks, with a model on each.
async fn two_boards() -> TestHub {
    let hub = TestHub::new().await;
    for (bench, model, value) in [("bench", "small", 0.25), ("other", "large", 0.5)] {
        let (dataset, repo) = (
            format!("datasets/alice/{bench}"),
            format!("models/alice/{model}"),
        );
        hub.create(Person::Alice, &dataset).await.expect(200);
        let text = definition("accuracy");
        hub.commit(Person::Alice, &dataset, &[("eval.yaml", &text)])
            .await
            .expect(200);
        hub.create(Person::Alice, &repo).await.expect(200);
        let text = results(&format!("alice/{bench}"), value);
        hub.commit(Person::Alice, &repo, &[(FILE, &text)])
            .await
            .expect(200);
    }
    hub
}

/// Returns the number of answers that were given again so far.
async fn hits(hub: &TestHub) -> u64 {
    let text = hub.get(Person::Nobody, "/metrics").await.text();
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("assay_cache_hits_total "));
    line.unwrap().parse().unwrap()
}

/// Returns whether an address is answered with what was given before.
async fn is_kept(hub: &TestHub, path: &str) -> bool {
    let before = hits(hub).await;
    hub.get(Person::Nobody, path).await.expect(200);
    hits(hub).await > before
}

async fn value(hub: &TestHub, path: &str) -> Value {
    let json = hub.get(Person::Nobody, path).await.expect(200).json();
    json[0]["value"].clone()
}

#[tokio::test]
async fn a_change_elsewhere_ends_no_answer() {
    let hub = two_boards().await;
    for path in [BOARD, SMALL] {
        assert!(!is_kept(&hub, path).await);
    }

    let text = results("alice/other", 0.75);
    hub.commit(Person::Alice, "models/alice/large", &[(FILE, &text)])
        .await
        .expect(200);
    hub.commit(Person::Alice, "datasets/alice/bench", &[("data.txt", "1")])
        .await
        .expect(200);

    for path in [BOARD, SMALL] {
        assert!(is_kept(&hub, path).await, "{path}");
    }
}

#[tokio::test]
async fn a_new_result_ends_the_answers_of_its_board_and_its_model() {
    let hub = two_boards().await;
    hub.get(Person::Nobody, SMALL).await.expect(200);
    assert_eq!(value(&hub, BOARD).await, 0.25);

    let text = results("alice/bench", 0.75);
    hub.commit(Person::Alice, "models/alice/small", &[(FILE, &text)])
        .await
        .expect(200);

    assert_eq!(value(&hub, BOARD).await, 0.75);
    let model = hub.get(Person::Nobody, SMALL).await.expect(200).text();
    assert!(model.contains("0.75") && !model.contains("0.25"), "{model}");
}

#[tokio::test]
async fn a_changed_definition_ends_the_answers_of_its_board_and_of_all_models() {
    let hub = two_boards().await;
    for path in [BOARD, SMALL] {
        hub.get(Person::Nobody, path).await.expect(200);
    }

    let text = definition("score");
    hub.commit(
        Person::Alice,
        "datasets/alice/bench",
        &[("eval.yaml", &text)],
    )
    .await
    .expect(200);

    for path in [BOARD, SMALL] {
        assert!(!is_kept(&hub, path).await, "{path}");
    }
    assert_eq!(
        hub.get(Person::Nobody, BOARD).await.json(),
        json!([]),
        "no result has the new metric"
    );
}

#[tokio::test]
async fn a_model_that_is_renamed_hidden_or_deleted_is_no_longer_told_of() {
    let hub = two_boards().await;
    let renamed = "/api/models/alice/tiny?expand=evalResults";
    for path in [BOARD, SMALL] {
        hub.get(Person::Nobody, path).await.expect(200);
    }

    let body = json!({ "fromRepo": "alice/small", "toRepo": "alice/tiny", "type": "model" });
    hub.post(Person::Alice, "/api/repos/move", body)
        .await
        .expect(200);
    let old_name = hub.get(Person::Nobody, SMALL).await.status;
    let new_name = hub.get(Person::Nobody, renamed).await.status;
    let board = hub.get(Person::Nobody, BOARD).await.json();
    let body = json!({ "private": true });
    hub.put(Person::Alice, "/api/models/alice/tiny/settings", body)
        .await
        .expect(200);
    let hidden = hub.get(Person::Nobody, renamed).await.status;
    let without = hub.get(Person::Nobody, BOARD).await.json();

    assert_eq!((old_name, new_name, hidden), (307, 200, 401));
    assert_eq!(board[0]["modelId"], "alice/tiny");
    assert_eq!(without, json!([]));
}

#[tokio::test]
async fn what_is_given_again_is_counted_under_its_route_and_has_an_id_of_its_own() {
    let hub = two_boards().await;
    let first = hub.get(Person::Nobody, BOARD).await.expect(200);
    let again = hub.get(Person::Nobody, BOARD).await.expect(200);

    let metrics = hub.get(Person::Nobody, "/metrics").await.text();

    let line = "assay_http_requests_total{method=\"GET\",route=\"/api/datasets/{namespace}/{name}/leaderboard\",status=\"200\"} 2";
    assert!(metrics.lines().any(|own| own == line), "{metrics}");
    assert_ne!(first.header("x-request-id"), again.header("x-request-id"));
    assert_eq!(first.body, again.body);
}

#[tokio::test]
async fn whoever_signs_in_is_not_given_what_nobody_in_particular_was_told() {
    let hub = two_boards().await;
    hub.get(Person::Nobody, BOARD).await.expect(200);
    let before = hits(&hub).await;

    hub.get(Person::Alice, BOARD).await.expect(200);
    hub.head(Person::Nobody, BOARD).await.expect(200);

    assert_eq!(hits(&hub).await, before);
}
