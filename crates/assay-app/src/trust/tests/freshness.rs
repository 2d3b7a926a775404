//! When a token must come for the first time.

use assay_model::RepoKind;

use super::support::{commit, repo_id, write};
use super::{FILE, Scene, with_token};

#[tokio::test]
async fn late_push_expired_at_first_seen() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let late = scene.signed(&scene.draft("0.75")).await;
    let edge = scene.signed(&scene.draft("0.5")).await;
    // `results` takes one second more; the window ends 60 seconds after the token does.
    world.clock.advance((900 + 60 - 1) * 1000);
    world.results(&world.ada, "ada/small", &edge).await;

    world
        .results(&world.ada, "ada/small", &format!("{edge}{late}"))
        .await;
    let first = scene.words("ada/small").await;
    world.results(&world.ada, "ada/small", &late).await;

    assert_eq!(first, ["verified", "expired_at_first_seen"]);
    assert_eq!(
        scene.words("ada/small").await,
        ["expired_at_first_seen"],
        "for ever"
    );
    world.check_index().await;
}

#[tokio::test]
async fn a_slow_hub_makes_nobody_late() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let text = scene.signed(&scene.draft("0.75")).await;
    let mut request = commit("main", false, vec![write(FILE, &text)]);
    request.received_at = Some(world.hub.now());

    world.clock.advance(86_400_000);
    let id = repo_id("ada/small");
    world
        .hub
        .commit(&world.ada, RepoKind::Model, &id, request)
        .await
        .unwrap();

    assert_eq!(scene.words("ada/small").await, ["verified"]);
}

#[tokio::test]
async fn future_iat_refused() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let draft = scene.draft("0.75");
    let mut claims = scene.claims(&draft);
    for moment in [&mut claims.iat, &mut claims.nbf, &mut claims.exp] {
        *moment += 3_600;
    }
    let token = scene.issue(&claims).await;

    world
        .results(&world.ada, "ada/small", &with_token(&draft.text, &token))
        .await;

    assert_eq!(scene.words("ada/small").await, ["not_yet_valid"]);
    world.check_index().await;
}
