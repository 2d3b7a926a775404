//! Findings stay with a result, and a value in doubt is never announced.

use assay_app::{Caller, HookEvent, HookPlace, InFlight};
use assay_model::RepoKind;
use serde_json::Value as Json;

use crate::support::{SUMS, World, everyone, lines, repo_id, score};

/// A score that no number of right answers among 25 gives, as the file itself tells.
const UNREACHABLE: &str = "\
- dataset: {id: ada/sums, task_id: words}
  metrics: [{metric_id: accuracy, value: 99.12345678, value_type: percentage, sample_size: 25}]
";

async fn codes(world: &World, model: &str) -> Vec<String> {
    let results = world
        .hub
        .boards()
        .model_results(&world.model(model).await)
        .await;
    let results = results.unwrap();
    let findings = results.iter().flat_map(|result| &result.findings);
    findings.map(|finding| finding.code.to_string()).collect()
}

/// Returns the leader, and the number of rows that are passed over.
async fn leader(world: &World) -> (Option<String>, usize) {
    let view = world.view(&Caller::anonymous(), &everyone()).await.unwrap();
    let leader = view.leader();
    let model = leader.row.map(|row| row.loaded.model().to_string());
    (model, leader.passed)
}

#[tokio::test]
async fn a_warning_stays_with_its_result_and_a_rebuilt_index_has_it() {
    let world = World::with_benchmark().await;

    world.results(&world.ada, "ada/small", UNREACHABLE).await;

    assert_eq!(codes(&world, "ada/small").await, ["AY607"]);
    world.check_index().await;
    world.hub.operations().reindex(&|_, _| {}).await.unwrap();
    assert_eq!(codes(&world, "ada/small").await, ["AY607"]);
}

#[tokio::test]
async fn a_finding_that_comes_with_another_entry_is_a_new_version_and_no_new_result() {
    let world = World::with_benchmark().await;
    world.results(&world.ada, "ada/small", &score(0.5)).await;
    let results = world
        .hub
        .boards()
        .model_results(&world.model("ada/small").await)
        .await;
    let before = results.unwrap()[0].commit;

    // The entry above it is the same run, with another value.
    let twice = format!("{}{}", score(0.25), score(0.5));
    world.results(&world.ada, "ada/small", &twice).await;

    let results = world
        .hub
        .boards()
        .model_results(&world.model("ada/small").await)
        .await;
    let results = results.unwrap();
    let kept: Vec<(usize, bool)> = results
        .iter()
        .map(|result| (result.findings.len(), result.commit == before))
        .collect();
    assert_eq!(kept, [(0, false), (1, true)]);
    assert_eq!(codes(&world, "ada/small").await, ["AY308"]);
    world.check_index().await;
}

#[tokio::test]
async fn a_leader_is_never_a_row_whose_value_is_in_doubt() {
    let world = World::with_benchmark().await;
    world.results(&world.bob, "bob/large", &score(60.0)).await;
    assert_eq!(leader(&world).await, (Some("bob/large".to_owned()), 0));

    world.results(&world.ada, "ada/small", UNREACHABLE).await;

    assert_eq!(
        world.board(&Caller::anonymous()).await,
        ["1 ada/small 99.12345678", "2 bob/large 60"]
    );
    assert_eq!(leader(&world).await, (Some("bob/large".to_owned()), 1));
}

#[tokio::test]
async fn a_value_that_a_later_definition_makes_impossible_does_not_lead() {
    let world = World::with_benchmark().await;
    world.results(&world.ada, "ada/small", &score(61.0)).await;
    world.results(&world.bob, "bob/large", &score(0.95)).await;
    assert_eq!(leader(&world).await, (Some("ada/small".to_owned()), 0));
    let declared = SUMS.replace("primary: true", "primary: true, unit: proportion");

    world
        .put(
            &world.ada,
            RepoKind::Dataset,
            "ada/sums",
            "eval.yaml",
            &declared,
        )
        .await;

    let view = world.view(&Caller::anonymous(), &everyone()).await.unwrap();
    assert_eq!(lines(&view), ["1 ada/small 61", "2 bob/large 0.95"]);
    assert_eq!(leader(&world).await, (Some("bob/large".to_owned()), 1));
    let whole = world
        .hub
        .boards()
        .full_rows(&view, view.rows())
        .await
        .unwrap();
    assert_eq!(whole[0].result.findings[0].code.to_string(), "AY328");
    assert_eq!(whole[1].result.findings, []);
    world.check_index().await;
}

#[tokio::test]
async fn a_mean_with_a_run_in_doubt_does_not_lead() {
    let world = World::with_benchmark().await;
    world.results(&world.bob, "bob/large", &score(0.25)).await;

    let twice = format!("{}{}", score(0.5), score(0.75));
    world.results(&world.ada, "ada/small", &twice).await;

    assert_eq!(leader(&world).await, (Some("bob/large".to_owned()), 1));
}

#[tokio::test]
async fn nobody_leads_a_board_of_values_in_doubt() {
    let world = World::with_benchmark().await;

    world.results(&world.ada, "ada/small", UNREACHABLE).await;

    assert_eq!(leader(&world).await, (None, 1));
}

#[tokio::test]
async fn the_rank_of_a_value_in_doubt_is_announced_to_nobody() {
    let world = World::with_benchmark().await;
    world.results(&world.bob, "bob/large", &score(60.0)).await;
    let board = HookPlace::Repository(RepoKind::Dataset, repo_id("ada/sums"));
    let events = [HookEvent::Ranks];
    let url = "https://example.org/hook";
    world
        .hub
        .webhooks()
        .create_webhook(&world.ada, &board, url, &events)
        .await
        .unwrap();

    world.results(&world.ada, "ada/small", UNREACHABLE).await;
    world.hub.webhooks().announce_ranks().await.unwrap();

    let due = world
        .hub
        .webhooks()
        .due_deliveries(&mut InFlight::default())
        .await;
    let bodies: Vec<Json> = due
        .unwrap()
        .iter()
        .map(|queued| serde_json::from_str(&queued.body).unwrap())
        .collect();
    assert_eq!(bodies.len(), 1, "{bodies:?}");
    assert_eq!(bodies[0]["moves_count"], 1);
    assert_eq!(bodies[0]["moves"][0]["model"], "bob/large");
}
