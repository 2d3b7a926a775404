//! Large changes are written in pieces, and nobody has to wait for all of them.

use std::time::Duration;

use assay_app::{Limits, RepoInfo};
use assay_git::{Blob, CommitPlan, FileMode, Signature, TreeEdit};
use assay_model::{ObjectId, RepoKind, Timestamp};

use crate::support::{RESULTS, START, World, force_main, head, score};

/// Number of commits that are pushed at once.
const COMMITS: i64 = 1_500;
/// The number of results that each of them changes.
const RESULTS_EACH: usize = 4;
/// The number of rows that a transaction writes.
const ROWS: usize = 25;
/// The number of them that are written at a time.
const BATCH: i64 = 100;
/// The time to wait for what must happen.
const DEADLINE: Duration = Duration::from_mins(2);

fn small_transactions() -> Limits {
    Limits {
        transaction_rows: ROWS,
        ..Limits::default()
    }
}

/// The results of a commit, all unlike those of the one before.
fn results(number: i64) -> String {
    (0..u32::try_from(RESULTS_EACH).unwrap())
        .map(|place| score(f64::from(u32::try_from(number).unwrap()) + f64::from(place) / 10.0))
        .collect()
}

/// Writes commits on main behind the back of the hub, as a push that was cut short before it was
/// indexed.
fn write_commits(world: &World, info: &RepoInfo, count: i64) -> ObjectId {
    let git = world.git().get(crate::support::key_of(info)).unwrap();
    let mut quarantine = git.quarantine();
    let mut tip = head(world, info);
    for number in 1..=count {
        if number % BATCH == 0 {
            quarantine.admit().unwrap();
            quarantine = git.quarantine();
        }
        let signature = Signature {
            name: "ada".to_owned(),
            email: "ada@example.org".to_owned(),
            when: Timestamp::from_millis(START + number * 60_000),
        };
        let plan = CommitPlan {
            parents: vec![tip],
            base: Some(tip),
            operations: vec![TreeEdit::Put {
                path: RESULTS.parse().unwrap(),
                blob: Blob::Bytes(results(number).into_bytes()),
                mode: FileMode::Regular,
            }],
            message: format!("Result {number}"),
            author: signature.clone(),
            committer: signature,
        };
        tip = quarantine.write(&plan).unwrap();
    }
    quarantine.admit().unwrap();
    force_main(world, info, tip);
    tip
}

/// Waits until another process has committed so many changes since a moment.
async fn wait_for_changes(world: &World, since: u64, changes: u64) {
    let deadline = tokio::time::Instant::now() + DEADLINE;
    while world.hub.lake().change_number().await.unwrap() < since + changes {
        assert!(tokio::time::Instant::now() < deadline, "nothing is written");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_push_is_indexed_in_pieces_between_which_others_write() {
    let world = World::within(small_transactions())
        .await
        .and_benchmark()
        .await;
    let info = world.create(&world.ada, RepoKind::Model, "other").await;
    write_commits(&world, &info, COMMITS);
    let before = world.hub.lake().change_number().await.unwrap();

    let indexing = tokio::spawn(world.start());
    wait_for_changes(&world, before, 5).await;
    world.results(&world.bob, "bob/large", &score(0.5)).await;
    let was_indexing = !indexing.is_finished();
    let hub = indexing.await.unwrap();

    assert!(was_indexing, "the commit waited for the whole push");
    let rows = usize::try_from(COMMITS).unwrap() * RESULTS_EACH;
    let pieces = u64::try_from(rows / ROWS).unwrap();
    let after = hub.lake().change_number().await.unwrap();
    assert!(after - before >= pieces, "{before} {after}");
    world.check_index().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_was_cut_short_between_two_pieces_is_finished_at_the_next_start() {
    let mut world = World::within(small_transactions())
        .await
        .and_benchmark()
        .await;
    let info = world.create(&world.ada, RepoKind::Model, "other").await;
    world.results(&world.ada, "ada/other", &score(0.25)).await;
    write_commits(&world, &info, 400);
    let before = world.hub.lake().change_number().await.unwrap();

    let indexing = tokio::spawn(world.start());
    wait_for_changes(&world, before, 5).await;
    indexing.abort();
    assert!(indexing.await.is_err(), "it was over before it was ended");
    // What counts now is not changed before the last piece.
    assert_eq!(world.board(&world.ada).await, ["1 ada/other 0.25"]);
    world.reopen().await;

    // Nothing tells the results of a commit apart, so the model has their mean.
    let board = world.board(&world.ada).await;
    assert!(board[0].starts_with("1 ada/other 400.15"), "{board:?}");
    world.check_index().await;
}

#[tokio::test]
async fn of_a_very_long_history_the_newest_versions_are_kept() {
    let mut world = World::with_benchmark().await;
    let info = world.create(&world.ada, RepoKind::Model, "other").await;
    // Four results a commit: more than twenty thousand versions that are over.
    write_commits(&world, &info, 5_100);
    world.reopen().await;
    world.check_index().await;

    world.results(&world.ada, "ada/other", &score(0.5)).await;

    assert_eq!(world.board(&world.ada).await, ["1 ada/other 0.5"]);
    world.check_index().await;
}
