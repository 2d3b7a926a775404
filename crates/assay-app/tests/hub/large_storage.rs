//! Large files in object storage, which is a directory here.

use std::time::Duration;

use assay_app::{
    BackupOptions, BackupPlace, Caller, CommitRequest, Error, Hub, HubConfig, LargeFilesPlace,
    Repo, StorageVariables, UPLOAD_LIFE, move_large_files, restore_backup,
};
use assay_hub_api::CommitOperation;
use assay_model::RepoKind;
use futures_util::TryStreamExt as _;
use sha2::{Digest as _, Sha256};

use crate::support::{TestHub, config_in, hex, id_of, put_request};

/// More than two parts of an upload, and no multiple of one.
const SIZE: usize = (20 << 20) + 7;

/// A bucket that is a directory, and a hub that has its large files there.
struct Stored {
    test: TestHub,
    bucket: tempfile::TempDir,
    ada: Caller,
    repo: Repo,
}

fn place_of(bucket: &tempfile::TempDir) -> LargeFilesPlace {
    LargeFilesPlace::Bucket(format!("file://{}", bucket.path().display()))
}

fn content() -> Vec<u8> {
    let bytes = (0..SIZE).map(|at| u8::try_from(at % 251).unwrap());
    bytes.collect()
}

fn oid_of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

impl Stored {
    async fn new() -> Self {
        let bucket = tempfile::tempdir().unwrap();
        let test = TestHub::with_large_files(place_of(&bucket)).await;
        let ada = test.user_with("ada", assay_app::Scope::Admin).await;
        test.model(&ada, "ada/one").await;
        let repo = repo(&test.hub, &ada).await;
        Self {
            test,
            bucket,
            ada,
            repo,
        }
    }

    async fn store(&self, oid: &str, bytes: Vec<u8>) -> Result<(), Error> {
        let repositories = self.test.hub.repositories();
        let uploader = repositories.uploader(&self.ada, &self.repo).await?;
        let (size, content) = (bytes.len() as u64, std::io::Cursor::new(bytes));
        repositories
            .store_large(&self.repo, uploader, oid, size, Box::new(content))
            .await
    }

    /// Commits a pointer to a file that was uploaded.
    async fn commit(&self, oid: &str) {
        let operation = CommitOperation::LargeFile {
            path: "big.bin".parse().unwrap(),
            old_path: None,
            oid: oid.to_owned(),
            size: None,
        };
        let request = CommitRequest {
            operations: vec![operation],
            ..put_request(&[])
        };
        self.test
            .hub
            .repositories()
            .commit(&self.ada, RepoKind::Model, &id_of("ada/one"), request)
            .await
            .unwrap();
    }

    fn objects(&self) -> Vec<std::path::PathBuf> {
        let files = walkdir::WalkDir::new(self.bucket.path().join("lfs"));
        let files = files.into_iter().filter_map(Result::ok);
        let files = files.filter(|entry| entry.file_type().is_file());
        files.map(|entry| entry.path().to_owned()).collect()
    }
}

async fn repo(hub: &Hub, caller: &Caller) -> Repo {
    hub.repo(caller, RepoKind::Model, &id_of("ada/one"))
        .await
        .unwrap()
}

async fn read(hub: &Hub, repo: &Repo, oid: &str, start: u64, length: u64) -> Vec<u8> {
    let found = hub.repositories().large(repo, oid).await.unwrap().unwrap();
    let pieces = found.content.read(start, length).await.unwrap();
    let pieces: Vec<bytes::Bytes> = pieces.try_collect().await.unwrap();
    pieces.concat()
}

#[tokio::test]
async fn a_large_file_goes_to_the_bucket_in_parts_and_comes_back_whole_and_in_ranges() {
    let stored = Stored::new().await;
    let (bytes, oid) = (content(), oid_of(&content()));

    stored.store(&oid, bytes.clone()).await.unwrap();
    stored.commit(&oid).await;

    let hub = &stored.test.hub;
    let whole = read(hub, &stored.repo, &oid, 0, SIZE as u64).await;
    let part = read(hub, &stored.repo, &oid, 9_000_000, 100).await;
    assert!(whole == bytes);
    assert_eq!(part, bytes[9_000_000..9_000_100]);
    let place = format!("lfs/{}/{}/{oid}", &oid[..2], &oid[2..4]);
    assert_eq!(stored.objects(), [stored.bucket.path().join(place)]);
    let on_disk = std::fs::read_dir(stored.test.directory.path().join("data/lfs"));
    assert_eq!(on_disk.unwrap().count(), 0);
}

#[tokio::test]
async fn bytes_of_another_hash_or_size_never_become_an_object() {
    let stored = Stored::new().await;
    let mut wrong = content();
    wrong[SIZE - 1] ^= 1;

    let hash = stored.store(&oid_of(&content()), wrong).await;
    let small = stored.store(&oid_of(b"hello"), b"hellO".to_vec()).await;

    assert!(matches!(hash, Err(Error::Invalid(_))), "{hash:?}");
    assert!(matches!(small, Err(Error::Invalid(_))), "{small:?}");
    assert_eq!(stored.objects(), [] as [std::path::PathBuf; 0]);
}

#[tokio::test]
async fn a_file_that_the_bucket_lost_counts_as_not_uploaded_and_can_be_sent_again() {
    let stored = Stored::new().await;
    let oid = oid_of(b"hello");
    stored.store(&oid, b"hello".to_vec()).await.unwrap();
    let repositories = stored.test.hub.repositories();

    for object in stored.objects() {
        std::fs::remove_file(object).unwrap();
    }
    let lost = repositories.uploaded(&stored.repo, &oid).await.unwrap();
    let again = stored.store(&oid, b"hello".to_vec()).await;

    assert_eq!(lost, None);
    again.unwrap();
    let known = repositories.uploaded(&stored.repo, &oid).await.unwrap();
    assert_eq!(known, Some(5));
}

#[tokio::test]
async fn files_that_no_repository_has_go_from_the_bucket_and_others_stay() {
    let stored = Stored::new().await;
    let (kept, gone) = (oid_of(b"hello"), oid_of(b"gone"));
    stored.store(&kept, b"hello".to_vec()).await.unwrap();
    stored.commit(&kept).await;
    stored.store(&gone, b"gone".to_vec()).await.unwrap();
    let life = i64::try_from(UPLOAD_LIFE.as_millis()).unwrap();
    stored.test.clock.advance(life + 1);
    let operations = stored.test.hub.operations();
    let shell = stored.test.hub.shell();

    let hour = Duration::from_hours(1);
    let young = operations
        .collect_large_files(&shell, hour, false)
        .await
        .unwrap();
    let old = operations
        .collect_large_files(&shell, Duration::ZERO, false)
        .await
        .unwrap();

    assert_eq!((young.files, young.kept), (0, 2));
    assert_eq!((old.files, old.bytes, old.kept), (1, 4, 1));
    assert_eq!(stored.objects().len(), 1);
}

#[tokio::test]
async fn a_hub_finds_its_bucket_again_and_refuses_another_place_while_it_has_files() {
    let stored = Stored::new().await;
    let oid = oid_of(b"hello");
    stored.store(&oid, b"hello".to_vec()).await.unwrap();
    stored.commit(&oid).await;
    let (directory, clock) = (&stored.test.directory, &stored.test.clock);
    let config = |large_files| HubConfig {
        large_files,
        ..config_in(directory)
    };

    let again = Hub::visit(config(None), clock.clone()).await.unwrap();
    let on_disk = Hub::open(config(Some(LargeFilesPlace::Disk)), clock.clone()).await;

    let found = read(&again, &repo(&again, &stored.ada).await, &oid, 0, 5).await;
    assert_eq!(found, b"hello");
    let refused = on_disk.err().unwrap().to_string();
    assert!(
        refused.contains("assay admin move-large-files --to disk"),
        "{refused}"
    );
}

#[tokio::test]
async fn large_files_are_moved_to_the_disk_and_back() {
    let stored = Stored::new().await;
    let oid = oid_of(&content());
    stored.store(&oid, content()).await.unwrap();
    stored.commit(&oid).await;
    let Stored {
        test, bucket, ada, ..
    } = stored;
    let config = config_in(&test.directory);
    let to = async |place: &LargeFilesPlace| {
        let moved = move_large_files(config.clone(), test.clock.clone(), place, &|_, _| {}).await;
        moved.unwrap()
    };

    let down = to(&LargeFilesPlace::Disk).await;
    let hub = Hub::visit(config.clone(), test.clock.clone())
        .await
        .unwrap();
    let on_disk = read(&hub, &repo(&hub, &ada).await, &oid, 0, SIZE as u64).await;
    let up = to(&place_of(&bucket)).await;

    assert_eq!((down.files, down.bytes, down.copied), (1, SIZE as u64, 1));
    assert!(on_disk == content());
    assert_eq!((up.files, up.copied), (1, 0));
}

#[tokio::test]
async fn a_backup_has_the_files_of_the_bucket_and_restores_them_to_another_one_or_to_the_disk() {
    let stored = Stored::new().await;
    let oid = oid_of(&content());
    stored.store(&oid, content()).await.unwrap();
    stored.commit(&oid).await;
    let (backup, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let address = backup.path().to_str().unwrap();
    let place = BackupPlace::open(address, &StorageVariables::default()).unwrap();
    let hub = &stored.test.hub;
    let made = hub
        .operations()
        .back_up(&hub.shell(), &place, &BackupOptions::default(), &|_, _| {})
        .await
        .unwrap();
    assert_eq!(made.faults, [] as [String; 0]);

    for large_files in [None, Some(place_of(&other))] {
        let target = tempfile::tempdir().unwrap();
        let config = HubConfig {
            large_files,
            ..config_in(&target)
        };
        let clock = stored.test.clock.clone();
        restore_backup(&place, None, config, clock.clone(), &|_, _| {})
            .await
            .unwrap();

        let restored = Hub::visit(config_in(&target), clock).await.unwrap();
        let repo = repo(&restored, &restored.shell()).await;
        let whole = read(&restored, &repo, &oid, 0, SIZE as u64).await;
        assert!(whole == content());
    }
}
