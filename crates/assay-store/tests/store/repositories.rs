//! Repositories, their names and what goes with them.

use assay_model::{RepoId, RepoKind};
use assay_store::{
    Branch, Card, Error, EventId, EventKind, Gate, NewBenchmark, NewDiscussion, NewEvent, Record,
    Settings, Sha256, Status, Taken,
};
use serde_json::json;

use crate::support::{Hub, at, commit, entry, repository};

fn id(text: &str) -> RepoId {
    text.parse().unwrap()
}

#[tokio::test]
async fn a_repository_is_read_as_it_was_made() {
    let hub = Hub::new().await;
    let alice = hub.user("alice").await;
    let mut new = repository(RepoKind::Dataset, "alice/Bench", alice);
    new.settings = Settings {
        private: true,
        description: Some("a bench".to_owned()),
        gate: Gate::Manual,
        disabled: true,
    };
    let mut tx = hub.store.begin().await.unwrap();
    let key = tx.add_repository(&new).await.unwrap();
    tx.commit().await.unwrap();

    let read = hub.store.repository(key).await.unwrap().unwrap();

    assert_eq!((read.key, read.kind, read.id), (key, new.kind, new.id));
    assert_eq!((read.owner, read.creator), (alice, Some(alice)));
    assert_eq!((read.created, read.updated), (new.created, new.created));
    assert_eq!(read.settings, new.settings);
}

#[tokio::test]
async fn a_name_is_taken_in_every_case_but_only_within_its_kind() {
    let hub = Hub::new().await;
    let model = hub.model("alice/Small").await;
    let dataset = hub.dataset("alice/small").await;
    let owner = hub.store.repository(model).await.unwrap().unwrap().owner;
    let mut tx = hub.store.begin().await.unwrap();

    let new = repository(RepoKind::Model, "Alice/sMALL", owner);
    let error = tx.add_repository(&new).await.unwrap_err();

    assert!(matches!(
        error,
        Error::Taken {
            what: Taken::Repository
        }
    ));
    tx.rollback().await.unwrap();
    for (kind, key) in [(RepoKind::Model, model), (RepoKind::Dataset, dataset)] {
        let found = hub.store.find_repository(kind, &id("ALICE/SMALL")).await;
        assert_eq!(found.unwrap().unwrap().repository.key, key);
    }
}

#[tokio::test]
async fn every_name_that_a_repository_had_leads_to_it() {
    let hub = Hub::new().await;
    let key = hub.model("alice/one").await;
    let bob = hub.user("bob").await;
    let alice = hub.store.repository(key).await.unwrap().unwrap().owner;
    let mut tx = hub.store.begin().await.unwrap();
    assert!(
        tx.rename_repository(key, &id("alice/Two"), alice, at(5))
            .await
            .unwrap()
    );
    assert!(
        tx.rename_repository(key, &id("bob/three"), bob, at(4))
            .await
            .unwrap()
    );
    tx.commit().await.unwrap();

    for (name, moved) in [
        ("alice/ONE", true),
        ("alice/two", true),
        ("Bob/Three", false),
    ] {
        let found = hub.store.find_repository(RepoKind::Model, &id(name)).await;
        let found = found.unwrap().unwrap();

        assert_eq!((found.repository.key, found.moved), (key, moved), "{name}");
    }
    let read = hub.store.repository(key).await.unwrap().unwrap();
    assert_eq!(
        (read.id, read.owner, read.updated),
        (id("bob/three"), bob, at(5))
    );
    assert_eq!(
        hub.store.former_names(key).await.unwrap(),
        ["alice/one", "alice/two"]
    );
    let found = hub
        .store
        .find_repository(RepoKind::Dataset, &id("alice/one"))
        .await;
    assert_eq!(found.unwrap(), None);
}

#[tokio::test]
async fn a_name_that_nothing_has_reads_the_row_of_another() {
    let hub = Hub::new().await;
    let one = id("alice/one");
    let nothing = hub.store.look_up_repository(RepoKind::Model, &one).await;
    assert_eq!(nothing.unwrap(), None);
    let key = hub.model("alice/one").await;
    let alice = hub.store.repository(key).await.unwrap().unwrap().owner;
    let mut tx = hub.store.begin().await.unwrap();
    tx.rename_repository(key, &id("alice/two"), alice, at(5))
        .await
        .unwrap();
    tx.commit().await.unwrap();

    for (kind, name, moved, is_stand_in) in [
        (RepoKind::Model, "Alice/Two", false, false),
        (RepoKind::Model, "alice/one", true, false),
        (RepoKind::Model, "alice/three", true, true),
        (RepoKind::Dataset, "alice/one", true, true),
    ] {
        let found = hub.store.look_up_repository(kind, &id(name)).await;
        let found = found.unwrap().unwrap();

        assert_eq!(found.found.repository.key, key, "{name}");
        assert_eq!(found.is_stand_in, is_stand_in, "{name}");
        assert_eq!(found.found.moved, moved, "{name}");
    }
}

#[tokio::test]
async fn a_new_repository_takes_a_name_from_the_one_that_had_it() {
    let hub = Hub::new().await;
    let old = hub.model("alice/one").await;
    let alice = hub.store.repository(old).await.unwrap().unwrap().owner;
    let mut tx = hub.store.begin().await.unwrap();
    tx.rename_repository(old, &id("alice/two"), alice, at(2))
        .await
        .unwrap();

    let new = repository(RepoKind::Model, "alice/One", alice);
    let new = tx.add_repository(&new).await.unwrap();
    tx.commit().await.unwrap();
    let mut tx = hub.store.begin().await.unwrap();
    let error = tx
        .rename_repository(new, &id("alice/TWO"), alice, at(3))
        .await;

    assert!(matches!(
        error,
        Err(Error::Taken {
            what: Taken::Repository
        })
    ));
    let found = hub
        .store
        .find_repository(RepoKind::Model, &id("alice/one"))
        .await;
    let found = found.unwrap().unwrap();
    assert_eq!((found.repository.key, found.moved), (new, false));
    assert!(hub.store.former_names(old).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_name_can_be_taken_back_and_its_case_can_change() {
    let hub = Hub::new().await;
    let key = hub.model("alice/one").await;
    let alice = hub.store.repository(key).await.unwrap().unwrap().owner;
    let mut tx = hub.store.begin().await.unwrap();

    for name in ["alice/two", "alice/one", "alice/ONE"] {
        assert!(
            tx.rename_repository(key, &id(name), alice, at(2))
                .await
                .unwrap()
        );
    }
    tx.commit().await.unwrap();

    let found = hub
        .store
        .find_repository(RepoKind::Model, &id("alice/one"))
        .await;
    let found = found.unwrap().unwrap();
    assert_eq!((found.repository.id, found.moved), (id("alice/ONE"), false));
    assert_eq!(hub.store.former_names(key).await.unwrap(), ["alice/two"]);
}

#[tokio::test]
async fn the_last_change_never_moves_back() {
    let hub = Hub::new().await;
    let key = hub.model("alice/one").await;
    let mut tx = hub.store.begin().await.unwrap();

    tx.touch_repository(key, at(50)).await.unwrap();
    tx.touch_repository(key, at(40)).await.unwrap();

    assert_eq!(tx.repository(key).await.unwrap().unwrap().updated, at(50));
}

#[tokio::test]
async fn a_key_is_never_given_again() {
    let hub = Hub::new().await;
    let first = hub.model("alice/one").await;
    let last = hub.model("alice/two").await;
    let mut tx = hub.store.begin().await.unwrap();
    assert!(tx.remove_repository(last).await.unwrap());
    assert!(!tx.remove_repository(last).await.unwrap());
    tx.commit().await.unwrap();

    let next = hub.model("alice/two").await;

    assert!(next > last);
    assert_eq!(
        hub.store.repository_keys(None, 9).await.unwrap(),
        [first, next]
    );
    assert_eq!(
        hub.store.repository_keys(Some(first), 9).await.unwrap(),
        [next]
    );
    assert_eq!(hub.store.repository_keys(None, 1).await.unwrap(), [first]);
}

#[tokio::test]
async fn settings_are_written_as_a_whole_and_repositories_are_counted_by_owner() {
    let hub = Hub::new().await;
    let key = hub.model("alice/one").await;
    hub.dataset("alice/two").await;
    hub.model("bob/three").await;
    let settings = Settings {
        private: true,
        gate: Gate::Auto,
        ..Settings::default()
    };
    let mut tx = hub.store.begin().await.unwrap();

    assert!(tx.set_repository(key, &settings).await.unwrap());
    tx.commit().await.unwrap();

    let read = hub.store.repository(key).await.unwrap().unwrap();
    assert_eq!(read.settings, settings);
    assert_eq!(hub.store.repositories_owned(read.owner).await.unwrap(), 2);
}

#[tokio::test]
async fn everything_about_a_repository_goes_with_it() {
    let hub = Hub::new().await;
    let key = hub.model("alice/one").await;
    let alice = hub.store.repository(key).await.unwrap().unwrap().owner;
    let mut tx = hub.store.begin().await.unwrap();
    tx.rename_repository(key, &id("alice/two"), alice, at(2))
        .await
        .unwrap();
    fill(&mut tx, key).await;
    tx.commit().await.unwrap();
    let before = hub.store.counts().await.unwrap();
    assert_eq!((before.models, before.pulls, before.entries), (1, 1, 1));

    let mut tx = hub.store.begin().await.unwrap();
    tx.remove_repository(key).await.unwrap();
    tx.commit().await.unwrap();

    let after = hub.store.counts().await.unwrap();
    assert_eq!((after.models, after.pulls, after.discussions), (0, 0, 0));
    assert_eq!((after.entries, after.benchmarks, after.records), (0, 0, 0));
    let mut dump = hub.store.index_dump().await.unwrap();
    assert_eq!(dump.next().await.unwrap(), None);
    let found = hub
        .store
        .find_repository(RepoKind::Model, &id("alice/one"))
        .await;
    assert_eq!(found.unwrap(), None);
    let oid = Sha256::from_bytes([1; 32]);
    assert!(!hub.store.large_object_in_use(&oid).await.unwrap());
}

/// Something in every table that is about a repository.
async fn fill(tx: &mut assay_store::Tx, key: assay_model::RepoKey) {
    let num = tx.next_number(key).await.unwrap().unwrap();
    let pull = NewDiscussion {
        key,
        num,
        title: "more results".to_owned(),
        status: Status::Open,
        is_pull: true,
        author: None,
        created: at(3),
        base: Some("refs/heads/main".to_owned()),
        opened_at: Some(commit(1)),
    };
    tx.add_discussion(&pull).await.unwrap();
    let event = NewEvent {
        id: EventId::from_bytes([1; 12]),
        key,
        num,
        kind: EventKind::Comment,
        author: None,
        created: at(3),
        data: json!({}),
    };
    tx.add_event(&event).await.unwrap();
    let oid = Sha256::from_bytes([1; 32]);
    tx.add_large_object(key, &oid, 5).await.unwrap();
    tx.mark_official(key, at(3)).await.unwrap();
    tx.set_indexed_ref(key, "refs/heads/main", Some(&commit(1)))
        .await
        .unwrap();
    let card = Card {
        data: json!({}),
        tags: vec!["text".to_owned()],
        base_models: Vec::new(),
        license: None,
        pipeline_tag: None,
        library: None,
        parameters: None,
    };
    tx.set_card(key, Some(&card)).await.unwrap();
    let benchmark = NewBenchmark {
        revision: commit(1),
        definition: json!({}),
        tasks: vec!["t".parse().unwrap()],
        valid: true,
    };
    tx.set_benchmark(key, Some(&benchmark)).await.unwrap();
    let entries = [entry("a/b", "t", 0, 0.5)];
    tx.replace_entries(key, Branch::Main, at(3), &entries)
        .await
        .unwrap();
    let record = Record {
        path: "data/x.json".parse().unwrap(),
        blob: commit(2),
        facts: json!({}),
    };
    tx.set_records(key, &[record]).await.unwrap();
}
