use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use object_store::local::LocalFileSystem;
use object_store::path::Path as ObjectPath;
use object_store::{ObjectStore, ObjectStoreExt as _};

use crate::bucket::{SCHEME, StorageVariables, open_store};
use crate::data_dir_lock;
use crate::error::Error;

/// The sign in the name of a file that the library has not finished writing.
const UNFINISHED: char = '#';

/// The place of a backup: a directory, or a prefix of a bucket in S3-compatible object storage.
#[derive(Debug, Clone)]
pub struct BackupPlace {
    store: Arc<dyn ObjectStore>,
    prefix: ObjectPath,
    directory: Option<PathBuf>,
    address: String,
}

/// Something could not be done with an object of a backup.
#[derive(Debug, thiserror::Error)]
#[error("failed to {doing} `{at}`")]
pub(crate) struct PlaceError {
    doing: &'static str,
    at: String,
    source: object_store::Error,
}

impl From<PlaceError> for Error {
    fn from(error: PlaceError) -> Self {
        Self::internal(error)
    }
}

impl BackupPlace {
    /// Opens the place of a backup: `s3://BUCKET/PREFIX`, or a directory. Keys, region and endpoint
    /// of object storage come from variables, by the names that other programs know:
    /// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `AWS_ENDPOINT`,
    /// `AWS_ALLOW_HTTP`.
    pub fn open(address: &str, variables: &StorageVariables) -> Result<Self, Error> {
        if address.starts_with(SCHEME) {
            return Self::bucket(address, variables);
        }
        let path = Path::new(address);
        if !path.is_dir() {
            return Err(Error::Invalid(format!(
                "there is no backup in `{address}`: it is no directory"
            )));
        }
        let store = LocalFileSystem::new_with_prefix(path).map_err(|source| PlaceError {
            doing: "open",
            at: address.to_owned(),
            source,
        })?;
        Ok(Self {
            store: Arc::new(store),
            prefix: ObjectPath::default(),
            directory: Some(fs_err::canonicalize(path).map_err(Error::internal)?),
            address: address.to_owned(),
        })
    }

    /// Opens the place of a backup, and makes its directory, for its owner alone, when there is
    /// none.
    pub fn create(address: &str, variables: &StorageVariables) -> Result<Self, Error> {
        if !address.starts_with(SCHEME) {
            data_dir_lock::make_data_directory(Path::new(address))?;
        }
        Self::open(address, variables)
    }

    fn bucket(address: &str, variables: &StorageVariables) -> Result<Self, Error> {
        let (store, prefix) = open_store(address, variables, None)?;
        Ok(Self {
            store,
            prefix,
            directory: None,
            address: address.to_owned(),
        })
    }

    /// The directory, when it is one.
    pub(crate) fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// The address, as it was given.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Writes an object, whole or not at all.
    pub(crate) async fn put(&self, name: &str, bytes: Bytes) -> Result<(), PlaceError> {
        let put = self.store.put(&self.key(name), bytes.into()).await;
        put.map_err(|source| self.failed("write", name, source))?;
        Ok(())
    }

    /// Reads an object; `None` when there is none of this name.
    pub(crate) async fn get(&self, name: &str) -> Result<Option<Bytes>, PlaceError> {
        let failed = |source| self.failed("read", name, source);
        match self.store.get(&self.key(name)).await {
            Ok(found) => Ok(Some(found.bytes().await.map_err(failed)?)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    /// The objects below a folder: the last part of each name, and the size.
    pub(crate) async fn list(&self, folder: &str) -> Result<BTreeMap<String, u64>, PlaceError> {
        let prefix = self.key(folder);
        let listed = self.store.list(Some(&prefix)).map_ok(|found| {
            let name = found.location.filename().unwrap_or_default().to_owned();
            (name, found.size)
        });
        let listed = listed.try_collect().await;
        listed.map_err(|source| self.failed("list", folder, source))
    }

    /// Deletes objects; those that are gone already are no matter.
    pub(crate) async fn delete(&self, names: Vec<String>) -> Result<(), PlaceError> {
        let keys: Vec<_> = names.iter().map(|name| Ok(self.key(name))).collect();
        let mut deleted = self.store.delete_stream(stream::iter(keys).boxed());
        while let Some(outcome) = deleted.next().await {
            match outcome {
                Ok(_) | Err(object_store::Error::NotFound { .. }) => {}
                Err(source) => {
                    return Err(self.failed("delete", "objects that no backup needs", source));
                }
            }
        }
        Ok(())
    }

    /// Waits until everything that was written is on the disk. Object storage acknowledges nothing
    /// before that.
    pub(crate) fn sync(&self) -> Result<(), Error> {
        match &self.directory {
            Some(directory) => sync_file_system(directory),
            None => Ok(()),
        }
    }

    /// Removes what a process that was killed had not finished writing to a folder.
    pub(crate) fn clear_unfinished(&self, folder: &str) -> Result<(), Error> {
        let Some(directory) = &self.directory else {
            return Ok(());
        };
        let folder = directory.join(folder);
        if !folder.is_dir() {
            return Ok(());
        }
        for entry in walkdir::WalkDir::new(folder) {
            let entry = entry.map_err(Error::internal)?;
            let is_unfinished = entry.file_name().to_string_lossy().contains(UNFINISHED);
            if is_unfinished && entry.file_type().is_file() {
                fs_err::remove_file(entry.path()).map_err(Error::internal)?;
            }
        }
        Ok(())
    }

    fn key(&self, name: &str) -> ObjectPath {
        let name = ObjectPath::from(name);
        self.prefix.parts().chain(name.parts()).collect()
    }

    fn failed(&self, doing: &'static str, name: &str, source: object_store::Error) -> PlaceError {
        let address = self.address.trim_end_matches('/');
        PlaceError {
            doing,
            at: format!("{address}/{name}"),
            source,
        }
    }
}

/// Waits until what was written to the file system of a directory is on the disk.
pub(crate) fn sync_file_system(directory: &Path) -> Result<(), Error> {
    let directory = fs_err::File::open(directory).map_err(Error::internal)?;
    #[cfg(target_os = "linux")]
    rustix::fs::syncfs(directory.file()).map_err(Error::internal)?;
    #[cfg(not(target_os = "linux"))]
    directory.sync_all().map_err(Error::internal)?;
    Ok(())
}
