//! The standings of a lake are the boards of the hub that fills it.

use std::fmt::Write as _;

use assay_server::Person;

use crate::hub_fill::Filled;
use crate::support::Run;

const BENCHMARK: &str = "alice/arith";
const TASKS: [&str; 2] = ["sums", "products"];
const METRICS: [&str; 3] = ["exact_match", "errors", "tail"];

/// Two metrics of the whole, of opposite directions, and one of a slice.
const DEFINITION: &str = "\
name: Arith
description: Sums and products
comparable_by: [judge]
metrics:
  - {id: exact_match, display_name: Exact match, higher_is_better: true, primary: true}
  - {id: errors, display_name: Errors, higher_is_better: false, primary: false}
  - {id: tail, display_name: Tail, higher_is_better: true, primary: false, slice: long}
tasks:
  - id: sums
  - id: products
";

/// A few results of each model: runs of one setup, setups of one model, subsets, judges, nameless
/// values, slices and ties.
const RESULTS: [(&str, &str); 5] = [
    (
        "alice/one",
        "\
- {dataset: {id: alice/arith, task_id: sums}, value: 0.25, date: '2026-01-01', setup: {shots: '0'}}
- {dataset: {id: alice/arith, task_id: sums}, value: 0.75, date: '2026-01-02', setup: {shots: '0'}}
- {dataset: {id: alice/arith, task_id: sums}, value: 0.5, date: '2026-01-03', setup: {shots: '5'}}
- {dataset: {id: alice/arith, task_id: products}, value: 0.5, date: '2026-01-03'}
",
    ),
    (
        "alice/two",
        "\
- dataset: {id: alice/arith, task_id: sums}
  date: '2026-01-05'
  metrics:
    - {metric_id: exact_match, value: 0.5}
    - {metric_id: errors, value: 12}
    - {metric_id: tail, value: 0.125, slice: long}
- dataset: {id: alice/arith, task_id: sums}
  date: '2026-01-05'
  metrics:
    - {metric_id: exact_match, value: 1}
    - {metric_id: errors, value: 2}
",
    ),
    (
        "alice/three",
        "\
- {dataset: {id: alice/arith, task_id: sums}, value: 0.75, date: '2026-01-04', setup: {judge: strict}}
- {dataset: {id: alice/arith, task_id: products}, value: 0.5, date: '2026-01-02'}
",
    ),
    (
        "alice/four",
        "\
- {dataset: {id: alice/arith, task_id: sums}, value: 0.9, date: '2026-01-04', benchmark_subset: first 20}
- {dataset: {id: alice/arith, task_id: sums}, value: 0.3, date: '2026-01-04', setup: {judge: strict}}
- {dataset: {id: alice/arith, task_id: sums}, value: 0.2, date: '2026-01-09', setup: {judge: strict}}
",
    ),
    (
        "alice/five",
        "\
- dataset: {id: Alice/Arith, task_id: sums}
  date: '2026-01-05'
  metrics:
    - {metric_id: errors, value: 7, slice: short}
    - {metric_id: errors, value: 2}
    - {metric_id: exact_match, value: 0.125}
",
    ),
];

/// The rows of a board, a line each: model, rank, value, runs, setups and setup, in an order that
/// both sides can make.
fn sorted(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut lines: Vec<String> = lines.collect();
    lines.sort();
    lines
}

impl Filled {
    async fn board_of_hub(&self, benchmark: &str, task: &str, metric: &str) -> Vec<String> {
        let path = format!(
            "/api/datasets/{benchmark}/leaderboard?task_id={task}&metric_id={metric}&limit=1000"
        );
        let board = self.hub.get(Person::Nobody, &path).await.expect(200).json();
        let rows = board.as_array().unwrap().iter().map(|row| {
            format!(
                "{} {} {} {} {} {}",
                row["modelId"].as_str().unwrap(),
                row["rank"],
                row["value"].as_f64().unwrap(),
                row["runs"],
                row["setups"]["count"],
                row.get("setup")
                    .map_or_else(String::new, ToString::to_string),
            )
        });
        sorted(rows)
    }

    async fn board_of_lake(&self, benchmark: &str, task: &str, metric: &str) -> Vec<String> {
        let sql = format!(
            "SELECT model, rank, score, runs, setups, setup FROM standings \
             WHERE benchmark = '{benchmark}' AND task = '{task}' AND metric = '{metric}' AND slice IS NULL"
        );
        let body = serde_json::json!({ "query": sql, "format": "json" });
        let answer = self.hub.post(Person::Nobody, "/api/sql", body).await;
        let answer = answer.expect(200).json();
        let rows = answer["rows"].as_array().unwrap().iter().map(|row| {
            format!(
                "{} {} {} {} {} {}",
                row["model"].as_str().unwrap(),
                row["rank"],
                row["score"].as_f64().unwrap(),
                row["runs"],
                row["setups"],
                row["setup"].as_str().unwrap_or_default(),
            )
        });
        sorted(rows)
    }

    async fn push(&self, kind: &str, name: &str, path: &str, text: &str) {
        let repo = format!("{kind}/{name}");
        self.hub.create(Person::Alice, &repo).await.expect(200);
        let files = [(path, text)];
        self.hub
            .commit(Person::Alice, &repo, &files)
            .await
            .expect(200);
    }
}

#[tokio::test]
async fn the_standings_of_a_lake_are_the_boards_of_its_hub() {
    let filled = Filled::new().await;
    filled
        .push("datasets", BENCHMARK, "eval.yaml", DEFINITION)
        .await;
    for (model, text) in RESULTS {
        filled
            .push("models", model, ".eval_results/arith.yaml", text)
            .await;
    }

    let report = filled.hub.fill_lake().await.unwrap();

    assert_eq!(report.refused.len(), 0, "{report:?}");
    let mut boards = String::new();
    for task in TASKS {
        for metric in METRICS {
            let of_hub = filled.board_of_hub(BENCHMARK, task, metric).await;
            let of_lake = filled.board_of_lake(BENCHMARK, task, metric).await;
            assert_eq!(of_lake, of_hub, "{task} by {metric}");
            writeln!(boards, "{task} {metric} {}", of_hub.len()).unwrap();
        }
    }
    // What is compared is there: three groups of the first board, ties and slices of the others.
    assert_eq!(
        boards,
        "sums exact_match 6\nsums errors 2\nsums tail 1\nproducts exact_match 2\nproducts errors 0\nproducts tail 0\n"
    );
}

#[tokio::test]
async fn a_record_in_a_benchmark_has_the_names_of_the_board_and_its_result_is_there_once() {
    let filled = Filled::new().await;
    let run = Run {
        model: "alice/one",
        ..Run::all()[0].clone()
    };
    filled.push_run("datasets/alice/arith", &run).await;
    let before = filled.hub.fill_lake().await.unwrap();
    let names = "SELECT DISTINCT benchmark, model, task FROM instances";
    let without_definition = filled.answer(names).await;
    let files = [("eval.yaml", DEFINITION)];
    filled
        .hub
        .commit(Person::Alice, "datasets/alice/arith", &files)
        .await
        .expect(200);
    filled.hub.fill_lake().await.unwrap();
    let defined = filled.answer(names).await;
    let alone = filled
        .answer("SELECT model, origin, score FROM standings WHERE task = 'sums'")
        .await;
    let entry = "- {dataset: {id: alice/arith, task_id: sums}, value: 0.5, date: '2026-01-01'}\n";
    filled
        .push("models", "alice/one", ".eval_results/arith.yaml", entry)
        .await;
    filled.hub.fill_lake().await.unwrap();

    assert_eq!((before.added, before.refused.len()), (1, 0), "{before:?}");
    let head = "benchmark,model,task\n";
    assert_eq!(without_definition, format!("{head}arith,alice/one,sums\n"));
    assert_eq!(defined, format!("{head}alice/arith,alice/one,sums\n"));
    assert_eq!(alone, "model,origin,score\nalice/one,record,0.5\n");
    let once = "SELECT benchmark, model, origin FROM results";
    assert_eq!(
        filled.answer(once).await,
        "benchmark,model,origin\nalice/arith,alice/one,entry\n"
    );
    let all = "SELECT origin FROM reported ORDER BY origin";
    assert_eq!(filled.answer(all).await, "origin\nentry\nrecord\n");
    // The samples follow from the record as before, and lead to the model of the board.
    let samples =
        "SELECT count(*) AS n FROM instances i JOIN standings s USING (benchmark, task, model)";
    assert_eq!(filled.answer(samples).await, "n\n8\n");
}
