use assay_model::Timestamp;
use assay_store::{Purge, PurgeKind, Sha256, StorageUse, Upload};

use crate::support::Hub;

#[tokio::test]
async fn storage_is_counted_by_repository_and_by_account() {
    let hub = Hub::new().await;
    let (one, two) = (hub.model("alice/one").await, hub.model("alice/two").await);
    let alice = hub.store.repository(one).await.unwrap().unwrap().owner;
    let mut tx = hub.store.begin().await.unwrap();
    tx.set_storage(one, 100, 3).await.unwrap();
    tx.set_storage(one, 150, 4).await.unwrap();
    tx.set_storage(two, 50, 1).await.unwrap();
    tx.add_large_object(one, &Sha256::from_bytes([1; 32]), 1000)
        .await
        .unwrap();

    let of_one = tx.storage_of_repository(one).await.unwrap();
    let of_alice = tx.storage_of_account(alice).await.unwrap();

    let expected = StorageUse {
        git_bytes: 150,
        git_objects: 4,
        large_bytes: 1000,
    };
    assert_eq!(of_one, Some(expected));
    assert_eq!(of_alice.bytes(), 1200);
    assert_eq!(of_alice.git_objects, 5);
}

#[tokio::test]
async fn an_upload_keeps_its_bytes_until_it_is_removed() {
    let hub = Hub::new().await;
    let key = hub.model("alice/one").await;
    let account = hub.store.repository(key).await.unwrap().unwrap().owner;
    let oid = Sha256::from_bytes([7; 32]);
    let upload = Upload {
        key,
        oid,
        size: 40,
        account,
        uploaded: Timestamp::from_seconds(1000),
    };
    let mut tx = hub.store.begin().await.unwrap();
    tx.add_upload(&upload).await.unwrap();
    let again = Upload {
        uploaded: Timestamp::from_seconds(2000),
        ..upload
    };
    tx.add_upload(&again).await.unwrap();

    let before = |seconds| Timestamp::from_seconds(seconds);
    assert_eq!(tx.upload(key, &oid).await.unwrap(), Some(40));
    assert_eq!(tx.large_object(key, &oid).await.unwrap(), None);
    assert!(tx.large_object_in_use(&oid).await.unwrap());
    assert_eq!(tx.bytes_waiting(account).await.unwrap(), 40);
    assert_eq!(tx.uploads_before(before(2000), 9).await.unwrap(), []);
    assert_eq!(tx.uploads_before(before(2001), 9).await.unwrap(), [again]);
    assert!(tx.remove_upload(key, &oid).await.unwrap());
    assert!(!tx.large_object_in_use(&oid).await.unwrap());
}

#[tokio::test]
async fn removals_are_listed_newest_first_and_outlive_their_repository() {
    let hub = Hub::new().await;
    let key = hub.model("alice/one").await;
    let purge = |subject: &str| Purge {
        purged: Timestamp::from_seconds(5),
        kind: PurgeKind::Comment,
        key: Some(key),
        subject: subject.to_owned(),
        reason: "a court order".to_owned(),
    };
    let mut tx = hub.store.begin().await.unwrap();
    tx.add_purge(&purge("first")).await.unwrap();
    tx.add_purge(&purge("second")).await.unwrap();
    tx.remove_repository(key).await.unwrap();

    let listed = tx.purges(0, 10).await.unwrap();

    let subjects: Vec<&str> = listed.iter().map(|one| one.subject.as_str()).collect();
    assert_eq!(subjects, ["second", "first"]);
    assert_eq!(listed[0].key, None);
    assert_eq!(tx.purges(1, 10).await.unwrap().len(), 1);
}
