//! The replay matrix: where a token may be seen again, and where not. Each ends with a rebuilt
//! index that agrees.

use assay_model::RepoKind;

use super::support::{commit, force_main, head, repo_id, write};
use super::{FILE, Scene, with_token};

#[tokio::test]
async fn an_entry_that_is_pushed_in_time_is_verified_and_says_by_whom() {
    let scene = Scene::new().await;
    let text = scene.signed(&scene.draft("0.75")).await;
    scene.world.clock.advance(5_000);

    scene
        .world
        .results(&scene.world.ada, "ada/small", &text)
        .await;

    let standings = scene.standings("ada/small").await;
    let attested = standings[0].attested().expect("it is verified");
    assert_eq!(attested.integration, "inspect-ai");
    assert_eq!(attested.assurance, "hosted");
    assert_eq!(attested.first_seen.seconds() - attested.signed.seconds(), 6);
    assert_eq!((attested.issue_index, attested.decide_index), (Some(0), 1));
    scene.world.check_index().await;
}

#[tokio::test]
async fn a_pull_request_is_verified_while_it_is_open_and_after_it_is_merged_months_later() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let text = scene.signed(&scene.draft("0.75")).await;

    let num = world.propose(&world.bob, "ada/small", &text).await;
    let open = scene.words("ada/small").await;
    world.clock.advance(90 * 86_400_000);
    let model = world.model("ada/small").await;
    world
        .hub
        .discussions()
        .merge(&world.ada, &model, num, None)
        .await
        .unwrap();

    assert_eq!(open, ["verified"]);
    assert_eq!(scene.words("ada/small").await, ["verified"]);
    // The same history under a later log: nothing more was decided.
    assert_eq!(world.hub.trust.results().size(), 2);
    world.check_index().await;
}

#[tokio::test]
async fn spelling_and_later_commits_keep_a_result_verified() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let draft = scene.draft("0.750");
    let token = scene.issue(&scene.claims(&draft)).await;
    world
        .results(&world.ada, "ada/small", &with_token(&draft.text, &token))
        .await;
    world.clock.advance(86_400_000);

    let respelled = draft
        .text
        .replace("0.750", "7.5e-1")
        .replace("no tools", "\"no tools\" # quoted");
    let key = if respelled.contains("7.5e-1") {
        "verifyToken"
    } else {
        "verify_token"
    };
    world
        .results(
            &world.ada,
            "ada/small",
            &format!("{respelled}  {key}: {token}\n"),
        )
        .await;
    world
        .put(
            &world.ada,
            RepoKind::Model,
            "ada/small",
            "README.md",
            "hello",
        )
        .await;

    assert_eq!(scene.words("ada/small").await, ["verified"]);
    world.check_index().await;
}

#[tokio::test]
async fn cross_pr_same_content_dedup() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let text = scene.signed(&scene.draft("0.75")).await;

    let first = world.propose(&world.bob, "ada/small", &text).await;
    let model = world.model("ada/small").await;
    world
        .hub
        .discussions()
        .change_status(&world.ada, &model, first, crate::Status::Closed, None)
        .await
        .unwrap();
    world.clock.advance(86_400_000);
    world.propose(&world.bob, "ada/small", &text).await;

    assert_eq!(scene.words("ada/small").await, ["verified"]);
    assert_eq!(
        world.hub.trust.results().size(),
        2,
        "one decision, seen twice"
    );
    assert_eq!(world.board(&world.ada).await.len(), 1);
    world.check_index().await;
}

#[tokio::test]
async fn cross_pr_different_content() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let draft = scene.draft("0.75");
    let text = scene.signed(&draft).await;
    world.propose(&world.bob, "ada/small", &text).await;

    world
        .propose(
            &world.bob,
            "ada/small",
            &text.replace("no tools", "all tools"),
        )
        .await;

    assert_eq!(
        scene.words("ada/small").await,
        ["verified", "entry_digest_mismatch"]
    );
    world.check_index().await;
}

#[tokio::test]
async fn cross_model_replay() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let text = scene.signed(&scene.draft("0.75")).await;

    world.results(&world.bob, "bob/large", &text).await;
    let before = scene.words("bob/large").await;
    world.results(&world.ada, "ada/small", &text).await;

    assert_eq!(before, ["model_repo_mismatch"]);
    // Its own repository is not barred by who came first, and the other is told why it never can
    // be.
    assert_eq!(scene.words("ada/small").await, ["verified"]);
    assert_eq!(scene.words("bob/large").await, ["model_repo_mismatch"]);
    world.check_index().await;
}

#[tokio::test]
async fn fork_is_unverified() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let text = scene.signed(&scene.draft("0.75")).await;
    world.results(&world.ada, "ada/small", &text).await;

    world.results(&world.bob, "bob/large", &text).await;

    assert_eq!(scene.words("bob/large").await, ["bound_to_other_repo"]);
    assert_eq!(scene.words("ada/small").await, ["verified"]);
    world.check_index().await;
}

#[tokio::test]
async fn recreated_name_is_unverified() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let text = scene.signed(&scene.draft("0.75")).await;
    world.results(&world.ada, "ada/small", &text).await;

    let id = repo_id("ada/small");
    world
        .hub
        .repositories()
        .delete_repository(&world.ada, RepoKind::Model, &id)
        .await
        .unwrap();
    world.create(&world.ada, RepoKind::Model, "small").await;
    world.results(&world.ada, "ada/small", &text).await;

    assert_eq!(scene.words("ada/small").await, ["bound_to_other_repo"]);
    world.check_index().await;
}

#[tokio::test]
async fn a_repository_that_is_renamed_keeps_its_verified_results_and_its_refusals() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let verified = scene.signed(&scene.draft("0.75")).await;
    let other = super::Draft {
        model: "ada/tiny".to_owned(),
        ..scene.draft("0.5")
    };
    let refused = scene.signed(&other).await;
    world
        .results(&world.ada, "ada/small", &format!("{verified}{refused}"))
        .await;
    let before = scene.words("ada/small").await;

    let (from, to) = (repo_id("ada/small"), repo_id("ada/tiny"));
    world
        .hub
        .repositories()
        .move_repository(&world.ada, RepoKind::Model, &from, &to)
        .await
        .unwrap();

    assert_eq!(before, ["verified", "model_repo_mismatch"]);
    assert_eq!(
        scene.words("ada/tiny").await,
        before,
        "what was decided stays decided"
    );
    world.check_index().await;
}

#[tokio::test]
async fn token_twice_in_tree() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let text = scene.signed(&scene.draft("0.75")).await;

    world
        .results(&world.ada, "ada/small", &format!("{text}{text}"))
        .await;

    assert_eq!(
        scene.words("ada/small").await,
        ["verified", "duplicate_token_in_tree"]
    );
    world.check_index().await;
}

#[tokio::test]
async fn force_push_drops_badge() {
    let mut scene = Scene::new().await;
    let text = scene.signed(&scene.draft("0.75")).await;
    let info = scene
        .world
        .create(&scene.world.ada, RepoKind::Model, "other")
        .await;
    let before = head(&scene.world, &info);
    let draft = super::Draft {
        model: "ada/other".to_owned(),
        text: scene
            .draft("0.5")
            .text
            .replace(&scene.model.to_string(), &before.to_string()),
    };
    let other = scene.signed(&draft).await;
    let world = &scene.world;
    world.results(&world.ada, "ada/small", &text).await;
    world.results(&world.ada, "ada/other", &other).await;
    let verified = scene.words("ada/other").await;

    force_main(&scene.world, &info, before);
    scene.world.reopen().await;

    assert_eq!(verified, ["verified"]);
    assert_eq!(scene.words("ada/other").await, [""; 0]);
    assert_eq!(scene.words("ada/small").await, ["verified"]);
    scene.world.check_index().await;
}

#[tokio::test]
async fn merge_toctou() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let text = scene.signed(&scene.draft("0.75")).await;
    let num = world.propose(&world.bob, "ada/small", &text).await;
    let checked = scene.words("ada/small").await;
    // Between the look and the merge, the pull request gets another value.
    let pull = format!("refs/pr/{num}");
    let request = commit(
        &pull,
        false,
        vec![write(FILE, &text.replace("0.75", "0.99"))],
    );
    let id = repo_id("ada/small");
    world
        .hub
        .repositories()
        .commit(&world.bob, RepoKind::Model, &id, request)
        .await
        .unwrap();

    let model = world.model("ada/small").await;
    world
        .hub
        .discussions()
        .merge(&world.ada, &model, num, None)
        .await
        .unwrap();

    assert_eq!(checked, ["verified"]);
    assert_eq!(scene.words("ada/small").await, ["claim_mismatch:metrics"]);
    world.check_index().await;
}

#[tokio::test]
async fn every_version_that_a_result_ever_had_is_judged_alike_when_the_index_is_rebuilt() {
    let scene = Scene::new().await;
    let world = &scene.world;
    let draft = scene.draft("0.75");
    let token = scene.issue(&scene.claims(&draft)).await;
    let text = with_token(&draft.text, &token);
    for edit in ["0.76", "0.75", "0.77"] {
        world
            .results(&world.ada, "ada/small", &text.replace("0.75", edit))
            .await;
    }
    world.results(&world.ada, "ada/small", &draft.text).await;

    let model = world.model("ada/small").await;
    let history = world
        .hub
        .store
        .history_of(model.key, assay_store::Branch::Main)
        .await
        .unwrap();
    let words: Vec<String> = history
        .iter()
        .map(|row| super::word(&row.version.standing))
        .collect();
    assert_eq!(
        words,
        [
            "claim_mismatch:metrics",
            "verified",
            "claim_mismatch:metrics",
            "no_token"
        ]
    );
    world.check_index().await;
    world.hub.operations().reindex(&|_, _| {}).await.unwrap();
    let again = world
        .hub
        .store
        .history_of(model.key, assay_store::Branch::Main)
        .await
        .unwrap();
    assert_eq!(again, history);
}
