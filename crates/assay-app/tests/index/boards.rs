use assay_app::{BoardQuery, Caller, Error, Missing, Settings, Visibility};
use assay_model::RepoKind;

use crate::support::{SUMS, World, everyone, lines, repo_id, score};

#[tokio::test]
async fn results_are_ranked_and_equal_ones_share_a_rank() {
    let world = World::with_benchmark().await;
    world.create(&world.bob, RepoKind::Model, "third").await;
    world.results(&world.ada, "ada/small", &score(0.5)).await;
    world.results(&world.bob, "bob/large", &score(0.75)).await;
    world.results(&world.bob, "bob/third", &score(0.5)).await;

    let board = world.board(&Caller::anonymous()).await;

    assert_eq!(
        board,
        ["1 bob/large 0.75", "2 ada/small 0.5", "2 bob/third 0.5"]
    );
    world.check_index().await;
}

#[tokio::test]
async fn a_change_is_on_a_board_that_was_read_before() {
    let world = World::with_benchmark().await;
    world.results(&world.ada, "ada/small", &score(0.5)).await;
    let before = world.hub.boards().generation();
    assert_eq!(world.board(&world.bob).await, ["1 ada/small 0.5"]);

    world.results(&world.ada, "ada/small", &score(0.625)).await;

    assert_eq!(world.board(&world.bob).await, ["1 ada/small 0.625"]);
    assert_ne!(world.hub.boards().generation(), before);
}

#[tokio::test]
async fn a_model_that_is_hidden_makes_all_answers_old_and_a_result_does_not() {
    let world = World::with_benchmark().await;
    world.results(&world.ada, "ada/small", &score(0.5)).await;
    assert_eq!(world.board(&world.bob).await, ["1 ada/small 0.5"]);
    let before = world.hub.boards().generation_of_everything();

    world.results(&world.ada, "ada/small", &score(0.625)).await;

    assert_eq!(world.hub.boards().generation_of_everything(), before);

    let settings = Settings {
        visibility: Some(Visibility::Private),
        description: None,
    };
    let small = repo_id("ada/small");
    let hub = &world.hub;
    hub.repositories()
        .change_settings(&world.ada, RepoKind::Model, &small, settings)
        .await
        .unwrap();

    assert_eq!(
        hub.boards().generation_of_everything(),
        hub.boards().generation()
    );
    assert_ne!(hub.boards().generation(), before);
}

#[tokio::test]
async fn a_metric_or_task_can_be_asked_for_and_has_its_own_direction() {
    let world = World::with_benchmark().await;
    let results = |wer: f64| {
        format!(
            "- dataset: {{id: ada/sums, task_id: digits}}\n  metrics:\n    - {{metric_id: wer, value: {wer}}}\n    - {{metric_id: accuracy, value: 0.5}}\n"
        )
    };
    world.results(&world.ada, "ada/small", &results(3.5)).await;
    world.results(&world.bob, "bob/large", &results(2.5)).await;
    let query = BoardQuery {
        task: Some("digits".to_owned()),
        metric: Some("wer".to_owned()),
        ..everyone()
    };

    let view = world.view(&Caller::anonymous(), &query).await.unwrap();

    assert_eq!(lines(&view), ["1 bob/large 2.5", "2 ada/small 3.5"]);
    let whole = world
        .hub
        .boards()
        .full_rows(&view, view.rows())
        .await
        .unwrap();
    assert_eq!(whole[0].result.value.to_string(), "0.5");
    assert_eq!(world.board(&world.ada).await, [""; 0]);
}

#[tokio::test]
async fn a_board_that_cannot_be_says_what_there_is() {
    let world = World::with_benchmark().await;
    world.create(&world.ada, RepoKind::Dataset, "plain").await;
    let ask = async |id: &str, query: BoardQuery| {
        let asked = world
            .hub
            .boards()
            .leaderboard(&world.ada, &repo_id(id), &query)
            .await;
        asked.map(|view| view.total)
    };
    let task = BoardQuery {
        task: Some("letters".to_owned()),
        ..everyone()
    };
    let policy = BoardQuery {
        policy: Some("luckiest".to_owned()),
        ..everyone()
    };

    let unknown_task = ask("ada/sums", task).await.unwrap_err().to_string();
    let unknown_policy = ask("ada/sums", policy).await;
    let no_benchmark = ask("ada/plain", everyone()).await;
    let nothing = ask("ada/nothing", everyone()).await;

    assert_eq!(
        unknown_task,
        "`ada/sums` has no task `letters`; its tasks are `words`, `digits`"
    );
    assert!(matches!(unknown_policy, Err(Error::Invalid(_))));
    assert!(matches!(
        no_benchmark,
        Err(Error::NotFound(Missing::Leaderboard(_)))
    ));
    assert!(matches!(nothing, Err(Error::NotFound(Missing::Repo))));
}

#[tokio::test]
async fn a_result_waits_for_its_benchmark_and_is_on_the_board_the_moment_it_is_there() {
    let world = World::new().await;
    world.create(&world.ada, RepoKind::Model, "small").await;
    world.results(&world.ada, "ada/small", &score(0.5)).await;
    let model = world.model("ada/small").await;
    let pending = world.hub.boards().model_results(&model).await.unwrap()[0]
        .pending
        .clone();

    world.create(&world.ada, RepoKind::Dataset, "sums").await;
    world
        .put(&world.ada, RepoKind::Dataset, "ada/sums", "eval.yaml", SUMS)
        .await;

    assert_eq!(
        pending.as_deref(),
        Some("this hub has no benchmark `ada/sums` yet")
    );
    assert_eq!(world.board(&world.bob).await, ["1 ada/small 0.5"]);
    let results = world.hub.boards().model_results(&model).await.unwrap();
    assert_eq!(results[0].pending, None);
    world.check_index().await;
}

#[tokio::test]
async fn another_definition_judges_the_same_results_anew() {
    let world = World::with_benchmark().await;
    world.results(&world.ada, "ada/small", &score(0.5)).await;
    world.results(&world.bob, "bob/large", &score(0.75)).await;
    world.board(&world.bob).await;
    let lower = SUMS.replace("higher_is_better: true", "higher_is_better: false");

    world
        .put(
            &world.ada,
            RepoKind::Dataset,
            "ada/sums",
            "eval.yaml",
            &lower,
        )
        .await;

    assert_eq!(
        world.board(&world.bob).await,
        ["1 ada/small 0.5", "2 bob/large 0.75"]
    );
}

#[tokio::test]
async fn rows_of_private_models_are_for_those_who_see_the_models() {
    let world = World::with_benchmark().await;
    world
        .create_as(&world.bob, RepoKind::Model, "secret", Visibility::Private)
        .await;
    world.results(&world.ada, "ada/small", &score(0.5)).await;
    world.results(&world.bob, "bob/secret", &score(0.75)).await;
    let (all, public) = (
        ["1 bob/secret 0.75", "2 ada/small 0.5"],
        ["1 ada/small 0.5"],
    );

    assert_eq!(world.board(&world.bob).await, all);
    assert_eq!(world.board(&world.root).await, all);
    assert_eq!(world.board(&world.ada).await, public);
    assert_eq!(world.board(&Caller::anonymous()).await, public);

    let settings = Settings {
        visibility: Some(Visibility::Public),
        description: None,
    };
    let secret = repo_id("bob/secret");
    world
        .hub
        .repositories()
        .change_settings(&world.bob, RepoKind::Model, &secret, settings)
        .await
        .unwrap();

    assert_eq!(world.board(&Caller::anonymous()).await, all);
}

#[tokio::test]
async fn a_private_benchmark_is_missing_for_strangers_and_a_board_for_its_owner() {
    let world = World::with_benchmark().await;
    let settings = Settings {
        visibility: Some(Visibility::Private),
        description: None,
    };
    world.results(&world.bob, "bob/large", &score(0.75)).await;
    world.board(&world.bob).await;
    world
        .hub
        .repositories()
        .change_settings(
            &world.ada,
            RepoKind::Dataset,
            &repo_id("ada/sums"),
            settings,
        )
        .await
        .unwrap();

    let stranger = world.view(&world.bob, &everyone()).await;
    let nobody = world.view(&Caller::anonymous(), &everyone()).await;

    assert!(matches!(stranger, Err(Error::NotFound(Missing::Repo))));
    assert!(matches!(nobody, Err(Error::NotFound(Missing::Repo))));
    assert_eq!(world.board(&world.ada).await, ["1 bob/large 0.75"]);
    let model = world.model("bob/large").await;
    let results = world.hub.boards().model_results(&model).await.unwrap();
    assert_eq!(
        results[0].pending.as_deref(),
        Some("this hub has no benchmark `ada/sums` yet")
    );
}

#[tokio::test]
async fn models_made_from_others_are_left_out_when_that_is_asked_for() {
    let world = World::with_benchmark().await;
    world.results(&world.ada, "ada/small", &score(0.5)).await;
    world.results(&world.bob, "bob/large", &score(0.75)).await;
    let card = "---\nbase_model: ada/small\n---\n# Large\n";
    world
        .put(&world.bob, RepoKind::Model, "bob/large", "README.md", card)
        .await;

    let query = BoardQuery {
        base_models_only: true,
        ..BoardQuery::default()
    };
    let base_only = world.view(&world.ada, &query).await.unwrap();

    assert_eq!(lines(&base_only), ["1 ada/small 0.5"]);
    assert_eq!(
        world.board(&world.ada).await,
        ["1 bob/large 0.75", "2 ada/small 0.5"]
    );
}

#[tokio::test]
async fn a_board_can_be_seen_as_it_stood() {
    let world = World::with_benchmark().await;
    world.results(&world.ada, "ada/small", &score(0.5)).await;
    world.clock.advance(3 * 24 * 60 * 60 * 1000);
    world.results(&world.ada, "ada/small", &score(0.75)).await;
    let at = async |text: &str| {
        let query = BoardQuery {
            as_of: Some(text.to_owned()),
            ..everyone()
        };
        world
            .view(&world.ada, &query)
            .await
            .map(|view| lines(&view))
    };

    assert_eq!(at("2026-01-01").await.unwrap(), ["1 ada/small 0.5"]);
    assert_eq!(at("2026-01-05").await.unwrap(), ["1 ada/small 0.75"]);
    assert_eq!(at("2025-12-31").await.unwrap(), [""; 0]);
    assert_eq!(at("2026-01-01T00:00:00Z").await.unwrap(), [""; 0]);
    assert!(matches!(at("yesterday").await, Err(Error::Invalid(_))));
}

#[tokio::test]
async fn a_board_as_of_a_commit_has_the_definition_of_that_commit() {
    let world = World::with_benchmark().await;
    world.results(&world.ada, "ada/small", &score(0.5)).await;
    world.results(&world.bob, "bob/large", &score(0.75)).await;
    world.clock.advance(1000);
    let lower = SUMS.replace("higher_is_better: true", "higher_is_better: false");
    let committed = world
        .put(
            &world.ada,
            RepoKind::Dataset,
            "ada/sums",
            "eval.yaml",
            &lower,
        )
        .await;
    world.clock.advance(1000);
    world
        .put(&world.ada, RepoKind::Dataset, "ada/sums", "eval.yaml", SUMS)
        .await;
    let query = BoardQuery {
        as_of: Some(committed.commit.to_string()),
        ..everyone()
    };

    let view = world.view(&world.ada, &query).await.unwrap();

    assert_eq!(lines(&view), ["1 ada/small 0.5", "2 bob/large 0.75"]);
    assert_eq!(view.revision, committed.commit);
}

#[tokio::test]
async fn a_renamed_benchmark_keeps_its_results() {
    let world = World::with_benchmark().await;
    world.results(&world.ada, "ada/small", &score(0.5)).await;
    world.board(&world.ada).await;
    let to = repo_id("ada/additions");
    world
        .hub
        .repositories()
        .move_repository(&world.ada, RepoKind::Dataset, &repo_id("ada/sums"), &to)
        .await
        .unwrap();

    let view = world
        .hub
        .boards()
        .leaderboard(&world.bob, &to, &everyone())
        .await;
    let old = world.view(&world.bob, &everyone()).await;

    assert_eq!(lines(&view.unwrap()), ["1 ada/small 0.5"]);
    assert!(matches!(old, Err(Error::Moved { .. })));
    world.check_index().await;
}

#[tokio::test]
async fn rows_can_be_taken_page_by_page() {
    let world = World::with_benchmark().await;
    world.results(&world.ada, "ada/small", &score(0.5)).await;
    world.results(&world.bob, "bob/large", &score(0.75)).await;
    let query = BoardQuery {
        limit: Some(1),
        offset: 1,
        ..everyone()
    };

    let view = world.view(&world.ada, &query).await.unwrap();

    assert_eq!(
        (view.total, lines(&view)),
        (2, vec!["2 ada/small 0.5".to_owned()])
    );
}

#[tokio::test]
async fn what_a_deleted_model_said_is_gone() {
    let world = World::with_benchmark().await;
    world.results(&world.ada, "ada/small", &score(0.5)).await;
    world.board(&world.ada).await;

    world
        .hub
        .repositories()
        .delete_repository(&world.ada, RepoKind::Model, &repo_id("ada/small"))
        .await
        .unwrap();

    assert_eq!(world.board(&world.ada).await, [""; 0]);
    world.check_index().await;
}
