use std::ffi::OsStr;
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use assay_model::RepoKey;
use assay_store::AccountId;
use assay_xet::{ShardFile, XetHash};
use tempfile::TempPath;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::refuse;
use crate::error::Error;
use crate::large::Uploader;

/// The beginning of the names of files that are being received.
pub(super) const PREFIX: &str = ".upload-";
/// The end of the name of a xorb that a file was made of.
const USED: &str = "used";
/// Xorbs that are verified at once. Each takes a processor for a moment.
const XORB_TURNS: usize = 4;
/// Shards whose files are assembled at once. Each takes as much memory as it is large, and may take minutes.
const SHARD_TURNS: usize = 4;

/// Xorbs on the disk, by the account that sent them and the repository that they are for.
#[derive(Debug, Clone)]
pub(crate) struct StagedXorbs {
    root: PathBuf,
    xorb_turns: Arc<Semaphore>,
    shard_turns: Arc<Semaphore>,
}

/// Where the xorbs of an account for a repository are.
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
    /// Returns the xorbs of a directory, which is made when the first one comes.
    pub(crate) fn new(root: PathBuf) -> Self {
        Self {
            root,
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

    /// Verifies a xorb that was received and moves it to its place. Returns whether it was not there before.
    pub(super) fn put(
        &self,
        place: StagingPlace,
        hash: XetHash,
        received: TempPath,
    ) -> Result<bool, Error> {
        let file = fs_err::File::open(&received).map_err(Error::internal)?;
        assay_xet::verify_xorb(BufReader::new(file), hash).map_err(refuse)?;
        let folder = self.folder(place);
        fs_err::create_dir_all(&folder).map_err(Error::internal)?;
        let used = self.path(place, hash).with_extension(USED);
        let is_new = !used.exists() && !self.path(place, hash).exists();
        let target = if used.exists() {
            used
        } else {
            self.path(place, hash)
        };
        received.persist(target).map_err(Error::internal)?;
        Ok(is_new)
    }

    /// Opens a xorb.
    pub(super) fn open(&self, place: StagingPlace, hash: XetHash) -> Result<std::fs::File, Error> {
        let path = self.path(place, hash);
        for path in [path.clone(), path.with_extension(USED)] {
            match std::fs::File::open(path) {
                Ok(file) => return Ok(file),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(Error::internal(error)),
            }
        }
        Err(Error::Invalid(format!(
            "xorb {hash} is not here: you have not sent it to this repository, or it ended after two days; delete \
             `~/.cache/huggingface/xet` and upload again"
        )))
    }

    /// Marks the xorbs that a file was made of: they no longer count as bytes that wait, and end in their time.
    pub(super) fn mark_used(&self, place: StagingPlace, file: &ShardFile) -> Result<(), Error> {
        for term in &file.terms {
            let path = self.path(place, term.xorb);
            match std::fs::rename(&path, path.with_extension(USED)) {
                Ok(()) => {}
                // It was marked already.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(Error::internal(error)),
            }
        }
        Ok(())
    }

    /// Adds up the xorbs of an account that no file was made of yet, in bytes.
    pub(super) fn waiting_bytes(&self, account: AccountId) -> Result<u64, Error> {
        let folder = self.root.join(account.0.to_string());
        let mut bytes = 0;
        for entry in walkdir::WalkDir::new(folder).min_depth(2).max_depth(2) {
            match entry {
                Ok(entry) if is_used(entry.path()) => {}
                Ok(entry) => bytes += entry.metadata().map_or(0, |facts| facts.len()),
                // It was marked or removed a moment ago, or nothing has come yet.
                Err(error) if is_missing(&error) => {}
                Err(error) => return Err(Error::internal(error)),
            }
        }
        Ok(bytes)
    }

    /// Removes what came longer ago than `life`, and directories that are empty. Returns how many xorbs.
    pub(super) fn remove_older(&self, life: Duration) -> Result<u64, Error> {
        if !self.root.exists() {
            return Ok(0);
        }
        // The clock of the file system is the one that files are dated by.
        let now = tempfile::NamedTempFile::new_in(&self.root)
            .and_then(|file| file.as_file().metadata()?.modified())
            .map_err(Error::internal)?;
        let oldest = now.checked_sub(life).unwrap_or(SystemTime::UNIX_EPOCH);
        let mut removed = 0;
        for entry in walkdir::WalkDir::new(&self.root)
            .min_depth(1)
            .contents_first(true)
        {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) if is_missing(&error) => continue,
                Err(error) => return Err(Error::internal(error)),
            };
            let Ok(facts) = entry.metadata() else {
                continue;
            };
            if facts.is_dir() {
                // One that is not empty stays.
                let _ = std::fs::remove_dir(entry.path());
                continue;
            }
            let came = facts.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            if came <= oldest && std::fs::remove_file(entry.path()).is_ok() {
                removed += 1;
            }
        }
        Ok(removed)
    }

    fn folder(&self, place: StagingPlace) -> PathBuf {
        let account = place.account.0.to_string();
        self.root.join(account).join(place.repo.to_string())
    }

    fn path(&self, place: StagingPlace, hash: XetHash) -> PathBuf {
        self.folder(place).join(hash.to_string())
    }
}

fn is_used(path: &Path) -> bool {
    path.extension() == Some(OsStr::new(USED))
}

fn is_missing(error: &walkdir::Error) -> bool {
    let cause = error.io_error();
    cause.is_some_and(|cause| cause.kind() == ErrorKind::NotFound)
}
