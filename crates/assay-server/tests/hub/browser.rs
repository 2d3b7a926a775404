//! A hub with something to look at, and how a browser asks for it.

use assay_server::{Answer, Person, TestHub};
use axum::body::Body;
use axum::http::Request;

/// A benchmark with two tasks and metrics of both directions.
pub(crate) const EVAL: &str = "name: Sums\ndescription: Adding small numbers\nmetrics:\n  - {id: accuracy, display_name: Accuracy, \
    higher_is_better: true, primary: true, unit: percentage}\n  - {id: cost_usd, display_name: Cost, higher_is_better: \
    false, unit: usd}\ntasks:\n  - {id: easy}\n  - {id: hard}\n";

/// The board of the first task.
pub(crate) const BOARD: &str = "/datasets/alice/sums/leaderboard/easy";

/// A page as a browser asks for it.
pub(crate) async fn browse(hub: &TestHub, person: Person, path: &str) -> Answer {
    let request = Request::get(path)
        .header("accept", "text/html,application/xhtml+xml,*/*;q=0.8")
        .body(Body::empty())
        .unwrap();
    hub.send(person, request).await
}

/// The text of a page that is there.
pub(crate) async fn page(hub: &TestHub, path: &str) -> String {
    browse(hub, Person::Nobody, path).await.expect(200).text()
}

/// One result.
pub(crate) fn result(task: &str, accuracy: &str, cost: &str, date: &str) -> String {
    format!(
        "- dataset: {{id: alice/sums, task_id: {task}}}\n  metrics:\n    - {{metric_id: accuracy, value: {accuracy}}}\n    \
         - {{metric_id: cost_usd, value: {cost}}}\n  date: \"{date}\"\n  sample_size: 200\n  framework: {{name: adder, \
         version: \"1.2\"}}\n  source: {{url: \"https://example.org/log\", name: Logs}}\n  notes: \"run of {date}\"\n"
    )
}

/// Makes the benchmark of Alice.
pub(crate) async fn with_benchmark() -> TestHub {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "datasets/alice/sums")
        .await
        .expect(200);
    let files = [("eval.yaml", EVAL)];
    hub.commit(Person::Alice, "datasets/alice/sums", &files)
        .await
        .expect(200);
    hub
}

/// Makes a model with a card and one result.
pub(crate) async fn add_model(hub: &TestHub, person: Person, id: &str, card: &str, result: &str) {
    let repo = format!("models/{id}");
    hub.create(person, &repo).await.expect(200);
    let files = [("README.md", card), (".eval_results/sums.yaml", result)];
    hub.commit(person, &repo, &files).await.expect(200);
}

/// The benchmark with four models, one of them made from another, and an open pull request.
pub(crate) async fn with_board() -> TestHub {
    let hub = with_benchmark().await;
    let card = |more: &str| format!("---\nlicense: mit\n{more}---\n# About\n\nA *model*.\n");
    for (person, id, more, accuracy, cost, date) in [
        (
            Person::Alice,
            "alice/small",
            "parameters: 3B\n",
            "50.50",
            "0.2",
            "2026-01-01",
        ),
        (
            Person::Bob,
            "bob/large",
            "parameters: 70B\n",
            "75.25",
            "4.0",
            "2026-01-05",
        ),
        (Person::Bob, "bob/twin", "", "75.25", "5.0", "2026-01-07"),
        (
            Person::Alice,
            "alice/tuned",
            "base_model: bob/large\nparameters: 70B\n",
            "80.00",
            "6.0",
            "2026-01-09",
        ),
    ] {
        hub.pass(60);
        add_model(
            &hub,
            person,
            id,
            &card(more),
            &result("easy", accuracy, cost, date),
        )
        .await;
    }
    hub.pass(60);
    let proposed = result("easy", "51.00", "0.3", "2026-02-01");
    let files = [(".eval_results/other.yaml", proposed.as_str())];
    hub.pull(Person::Bob, "models/alice/small", &files)
        .await
        .expect(200);
    hub
}

/// The models of a board in the order of its rows.
pub(crate) fn models(page: &str) -> Vec<String> {
    let rows = page.split("<tr").skip(1);
    rows.filter_map(|row| {
        let link = row.split("<a class=\"model\" href=\"/").nth(1)?;
        Some(link.split('"').next()?.to_owned())
    })
    .collect()
}
