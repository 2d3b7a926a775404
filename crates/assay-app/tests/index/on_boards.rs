//! Whoever pushes sees at once what stands out against the other rows of a board.

use assay_app::{Caller, Settings, Visibility};
use assay_model::RepoKind;

use crate::support::{World, everyone, repo_id, score};

/// A board with twelve models of Bob from 40 to 62.
async fn world() -> World {
    let world = World::with_benchmark().await;
    for number in 0..12 {
        let name = format!("m{number}");
        world.create(&world.bob, RepoKind::Model, &name).await;
        let value = 40.0 + 2.0 * f64::from(number);
        let model = format!("bob/{name}");
        world.results(&world.bob, &model, &score(value)).await;
    }
    world
}

#[tokio::test]
async fn a_push_is_told_of_a_value_in_another_scale_and_is_accepted() {
    let world = world().await;

    let off = world.results(&world.ada, "ada/small", &score(0.52)).await;
    let right = world.results(&world.ada, "ada/small", &score(52.0)).await;

    let codes: Vec<String> = off
        .warnings
        .iter()
        .map(|own| own.code.to_string())
        .collect();
    assert_eq!(codes, ["AY621"]);
    assert_eq!(
        off.warnings[0].message,
        "0.52 is probably 52: it is far from all others on the board"
    );
    assert_eq!(right.warnings, [], "what it replaces says nothing of it");
    let view = world.view(&Caller::anonymous(), &everyone()).await.unwrap();
    assert_eq!(view.total, 13);
    let small = world.model("ada/small").await;
    let results = world.hub.boards().model_results(&small).await.unwrap();
    assert_eq!(results[0].findings, [], "boards change, so it is not kept");
    world.check_index().await;
}

#[tokio::test]
async fn a_proposal_shows_what_stands_out_before_it_is_merged() {
    let world = world().await;
    let num = world.propose(&world.bob, "ada/small", &score(0.52)).await;

    let repo = world.model("ada/small").await;
    let preview = world
        .hub
        .boards()
        .preview_pull(&world.ada, &repo, num)
        .await;

    let preview = preview.unwrap();
    let codes: Vec<String> = preview
        .findings
        .iter()
        .map(|own| own.code.to_string())
        .collect();
    assert_eq!(codes, ["AY621"]);
    assert!(!preview.is_refused());
}

#[tokio::test]
async fn private_models_of_others_tell_nothing() {
    let world = world().await;
    for number in 0..12 {
        let private = Settings {
            visibility: Some(Visibility::Private),
            description: None,
        };
        let model = repo_id(&format!("bob/m{number}"));
        let hidden =
            world
                .hub
                .repositories()
                .change_settings(&world.bob, RepoKind::Model, &model, private);
        hidden.await.unwrap();
    }

    let pushed = world.results(&world.ada, "ada/small", &score(0.52)).await;

    assert_eq!(pushed.warnings, []);
}
