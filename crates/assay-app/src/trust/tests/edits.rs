//! Entries that were changed after they were signed, by the names of the threat table.

use std::pin::Pin;

use assay_model::RepoKind;

use super::Scene;

/// Pushes an entry that was changed after it was signed, and tells what became of it.
fn edited<'a>(from: &'a str, to: &'a str) -> Pin<Box<dyn Future<Output = String> + 'a>> {
    Box::pin(edit_and_push(from, to))
}

async fn edit_and_push(from: &str, to: &str) -> String {
    let scene = Scene::new().await;
    let world = &scene.world;
    let text = scene.signed(&scene.draft("0.75")).await;
    assert!(text.contains(from), "{from}");

    world
        .results(&world.ada, "ada/small", &text.replace(from, to))
        .await;

    world.check_index().await;
    scene.words("ada/small").await.remove(0)
}

#[tokio::test]
async fn edited_value() {
    assert_eq!(
        edited("0.75", "0.7500000001").await,
        "claim_mismatch:metrics"
    );
}

#[tokio::test]
async fn edited_notes() {
    assert_eq!(
        edited("no tools", "no tools at all").await,
        "entry_digest_mismatch"
    );
}

#[tokio::test]
async fn added_unknown_field() {
    let more = "  notes: no tools\n  seed: 7\n";

    assert_eq!(
        edited("  notes: no tools\n", more).await,
        "entry_digest_mismatch"
    );
}

const ACCURACY: &str = "    - metric_id: accuracy\n      value: 0.75\n";
const WER: &str = "    - metric_id: wer\n      value: 0.25\n";

#[tokio::test]
async fn metric_reorder() {
    let (from, to) = (format!("{ACCURACY}{WER}"), format!("{WER}{ACCURACY}"));

    assert_eq!(edited(&from, &to).await, "metrics_order_mismatch");
}

#[tokio::test]
async fn dropped_metric() {
    assert_eq!(edited(WER, "").await, "claim_mismatch:metrics");
}

#[tokio::test]
async fn extra_metric() {
    let more = format!("{WER}    - metric_id: f1\n      value: 0.5\n");

    assert_eq!(edited(WER, &more).await, "claim_mismatch:metrics");
}

#[tokio::test]
async fn swapped_values() {
    let from = format!("{ACCURACY}{WER}");
    let to = from
        .replace("0.75", "x")
        .replace("0.25", "0.75")
        .replace('x', "0.25");

    assert_eq!(edited(&from, &to).await, "claim_mismatch:metrics");
}

#[tokio::test]
async fn optional_absent_vs_empty_vs_null() {
    let command = "    command: inspect eval sums.py\n";

    assert_eq!(
        edited(command, "").await,
        "claim_mismatch:framework.command"
    );
    assert_eq!(
        edited(command, "    command: \"\"\n").await,
        "claim_mismatch:framework.command"
    );
    assert_eq!(
        edited(command, "    command: null\n").await,
        "yaml_ambiguous_scalar"
    );
}

#[tokio::test]
async fn revision_must_be_full() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let draft = scene.draft("0.75");
    let text = scene.signed(&draft).await;
    let full = scene.model.to_string();

    world
        .results(&world.ada, "ada/small", &text.replace(&full, &full[..12]))
        .await;

    assert_eq!(
        scene.words("ada/small").await,
        ["revision_not_full:model_revision"]
    );
    world.check_index().await;
}

#[tokio::test]
async fn path_must_be_canonical() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let text = scene.signed(&scene.draft("0.75")).await;
    let elsewhere = ".eval_results/other.yaml";

    world
        .put(&world.ada, RepoKind::Model, "ada/small", elsewhere, &text)
        .await;

    assert_eq!(scene.words("ada/small").await, ["path_mismatch"]);
    world.check_index().await;
}
