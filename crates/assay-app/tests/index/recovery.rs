use assay_app::Status;
use assay_git::{Expected, RefChange, RefName};
use assay_model::{ObjectId, RepoKind};

use crate::support::{World, key_of, score};

/// Moves a ref behind the back of the hub, as a crash after the refs and before the records leaves
/// it.
fn force(world: &World, info: &assay_app::RepoInfo, name: RefName, new: Option<ObjectId>) {
    let change = RefChange {
        name,
        expected: Expected::Any,
        new,
    };
    let git = world.git();
    git.get(key_of(info))
        .unwrap()
        .update_refs(&[change])
        .unwrap();
}

#[tokio::test]
async fn an_index_that_is_behind_catches_up_at_the_next_start() {
    let mut world = World::with_benchmark().await;
    let info = world.create(&world.ada, RepoKind::Model, "other").await;
    let first = world.results(&world.ada, "ada/other", &score(0.5)).await;
    world.results(&world.ada, "ada/other", &score(0.75)).await;
    force(&world, &info, RefName::main(), Some(first.commit));

    world.reopen().await;

    assert_eq!(world.board(&world.ada).await, ["1 ada/other 0.5"]);
    world.check_index().await;
}

#[tokio::test]
async fn a_pull_request_that_was_never_recorded_is_set_aside_with_its_commits() {
    let mut world = World::with_benchmark().await;
    let info = world.create(&world.ada, RepoKind::Model, "other").await;
    let committed = world.results(&world.ada, "ada/other", &score(0.5)).await;
    force(&world, &info, RefName::pull(1), Some(committed.commit));

    world.reopen().await;

    let model = world.model("ada/other").await;
    assert_eq!(
        world.hub.repositories().refs(&model).await.unwrap().pulls,
        []
    );
    let aside = format!("refs/unrecorded/pr/1/{}", committed.commit);
    let kept = world.git().get(key_of(&info)).unwrap();
    let kept = kept.find_ref(&aside.parse().unwrap()).unwrap();
    assert_eq!(kept.unwrap().target, committed.commit);
    assert_eq!(
        world.propose(&world.bob, "ada/other", &score(0.75)).await,
        1
    );
    world.check_index().await;

    let shell = world.hub.shell();
    let nothing = std::collections::BTreeMap::new();
    let adopted = world
        .hub
        .operations()
        .adopt(&shell, &nothing, false)
        .await
        .unwrap();

    // Its number is taken by now.
    let numbers: Vec<u32> = adopted.pulls.iter().map(|pull| pull.num).collect();
    assert_eq!(numbers, [2]);
    let details = world
        .hub
        .discussions()
        .discussion(&model, 2, false, assay_app::EventPage::all())
        .await
        .unwrap();
    assert_eq!(details.discussion.status, Status::Closed);
    world.check_index().await;
}

#[tokio::test]
async fn an_orphan_does_not_stop_the_next_pull_request() {
    let world = World::with_benchmark().await;
    let info = world.create(&world.ada, RepoKind::Model, "other").await;
    let committed = world.results(&world.ada, "ada/other", &score(0.5)).await;
    force(&world, &info, RefName::pull(1), Some(committed.commit));

    let num = world.propose(&world.bob, "ada/other", &score(0.75)).await;

    assert_eq!(num, 1);
    world.check_index().await;
}

#[tokio::test]
async fn a_merge_that_was_never_recorded_is_recorded() {
    let mut world = World::with_benchmark().await;
    let info = world.create(&world.ada, RepoKind::Model, "other").await;
    let model = world.model("ada/other").await;
    let before = world
        .hub
        .repositories()
        .resolve(&model, "main")
        .await
        .unwrap();
    let num = world.propose(&world.bob, "ada/other", &score(0.5)).await;
    let (_, merge) = world
        .hub
        .discussions()
        .merge(&world.ada, &model, num, None)
        .await
        .unwrap();
    // A second pull request with the same commits takes the place of the first, whose merge is
    // known.
    force(&world, &info, RefName::main(), Some(before));
    world.reopen().await;
    let again = world.propose(&world.bob, "ada/other", &score(0.5)).await;
    let tip = world
        .hub
        .repositories()
        .resolve(&model, "refs/pr/1")
        .await
        .unwrap();
    force(&world, &info, RefName::pull(2), Some(tip));
    world.reopen().await;
    assert_eq!((num, again), (1, 2));
    let retitled = merge_commit_for(&world, &info, before, tip);
    force(&world, &info, RefName::main(), Some(retitled));

    world.reopen().await;

    let details = world
        .hub
        .discussions()
        .discussion(&model, again, false, assay_app::EventPage::all())
        .await
        .unwrap();
    assert_eq!(details.discussion.status, Status::Merged);
    assert_eq!(details.merge_commit, Some(retitled));
    assert_ne!(retitled, merge);
    assert_eq!(world.board(&world.ada).await, ["1 ada/other 0.5"]);
    world.check_index().await;
}

/// A commit that merges pull request 2.
fn merge_commit_for(
    world: &World,
    info: &assay_app::RepoInfo,
    ours: ObjectId,
    theirs: ObjectId,
) -> ObjectId {
    let git = world.git().get(key_of(info)).unwrap();
    let quarantine = git.quarantine();
    let signature = assay_git::Signature {
        name: "ada".to_owned(),
        email: "ada@example.org".to_owned(),
        when: assay_model::Clock::now(&*world.clock),
    };
    let plan = assay_git::MergePlan {
        message: "Change results (#2)".to_owned(),
        author: signature.clone(),
        committer: signature,
        fast_forward: assay_git::FastForward::Never,
    };
    let assay_git::Merged::Commit(commit) = quarantine.merge(ours, theirs, &plan).unwrap() else {
        panic!("there is something to merge");
    };
    quarantine.admit().unwrap();
    commit
}

#[tokio::test]
async fn what_another_process_changes_is_noticed() {
    let world = World::with_benchmark().await;
    world.results(&world.ada, "ada/small", &score(0.5)).await;
    world.board(&world.ada).await;
    let generation = world.hub.boards().generation();
    let other = world.second().await;
    let request = crate::support::commit(
        "main",
        false,
        vec![crate::support::write(crate::support::RESULTS, &score(0.75))],
    );
    let model = crate::support::repo_id("ada/small");

    other
        .repositories()
        .commit(&world.ada, RepoKind::Model, &model, request)
        .await
        .unwrap();

    let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(30);
    while world.hub.boards().generation() == generation {
        assert!(tokio::time::Instant::now() < deadline, "nobody noticed");
        tokio::task::yield_now().await;
    }
    assert_eq!(world.board(&world.ada).await, ["1 ada/small 0.75"]);
}

#[tokio::test]
async fn a_difference_between_the_index_and_the_repositories_is_named() {
    let world = World::with_benchmark().await;
    let info = world.create(&world.ada, RepoKind::Model, "other").await;
    let first = world.results(&world.ada, "ada/other", &score(0.5)).await;
    world.results(&world.ada, "ada/other", &score(0.75)).await;
    force(&world, &info, RefName::main(), Some(first.commit));

    let checked = world
        .hub
        .operations()
        .check_index(&|_, _| {})
        .await
        .unwrap();
    let differences = checked.differences;

    let told =
        |text: &Option<String>, what: &str| text.as_ref().is_some_and(|text| text.contains(what));
    assert!(
        differences.iter().any(|line| told(&line.live, "entries")),
        "{differences:?}"
    );
    assert!(
        differences
            .iter()
            .any(|line| told(&line.rebuilt, "indexed_refs")),
        "{differences:?}"
    );

    let rebuilt = world.hub.operations().reindex(&|_, _| {}).await.unwrap();

    assert_eq!(
        (rebuilt.repositories, rebuilt.entries, rebuilt.benchmarks),
        (4, 1, 1)
    );
    assert_eq!(world.board(&world.ada).await, ["1 ada/other 0.5"]);
    world.check_index().await;
}

#[tokio::test]
async fn who_only_visits_leaves_what_a_crash_left() {
    let world = World::with_benchmark().await;
    let info = world.create(&world.ada, RepoKind::Model, "other").await;
    let committed = world.results(&world.ada, "ada/other", &score(0.5)).await;
    force(&world, &info, RefName::pull(1), Some(committed.commit));

    let visitor = world.visit().await;

    let model = world.model("ada/other").await;
    assert_eq!(
        visitor
            .repositories()
            .refs(&model)
            .await
            .unwrap()
            .pulls
            .len(),
        1
    );
    let checked = visitor.operations().check_index(&|_, _| {}).await.unwrap();
    assert_eq!(checked.differences.len(), 1);
    world.second().await;
    assert_eq!(visitor.repositories().refs(&model).await.unwrap().pulls, []);
    world.check_index().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn whoever_starts_beside_a_hub_that_is_at_work_takes_nothing_from_it() {
    let world = World::with_benchmark().await;
    let model = world.model("ada/small").await;

    // Each start clears away what is unfinished and dead; nothing here is dead.
    let starts = async {
        for _ in 0..8 {
            world.second().await;
        }
    };
    let changes = async {
        for number in 0..24 {
            let num = world.propose(&world.bob, "ada/small", &score(0.5)).await;
            assert_eq!(num, number + 1);
            let made = world.create(&world.ada, RepoKind::Model, "short").await;
            let hub = &world.hub;
            hub.repositories()
                .delete_repository(&world.ada, RepoKind::Model, &made.id)
                .await
                .unwrap();
        }
    };
    tokio::join!(starts, changes);

    let refs = world.hub.repositories().refs(&model).await.unwrap();
    assert_eq!(refs.pulls.len(), 24);
    world.check_index().await;
}
