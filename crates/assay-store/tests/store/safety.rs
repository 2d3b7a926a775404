//! Several who read and write at once, and what a crash leaves.

use assay_store::{Error, Store};
use tempfile::TempDir;

use crate::support::{Hub, noticed, open, user};

/// Adds one to a number in the settings, in a transaction of its own.
async fn count(store: Store) {
    let mut tx = store.begin().await.unwrap();
    let before = tx.setting("count").await.unwrap();
    let before: u32 = before.map_or(0, |text| text.parse().unwrap());
    tokio::task::yield_now().await;
    let after = (before + 1).to_string();
    tx.set_setting("count", Some(&after)).await.unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn no_change_is_lost_when_many_are_made_at_once_from_two_sides() {
    let hub = Hub::new().await;
    let stores = [hub.store.clone(), hub.other().await];

    let tasks: Vec<_> = (0..60)
        .map(|task| tokio::spawn(count(stores[task % 2].clone())))
        .collect();
    for task in tasks {
        task.await.unwrap();
    }

    for store in stores {
        assert_eq!(store.setting("count").await.unwrap().as_deref(), Some("60"));
    }
}

#[tokio::test]
async fn readers_go_on_during_a_change_and_see_what_was_before() {
    let hub = Hub::new().await;
    let other = hub.other().await;
    let mut tx = hub.store.begin().await.unwrap();
    tx.add_account(&user("alice")).await.unwrap();

    // More at once than there are readers, so that some have to take turns.
    let mut readers = tokio::task::JoinSet::new();
    for reader in 0..40 {
        let store = if reader % 2 == 0 {
            hub.store.clone()
        } else {
            other.clone()
        };
        readers.spawn(async move { store.account_named("alice").await.unwrap() });
    }
    let during = readers.join_all().await;
    let inside = tx.account_named("alice").await.unwrap();
    tx.commit().await.unwrap();

    assert!(during.iter().all(Option::is_none));
    assert!(inside.is_some());
    assert_eq!(hub.store.account_named("alice").await.unwrap(), inside);
    assert_eq!(other.account_named("alice").await.unwrap(), inside);
}

#[tokio::test]
async fn what_is_dropped_or_given_up_did_not_happen() {
    let hub = Hub::new().await;
    let before = hub.store.generation().await.unwrap();

    let mut tx = hub.store.begin().await.unwrap();
    tx.add_account(&user("alice")).await.unwrap();
    drop(tx);
    let mut tx = hub.store.begin().await.unwrap();
    assert_eq!(tx.account_named("alice").await.unwrap(), None);
    tx.add_account(&user("bob")).await.unwrap();
    tx.rollback().await.unwrap();

    assert_eq!(hub.store.account_named("alice").await.unwrap(), None);
    assert_eq!(hub.store.account_named("bob").await.unwrap(), None);
    assert_eq!(hub.store.generation().await.unwrap(), before);
}

#[tokio::test]
async fn the_generation_grows_with_every_change_that_can_be_seen_and_no_other() {
    let hub = Hub::new().await;
    let other = hub.other().await;
    let first = hub.store.generation().await.unwrap();
    assert_eq!(other.generation().await.unwrap(), first);

    hub.user("alice").await;
    let second = hub.store.seen_generation();
    let noticed_second = noticed(&other, second).await;
    let mut tx = other.begin().await.unwrap();
    tx.remove_member(assay_store::AccountId(1), assay_store::AccountId(1))
        .await
        .unwrap();
    let third = tx.commit().await.unwrap();
    let mut tx = other.begin().await.unwrap();
    tx.add_account(&user("bob")).await.unwrap();
    let fourth = tx.commit().await.unwrap();

    assert_eq!(second, first + 1);
    assert_eq!(noticed_second, second);
    assert_eq!(third, second, "nothing was changed");
    assert_eq!(fourth, second + 1);
    assert_eq!(hub.store.seen_generation(), second);
    assert_eq!(noticed(&hub.store, fourth).await, fourth);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_can_open_a_new_database_at_once() {
    let directory = TempDir::new().unwrap();
    let (database, _kept) = crate::new_database(&directory).await;

    let mut openers = tokio::task::JoinSet::new();
    for _ in 0..6 {
        let database = database.clone();
        openers.spawn(async move { open(&database).await });
    }
    let stores = openers.join_all().await;

    for store in stores {
        assert_eq!(store.counts().await.unwrap().users, 0);
    }
}

#[tokio::test]
async fn what_was_committed_is_there_when_the_database_is_opened_again() {
    let hub = Hub::new().await;
    hub.model("alice/small").await;
    let generation = hub.store.generation().await.unwrap();
    hub.store.close().await;

    let again = hub.other().await;

    assert_eq!(again.counts().await.unwrap().models, 1);
    assert_eq!(again.generation().await.unwrap(), generation);
    let closed = hub.store.counts().await;
    assert!(matches!(
        closed,
        Err(Error::Database {
            doing: "counts",
            ..
        })
    ));
}

#[tokio::test]
async fn a_copy_is_a_hub_of_its_own() {
    let hub = Hub::new().await;
    hub.model("alice/small").await;
    let path = hub.directory.path().join("copy.db");

    hub.store.copy_to(&path).await.unwrap();
    hub.model("alice/later").await;
    let copy = Store::open(&path).await.unwrap();
    let again = hub.store.copy_to(&path).await;

    assert_eq!(copy.counts().await.unwrap().models, 1);
    assert!(again.is_err(), "a file that is there is not overwritten");
}

#[tokio::test]
async fn what_others_committed_is_noticed_by_who_has_committed_since() {
    let hub = Hub::new().await;
    let other = hub.other().await;
    let seen = hub.store.seen_generation();
    let mut tx = other.begin().await.unwrap();
    tx.add_account(&user("alice")).await.unwrap();
    tx.commit().await.unwrap();

    let mut tx = hub.store.begin().await.unwrap();
    tx.add_account(&user("bob")).await.unwrap();
    let own = tx.commit().await.unwrap();
    let before = hub.store.seen_generation();

    assert_eq!(own, seen + 2);
    assert!(
        before < own,
        "what is kept of the other's change is dropped first"
    );
    assert_eq!(noticed(&hub.store, own).await, own);
}

#[tokio::test]
async fn a_change_of_others_stays_news_whoever_noticed_it_first() {
    let hub = Hub::new().await;
    let other = hub.other().await;
    hub.store.generation().await.unwrap();
    let before = hub.store.generation_of_others();
    let mut tx = hub.store.begin().await.unwrap();
    tx.add_account(&user("bob")).await.unwrap();
    let own = tx.commit().await.unwrap();
    let after_own = hub.store.generation_of_others();
    let mut tx = other.begin().await.unwrap();
    tx.add_account(&user("alice")).await.unwrap();
    let theirs = tx.commit().await.unwrap();

    // A check of health, say.
    noticed(&hub.store, theirs).await;

    assert_eq!(after_own, before, "a commit of our own is no news: {own}");
    assert_eq!(hub.store.generation_of_others(), theirs);
}

#[tokio::test]
async fn a_text_may_hold_any_character() {
    let hub = Hub::new().await;
    let text = "nul \0, escape \u{f8f0}0, last \u{10ffff}";

    let mut tx = hub.store.begin().await.unwrap();
    tx.set_setting("text", Some(text)).await.unwrap();
    tx.set_setting("a\0b", Some("found")).await.unwrap();
    tx.commit().await.unwrap();

    let read = hub.store.setting("text").await.unwrap();
    assert_eq!(read.as_deref(), Some(text));
    let found = hub.store.setting("a\0b").await.unwrap();
    assert_eq!(found.as_deref(), Some("found"));
    assert_eq!(hub.store.setting("a").await.unwrap(), None);
}
