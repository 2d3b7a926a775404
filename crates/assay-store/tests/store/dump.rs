//! The index as text: equal indexes print the same, and only those.

use assay_model::{RepoKey, RepoKind};
use assay_store::{Branch, DumpRow, Record, Store, Tx};
use serde_json::json;

use crate::index::{benchmark, card};
use crate::support::{Hub, add_repository, at, commit, entry};

async fn dump(store: &Store) -> Vec<DumpRow> {
    let mut dump = store.index_dump().await.unwrap();
    let mut rows = Vec::new();
    while let Some(row) = dump.next().await.unwrap() {
        rows.push(row);
    }
    rows
}

/// Indexes a repository the same way each time.
async fn index(tx: &mut Tx, key: RepoKey) {
    tx.set_indexed_ref(key, "refs/heads/main", Some(&commit(1)))
        .await
        .unwrap();
    tx.set_card(key, Some(&card(&["b", "a"]))).await.unwrap();
    tx.set_benchmark(key, Some(&benchmark(&["z", "a"], true)))
        .await
        .unwrap();
    let first = [entry("a/b", "t", 0, 0.1), entry("a/b", "t", 1, 0.2)];
    tx.replace_entries(key, Branch::Main, at(1), &first)
        .await
        .unwrap();
    let second = [entry("a/b", "t", 0, 0.3)];
    tx.replace_entries(key, Branch::Main, at(2), &second)
        .await
        .unwrap();
    let record = Record {
        path: "data/x.json".parse().unwrap(),
        blob: commit(2),
        facts: json!({ "n": 1 }),
    };
    tx.set_records(key, &[record]).await.unwrap();
}

async fn hub_of_three() -> (Hub, Vec<RepoKey>) {
    let hub = Hub::new().await;
    let mut keys = Vec::new();
    for id in ["a/one", "a/two", "a/three"] {
        keys.push(hub.model(id).await);
    }
    (hub, keys)
}

async fn index_all(store: &Store, keys: impl IntoIterator<Item = &RepoKey>) {
    let mut tx = store.begin().await.unwrap();
    for key in keys {
        index(&mut tx, *key).await;
    }
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn the_order_in_which_repositories_were_indexed_leaves_no_trace() {
    let (hub, keys) = hub_of_three().await;
    index_all(&hub.store, &keys).await;
    let before = dump(&hub.store).await;

    let mut tx = hub.store.begin().await.unwrap();
    tx.drop_index().await.unwrap();
    tx.commit().await.unwrap();
    let between = dump(&hub.store).await;
    index_all(&hub.store, keys.iter().rev()).await;
    let after = dump(&hub.store).await;

    assert_eq!(between, []);
    assert_eq!(after, before);
    assert!(hub.store.repository(keys[0]).await.unwrap().is_some());
    let tables: Vec<_> = before
        .iter()
        .filter(|row| row.key == keys[0])
        .map(|row| row.table)
        .collect();
    let expected = [
        "indexed_refs",
        "cards",
        "card_tags",
        "card_tags",
        "benchmarks",
        "benchmark_tasks",
        "benchmark_tasks",
        "entries",
        "entries",
        "entries",
        "records",
    ];
    assert_eq!(tables, expected);
    assert_eq!(
        before[0].text,
        format!(r#"["refs/heads/main","{}"]"#, commit(1))
    );
}

#[tokio::test]
async fn whatever_differs_in_the_index_differs_in_the_text() {
    let (hub, keys) = hub_of_three().await;
    index_all(&hub.store, &keys).await;
    let before = dump(&hub.store).await;
    let key = keys[1];
    let changes: [(&str, AsyncChange); 7] = [
        ("indexed_refs", |mut tx, key| {
            Box::pin(async move {
                tx.set_indexed_ref(key, "refs/heads/main", Some(&commit(9)))
                    .await
                    .unwrap();
                tx
            })
        }),
        ("cards", |mut tx, key| {
            Box::pin(async move {
                let mut other = card(&["b", "a"]);
                other.parameters = None;
                tx.set_card(key, Some(&other)).await.unwrap();
                tx
            })
        }),
        ("card_tags", |mut tx, key| {
            Box::pin(async move {
                tx.set_card(key, Some(&card(&["b", "c"]))).await.unwrap();
                tx
            })
        }),
        ("benchmarks", |mut tx, key| {
            Box::pin(async move {
                tx.set_benchmark(key, Some(&benchmark(&["z", "a"], false)))
                    .await
                    .unwrap();
                tx
            })
        }),
        ("benchmark_tasks", |mut tx, key| {
            Box::pin(async move {
                tx.set_benchmark(key, Some(&benchmark(&["a", "z"], true)))
                    .await
                    .unwrap();
                tx
            })
        }),
        ("entries", |mut tx, key| {
            Box::pin(async move {
                tx.replace_entries(key, Branch::Main, at(3), &[])
                    .await
                    .unwrap();
                tx
            })
        }),
        ("records", |mut tx, key| {
            Box::pin(async move {
                tx.remove_records(key, u32::MAX).await.unwrap();
                tx
            })
        }),
    ];

    for (table, change) in changes {
        let tx = change(hub.store.begin().await.unwrap(), key).await;
        tx.commit().await.unwrap();
        let after = dump(&hub.store).await;

        let differs = |row: &&DumpRow| row.table == table && row.key == key;
        let before: Vec<_> = before.iter().filter(differs).collect();
        let after: Vec<_> = after.iter().filter(differs).collect();
        assert_ne!(before, after, "{table}");
    }
}

type AsyncChange = fn(Tx, RepoKey) -> std::pin::Pin<Box<dyn Future<Output = Tx>>>;

#[tokio::test]
async fn an_index_is_read_as_it_was_when_the_reading_began() {
    let (hub, keys) = hub_of_three().await;
    index_all(&hub.store, &keys).await;
    let before = dump(&hub.store).await;

    let mut reading = hub.store.index_dump().await.unwrap();
    let mut tx = hub.store.begin().await.unwrap();
    tx.drop_index().await.unwrap();
    tx.commit().await.unwrap();
    let mut rows = Vec::new();
    while let Some(row) = reading.next().await.unwrap() {
        rows.push(row);
    }

    assert_eq!(rows, before);
}

#[tokio::test]
async fn an_index_larger_than_one_piece_is_read_whole_and_in_order() {
    let hub = Hub::new().await;
    let mut tx = hub.store.begin().await.unwrap();
    let mut keys = Vec::new();
    for number in 0..600 {
        let key = add_repository(&mut tx, RepoKind::Model, &format!("a/m{number}")).await;
        tx.set_indexed_ref(key, "refs/heads/main", Some(&commit(1)))
            .await
            .unwrap();
        keys.push(key);
    }
    tx.commit().await.unwrap();

    let rows = dump(&hub.store).await;

    let read: Vec<_> = rows.iter().map(|row| row.key).collect();
    assert_eq!(read, keys);
}

#[tokio::test]
async fn the_index_of_one_repository_goes_and_comes_without_the_others() {
    let (hub, keys) = hub_of_three().await;
    index_all(&hub.store, &keys).await;
    let whole = dump(&hub.store).await;

    let mut tx = hub.store.begin().await.unwrap();
    tx.drop_index_of(keys[1]).await.unwrap();
    tx.commit().await.unwrap();

    let left: Vec<DumpRow> = whole
        .iter()
        .filter(|row| row.key != keys[1])
        .cloned()
        .collect();
    assert_eq!(dump(&hub.store).await, left);
    index_all(&hub.store, [&keys[1]]).await;
    assert_eq!(dump(&hub.store).await, whole);
}
