//! The preview of a pull request is what its merge does.

use assay_app::{Error, Preview, RankMove};
use assay_model::RepoKind;

use crate::support::{RESULTS, World, repo_id, score};

async fn world() -> World {
    let world = World::with_benchmark().await;
    world.create(&world.bob, RepoKind::Model, "middle").await;
    world.results(&world.ada, "ada/small", &score(0.5)).await;
    world.results(&world.bob, "bob/middle", &score(0.6)).await;
    world.results(&world.bob, "bob/large", &score(0.7)).await;
    world
}

async fn preview(world: &World, model: &str, num: u32) -> Preview {
    let repo = world.model(model).await;
    world
        .hub
        .boards()
        .preview_pull(&world.ada, &repo, num)
        .await
        .unwrap()
}

fn line(moved: &RankMove) -> String {
    let own = if moved.own { " *" } else { "" };
    format!(
        "{} {:?}->{:?} {:?}->{:?}{own}",
        moved.model, moved.from, moved.to, moved.value_before, moved.value_after
    )
}

#[tokio::test]
async fn everyone_who_would_move_is_told_and_the_merge_makes_it_so() {
    let world = world().await;
    let num = world.propose(&world.bob, "ada/small", &score(0.65)).await;

    let preview = preview(&world, "ada/small", num).await;

    let [board] = preview.boards.as_slice() else {
        panic!("{:?}", preview.boards)
    };
    assert_eq!(
        board.moves.iter().map(line).collect::<Vec<_>>(),
        [
            "ada/small Some(3)->Some(2) Some(0.5)->Some(0.65) *",
            "bob/middle Some(2)->Some(3) Some(0.6)->Some(0.6)"
        ]
    );
    assert_eq!((board.models, board.metric.as_str()), ((3, 3), "accuracy"));
    assert_eq!((preview.added.len(), preview.removed.len()), (1, 1));
    assert_eq!(preview.added[0].pull, Some(num));
    let repo = world.model("ada/small").await;
    world
        .hub
        .discussions()
        .merge(&world.ada, &repo, num, None)
        .await
        .unwrap();
    assert_eq!(
        world.board(&world.ada).await,
        ["1 bob/large 0.7", "2 ada/small 0.65", "3 bob/middle 0.6"]
    );
}

#[tokio::test]
async fn a_model_that_enters_pushes_others_down() {
    let world = world().await;
    world.create(&world.ada, RepoKind::Model, "newcomer").await;
    let num = world
        .propose(&world.bob, "ada/newcomer", &score(0.65))
        .await;

    let preview = preview(&world, "ada/newcomer", num).await;

    assert_eq!(
        preview.boards[0].moves.iter().map(line).collect::<Vec<_>>(),
        [
            "ada/newcomer None->Some(2) None->Some(0.65) *",
            "bob/middle Some(2)->Some(3) Some(0.6)->Some(0.6)",
            "ada/small Some(3)->Some(4) Some(0.5)->Some(0.5)"
        ]
    );
}

#[tokio::test]
async fn a_pull_request_that_is_over_would_do_nothing() {
    let world = world().await;
    let num = world.propose(&world.bob, "ada/small", &score(0.65)).await;
    let repo = world.model("ada/small").await;
    world
        .hub
        .discussions()
        .merge(&world.ada, &repo, num, None)
        .await
        .unwrap();

    let preview = preview(&world, "ada/small", num).await;

    assert!(preview.boards.is_empty() && preview.added.is_empty());
}

#[tokio::test]
async fn a_conflict_is_told_and_no_rank_is() {
    let world = world().await;
    let num = world.propose(&world.bob, "ada/small", &score(0.65)).await;
    world.results(&world.ada, "ada/small", &score(0.55)).await;

    let preview = preview(&world, "ada/small", num).await;

    assert_eq!(preview.conflicts, [RESULTS]);
    assert!(preview.boards.is_empty());
}

#[tokio::test]
async fn files_that_are_about_to_be_submitted_are_judged_and_ranked_and_not_kept() {
    let world = world().await;
    let files = vec![(RESULTS.parse().unwrap(), score(0.8).into_bytes())];

    let preview = world
        .hub
        .boards()
        .preview_files(&world.bob, RepoKind::Model, &repo_id("ada/small"), files)
        .await
        .unwrap();

    assert!(!preview.is_refused());
    assert_eq!(
        preview.boards[0].moves.iter().map(line).collect::<Vec<_>>(),
        [
            "ada/small Some(3)->Some(1) Some(0.5)->Some(0.8) *",
            "bob/large Some(1)->Some(2) Some(0.7)->Some(0.7)",
            "bob/middle Some(2)->Some(3) Some(0.6)->Some(0.6)"
        ]
    );
    assert_eq!(
        world.board(&world.ada).await,
        ["1 bob/large 0.7", "2 bob/middle 0.6", "3 ada/small 0.5"]
    );
    world.check_index().await;
}

#[tokio::test]
async fn a_fault_is_found_on_its_line_before_anything_is_submitted() {
    let world = world().await;
    let text = "- dataset: {id: ada/sums, task_id: words}\n  value: much\n";
    let files = vec![(RESULTS.parse().unwrap(), text.as_bytes().to_vec())];

    let preview = world
        .hub
        .boards()
        .preview_files(&world.bob, RepoKind::Model, &repo_id("ada/small"), files)
        .await
        .unwrap();

    assert!(preview.is_refused());
    let finding = &preview.findings[0];
    assert_eq!((&*finding.place.file, finding.place.line), (RESULTS, 2));
}

#[tokio::test]
async fn a_preview_has_a_size_and_needs_a_model_that_is_seen() {
    let world = world().await;
    let large = vec![(RESULTS.parse().unwrap(), vec![b'#'; (4 << 20) + 1])];

    let too_large = world
        .hub
        .boards()
        .preview_files(&world.bob, RepoKind::Model, &repo_id("ada/small"), large)
        .await;
    let unseen = world
        .hub
        .boards()
        .preview_files(&world.bob, RepoKind::Model, &repo_id("ada/none"), vec![])
        .await;

    assert!(matches!(too_large, Err(Error::TooLarge(_))));
    assert!(matches!(unseen, Err(Error::NotFound(_))));
}
