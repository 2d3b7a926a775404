//! Large files that no repository has any more.

use std::time::Duration;

use assay_app::Caller;
use assay_model::RepoKind;

use crate::support::{TestHub, id_of};

const HELLO: &[u8] = b"hello";
const HELLO_OID: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

/// Gives a new model a large file.
async fn upload(test: &TestHub, caller: &Caller, id: &str) {
    test.model(caller, id).await;
    let repo = test
        .hub
        .repo(caller, RepoKind::Model, &id_of(id))
        .await
        .unwrap();
    let uploader = test
        .hub
        .repositories()
        .uploader(caller, &repo)
        .await
        .unwrap();
    test.hub
        .repositories()
        .store_large(&repo, uploader, HELLO_OID, 5, Box::new(HELLO))
        .await
        .unwrap();
}

fn is_there(test: &TestHub) -> bool {
    let place = format!("data/lfs/2c/f2/{HELLO_OID}");
    test.directory.path().join(place).is_file()
}

#[tokio::test]
async fn a_large_file_goes_when_the_last_repository_that_has_it_is_deleted() {
    let test = TestHub::new().await;
    let ada = test.user_with("ada", assay_app::Scope::Admin).await;
    upload(&test, &ada, "ada/one").await;
    upload(&test, &ada, "ada/two").await;
    let shell = test.hub.shell();
    let collect = async |dry_run| {
        test.hub
            .operations()
            .collect_large_files(&shell, Duration::ZERO, dry_run)
            .await
    };
    let delete = async |id: &str| {
        let id = id_of(id);
        test.hub
            .repositories()
            .delete_repository(&ada, RepoKind::Model, &id)
            .await
    };

    delete("ada/one").await.unwrap();
    let shared = collect(false).await.unwrap();
    let shared_stays = is_there(&test);
    delete("ada/two").await.unwrap();
    let counted = collect(true).await.unwrap();
    let counted_stays = is_there(&test);
    let collected = collect(false).await.unwrap();

    assert_eq!((shared.files, shared.kept, shared_stays), (0, 1, true));
    assert_eq!((counted.files, counted.bytes, counted_stays), (1, 5, true));
    assert_eq!((collected.files, collected.kept), (1, 0));
    assert!(!is_there(&test));
}

#[tokio::test]
async fn a_large_file_that_came_a_moment_ago_stays_and_others_may_not_collect() {
    let test = TestHub::new().await;
    let ada = test.user_with("ada", assay_app::Scope::Admin).await;
    upload(&test, &ada, "ada/one").await;
    let id = id_of("ada/one");
    test.hub
        .repositories()
        .delete_repository(&ada, RepoKind::Model, &id)
        .await
        .unwrap();

    let hour = Duration::from_hours(1);
    let young = test
        .hub
        .operations()
        .collect_large_files(&test.hub.shell(), hour, false)
        .await
        .unwrap();
    let by_ada = test
        .hub
        .operations()
        .collect_large_files(&ada, hour, false)
        .await;

    assert_eq!((young.files, is_there(&test)), (0, true));
    assert!(matches!(by_ada, Err(assay_app::Error::Denied(_))));
}
