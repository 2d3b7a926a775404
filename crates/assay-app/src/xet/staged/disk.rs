use std::ffi::OsStr;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use assay_store::AccountId;
use assay_xet::XetHash;
use tempfile::TempPath;

use super::StagingPlace;
use crate::error::Error;

/// The end of the name of a xorb that a file was made of.
const USED: &str = "used";

/// Xorbs on the disk.
#[derive(Debug, Clone)]
pub(super) struct XorbDirectory {
    root: PathBuf,
}

impl XorbDirectory {
    pub(super) fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// Moves a xorb that was verified to its place. Returns whether it was not there before.
    pub(super) fn put(
        &self,
        place: StagingPlace,
        hash: XetHash,
        received: TempPath,
    ) -> Result<bool, Error> {
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

    /// Opens a xorb; `None` when there is none.
    pub(super) fn open(&self, place: StagingPlace, hash: XetHash) -> Result<Option<File>, Error> {
        let path = self.path(place, hash);
        for path in [path.clone(), path.with_extension(USED)] {
            match File::open(path) {
                Ok(file) => return Ok(Some(file)),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(Error::internal(error)),
            }
        }
        Ok(None)
    }

    /// Marks a xorb that a file was made of.
    pub(super) fn mark_used(&self, place: StagingPlace, hash: XetHash) -> Result<(), Error> {
        let path = self.path(place, hash);
        match std::fs::rename(&path, path.with_extension(USED)) {
            Ok(()) => Ok(()),
            // It was marked already.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(Error::internal(error)),
        }
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

    /// Removes what came longer ago than `life`, and directories that are empty. Returns how many
    /// xorbs.
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
