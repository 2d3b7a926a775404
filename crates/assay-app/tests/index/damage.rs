//! Repositories that cannot be read as they were written.

use assay_app::{Damage, Error};
use assay_git::RefName;
use assay_model::{ObjectId, RepoKey, RepoKind};

use crate::support::{World, key_of, repo_id, score};

/// Takes the newest commit of `main` away, as a copy that was made while somebody wrote does.
fn lose_head(world: &World, key: RepoKey) -> ObjectId {
    let git = world.git().get(key).unwrap();
    let head = git.find_ref(&RefName::main()).unwrap().unwrap().target;
    let name = head.to_string();
    let path = git.path().join("objects").join(&name[..2]).join(&name[2..]);
    std::fs::remove_file(path).unwrap();
    head
}

#[tokio::test]
async fn a_ref_to_a_missing_object_is_reported_and_takes_no_result_off_the_board() {
    let mut world = World::with_benchmark().await;
    let info = world.create(&world.ada, RepoKind::Model, "other").await;
    world.results(&world.ada, "ada/small", &score(0.5)).await;
    world.results(&world.ada, "ada/other", &score(0.75)).await;
    let missing = lose_head(&world, key_of(&info));
    let before = ["1 ada/other 0.75", "2 ada/small 0.5"];

    world.reopen().await;
    let damaged = world.hub.operations().damaged_repositories().await.unwrap();
    let checked = world
        .hub
        .operations()
        .check_index(&|_, _| {})
        .await
        .unwrap();
    let rebuilt = world.hub.operations().reindex(&|_, _| {}).await.unwrap();

    let expected = Damage::BrokenRef {
        name: RefName::main(),
        missing,
    };
    let [one] = damaged.as_slice() else {
        panic!("{damaged:?}");
    };
    assert_eq!(
        (one.id.as_str(), &one.faults),
        ("ada/other", &vec![expected])
    );
    assert_eq!(checked.differences, []);
    assert_eq!(checked.damaged, damaged);
    assert_eq!(rebuilt.damaged, damaged);
    assert_eq!(world.hub.operations().damaged_count(), 1);
    assert_eq!(world.board(&world.ada).await, before);
    let told = format!("{}", one.faults[0]);
    assert!(
        told.contains("`refs/heads/main`") && told.contains(&missing.to_string()),
        "{told}"
    );
}

#[tokio::test]
async fn who_asks_for_a_damaged_branch_is_told_so_and_not_that_there_is_none() {
    let world = World::with_benchmark().await;
    let info = world.create(&world.ada, RepoKind::Model, "other").await;
    world.results(&world.ada, "ada/other", &score(0.75)).await;
    lose_head(&world, key_of(&info));
    let model = world.model("ada/other").await;

    let resolved = world.hub.repositories().resolve(&model, "main").await;
    let listed = world.hub.repositories().refs(&model).await;
    let written = world
        .hub
        .repositories()
        .commit(
            &world.ada,
            RepoKind::Model,
            &repo_id("ada/other"),
            crate::support::commit("main", false, vec![crate::support::write("a", "1")]),
        )
        .await;

    assert!(matches!(resolved, Err(Error::Damaged(_))), "{resolved:?}");
    assert!(matches!(listed, Err(Error::Damaged(_))), "{listed:?}");
    assert!(matches!(written, Err(Error::Damaged(_))), "{written:?}");
}

#[tokio::test]
async fn a_repository_that_was_mended_is_off_the_list() {
    let mut world = World::with_benchmark().await;
    let info = world.create(&world.ada, RepoKind::Model, "other").await;
    let path = world.git().path(key_of(&info));
    let away = path.with_extension("away");
    std::fs::rename(&path, &away).unwrap();
    world.reopen().await;
    let damaged = world.hub.operations().damaged_repositories().await.unwrap();

    std::fs::rename(&away, &path).unwrap();

    assert_eq!(damaged[0].faults, [Damage::NoDirectory]);
    assert_eq!(
        world.hub.operations().damaged_repositories().await.unwrap(),
        []
    );
}
