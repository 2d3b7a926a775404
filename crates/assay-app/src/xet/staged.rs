use std::collections::BTreeSet;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use assay_model::RepoKey;
use assay_store::AccountId;
use assay_xet::{ShardFile, XetHash};
use tempfile::TempPath;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::refuse;
use crate::bucket::Bucket;
use crate::error::Error;
use crate::large::Uploader;

mod bucket;
mod disk;

use bucket::XorbBucket;
use disk::XorbDirectory;

/// The beginning of the names of files that are being received.
pub(super) const PREFIX: &str = ".upload-";
/// Xorbs that are verified at once. Each takes a processor for a moment.
const XORB_TURNS: usize = 4;
/// Shards whose files are assembled at once. Each takes as much memory as it is large, and may take
/// minutes.
const SHARD_TURNS: usize = 4;

/// Xorbs by the account that sent them and the repository that they are for. They are on the disk,
/// or in the bucket of the large files, so that any server finds those that another one received.
#[derive(Debug, Clone)]
pub(crate) struct StagedXorbs {
    /// The directory for what is being received.
    root: PathBuf,
    place: XorbPlace,
    xorb_turns: Arc<Semaphore>,
    shard_turns: Arc<Semaphore>,
}

#[derive(Debug, Clone)]
enum XorbPlace {
    Disk(XorbDirectory),
    Bucket(XorbBucket),
}

/// The place of the xorbs of an account for a repository.
#[derive(Debug, Clone, Copy)]
pub(super) struct StagingPlace {
    account: AccountId,
    repo: RepoKey,
}

impl StagingPlace {
    pub(super) fn new(uploader: Uploader, repo: RepoKey) -> Self {
        Self {
            account: uploader.account,
            repo,
        }
    }
}

impl StagedXorbs {
    /// Returns the xorbs of a bucket, or of a directory, which is made when the first one comes.
    pub(crate) fn new(root: PathBuf, bucket: Option<Bucket>) -> Self {
        let place = match bucket {
            Some(bucket) => XorbPlace::Bucket(XorbBucket::new(bucket)),
            None => XorbPlace::Disk(XorbDirectory::new(root.clone())),
        };
        Self {
            root,
            place,
            xorb_turns: Arc::new(Semaphore::new(XORB_TURNS)),
            shard_turns: Arc::new(Semaphore::new(SHARD_TURNS)),
        }
    }

    /// Returns the directory.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Waits for a turn to verify a xorb.
    pub(super) async fn xorb_turn(&self) -> Result<OwnedSemaphorePermit, Error> {
        let turn = Arc::clone(&self.xorb_turns).acquire_owned().await;
        turn.map_err(Error::internal)
    }

    /// Waits for a turn to assemble the files of a shard.
    pub(super) async fn shard_turn(&self) -> Result<OwnedSemaphorePermit, Error> {
        let turn = Arc::clone(&self.shard_turns).acquire_owned().await;
        turn.map_err(Error::internal)
    }

    /// Verifies a xorb that was received and keeps it. Returns whether it was not there before.
    pub(super) fn put(
        &self,
        place: StagingPlace,
        hash: XetHash,
        received: TempPath,
    ) -> Result<bool, Error> {
        let file = fs_err::File::open(&received).map_err(Error::internal)?;
        assay_xet::verify_xorb(BufReader::new(file), hash).map_err(refuse)?;
        match &self.place {
            XorbPlace::Disk(xorbs) => xorbs.put(place, hash, received),
            XorbPlace::Bucket(xorbs) => xorbs.put(place, hash, &received),
        }
    }

    /// Opens a xorb.
    pub(super) fn open(&self, place: StagingPlace, hash: XetHash) -> Result<File, Error> {
        let found = match &self.place {
            XorbPlace::Disk(xorbs) => xorbs.open(place, hash)?,
            XorbPlace::Bucket(xorbs) => xorbs.fetch(place, hash, &self.root)?,
        };
        found.ok_or_else(|| {
            Error::Invalid(format!(
                "xorb {hash} is not here: you have not sent it to this repository, or it ended after two days; delete \
                 `~/.cache/huggingface/xet` and upload again"
            ))
        })
    }

    /// Marks the xorbs that a file was made of: they no longer count as bytes that wait, and end in
    /// their time.
    pub(super) fn mark_used(&self, place: StagingPlace, file: &ShardFile) -> Result<(), Error> {
        let xorbs: BTreeSet<XetHash> = file.terms.iter().map(|term| term.xorb).collect();
        for hash in xorbs {
            match &self.place {
                XorbPlace::Disk(xorbs) => xorbs.mark_used(place, hash)?,
                XorbPlace::Bucket(xorbs) => xorbs.mark_used(place, hash)?,
            }
        }
        Ok(())
    }

    /// Adds up the xorbs of an account that no file was made of yet, in bytes.
    pub(super) fn waiting_bytes(&self, account: AccountId) -> Result<u64, Error> {
        match &self.place {
            XorbPlace::Disk(xorbs) => xorbs.waiting_bytes(account),
            XorbPlace::Bucket(xorbs) => xorbs.waiting_bytes(account),
        }
    }

    /// Removes what came longer ago than `life`, and returns how many xorbs. What broke off on the
    /// disk of this server goes too.
    pub(super) fn remove_older(&self, life: Duration) -> Result<u64, Error> {
        let removed = XorbDirectory::new(self.root.clone()).remove_older(life)?;
        match &self.place {
            XorbPlace::Disk(_) => Ok(removed),
            XorbPlace::Bucket(xorbs) => xorbs.remove_older(life),
        }
    }
}
