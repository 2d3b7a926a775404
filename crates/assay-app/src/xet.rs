//! Large files by the Xet protocol. A client sends the content as xorbs, which wait here, and then
//! a shard, which says which files their chunks make. Each file is assembled at once and is from
//! then on a large file like any other.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use assay_git::LargeFileId;
use assay_xet::{MAX_SHARD_BYTES, MAX_XORB_FILE_BYTES, ShardFile, XetHash};
use tempfile::{NamedTempFile, TempPath};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};

use crate::error::{Error, Limit};
use crate::hub::blocking;
use crate::large::{Uploader, parse_oid};
use crate::repo_lookup::Repo;
use crate::services::RepositoryService;

mod assemble;
mod staged;

pub(crate) use staged::StagedXorbs;
use staged::StagingPlace;

/// The time after which a xorb ends. Clients remember what they have sent by the address that the
/// hub gives them; that has the day in it, so nobody counts on a xorb that has ended.
pub const XORB_LIFE: Duration = Duration::from_hours(48);

impl RepositoryService<'_> {
    /// Receives a xorb for a repository and compares it with its hash. Returns whether it is new.
    /// It can be used by this account in this repository and by nobody else: to know a hash is not
    /// to have the content.
    pub async fn stage_xorb(
        self,
        repo: &Repo,
        uploader: Uploader,
        hash: XetHash,
        content: Box<dyn AsyncRead + Send + Unpin>,
    ) -> Result<bool, Error> {
        self.hub.check_uploader(repo.key, uploader).await?;
        self.hub.count_upload(uploader)?;
        let (received, size) = self.spool(content, MAX_XORB_FILE_BYTES, "xorb").await?;
        let _turn = self.hub.xorbs.xorb_turn().await?;
        let (xorbs, account) = (self.hub.xorbs.clone(), uploader.account);
        let waiting = blocking(move || xorbs.waiting_bytes(account)).await?;
        self.hub
            .check_waiting(repo, uploader, waiting.saturating_add(size))
            .await?;
        let (xorbs, place) = (
            self.hub.xorbs.clone(),
            StagingPlace::new(uploader, repo.key),
        );
        blocking(move || xorbs.put(place, hash, received)).await
    }

    /// Assembles the files of a shard out of xorbs that their uploader has sent. They wait, served
    /// to nobody, until a commit names them.
    pub async fn register_shard(
        self,
        repo: &Repo,
        uploader: Uploader,
        content: Box<dyn AsyncRead + Send + Unpin>,
    ) -> Result<(), Error> {
        self.hub.check_uploader(repo.key, uploader).await?;
        self.hub.count_upload(uploader)?;
        let (received, _) = self.spool(content, MAX_SHARD_BYTES, "shard").await?;
        let _turn = self.hub.xorbs.shard_turn().await?;
        let files = blocking(move || {
            let bytes = fs_err::read(&received).map_err(Error::internal)?;
            assay_xet::parse_shard(&bytes).map_err(refuse)
        })
        .await?;
        for file in files {
            self.assemble_file(repo, uploader, file).await?;
        }
        Ok(())
    }

    /// Removes xorbs that are older than [`XORB_LIFE`], and returns how many.
    pub async fn end_xorbs(self) -> Result<u64, Error> {
        let xorbs = self.hub.xorbs.clone();
        blocking(move || xorbs.remove_older(XORB_LIFE)).await
    }

    async fn assemble_file(
        self,
        repo: &Repo,
        uploader: Uploader,
        file: ShardFile,
    ) -> Result<(), Error> {
        let sha256 = file.sha256.as_deref().ok_or_else(|| {
            Error::Invalid("a file of a shard comes with its SHA-256 here".to_owned())
        })?;
        let oid: LargeFileId = parse_oid(sha256)?;
        let size = file.size();
        let is_there = self.uploaded(repo, sha256).await? == Some(size);
        let place = StagingPlace::new(uploader, repo.key);
        let file = Arc::new(file);
        if !is_there {
            self.check_upload_size(repo, uploader, size).await?;
            let (xorbs, large_files) = (self.hub.xorbs.clone(), self.hub.large_files.clone());
            let own = Arc::clone(&file);
            blocking(move || assemble::assemble(&xorbs, &large_files, place, &own, oid)).await?;
            self.record_upload(repo, uploader, oid, size).await?;
        }
        let xorbs = self.hub.xorbs.clone();
        blocking(move || xorbs.mark_used(place, &file)).await
    }

    /// Writes what a client sends to a temporary file, of a limited size.
    async fn spool(
        self,
        content: Box<dyn AsyncRead + Send + Unpin>,
        limit: u64,
        what: &'static str,
    ) -> Result<(TempPath, u64), Error> {
        let directory: PathBuf = self.hub.xorbs.root().to_owned();
        let file = blocking(move || {
            fs_err::create_dir_all(&directory).map_err(Error::internal)?;
            NamedTempFile::with_prefix_in(staged::PREFIX, &directory).map_err(Error::internal)
        })
        .await?;
        let (file, path) = file.into_parts();
        let mut file = tokio::fs::File::from_std(file);
        let mut content = content.take(limit + 1);
        let copied = tokio::io::copy(&mut content, &mut file).await;
        let size = copied.map_err(|error| {
            Error::Invalid(format!("the upload of a {what} broke off: {error}"))
        })?;
        if size > limit {
            return Err(Error::TooLarge(Limit::XetPiece { what, most: limit }));
        }
        file.flush().await.map_err(Error::internal)?;
        Ok((path, size))
    }
}

/// Tells a client why its bytes are refused.
fn refuse(error: assay_xet::Error) -> Error {
    match error {
        assay_xet::Error::Read(error) => Error::internal(error),
        error => Error::Invalid(error.to_string()),
    }
}
