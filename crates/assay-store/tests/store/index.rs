//! References, cards, benchmarks, records and the smaller tables.

use assay_model::ObjectId;
use assay_store::{Card, Counts, IndexedRef, NewBenchmark, Record, Sha256};
use serde_json::json;

use crate::support::{Hub, at, commit};

pub(crate) fn card(tags: &[&str]) -> Card {
    Card {
        data: json!({ "license": "mit", "b": [1, 2.5, null], "a": {} }),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        base_models: vec!["acme/base".to_owned()],
        license: Some("mit".to_owned()),
        pipeline_tag: Some("text-generation".to_owned()),
        library: Some("transformers".to_owned()),
        parameters: Some(7_000_000_000),
    }
}

pub(crate) fn benchmark(tasks: &[&str], valid: bool) -> NewBenchmark {
    NewBenchmark {
        revision: commit(4),
        definition: json!({ "name": "Bench", "tasks": tasks }),
        tasks: tasks.iter().map(|task| task.parse().unwrap()).collect(),
        valid,
    }
}

fn reference(name: &str, target: ObjectId) -> IndexedRef {
    IndexedRef {
        name: name.to_owned(),
        target,
    }
}

fn record(path: &str, blob: u8) -> Record {
    Record {
        path: path.parse().unwrap(),
        blob: commit(blob),
        facts: json!({ "model": "acme/small", "scores": [0.1] }),
    }
}

#[tokio::test]
async fn references_are_written_and_removed_one_by_one() {
    let hub = Hub::new().await;
    let key = hub.model("alice/small").await;
    let mut tx = hub.store.begin().await.unwrap();
    let (main, dev) = ("refs/heads/main", "refs/heads/dev");
    tx.set_indexed_ref(key, main, Some(&commit(1)))
        .await
        .unwrap();
    tx.set_indexed_ref(key, "refs/pr/1", Some(&commit(1)))
        .await
        .unwrap();
    tx.set_indexed_ref(key, main, Some(&commit(2)))
        .await
        .unwrap();
    assert_eq!(tx.indexed_ref(key, main).await.unwrap(), Some(commit(2)));

    tx.set_indexed_ref(key, dev, Some(&commit(3)))
        .await
        .unwrap();
    tx.set_indexed_ref(key, "refs/pr/1", None).await.unwrap();
    tx.commit().await.unwrap();

    let all = [reference(dev, commit(3)), reference(main, commit(2))];
    assert_eq!(hub.store.indexed_refs(key).await.unwrap(), all);
    assert_eq!(hub.store.indexed_ref(key, "refs/pr/1").await.unwrap(), None);
    let mut tx = hub.store.begin().await.unwrap();
    tx.set_indexed_ref(key, dev, None).await.unwrap();
    assert_eq!(tx.indexed_refs(key).await.unwrap(), &all[1..]);
}

#[tokio::test]
async fn a_card_is_read_as_it_was_written_last() {
    let hub = Hub::new().await;
    let key = hub.model("alice/small").await;
    let mut tx = hub.store.begin().await.unwrap();
    tx.set_card(key, Some(&card(&["old"]))).await.unwrap();
    // A card may list a tag twice; it is found by it once.
    let new = card(&["z", "a", "z"]);
    tx.set_card(key, Some(&new)).await.unwrap();
    tx.commit().await.unwrap();

    assert_eq!(hub.store.card(key).await.unwrap(), Some(new));
    let mut tx = hub.store.begin().await.unwrap();
    tx.set_card(key, None).await.unwrap();
    assert_eq!(tx.card(key).await.unwrap(), None);
}

#[tokio::test]
async fn a_benchmark_is_listed_while_it_is_valid() {
    let hub = Hub::new().await;
    let good = hub.dataset("bob/good").await;
    let bad = hub.dataset("alice/bad").await;
    let also = hub.dataset("Alice/also").await;
    let mut tx = hub.store.begin().await.unwrap();
    tx.set_benchmark(good, Some(&benchmark(&["b", "a"], true)))
        .await
        .unwrap();
    tx.set_benchmark(bad, Some(&benchmark(&[], false)))
        .await
        .unwrap();
    tx.set_benchmark(also, Some(&benchmark(&["x"], true)))
        .await
        .unwrap();
    tx.mark_official(good, at(5)).await.unwrap();
    tx.mark_official(good, at(6)).await.unwrap();
    tx.commit().await.unwrap();

    let benchmarks = hub.store.benchmarks().await.unwrap();

    let listed: Vec<_> = benchmarks
        .iter()
        .map(|item| (item.listed.repository.key, item.listed.official))
        .collect();
    assert_eq!(listed, [(also, false), (good, true)]);
    assert_eq!(
        benchmarks[1].definition,
        json!({ "name": "Bench", "tasks": ["b", "a"] })
    );
    let read = hub.store.benchmark(bad).await.unwrap().unwrap();
    assert_eq!(
        (read.valid, read.listed.benchmark, read.revision),
        (false, false, commit(4))
    );
    let mut tx = hub.store.begin().await.unwrap();
    assert!(tx.unmark_official(good).await.unwrap());
    assert!(!tx.unmark_official(good).await.unwrap());
    tx.set_benchmark(good, None).await.unwrap();
    assert_eq!(tx.benchmark(good).await.unwrap(), None);
}

#[tokio::test]
async fn records_are_replaced_by_path_and_read_in_pieces() {
    let hub = Hub::new().await;
    let key = hub.dataset("alice/store").await;
    let all = [
        record("data/a.json", 1),
        record("data/b.json", 2),
        record("data/c.json", 3),
    ];
    let mut tx = hub.store.begin().await.unwrap();
    tx.set_records(key, &[record("data/b.json", 9)])
        .await
        .unwrap();
    tx.set_records(key, &all).await.unwrap();
    tx.commit().await.unwrap();

    let first = hub.store.records_of(key, None, None, 2).await.unwrap();
    let rest = hub
        .store
        .records_of(key, None, Some(&first[1].path), 2)
        .await
        .unwrap();

    assert_eq!((first.as_slice(), rest.as_slice()), (&all[..2], &all[2..]));
    assert_eq!(hub.store.count_records(key, None).await.unwrap(), 3);
    let mut tx = hub.store.begin().await.unwrap();
    assert!(tx.remove_record(key, &all[0].path).await.unwrap());
    assert!(!tx.remove_record(key, &all[0].path).await.unwrap());
    assert_eq!(tx.count_records(key, None).await.unwrap(), 2);
    tx.remove_records(key, u32::MAX).await.unwrap();
    assert_eq!(tx.count_records(key, None).await.unwrap(), 0);
}

#[tokio::test]
async fn a_large_file_belongs_to_the_repositories_that_have_it() {
    let hub = Hub::new().await;
    let (one, two) = (hub.model("alice/one").await, hub.model("alice/two").await);
    let (small, large) = (Sha256::from_bytes([1; 32]), Sha256::from_bytes([2; 32]));
    let mut tx = hub.store.begin().await.unwrap();
    tx.add_large_object(one, &small, 10).await.unwrap();
    tx.add_large_object(one, &small, 10).await.unwrap();
    tx.add_large_object(one, &large, 1 << 40).await.unwrap();
    tx.commit().await.unwrap();

    let store = &hub.store;
    assert_eq!(
        store.large_object(one, &large).await.unwrap(),
        Some(1 << 40)
    );
    assert_eq!(store.large_object(two, &large).await.unwrap(), None);
    assert_eq!(store.large_objects(one).await.unwrap(), [small, large]);
    assert_eq!(store.large_objects(two).await.unwrap(), []);
    assert!(store.large_object_in_use(&small).await.unwrap());
    assert!(
        !store
            .large_object_in_use(&Sha256::from_bytes([3; 32]))
            .await
            .unwrap()
    );
}

#[tokio::test]
async fn a_setting_is_written_again_and_removed() {
    let hub = Hub::new().await;
    let mut tx = hub.store.begin().await.unwrap();
    tx.set_setting("title", Some("one")).await.unwrap();
    tx.set_setting("title", Some("two")).await.unwrap();
    tx.commit().await.unwrap();

    assert_eq!(
        hub.store.setting("title").await.unwrap(),
        Some("two".to_owned())
    );
    let mut tx = hub.store.begin().await.unwrap();
    tx.set_setting("title", None).await.unwrap();
    assert_eq!(tx.setting("title").await.unwrap(), None);
}

#[tokio::test]
async fn a_new_hub_holds_nothing() {
    let hub = Hub::new().await;

    assert_eq!(hub.store.counts().await.unwrap(), Counts::default());
}
