//! A hub to try things on.

use std::sync::Arc;

use assay_app::{
    Caller, CommitRequest, Committed, Error, FileSource, Hub, HubConfig, LargeFilesPlace, Limits,
    NewRepository, NewToken, RepoInfo, Scope, Visibility,
};
use assay_hub_api::CommitOperation;
use assay_model::{RepoId, RepoKind};
use assay_testkit::clock::TestClock;

/// A hub in a directory of its own.
pub(crate) struct TestHub {
    pub(crate) hub: Arc<Hub>,
    pub(crate) clock: Arc<TestClock>,
    pub(crate) directory: tempfile::TempDir,
}

impl TestHub {
    pub(crate) async fn new() -> Self {
        Self::with_limits(Limits::default()).await
    }

    /// A hub that has its large files in another place.
    pub(crate) async fn with_large_files(place: LargeFilesPlace) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let clock = Arc::new(TestClock::at(1_771_065_000_000));
        let config = HubConfig {
            large_files: Some(place),
            ..config_in(&directory)
        };
        let hub = Hub::open(config, clock.clone()).await.unwrap();
        Self {
            hub,
            clock,
            directory,
        }
    }

    pub(crate) async fn with_limits(limits: Limits) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let clock = Arc::new(TestClock::at(1_771_065_000_000));
        let hub = open(&directory, limits, &clock).await;
        Self {
            hub,
            clock,
            directory,
        }
    }

    /// The hub as another process opens it: with nothing in memory.
    pub(crate) async fn reopened(self) -> Self {
        let hub = open(&self.directory, Limits::default(), &self.clock).await;
        Self { hub, ..self }
    }

    /// A new user, signed in with a token of this scope.
    pub(crate) async fn user_with(&self, name: &str, scope: Scope) -> Caller {
        let shell = self.hub.shell();
        self.hub
            .accounts()
            .create_user(&shell, name, "", None, false)
            .await
            .unwrap();
        self.token(name, scope).await
    }

    /// A new user who may write.
    pub(crate) async fn user(&self, name: &str) -> Caller {
        self.user_with(name, Scope::Write).await
    }

    /// A user who exists, signed in with another token.
    pub(crate) async fn token(&self, name: &str, scope: Scope) -> Caller {
        let new = NewToken {
            label: "test".to_owned(),
            scope,
            expires: None,
        };
        let shell = self.hub.shell();
        let (_, secret) = self
            .hub
            .accounts()
            .create_token(&shell, name, new)
            .await
            .unwrap();
        self.hub
            .accounts()
            .authenticate(Some(secret.reveal()))
            .await
            .unwrap()
    }

    /// A new repository.
    pub(crate) async fn create(
        &self,
        caller: &Caller,
        kind: RepoKind,
        id: &str,
        visibility: Visibility,
    ) -> Result<RepoInfo, Error> {
        let id = id_of(id);
        let new = NewRepository {
            kind,
            namespace: id.namespace().map(ToOwned::to_owned),
            name: id.name().to_owned(),
            visibility,
            description: None,
        };
        self.hub.repositories().create_repository(caller, new).await
    }

    /// A new public model.
    pub(crate) async fn model(&self, caller: &Caller, id: &str) -> RepoInfo {
        self.create(caller, RepoKind::Model, id, Visibility::Public)
            .await
            .unwrap()
    }

    /// A commit of files to `main` of a model.
    pub(crate) async fn put(
        &self,
        caller: &Caller,
        id: &str,
        files: &[(&str, &str)],
    ) -> Result<Committed, Error> {
        self.hub
            .repositories()
            .commit(caller, RepoKind::Model, &id_of(id), put_request(files))
            .await
    }

    /// The text of a file, if it is there.
    pub(crate) async fn read(
        &self,
        caller: &Caller,
        id: &str,
        revision: &str,
        path: &str,
    ) -> String {
        let id = id_of(id);
        let repo = self.hub.repo(caller, RepoKind::Model, &id).await.unwrap();
        let blob = self
            .hub
            .repositories()
            .blob(&repo, revision, path, true, false)
            .await;
        match blob.unwrap().content {
            assay_app::BlobContent::Memory(bytes) => String::from_utf8(bytes.to_vec()).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    /// The head of `main`.
    pub(crate) async fn head(&self, caller: &Caller, id: &str) -> String {
        let repo = self
            .hub
            .repo(caller, RepoKind::Model, &id_of(id))
            .await
            .unwrap();
        self.hub
            .repositories()
            .resolve(&repo, "main")
            .await
            .unwrap()
            .to_string()
    }
}

async fn open(directory: &tempfile::TempDir, limits: Limits, clock: &Arc<TestClock>) -> Arc<Hub> {
    let config = HubConfig {
        limits,
        ..config_in(directory)
    };
    Hub::open(config, clock.clone()).await.unwrap()
}

/// What a hub in this directory is told.
pub(crate) fn config_in(directory: &tempfile::TempDir) -> HubConfig {
    HubConfig {
        data: directory.path().join("data"),
        database: None,
        large_files: None,
        storage: assay_app::StorageVariables::default(),
        limits: Limits::default(),
        durability: assay_model::Durability::Fast,
        trust: assay_app::TrustConfig::default(),
        shell_user: Some("tester".to_owned()),
    }
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;

    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

pub(crate) fn id_of(text: &str) -> RepoId {
    text.parse().unwrap()
}

/// Returns the operation that deletes a file.
pub(crate) fn delete(path: &str) -> CommitOperation<FileSource> {
    CommitOperation::DeleteFile {
        path: path.parse().unwrap(),
    }
}

/// A request that writes files to `main`.
pub(crate) fn put_request(files: &[(&str, &str)]) -> CommitRequest {
    CommitRequest {
        revision: "main".to_owned(),
        summary: "add files".to_owned(),
        description: String::new(),
        parent: None,
        create_pull: false,
        received_at: None,
        operations: files
            .iter()
            .map(|(path, text)| {
                CommitOperation::put(path.parse().unwrap(), text.as_bytes().to_vec())
            })
            .collect(),
    }
}
