//! Xorbs that wait for the files that are made of them.

use std::path::PathBuf;
use std::time::Duration;

use assay_app::XORB_LIFE;
use assay_model::RepoKind;
use assay_xet::{XetHash, chunk_hash};

use crate::support::{TestHub, id_of};

const CONTENT: &[u8] = b"a chunk";

/// A xorb of one chunk, whose hash is that of the chunk.
fn xorb() -> (XetHash, Vec<u8>) {
    let length = u8::try_from(CONTENT.len()).unwrap();
    let mut bytes = vec![0, length, 0, 0, 0, length, 0, 0];
    bytes.extend(CONTENT);
    (chunk_hash(CONTENT), bytes)
}

async fn stage(test: &TestHub) -> PathBuf {
    let ada = test.user("ada").await;
    test.model(&ada, "ada/one").await;
    let repo = test
        .hub
        .repo(&ada, RepoKind::Model, &id_of("ada/one"))
        .await
        .unwrap();
    let uploader = test.hub.repositories().uploader(&ada, &repo).await.unwrap();
    let (hash, bytes) = xorb();
    let content = Box::new(std::io::Cursor::new(bytes));
    let is_new = test
        .hub
        .repositories()
        .stage_xorb(&repo, uploader, hash, content)
        .await;
    assert!(is_new.unwrap());
    let folder = test.directory.path().join("data/xet");
    let account = uploader.account().to_string();
    let place = folder
        .join(account)
        .join(repo_folder(&folder, uploader.account()));
    place.join(hash.to_string())
}

/// The only folder of an account.
fn repo_folder(root: &std::path::Path, account: i64) -> PathBuf {
    let mut folders = std::fs::read_dir(root.join(account.to_string())).unwrap();
    folders.next().unwrap().unwrap().path()
}

#[tokio::test]
async fn a_xorb_ends_in_its_time_and_not_before() {
    let test = TestHub::new().await;
    let path = stage(&test).await;
    let file = std::fs::File::options().append(true).open(&path).unwrap();
    let written = file.metadata().unwrap().modified().unwrap();

    let young = test.hub.repositories().end_xorbs().await.unwrap();
    let is_there = path.is_file();
    let before = XORB_LIFE + Duration::from_mins(1);
    file.set_modified(written - before).unwrap();
    let old = test.hub.repositories().end_xorbs().await.unwrap();

    assert_eq!((young, is_there), (0, true));
    assert_eq!((old, path.exists()), (1, false));
    assert!(!path.parent().unwrap().exists());
}
