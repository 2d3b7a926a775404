use assay_app::EvalResult;
use assay_hub_api::CommitOperation;
use assay_model::{RepoKind, Standing};
use serde_json::json;
use std::sync::Arc;

use crate::support::{RESULTS, World, commit, repo_id, score, write};

async fn results(world: &World, model: &str) -> Arc<Vec<Arc<EvalResult>>> {
    let repo = world.model(model).await;
    world.hub.boards().model_results(&repo).await.unwrap()
}

#[tokio::test]
async fn a_result_has_the_keys_of_both_dialects_and_its_provenance() {
    let world = World::with_benchmark().await;
    let text = "- dataset: {id: ada/sums, task_id: words}\n  metrics:\n    - {metric_id: wer, value: 3.5}\n    - {metric_id: accuracy, value: 72.25}\n  framework: {name: inspect-ai, version: \"0.4.2\"}\n  source: {url: \"https://example.org/x\", name: Paper}\n  verify_token: a.b.c\n  custom: {kept: true}\n";
    let committed = world.results(&world.ada, "ada/small", text).await;

    let results = results(&world, "ada/small").await;

    let result = &results[0];
    assert_eq!(
        serde_json::Value::Object(result.data()),
        json!({
            "dataset": {"id": "ada/sums", "task_id": "words"},
            "metrics": [{"metric_id": "wer", "value": 3.5}, {"metric_id": "accuracy", "value": 72.25}],
            "framework": {"name": "inspect-ai", "version": "0.4.2"},
            "source": {"url": "https://example.org/x", "name": "Paper"},
            "verify_token": "a.b.c", "verifyToken": "a.b.c",
            "custom": {"kept": true},
            "value": 72.25, "metricId": "accuracy",
            "date": "2026-01-01T00:00:01.000Z",
        })
    );
    assert_eq!(result.commit, committed.commit);
    assert_eq!(result.file, RESULTS);
    assert_eq!(result.source_name.as_deref(), Some("Paper"));
    assert_eq!(result.submitter.as_deref(), Some("ada"));
    let Standing::Unverified { reason, .. } = &result.standing else {
        panic!("this is no token");
    };
    assert_eq!(reason, "token_malformed");
}

#[tokio::test]
async fn a_task_whose_results_lack_the_primary_metric_is_ranked_by_the_one_they_have() {
    let world = World::with_benchmark().await;
    let text =
        "- dataset: {id: ada/sums, task_id: words}\n  metrics:\n    - {metric_id: wer, value: 3}\n";
    world.results(&world.ada, "ada/small", text).await;

    let results = results(&world, "ada/small").await;

    assert_eq!(results[0].data()["value"], json!(3));
    assert_eq!(results[0].data()["metricId"], json!("wer"));
    assert_eq!(world.board(&world.ada).await, ["1 ada/small 3"]);
}

#[tokio::test]
async fn the_date_of_a_result_is_when_its_file_was_created() {
    let world = World::with_benchmark().await;
    world.results(&world.ada, "ada/small", &score(0.5)).await;
    world.clock.advance(60_000);
    world.results(&world.ada, "ada/small", &score(0.625)).await;

    let results = results(&world, "ada/small").await;

    assert_eq!(results[0].date, "2026-01-01T00:00:01.000Z");
    assert_eq!(results[0].committed.to_string(), "2026-01-01T00:01:02.000Z");
    world.check_index().await;
}

#[tokio::test]
async fn an_entry_that_moves_in_its_file_keeps_its_commit() {
    let world = World::with_benchmark().await;
    let first = world.results(&world.ada, "ada/small", &score(0.5)).await;
    let other = "- dataset: {id: ada/sums, task_id: digits}\n  value: 0.25\n";
    let both = format!("{other}{}", score(0.5));

    let second = world.results(&world.ada, "ada/small", &both).await;

    let results = results(&world, "ada/small").await;
    let commits: Vec<_> = results.iter().map(|result| result.commit).collect();
    assert_eq!(commits, [second.commit, first.commit]);
    world.check_index().await;
}

#[tokio::test]
async fn a_file_that_is_deleted_takes_its_results_with_it() {
    let world = World::with_benchmark().await;
    world.results(&world.ada, "ada/small", &score(0.5)).await;
    let path = RESULTS.parse().unwrap();
    let gone = vec![CommitOperation::DeleteFile { path }];
    let request = commit("main", false, gone);

    world
        .hub
        .repositories()
        .commit(&world.ada, RepoKind::Model, &repo_id("ada/small"), request)
        .await
        .unwrap();

    assert_eq!(results(&world, "ada/small").await.len(), 0);
    world.check_index().await;
}

#[tokio::test]
async fn several_commits_in_one_second_leave_one_history() {
    let world = World::with_benchmark().await;
    let model = repo_id("ada/small");
    for value in [0.25, 0.5, 0.25, 0.75] {
        let request = commit("main", false, vec![write(RESULTS, &score(value))]);
        let committed = world
            .hub
            .repositories()
            .commit(&world.ada, RepoKind::Model, &model, request)
            .await;
        committed.unwrap();
    }

    assert_eq!(world.board(&world.ada).await, ["1 ada/small 0.75"]);
    world.check_index().await;
}

#[tokio::test]
async fn a_long_push_gives_the_same_history_as_its_commits_one_by_one() {
    let mut world = World::with_benchmark().await;
    let info = world.create(&world.ada, RepoKind::Model, "long").await;
    let first = world.results(&world.ada, "ada/long", &score(0.0)).await;
    for step in 1..=70 {
        let value = f64::from(step) / 128.0;
        world.results(&world.ada, "ada/long", &score(value)).await;
    }
    let last = crate::support::head(&world, &info);
    crate::support::force_main(&world, &info, first.commit);
    world.reopen().await;
    assert_eq!(world.board(&world.ada).await, ["1 ada/long 0"]);

    // As one push of seventy commits would move it.
    crate::support::force_main(&world, &info, last);
    world.reopen().await;

    assert_eq!(world.board(&world.ada).await, ["1 ada/long 0.546875"]);
    world.check_index().await;
}
