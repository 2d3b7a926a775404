//! A database copied into another.

use assay_model::RepoKind;
use assay_store::{AccountId, Branch, Database, Error, Sha256, Store};
use tempfile::TempDir;

use crate::index::{benchmark, card};
use crate::support::{Hub, at, commit, entry, open, user};

/// A hub with something in many tables, the number of a repository that is gone, and a text with a
/// NUL.
async fn full() -> Hub {
    let hub = Hub::new().await;
    let model = hub.model("alice/small").await;
    let dataset = hub.dataset("bench/mark").await;
    let gone = hub.model("alice/gone").await;
    let mut tx = hub.store.begin().await.unwrap();
    tx.remove_repository(gone).await.unwrap();
    tx.set_card(model, Some(&card(&["b", "a"]))).await.unwrap();
    tx.set_benchmark(dataset, Some(&benchmark(&["t"], true)))
        .await
        .unwrap();
    // More rows than are copied at a time.
    for number in 0..1000 {
        tx.set_setting(&format!("name-{number}"), Some("a\0b"))
            .await
            .unwrap();
    }
    let entries = [
        entry("bench/mark", "t", 0, 0.5),
        entry("bench/mark", "t", 1, 0.25),
    ];
    tx.replace_entries(model, Branch::Main, at(5), &entries)
        .await
        .unwrap();
    tx.set_indexed_ref(model, "refs/heads/main", Some(&commit(1)))
        .await
        .unwrap();
    let oid = Sha256::from_bytes([7; 32]);
    tx.add_large_object(model, &oid, 12).await.unwrap();
    tx.commit().await.unwrap();
    hub
}

async fn dump(store: &Store) -> Vec<assay_store::DumpRow> {
    let mut dump = store.index_dump().await.unwrap();
    let mut rows = Vec::new();
    while let Some(row) = dump.next().await.unwrap() {
        rows.push(row);
    }
    rows
}

/// A new store in a file, whatever the backend of this binary is.
async fn file(directory: &TempDir) -> Store {
    open(&Database::File(directory.path().join("file.db"))).await
}

#[tokio::test]
async fn a_copy_has_everything_and_goes_on_numbering_where_the_other_was() {
    let from = full().await;
    let (first, second) = (TempDir::new().unwrap(), Hub::new().await);

    // From this backend into a file, and from the file into this backend.
    let between = file(&first).await;
    let out = from.store.copy_into(&between).await.unwrap();
    let back = between.copy_into(&second.store).await.unwrap();

    assert_eq!(out, back);
    let settings = out.iter().find(|copied| copied.table == "settings");
    assert_eq!(settings.map(|copied| copied.rows), Some(1000));
    let expected = dump(&from.store).await;
    assert!(expected.len() > 5);
    assert_eq!(dump(&between).await, expected);
    assert_eq!(dump(&second.store).await, expected);
    assert_eq!(
        second.store.counts().await.unwrap(),
        from.store.counts().await.unwrap()
    );
    let text = second.store.setting("name-7").await.unwrap();
    assert_eq!(text.as_deref(), Some("a\0b"));
    let id = second.user("bob").await;
    assert_eq!(id, AccountId(3));
}

#[tokio::test]
async fn the_number_of_what_is_gone_is_not_given_again_after_a_copy() {
    let directory = TempDir::new().unwrap();
    let source = file(&directory).await;
    let mut tx = source.begin().await.unwrap();
    let last = crate::support::add_repository(&mut tx, RepoKind::Model, "alice/gone").await;
    tx.remove_repository(last).await.unwrap();
    tx.commit().await.unwrap();
    let target = Hub::new().await;

    source.copy_into(&target.store).await.unwrap();
    let next = target.model("alice/next").await;

    if matches!(target.database, Database::Server(_)) {
        assert!(next > last, "{next} after {last}");
    }
}

#[tokio::test]
async fn a_database_with_something_in_it_is_not_copied_into() {
    let from = full().await;
    let target = Hub::new().await;
    target.user("carol").await;

    let error = from.store.copy_into(&target.store).await.unwrap_err();

    assert!(
        matches!(error, Error::NotEmpty { table: "accounts" }),
        "{error:?}"
    );
    assert_eq!(target.store.counts().await.unwrap().models, 0);
    let mut tx = target.store.begin().await.unwrap();
    tx.add_account(&user("dave")).await.unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn a_database_is_whole_until_something_in_its_file_changes() {
    let directory = TempDir::new().unwrap();
    let (from, path) = (full().await, directory.path().join("copy.db"));
    from.store.copy_to(&path).await.unwrap();
    let copy = open(&Database::File(path.clone())).await;
    copy.check_integrity().await.unwrap();
    copy.close().await;
    drop(copy);

    // The last connection that closes puts what is in the log beside the file into it.
    let log = directory.path().join("copy.db-wal");
    for _ in 0..100 {
        if !log.exists() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert!(!log.exists(), "a connection is still open");
    let mut bytes = std::fs::read(&path).unwrap();
    let damaged = directory.path().join("damaged.db");
    // The pages behind the first, which has the schema.
    for byte in bytes.iter_mut().skip(8192).step_by(7) {
        *byte ^= 0x55;
    }
    std::fs::write(&damaged, bytes).unwrap();

    let found = match Store::open(&damaged).await {
        Ok(store) => store.check_integrity().await,
        Err(error) => Err(error),
    };
    assert!(found.is_err());
}
