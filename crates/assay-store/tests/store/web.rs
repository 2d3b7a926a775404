//! Sessions, passwords and webhooks.

use assay_store::{
    Attempt, DeliveryCause, Error, HookedTo, NewWebSession, NewWebhook, Sha256, Taken, Tx,
    WebhookId,
};
use serde_json::json;

use crate::support::{Hub, at};

async fn queue(tx: &mut Tx, hook: WebhookId, time: i64) {
    tx.add_delivery(hook, "results", "{}", at(time), DeliveryCause::Event)
        .await
        .unwrap();
}

fn session(account: assay_store::AccountId, hash: u8, expires: i64) -> NewWebSession {
    NewWebSession {
        account,
        token: None,
        hash: Sha256::from_bytes([hash; 32]),
        agent: "Test".to_owned(),
        created: at(10),
        expires: at(expires),
    }
}

#[tokio::test]
async fn a_session_is_found_by_its_hash_and_ends_for_its_owner_alone() {
    let hub = Hub::new().await;
    let (ada, bob) = (hub.user("ada").await, hub.user("bob").await);
    let mut tx = hub.store.begin().await.unwrap();
    let id = tx.add_web_session(&session(ada, 1, 100)).await.unwrap();
    tx.add_web_session(&session(ada, 2, 100)).await.unwrap();
    tx.touch_web_session(id, at(50)).await.unwrap();
    tx.commit().await.unwrap();

    let found = hub.store.web_visitor(&Sha256::from_bytes([1; 32])).await;
    let mut tx = hub.store.begin().await.unwrap();
    let by_bob = tx.end_web_session(bob, id).await.unwrap();
    let others = tx.end_web_sessions(ada, Some(id)).await.unwrap();
    tx.commit().await.unwrap();

    let found = found.unwrap().unwrap();
    assert_eq!((found.account.name.as_str(), found.token), ("ada", None));
    assert_eq!(
        (found.session.last_used, found.session.expires),
        (at(50), at(100))
    );
    assert_eq!((by_bob, others), (false, 1));
    assert_eq!(hub.store.web_sessions_of(ada).await.unwrap().len(), 1);
}

#[tokio::test]
async fn sessions_that_have_ended_are_forgotten_when_another_begins() {
    let hub = Hub::new().await;
    let ada = hub.user("ada").await;
    let mut tx = hub.store.begin().await.unwrap();
    tx.add_web_session(&session(ada, 1, 20)).await.unwrap();
    let mut later = session(ada, 2, 100);
    later.created = at(20);
    tx.add_web_session(&later).await.unwrap();
    let twice = tx.add_web_session(&later).await.unwrap_err();
    drop(tx);

    let what = Taken::Session;
    assert!(matches!(twice, Error::Taken { what: taken } if taken == what));
}

#[tokio::test]
async fn an_account_takes_its_sessions_and_its_password_along() {
    let hub = Hub::new().await;
    let ada = hub.user("ada").await;
    let mut tx = hub.store.begin().await.unwrap();
    tx.add_web_session(&session(ada, 1, 100)).await.unwrap();
    tx.set_password(ada, Some("one"), at(1)).await.unwrap();
    tx.set_password(ada, Some("two"), at(2)).await.unwrap();
    assert_eq!(tx.password_of(ada).await.unwrap().as_deref(), Some("two"));
    tx.remove_account(ada).await.unwrap();
    tx.commit().await.unwrap();

    let hash = Sha256::from_bytes([1; 32]);
    assert_eq!(hub.store.web_visitor(&hash).await.unwrap(), None);
    assert_eq!(hub.store.password_of(ada).await.unwrap(), None);
}

#[tokio::test]
async fn deliveries_are_due_until_they_are_over_and_old_ones_are_forgotten() {
    let hub = Hub::new().await;
    let model = hub.model("ada/small").await;
    let owner = hub.store.repository(model).await.unwrap().unwrap().owner;
    let mut tx = hub.store.begin().await.unwrap();
    let hook = tx
        .add_webhook(&NewWebhook {
            to: HookedTo::Repository(model),
            url: "https://example.org".to_owned(),
            secret: "s".to_owned(),
            events: vec!["results".to_owned()],
            created: at(1),
        })
        .await
        .unwrap();
    for time in [5, 6, 7] {
        queue(&mut tx, hook, time).await;
    }
    tx.commit().await.unwrap();

    let mut due = Vec::new();
    while let Some(next) = hub.store.due_deliveries(at(6), 10).await.unwrap().first() {
        let taken = hub
            .store
            .take_delivery(next.id, at(6), at(9))
            .await
            .unwrap();
        due.extend(taken);
    }
    let mut tx = hub.store.begin().await.unwrap();
    for delivery in &due {
        let attempt = Attempt {
            tried: at(8),
            due: None,
            status: Some(204),
            problem: None,
        };
        tx.note_attempt(delivery.id, &attempt).await.unwrap();
    }
    tx.prune_deliveries(hook, 1).await.unwrap();
    tx.commit().await.unwrap();

    assert_eq!(due.len(), 2);
    let left = hub.store.deliveries_of(hook, 10).await.unwrap();
    assert_eq!(left.len(), 1, "what is over goes, what waits stays");
    assert_eq!((left[0].created, left[0].due), (at(7), Some(at(7))));
    let hooks = hub.store.webhooks_for(model, owner).await.unwrap();
    assert_eq!(hooks.len(), 1);
    assert_eq!(hub.store.webhook(WebhookId(99)).await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_is_given_to_one_of_many_until_it_is_given_up() {
    let hub = Hub::new().await;
    let model = hub.model("ada/small").await;
    let mut tx = hub.store.begin().await.unwrap();
    let hook = NewWebhook {
        to: HookedTo::Repository(model),
        url: "https://example.org".to_owned(),
        secret: "s".to_owned(),
        events: vec!["results".to_owned()],
        created: at(1),
    };
    let hook = tx.add_webhook(&hook).await.unwrap();
    for _ in 0..40 {
        queue(&mut tx, hook, 5).await;
    }
    tx.commit().await.unwrap();

    let mut takers = tokio::task::JoinSet::new();
    for _ in 0..2 {
        let store = hub.other().await;
        takers.spawn(async move {
            let mut taken = Vec::new();
            while let Some(next) = store.due_deliveries(at(6), 3).await.unwrap().first() {
                let some = store.take_delivery(next.id, at(6), at(9)).await.unwrap();
                taken.extend(some.map(|delivery| delivery.id));
            }
            taken
        });
    }
    let mut taken = takers.join_all().await.concat();
    let later = hub.store.delivery_counts(at(9)).await.unwrap();

    taken.sort();
    let count = taken.len();
    taken.dedup();
    assert_eq!((count, taken.len()), (40, 40), "each once");
    assert_eq!(later.due, 40, "whoever took them is gone by then");
}

#[tokio::test]
async fn of_each_owner_the_delivery_that_waited_longest_is_next_and_paused_webhooks_wait() {
    let hub = Hub::new().await;
    let (ada, bob) = (hub.user("ada").await, hub.user("bob").await);
    let mut tx = hub.store.begin().await.unwrap();
    let mut hooks = Vec::new();
    for (owner, host) in [(ada, "one"), (ada, "two"), (bob, "three")] {
        let new = NewWebhook {
            to: HookedTo::Account(owner),
            url: format!("https://{host}.example"),
            secret: "s".to_owned(),
            events: vec!["results".to_owned()],
            created: at(1),
        };
        hooks.push(tx.add_webhook(&new).await.unwrap());
    }
    for (hook, time) in [(hooks[1], 3), (hooks[0], 4), (hooks[2], 9)] {
        queue(&mut tx, hook, time).await;
    }
    tx.commit().await.unwrap();

    let first = hub.store.due_deliveries(at(10), 10).await.unwrap();
    let mut tx = hub.store.begin().await.unwrap();
    let early = tx.note_hook_failure(hooks[1], at(10), at(9)).await.unwrap();
    let late = tx
        .note_hook_failure(hooks[1], at(20), at(10))
        .await
        .unwrap();
    let again = tx
        .note_hook_failure(hooks[1], at(21), at(10))
        .await
        .unwrap();
    tx.commit().await.unwrap();
    let second = hub.store.due_deliveries(at(30), 10).await.unwrap();
    let counts = hub.store.delivery_counts(at(30)).await.unwrap();
    let mut tx = hub.store.begin().await.unwrap();
    let resumed = tx.resume_webhook(hooks[1]).await.unwrap();
    tx.commit().await.unwrap();
    let third = hub.store.due_deliveries(at(30), 10).await.unwrap();

    let urls = |due: &[assay_store::DueDelivery]| -> Vec<String> {
        due.iter().map(|due| due.url.clone()).collect()
    };
    assert_eq!(
        urls(&first),
        ["https://two.example", "https://three.example"]
    );
    assert_eq!((first[0].owner, first[1].owner), (ada, bob));
    assert_eq!((early, late, again, resumed), (false, true, false, true));
    assert_eq!(
        urls(&second),
        ["https://one.example", "https://three.example"]
    );
    assert_eq!((counts.due, counts.waiting, counts.paused), (2, 3, 1));
    assert_eq!(
        urls(&third),
        ["https://two.example", "https://three.example"]
    );
}

#[tokio::test]
async fn ranks_that_were_told_come_back() {
    let hub = Hub::new().await;
    let board = hub.dataset("ada/sums").await;
    let task = "words".parse().unwrap();
    let ranks = json!({ "ada/small": [1, 0.1] });
    assert_eq!(hub.store.told_ranks(board, &task).await.unwrap(), None);

    let mut tx = hub.store.begin().await.unwrap();
    tx.set_told_ranks(board, &task, &json!({})).await.unwrap();
    tx.set_told_ranks(board, &task, &ranks).await.unwrap();
    tx.commit().await.unwrap();

    assert_eq!(
        hub.store.told_ranks(board, &task).await.unwrap(),
        Some(ranks)
    );
}
