//! Every Eval Ever records in the index.

use assay_app::FileSource;
use assay_hub_api::CommitOperation;
use assay_model::RepoKind;

use crate::support::{World, commit, force_main, head, repo_id, write};

const RECORD: &str = include_str!(
    "../../../../examples/datastore/data/sum-check/acme/tiny-adder/3f0c6e0a-6f0e-4b9e-9a53-0d6c1b1f7a11.json"
);
const SAMPLES: &str = include_str!(
    "../../../../examples/datastore/data/sum-check/acme/tiny-adder/3f0c6e0a-6f0e-4b9e-9a53-0d6c1b1f7a11_samples.jsonl"
);
const STEM: &str = "data/sum-check/acme/tiny-adder/3f0c6e0a-6f0e-4b9e-9a53-0d6c1b1f7a11";

/// A hub with the record of the example in `ada/store`.
async fn with_record() -> (World, assay_app::RepoInfo) {
    let world = World::new().await;
    let info = world.create(&world.ada, RepoKind::Dataset, "store").await;
    let files = vec![
        write(&format!("{STEM}.json"), RECORD),
        write(&format!("{STEM}_samples.jsonl"), SAMPLES),
        write("data/notes.json", "{}"),
    ];
    change(&world, files).await;
    (world, info)
}

async fn change(world: &World, operations: Vec<CommitOperation<FileSource>>) {
    let request = commit("main", false, operations);
    let id = repo_id("ada/store");
    let committed = world
        .hub
        .repositories()
        .commit(&world.ada, RepoKind::Dataset, &id, request)
        .await;
    committed.unwrap();
}

/// The paths of the records of a benchmark, or of all.
async fn listed(world: &World, benchmark: Option<&str>) -> Vec<String> {
    let repo = world.repo(&world.bob, RepoKind::Dataset, "ada/store").await;
    let page = world
        .hub
        .repositories()
        .records(&repo, benchmark, None, 10)
        .await
        .unwrap();
    assert_eq!(page.total, page.records.len() as u64);
    let paths = page.records.iter().map(|record| record.path.to_string());
    paths.collect()
}

#[tokio::test]
async fn a_record_is_listed_with_what_it_says() {
    let (world, _) = with_record().await;

    let repo = world.repo(&world.bob, RepoKind::Dataset, "ada/store").await;
    let page = world
        .hub
        .repositories()
        .records(&repo, None, None, 10)
        .await
        .unwrap();

    let [record] = &page.records[..] else {
        panic!("{page:?}");
    };
    assert_eq!(record.path.as_str(), format!("{STEM}.json"));
    assert_eq!(record.facts.model_id.as_deref(), Some("acme/tiny-adder"));
    assert!(record.facts.results[0].score.is_some(), "{record:?}");
    assert!(record.facts.sample_rows.is_some(), "{record:?}");
    world.check_index().await;
}

#[tokio::test]
async fn records_are_asked_for_by_the_folder_of_their_benchmark() {
    let (world, _) = with_record().await;
    let other = STEM.replace("sum-check", "sum-check-2");
    change(
        &world,
        vec![write(&format!("{other}.json"), &without_samples())],
    )
    .await;

    let (one, two) = (
        listed(&world, Some("sum-check")).await,
        listed(&world, Some("sum-check-2")).await,
    );

    assert_eq!(one, [format!("{STEM}.json")]);
    assert_eq!(two, [format!("{other}.json")]);
    assert_eq!(listed(&world, None).await.len(), 2);
    assert_eq!(listed(&world, Some("sum")).await, [""; 0]);
    world.check_index().await;
}

/// The record of the example, without its samples.
fn without_samples() -> String {
    let mut record: serde_json::Value = serde_json::from_str(RECORD).unwrap();
    record
        .as_object_mut()
        .unwrap()
        .remove("detailed_evaluation_results");
    record.to_string()
}

#[tokio::test]
async fn a_record_that_goes_is_not_listed_whichever_way_it_went() {
    let (mut world, info) = with_record().await;
    let before = head(&world, &info);
    let delete = |path: String| CommitOperation::DeleteFile {
        path: path.parse().unwrap(),
    };

    change(
        &world,
        vec![
            delete(format!("{STEM}.json")),
            delete(format!("{STEM}_samples.jsonl")),
        ],
    )
    .await;
    let after_the_commit = listed(&world, None).await;
    // And back again, as a crash or another process leaves it.
    force_main(&world, &info, before);
    world.reopen().await;

    assert_eq!(after_the_commit, [""; 0]);
    assert_eq!(listed(&world, None).await, [format!("{STEM}.json")]);
    world.check_index().await;
}

#[tokio::test]
async fn a_rebuilt_index_has_the_records_again() {
    let (world, _) = with_record().await;

    world.hub.operations().reindex(&|_, _| {}).await.unwrap();

    assert_eq!(listed(&world, None).await, [format!("{STEM}.json")]);
    world.check_index().await;
}
