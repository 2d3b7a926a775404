//! Results that stand in the card of a model, as they did before there were files for them.

use assay_app::FullRow;
use assay_model::{RepoKind, Standing};

use crate::support::{World, score};

/// A card with one result of the task `words` of `ada/sums`.
fn card(value: f64) -> String {
    format!(
        "---\nlicense: mit\nmodel-index:\n- name: small\n  results:\n  - task: {{type: text-generation}}\n    dataset: {{type: ada/sums, name: Sums, config: words}}\n    metrics: [{{type: accuracy, value: {value:?}, verified: true, verifyToken: eyJ}}]\n---\n# Small\n"
    )
}

async fn with_card(value: f64) -> World {
    let world = World::with_benchmark().await;
    world.clock.advance(1000);
    world
        .put(
            &world.ada,
            RepoKind::Model,
            "ada/small",
            "README.md",
            &card(value),
        )
        .await;
    world
}

#[tokio::test]
async fn t27_a_result_of_an_old_card_is_on_the_board_as_legacy_and_unverified() {
    let world = with_card(0.5).await;

    let view = world.view(&world.bob, &crate::support::everyone()).await;

    let view = view.unwrap();
    let rows = world
        .hub
        .boards()
        .full_rows(&view, view.rows())
        .await
        .unwrap();
    let [FullRow { row, result }] = &rows[..] else {
        panic!("{rows:?}");
    };
    assert_eq!((row.rank, result.file.as_str()), (1, "README.md"));
    let Standing::Unverified { reason, .. } = &result.standing else {
        panic!("a card proves nothing");
    };
    assert_eq!(reason, "legacy");
    world.check_index().await;
}

#[tokio::test]
async fn t27_any_result_in_a_file_goes_before_that_of_an_old_card() {
    let world = with_card(0.9).await;

    let num = world.propose(&world.bob, "ada/small", &score(0.25)).await;
    let with_a_proposal = world.board(&world.bob).await;
    let model = world.model("ada/small").await;
    world
        .hub
        .discussions()
        .merge(&world.ada, &model, num, None)
        .await
        .unwrap();

    assert_eq!(with_a_proposal, ["1 ada/small 0.25 #1"]);
    assert_eq!(world.board(&world.bob).await, ["1 ada/small 0.25"]);
    world.check_index().await;
}

#[tokio::test]
async fn t27_a_card_that_changes_changes_the_board() {
    let world = with_card(0.5).await;
    let write = |text: &'static str| {
        world.clock.advance(1000);
        world.put(&world.ada, RepoKind::Model, "ada/small", "README.md", text)
    };

    write(card(0.75).leak()).await;
    let changed = world.board(&world.bob).await;
    write("# Small\n").await;

    assert_eq!(changed, ["1 ada/small 0.75"]);
    assert_eq!(world.board(&world.bob).await, [""; 0]);
    world.check_index().await;
}
