//! Deliveries of webhooks: receivers, and attempts.

use assay_app::{
    Caller, DeliveryOutcome, Error, HookEvent, HookPlace, InFlight, QueuedDelivery, Status,
};
use assay_model::RepoKind;
use serde_json::Value as Json;

use crate::support::{World, repo_id, score};

const URL: &str = "https://example.org/hook";

fn of_model(id: &str) -> HookPlace {
    HookPlace::Repository(RepoKind::Model, repo_id(id))
}

async fn hook(world: &World, caller: &Caller, place: &HookPlace, events: &[HookEvent]) -> i64 {
    let made = world
        .hub
        .webhooks()
        .create_webhook(caller, place, URL, events)
        .await;
    made.unwrap().0.id
}

/// Returns the bodies in the queue now, all of them delivered.
async fn told(world: &World) -> Vec<Json> {
    let mut bodies = Vec::new();
    loop {
        let due = due(world).await;
        if due.is_empty() {
            return bodies;
        }
        for queued in due {
            let good = DeliveryOutcome::Answered(204);
            world
                .hub
                .webhooks()
                .note_delivery(queued.delivery, good)
                .await
                .unwrap();
            bodies.push(serde_json::from_str(&queued.body).unwrap());
        }
    }
}

/// Returns the deliveries that are due now, when none is being sent.
async fn due(world: &World) -> Vec<QueuedDelivery> {
    let mut in_flight = InFlight::default();
    world
        .hub
        .webhooks()
        .due_deliveries(&mut in_flight)
        .await
        .unwrap()
}

#[tokio::test]
async fn what_happens_to_a_pull_request_is_told_in_order() {
    let world = World::with_benchmark().await;
    hook(
        &world,
        &world.ada,
        &of_model("ada/small"),
        &[HookEvent::PullRequest],
    )
    .await;
    let num = world.propose(&world.bob, "ada/small", &score(0.5)).await;
    let repo = world.model("ada/small").await;
    let hub = &world.hub;
    hub.discussions()
        .comment(&world.ada, &repo, num, "why?")
        .await
        .unwrap();
    hub.discussions()
        .change_status(&world.bob, &repo, num, Status::Closed, None)
        .await
        .unwrap();
    hub.discussions()
        .change_status(&world.bob, &repo, num, Status::Open, None)
        .await
        .unwrap();
    hub.discussions()
        .merge(&world.ada, &repo, num, None)
        .await
        .unwrap();

    let told = told(&world).await;

    let actions: Vec<&str> = told
        .iter()
        .map(|body| body["action"].as_str().unwrap())
        .collect();
    assert_eq!(
        actions,
        ["opened", "commented", "closed", "reopened", "merged"]
    );
    assert_eq!(told[0]["sender"], "bob");
    assert_eq!(told[0]["repository"]["id"], "ada/small");
    assert_eq!(told[4]["discussion"]["status"], "merged");
}

#[tokio::test]
async fn results_that_come_and_go_are_told_and_nothing_when_none_do() {
    let world = World::with_benchmark().await;
    let account = HookPlace::Account("ada".to_owned());
    hook(&world, &world.ada, &account, &[HookEvent::Results]).await;
    world.results(&world.ada, "ada/small", &score(0.5)).await;
    world.results(&world.bob, "bob/large", &score(0.6)).await;
    world
        .put(
            &world.ada,
            RepoKind::Model,
            "ada/small",
            "README.md",
            "# hi\n",
        )
        .await;
    world.results(&world.ada, "ada/small", &score(0.7)).await;

    let told = told(&world).await;

    assert_eq!(told.len(), 2);
    assert_eq!(told[0]["added"][0]["scores"][0]["value"], 0.5);
    assert_eq!(told[0]["removed_count"], 0);
    assert_eq!(told[1]["added"][0]["scores"][0]["value"], 0.7);
    assert_eq!(told[1]["removed"][0]["scores"][0]["value"], 0.5);
}

/// Trap T26: whoever asks for more exactly than this hub can tell is told of the broader scope.
#[tokio::test]
async fn t26_a_webhook_with_an_unknown_scope_is_told_of_the_broader_one() {
    let world = World::with_benchmark().await;
    let place = of_model("ada/small");
    let hub = &world.hub;
    let made =
        hub.webhooks()
            .create_scoped_webhook(&world.ada, &place, URL, &["results.verified"], None);
    let (made, _) = made.await.unwrap();
    let wrong = hub
        .webhooks()
        .create_scoped_webhook(&world.ada, &place, URL, &["Results !"], None);
    let wrong = wrong.await;

    world.results(&world.ada, "ada/small", &score(0.5)).await;
    world.propose(&world.bob, "ada/small", &score(0.6)).await;

    let told = told(&world).await;
    let events: Vec<&str> = told
        .iter()
        .map(|body| body["event"].as_str().unwrap())
        .collect();
    assert_eq!(events, ["results", "results"], "and not of pull requests");
    let listed = hub.webhooks().webhooks(&world.ada, &place).await.unwrap();
    assert_eq!(made.events, [HookEvent::Results]);
    assert_eq!(listed, [made]);
    assert!(matches!(wrong, Err(Error::Invalid(_))), "{wrong:?}");
}

#[tokio::test]
async fn a_board_tells_of_every_move_and_a_model_of_its_own() {
    let world = World::with_benchmark().await;
    world.results(&world.ada, "ada/small", &score(0.5)).await;
    let board = HookPlace::Repository(RepoKind::Dataset, repo_id("ada/sums"));
    hook(&world, &world.ada, &board, &[HookEvent::Ranks]).await;
    hook(
        &world,
        &world.ada,
        &of_model("ada/small"),
        &[HookEvent::Ranks],
    )
    .await;
    world.results(&world.bob, "bob/large", &score(0.6)).await;

    world.hub.webhooks().announce_ranks().await.unwrap();
    world.hub.webhooks().announce_ranks().await.unwrap();

    let told = told(&world).await;
    assert_eq!(told.len(), 2);
    assert_eq!(told[0]["moves_count"], 2);
    assert_eq!(told[0]["moves"][0]["model"], "bob/large");
    assert_eq!(told[0]["moves"][0]["rank_before"], Json::Null);
    assert_eq!(told[1]["moves_count"], 1);
    assert_eq!(told[1]["moves"][0]["rank_before"], 1);
    assert_eq!(told[1]["moves"][0]["rank_after"], 2);
}

#[tokio::test]
async fn a_move_while_nobody_listened_is_told_after_the_next_start() {
    let mut world = World::with_benchmark().await;
    world.results(&world.ada, "ada/small", &score(0.5)).await;
    hook(
        &world,
        &world.ada,
        &of_model("ada/small"),
        &[HookEvent::Ranks],
    )
    .await;
    world.results(&world.ada, "ada/small", &score(0.9)).await;
    world.reopen().await;

    world.hub.webhooks().announce_ranks().await.unwrap();

    let told = told(&world).await;
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["moves"][0]["value_before"], 0.5);
    assert_eq!(told[0]["moves"][0]["value_after"], 0.9);
}

#[tokio::test]
async fn what_is_not_taken_is_sent_again_later_and_in_the_end_no_more() {
    let world = World::with_benchmark().await;
    let place = of_model("ada/small");
    let id = hook(&world, &world.ada, &place, &[HookEvent::PullRequest]).await;
    let hub = &world.hub;
    hub.webhooks()
        .ping_webhook(&world.ada, &place, id)
        .await
        .unwrap();
    let mut tries = 0;
    for _ in 0..20 {
        let due_now = due(&world).await;
        let Some(queued) = due_now.first() else { break };
        tries += 1;
        let bad = DeliveryOutcome::Answered(500);
        hub.webhooks()
            .note_delivery(queued.delivery, bad)
            .await
            .unwrap();
        assert_eq!(due(&world).await, []);
        let left = hub
            .webhooks()
            .deliveries(&world.ada, &place, id)
            .await
            .unwrap();
        let (tried, next) = (left[0].tried.unwrap(), left[0].due);
        world
            .clock
            .advance(next.map_or(0, |next| next.millis() - tried.millis()));
    }

    let deliveries = hub
        .webhooks()
        .deliveries(&world.ada, &place, id)
        .await
        .unwrap();

    assert_eq!(tries, 8);
    let [delivery] = deliveries.as_slice() else {
        panic!("{deliveries:?}")
    };
    assert_eq!((delivery.attempts, delivery.due), (8, None));
    assert_eq!(delivery.status, Some(500));
    hub.webhooks()
        .redeliver(&world.ada, &place, id, delivery.id)
        .await
        .unwrap();
    assert_eq!(due(&world).await.len(), 1);
}

#[tokio::test]
async fn an_address_that_must_not_be_asked_is_not_asked_again() {
    let world = World::with_benchmark().await;
    let place = of_model("ada/small");
    let id = hook(&world, &world.ada, &place, &[HookEvent::Results]).await;
    let hub = &world.hub;
    hub.webhooks()
        .ping_webhook(&world.ada, &place, id)
        .await
        .unwrap();
    let queued = due(&world).await.remove(0);

    let outcome = DeliveryOutcome::Forbidden("a private address".to_owned());
    hub.webhooks()
        .note_delivery(queued.delivery, outcome)
        .await
        .unwrap();

    world.clock.advance(86_400_000);
    assert_eq!(due(&world).await, []);
}

#[tokio::test]
async fn webhooks_are_for_those_who_manage_the_place() {
    let world = World::with_benchmark().await;
    let place = of_model("ada/small");
    let id = hook(&world, &world.ada, &place, &[HookEvent::Results]).await;
    let hub = &world.hub;
    let events = [HookEvent::Results];

    let by_bob = hub
        .webhooks()
        .create_webhook(&world.bob, &place, URL, &events)
        .await;
    let of_ada = HookPlace::Account("ada".to_owned());
    let for_ada = hub
        .webhooks()
        .create_webhook(&world.bob, &of_ada, URL, &events)
        .await;
    let seen = hub.webhooks().webhooks(&world.bob, &place).await;
    let elsewhere = hub
        .webhooks()
        .remove_webhook(&world.bob, &of_model("bob/large"), id)
        .await;

    assert!(matches!(by_bob, Err(Error::Denied(_))));
    assert!(matches!(for_ada, Err(Error::Denied(_))));
    assert!(matches!(seen, Err(Error::Denied(_))));
    assert!(matches!(elsewhere, Err(Error::NotFound(_))));
    hub.webhooks()
        .remove_webhook(&world.root, &place, id)
        .await
        .unwrap();
    assert_eq!(
        hub.webhooks().webhooks(&world.ada, &place).await.unwrap(),
        []
    );
}

#[tokio::test]
async fn a_webhook_whose_address_fails_for_days_is_paused_until_it_is_resumed() {
    let world = World::with_benchmark().await;
    let place = of_model("ada/small");
    let id = hook(&world, &world.ada, &place, &[HookEvent::PullRequest]).await;
    let hub = &world.hub;
    for day in 0..4 {
        hub.webhooks()
            .ping_webhook(&world.ada, &place, id)
            .await
            .unwrap();
        while let Some(queued) = due(&world).await.first() {
            let silent = DeliveryOutcome::Failed("timeout".to_owned());
            hub.webhooks()
                .note_delivery(queued.delivery, silent)
                .await
                .unwrap();
        }
        let held = hub.webhooks().webhooks(&world.ada, &place).await.unwrap();
        assert_eq!(held[0].paused.is_some(), day == 3, "day {day}");
        world.clock.advance(86_400_000);
    }

    let refused = hub.webhooks().ping_webhook(&world.ada, &place, id).await;
    world.propose(&world.bob, "ada/small", &score(0.5)).await;
    let while_paused = due(&world).await;
    hub.webhooks()
        .resume_webhook(&world.ada, &place, id)
        .await
        .unwrap();
    let waiting = told(&world).await;
    let held = hub.webhooks().webhooks(&world.ada, &place).await.unwrap();

    assert!(matches!(refused, Err(Error::Conflict(_))));
    assert_eq!(while_paused, []);
    assert!(!waiting.is_empty());
    assert!(
        waiting.iter().all(|body| body["event"] == "ping"),
        "what happened meanwhile is not told"
    );
    assert_eq!((held[0].paused, held[0].failing_since), (None, None));
}

#[tokio::test]
async fn deliveries_by_hand_are_limited_by_the_minute() {
    let world = World::with_benchmark().await;
    let place = of_model("ada/small");
    let id = hook(&world, &world.ada, &place, &[HookEvent::PullRequest]).await;
    let hub = &world.hub;
    for _ in 0..10 {
        hub.webhooks()
            .ping_webhook(&world.ada, &place, id)
            .await
            .unwrap();
    }
    let first = hub
        .webhooks()
        .deliveries(&world.ada, &place, id)
        .await
        .unwrap()[0]
        .id;

    let ping = hub.webhooks().ping_webhook(&world.ada, &place, id).await;
    let again = hub
        .webhooks()
        .redeliver(&world.ada, &place, id, first)
        .await;
    world.clock.advance(61_000);
    let later = hub.webhooks().ping_webhook(&world.ada, &place, id).await;

    assert!(matches!(ping, Err(Error::RateLimited { .. })));
    assert!(matches!(again, Err(Error::RateLimited { .. })));
    assert!(later.is_ok());
}
