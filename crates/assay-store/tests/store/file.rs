//! Tests of a database in a file alone.

use std::path::Path;

use assay_model::RepoKind;
use assay_store::{Error, Store};
use tempfile::TempDir;

use crate::support::{Hub, add_repository};

/// Copies the state of the disk at this moment, as a machine that stops leaves it.
fn crash(from: &Path, to: &Path) {
    for file in ["hub.db", "hub.db-wal"] {
        std::fs::copy(from.join(file), to.join(file)).unwrap();
    }
}

#[tokio::test]
async fn a_crash_in_a_change_leaves_what_was_committed_and_nothing_else() {
    let hub = Hub::new().await;
    hub.model("alice/committed").await;
    let mut tx = hub.store.begin().await.unwrap();
    // Enough to be written to the disk before it is committed.
    for number in 0..3000 {
        add_repository(&mut tx, RepoKind::Model, &format!("bob/half-{number}")).await;
        tx.set_setting(&format!("filler-{number}"), Some(&"x".repeat(8000)))
            .await
            .unwrap();
    }
    let after = TempDir::new().unwrap();

    crash(hub.directory.path(), after.path());
    let store = Store::open(&after.path().join("hub.db")).await.unwrap();

    let size = std::fs::metadata(hub.directory.path().join("hub.db-wal"))
        .unwrap()
        .len();
    assert!(
        size > 1_000_000,
        "the change reached the disk: {size} bytes"
    );
    assert_eq!(store.counts().await.unwrap().models, 1);
    assert_eq!(store.account_named("bob").await.unwrap(), None);
    tx.commit().await.unwrap();
    assert_eq!(hub.store.counts().await.unwrap().models, 3001);
}

#[tokio::test]
async fn a_path_that_cannot_be_opened_is_named() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("missing").join("hub.db");

    let error = Store::open(&path).await.unwrap_err();

    assert!(matches!(&error, Error::Open { path: named, .. } if *named == path));
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("hub.db");
    let text = "not a database, but somebody's only copy of something\n".repeat(100);
    std::fs::write(&path, &text).unwrap();

    let error = Store::open(&path).await.unwrap_err();

    assert!(matches!(error, Error::Open { .. }));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}
