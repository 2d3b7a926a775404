use std::time::Duration;

use assay_git::{LargeFileId, RefName};
use assay_store::{self as store, AccountId, Sha256};
use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::sync::mpsc;

use crate::access::{Caller, Need};
use crate::error::{Busy, Error};
use crate::hub::alongside;
use crate::large_storage::LargeContent;
use crate::repo_lookup::Repo;
use crate::services::RepositoryService;

/// The number of bytes that are read from a client at once.
const CHUNK_BYTES: usize = 256 << 10;
/// Number of chunks that may wait for the disk.
const CHUNKS_WAITING: usize = 4;
/// The longest look for a file in object storage while others wait to write to the database.
const LOOK_PATIENCE: Duration = Duration::from_secs(5);

/// The account that uploads a large file, and its right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Uploader {
    pub(crate) account: AccountId,
    pub(crate) may_write: bool,
    /// The token that the link was made for, which it ends with.
    pub(crate) token: Option<i64>,
}

impl Uploader {
    /// Returns the uploader that a signed link names.
    pub fn from_link(account: i64, may_write: bool) -> Self {
        Self {
            account: AccountId(account),
            may_write,
            token: None,
        }
    }

    /// Returns the same with the token that the link was made for.
    #[must_use]
    pub fn with_token(self, token: Option<i64>) -> Self {
        Self { token, ..self }
    }

    /// Returns the number of the token, for a link.
    pub fn token(self) -> Option<i64> {
        self.token
    }

    /// Returns the number of the account, for a link.
    pub fn account(self) -> i64 {
        self.account.0
    }

    /// Returns whether the account may write to the repository.
    pub fn may_write(self) -> bool {
        self.may_write
    }
}

/// A large file that the hub has.
#[derive(Debug, Clone)]
pub struct LargeObject {
    /// The SHA-256 of its content, in hexadecimal digits.
    pub sha256: String,
    /// Its size.
    pub size: u64,
    /// Its bytes.
    pub content: LargeContent,
}

impl RepositoryService<'_> {
    /// Receives the bytes of a large file for a repository. They wait there, served to nobody,
    /// until a commit names them. Whether the uploader still has the right that they had when the
    /// link was made is asked before and after.
    pub async fn store_large(
        self,
        repo: &Repo,
        uploader: Uploader,
        sha256: &str,
        size: u64,
        content: Box<dyn AsyncRead + Send + Unpin>,
    ) -> Result<(), Error> {
        self.hub.check_uploader(repo.key, uploader).await?;
        self.hub.check_upload(repo, uploader, size).await?;
        let oid = parse_oid(sha256)?;
        self.receive(oid, size, content).await?;
        self.record_upload(repo, uploader, oid, size).await
    }

    /// Records that an uploader has brought a large file for a repository, if their right to has
    /// not ended meanwhile.
    pub(crate) async fn record_upload(
        self,
        repo: &Repo,
        uploader: Uploader,
        oid: LargeFileId,
        size: u64,
    ) -> Result<(), Error> {
        let is_named = self.is_named_by_main(repo, oid).await?;
        let hash = Sha256::from_bytes(*oid.as_bytes());
        let mut tx = self.hub.begin_upload(repo.key, uploader).await?;
        // A collection may have taken it away while it came: nobody had it yet. Now none can run.
        let stored = async {
            let looked = tokio::time::timeout(LOOK_PATIENCE, self.hub.large_files.size(oid));
            looked.await.map_err(|_| Error::Busy(Busy::Storage))?
        };
        if alongside(&mut tx, stored).await? != Some(size) {
            return Err(Error::Busy(Busy::Storage));
        }
        // `git lfs push` may come after `git push`, and then no later commit would name the file.
        if is_named {
            tx.add_large_object(repo.key, &hash, size).await?;
        } else {
            tx.add_upload(&store::Upload {
                key: repo.key,
                oid: hash,
                size,
                account: uploader.account,
                uploaded: self.hub.now(),
            })
            .await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// Refuses an upload of this size before its bytes are sent.
    pub async fn check_upload_size(
        self,
        repo: &Repo,
        uploader: Uploader,
        size: u64,
    ) -> Result<(), Error> {
        self.hub.check_upload(repo, uploader, size).await
    }

    /// Checks whether the files of `main` have a pointer to a large file.
    async fn is_named_by_main(self, repo: &Repo, oid: LargeFileId) -> Result<bool, Error> {
        self.hub
            .with_git(repo.key, move |git| {
                let Some(main) = git.find_ref(&RefName::main())? else {
                    return Ok(false);
                };
                Ok(git.objects().names_large_file(main.target, oid)?)
            })
            .await
    }

    /// Returns who uploads for a repository, with a token that has the right to.
    pub async fn uploader(self, caller: &Caller, repo: &Repo) -> Result<Uploader, Error> {
        self.hub.check(caller, repo, Need::Discuss).await?;
        let actor = caller.signed_in()?;
        self.hub.count_write(actor)?;
        let may_write = self.hub.check(caller, repo, Need::Write).await.is_ok();
        Ok(Uploader {
            account: actor.account,
            may_write,
            token: actor.token,
        })
    }

    /// Writes what a client sends where blocking is allowed. The bytes are taken in even when the
    /// hub has them for another repository: to know a hash is not to have the file.
    async fn receive(
        self,
        oid: LargeFileId,
        size: u64,
        mut content: Box<dyn AsyncRead + Send + Unpin>,
    ) -> Result<(), Error> {
        let (sender, mut receiver) = mpsc::channel::<Bytes>(CHUNKS_WAITING);
        let large_files = self.hub.large_files.clone();
        let writing = tokio::task::spawn_blocking(move || {
            let mut upload = large_files.begin(oid, size)?;
            while let Some(bytes) = receiver.blocking_recv() {
                upload.write(&bytes)?;
            }
            upload.finish()
        });
        let mut buffer = bytes::BytesMut::new();
        let reading = loop {
            buffer.reserve(CHUNK_BYTES);
            match content.read_buf(&mut buffer).await {
                Ok(0) => break Ok(()),
                Ok(_) => {}
                Err(error) => break Err(error),
            }
            // Whoever writes has given up and says why below.
            if sender.send(buffer.split().freeze()).await.is_err() {
                break Ok(());
            }
        };
        drop(sender);
        let written = writing.await.map_err(Error::internal)?;
        reading.map_err(|error| Error::Invalid(format!("the upload broke off: {error}")))?;
        written
    }

    /// Returns the size of a large file that this repository has, or that was uploaded for it and
    /// waits for a commit.
    pub async fn uploaded(self, repo: &Repo, sha256: &str) -> Result<Option<u64>, Error> {
        let oid = parse_oid(sha256)?;
        let hash = Sha256::from_bytes(*oid.as_bytes());
        let size = match self.hub.store.large_object(repo.key, &hash).await? {
            Some(size) => Some(size),
            None => self.hub.store.upload(repo.key, &hash).await?,
        };
        match size {
            Some(size) => {
                let stored = self.hub.large_files.size(oid).await?;
                Ok(stored.map(|_| size))
            }
            None => Ok(None),
        }
    }

    /// A large file that this repository has.
    pub async fn large(self, repo: &Repo, sha256: &str) -> Result<Option<LargeObject>, Error> {
        let oid = parse_oid(sha256)?;
        let hash = Sha256::from_bytes(*oid.as_bytes());
        let Some(size) = self.hub.store.large_object(repo.key, &hash).await? else {
            return Ok(None);
        };
        let stored = self.hub.large_files.size(oid).await?;
        Ok(stored.map(|_| LargeObject {
            sha256: sha256.to_owned(),
            size,
            content: self.hub.large_files.content(oid),
        }))
    }
}

/// Reads the name of a large file.
pub(crate) fn parse_oid(sha256: &str) -> Result<LargeFileId, Error> {
    sha256
        .parse()
        .map_err(|error: assay_git::LargeFileIdError| Error::Invalid(error.to_string()))
}
