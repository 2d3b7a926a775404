//! The place of a lake: a directory, or a prefix in S3-compatible object storage.

use std::fmt;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use deltalake_core::logstore::{LogStoreRef, StorageConfig, default_logstore};
use futures_util::stream::BoxStream;
use object_store::buffered::BufWriter;
use object_store::local::LocalFileSystem;
use object_store::path::Path as ObjectPath;
use object_store::prefix::PrefixStore;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt as _, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult,
};
use tempfile::NamedTempFile;
use tokio::io::AsyncWriteExt as _;
use url::Url;

use crate::bucket::{Bucket, Storage};
use crate::delta::TableLog;
use crate::error::{Error, Result};
use crate::table::Table;

/// The beginning of the name of a file that is not finished.
pub(crate) const UNFINISHED: &str = "unfinished-";

/// The place of a lake, and how it is reached.
#[derive(Debug, Clone)]
pub(crate) struct LakeStore {
    /// The directory, absolute, or the address.
    address: PathBuf,
    /// The bucket, when it is no directory.
    bucket: Option<Bucket>,
    store: Arc<dyn ObjectStore>,
}

impl LakeStore {
    /// Opens a place. Nothing is read yet.
    pub(crate) fn open(address: &Path, storage: &Storage) -> Result<Self> {
        if let Some(bucket) = Bucket::named(address) {
            let store = bucket.open(storage).map_err(|source| Error::Bucket {
                doing: "open",
                at: address.display().to_string(),
                source,
            })?;
            return Ok(Self {
                address: address.to_owned(),
                bucket: Some(bucket),
                store,
            });
        }
        Ok(Self {
            address: std::path::absolute(address).map_err(Error::io("find", address))?,
            bucket: None,
            store: Arc::new(SyncedDirectory(LocalFileSystem::new())),
        })
    }

    /// The directory, absolute, or the address.
    pub(crate) fn address(&self) -> &Path {
        &self.address
    }

    /// The directory, unless it is a bucket.
    pub(crate) fn directory(&self) -> Option<&Path> {
        self.bucket.is_none().then_some(self.address.as_path())
    }

    /// Reads a file; `None` when there is none.
    pub(crate) async fn fetch(&self, relative: &str) -> Result<Option<Bytes>> {
        let read = async {
            let answer = self.store.get(&self.key_of(relative)?).await?;
            answer.bytes().await
        };
        match read.await {
            Ok(bytes) => Ok(Some(bytes)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.failed("read", relative)(error)),
        }
    }

    /// Writes a small file, unless there is one already.
    pub(crate) async fn create(&self, relative: &str, content: String) -> Result<()> {
        let write = async {
            let options = PutOptions::from(PutMode::Create);
            let key = self.key_of(relative)?;
            self.store.put_opts(&key, content.into(), options).await
        };
        match write.await {
            Ok(_) | Err(object_store::Error::AlreadyExists { .. }) => Ok(()),
            Err(error) => Err(self.failed("write", relative)(error)),
        }
    }

    /// Copies a file of this machine here.
    pub(crate) async fn upload(&self, from: &Path, relative: &str) -> Result<()> {
        let key = self.key_of(relative);
        let key = key.map_err(self.failed("write", relative))?;
        let mut file = tokio::fs::File::open(from)
            .await
            .map_err(Error::io("read", from))?;
        let mut writer = BufWriter::new(Arc::clone(&self.store), key);
        let copied = async {
            tokio::io::copy(&mut file, &mut writer).await?;
            writer.shutdown().await
        };
        let failed = |error| object_store::Error::Generic {
            store: "S3",
            source: Box::new(error),
        };
        let copied = copied.await.map_err(failed);
        copied.map_err(self.failed("write", relative))
    }

    /// Copies a file to this machine.
    pub(crate) async fn download(&self, relative: &str, to: &Path) -> Result<()> {
        let missing = || Error::Manifest {
            path: self.address.join(relative),
            why: "it is not there".to_owned(),
        };
        let bytes = self.fetch(relative).await?.ok_or_else(missing)?;
        if let Some(above) = to.parent() {
            fs_err::create_dir_all(above).map_err(Error::io("make", above))?;
        }
        fs_err::write(to, &bytes).map_err(Error::io("write", to))
    }

    /// The log of a table.
    pub(crate) fn table_log(&self, table: Table) -> Result<TableLog> {
        let relative = table.directory();
        let key = self.key_of(&relative);
        let key = key.map_err(self.failed("open", &relative))?;
        let no_address = || Error::NoAddress(self.address.display().to_string());
        let url = match &self.bucket {
            Some(_) => Url::parse(&format!("{}/{relative}/", self.address.display())).ok(),
            None => Url::from_directory_path(self.address.join(&relative)).ok(),
        };
        let url = url.ok_or_else(no_address)?;
        let prefixed = Arc::new(PrefixStore::new(Arc::clone(&self.store), key));
        let root = Arc::clone(&self.store);
        let store: LogStoreRef = default_logstore(prefixed, root, &url, &StorageConfig::default());
        let directory = self.directory().map(|lake| lake.join(&relative));
        Ok(TableLog::new(table, store, directory))
    }

    /// The key of a file in the object store.
    fn key_of(&self, relative: &str) -> object_store::Result<ObjectPath> {
        match &self.bucket {
            Some(bucket) => Ok(bucket.key_of(relative)),
            None => Ok(ObjectPath::from_absolute_path(self.address.join(relative))?),
        }
    }

    fn failed(
        &self,
        doing: &'static str,
        relative: &str,
    ) -> impl FnOnce(object_store::Error) -> Error + use<> {
        let at = self.address.join(relative).display().to_string();
        move |source| Error::Bucket { doing, at, source }
    }
}

/// Makes a file in a directory that has a name of its own, and is removed unless it is given another.
pub(crate) fn new_file_in(directory: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED).suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // As every other program makes its files: what the user masks is left out.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(directory)
}

/// A file system whose small files are on the disk when they are there: a commit that was acknowledged survives a power failure.
#[derive(Debug)]
struct SyncedDirectory(LocalFileSystem);

impl fmt::Display for SyncedDirectory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// Writes a file to the disk, and then gives it its name.
fn write_synced(path: &Path, payload: &PutPayload, is_new: bool) -> io::Result<()> {
    let above = path.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(above)?;
    let mut file = new_file_in(above)?;
    payload.iter().try_for_each(|part| file.write_all(part))?;
    file.as_file().sync_all()?;
    if is_new {
        file.persist_noclobber(path).map_err(|error| error.error)?;
    } else {
        file.persist(path).map_err(|error| error.error)?;
    }
    File::open(above)?.sync_all()
}

#[async_trait]
impl ObjectStore for SyncedDirectory {
    async fn put_opts(
        &self,
        location: &ObjectPath,
        payload: PutPayload,
        options: PutOptions,
    ) -> object_store::Result<PutResult> {
        let is_new = match options.mode {
            PutMode::Create => true,
            PutMode::Overwrite => false,
            PutMode::Update(_) => return self.0.put_opts(location, payload, options).await,
        };
        let path = self.0.path_to_filesystem(location)?;
        let failed = |error: io::Error| {
            let path = location.to_string();
            let source = Box::new(error);
            match source.kind() {
                io::ErrorKind::AlreadyExists => object_store::Error::AlreadyExists { path, source },
                _ => object_store::Error::Generic {
                    store: "LocalFileSystem",
                    source,
                },
            }
        };
        let write = move || write_synced(&path, &payload, is_new);
        tokio::task::spawn_blocking(write).await?.map_err(failed)?;
        Ok(PutResult {
            e_tag: None,
            version: None,
        })
    }

    async fn put_multipart_opts(
        &self,
        location: &ObjectPath,
        options: PutMultipartOptions,
    ) -> object_store::Result<Box<dyn MultipartUpload>> {
        self.0.put_multipart_opts(location, options).await
    }

    async fn get_opts(
        &self,
        location: &ObjectPath,
        options: GetOptions,
    ) -> object_store::Result<GetResult> {
        self.0.get_opts(location, options).await
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, object_store::Result<ObjectPath>>,
    ) -> BoxStream<'static, object_store::Result<ObjectPath>> {
        self.0.delete_stream(locations)
    }

    fn list(
        &self,
        prefix: Option<&ObjectPath>,
    ) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        self.0.list(prefix)
    }

    fn list_with_offset(
        &self,
        prefix: Option<&ObjectPath>,
        offset: &ObjectPath,
    ) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        self.0.list_with_offset(prefix, offset)
    }

    async fn list_with_delimiter(
        &self,
        prefix: Option<&ObjectPath>,
    ) -> object_store::Result<ListResult> {
        self.0.list_with_delimiter(prefix).await
    }

    async fn copy_opts(
        &self,
        from: &ObjectPath,
        to: &ObjectPath,
        options: CopyOptions,
    ) -> object_store::Result<()> {
        self.0.copy_opts(from, to, options).await
    }
}
