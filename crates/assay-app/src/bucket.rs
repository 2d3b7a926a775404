//! Object storage by the S3 protocol.

use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use assay_model::chain;
use bytes::Bytes;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt as _, TryStreamExt as _};
use object_store::path::Path as ObjectPath;
use object_store::{MultipartUpload, ObjectStore, ObjectStoreExt as _};
use url::Url;

use crate::error::{Busy, Error};

/// The beginning of the address of a bucket.
pub(crate) const SCHEME: &str = "s3://";
/// The option that bounds a request from its connection to the last byte of its answer.
const TIMEOUT_OPTION: &str = "timeout";
/// The bound of a request that streams. A client may read a large file as slowly as it likes;
/// [`CHUNK_PATIENCE`] ends a storage that stands still.
const STREAM_TIMEOUT: &str = "7 days";
/// The longest wait for the next bytes of an object.
const CHUNK_PATIENCE: Duration = Duration::from_mins(1);
/// The name of the object that is written to learn what time it is there, and that it can be
/// written to.
const PROBE: &str = "probe";

/// The bytes of a large file, as they come.
pub type ByteStream = BoxStream<'static, io::Result<Bytes>>;

/// The variables that say how object storage is reached: keys, region and endpoint, by the names
/// that other programs know.
#[derive(Clone, Default)]
pub struct StorageVariables(Vec<(String, String)>);

/// A prefix of a bucket.
#[derive(Debug, Clone)]
pub(crate) struct Bucket {
    store: Arc<dyn ObjectStore>,
    /// The same for reading objects of any size.
    streams: Arc<dyn ObjectStore>,
    prefix: ObjectPath,
    address: String,
}

/// The size of an object, and when it was written by the clock of the storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ObjectFacts {
    pub(crate) size: u64,
    pub(crate) written: SystemTime,
}

/// Something could not be done with an object.
#[derive(Debug, thiserror::Error)]
#[error("failed to {doing} `{at}`")]
pub(crate) struct BucketError {
    doing: &'static str,
    at: String,
    source: object_store::Error,
}

impl StorageVariables {
    /// The beginning of the names of these variables.
    const START: &str = "AWS_";

    /// Chooses those that are about object storage among variables.
    pub fn among(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let is_ours = |(name, _): &(String, String)| name.starts_with(Self::START);
        Self(variables.into_iter().filter(is_ours).collect())
    }
}

impl fmt::Debug for StorageVariables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.0.iter().map(|(name, _)| name);
        f.debug_list().entries(names).finish()
    }
}

impl BucketError {
    pub(crate) fn new(doing: &'static str, at: String, source: object_store::Error) -> Self {
        Self { doing, at, source }
    }
}

impl From<BucketError> for Error {
    /// Storage that does not answer is there again soon, like a database.
    fn from(error: BucketError) -> Self {
        tracing::error!("object storage: {}", chain(&error));
        Self::Busy(Busy::Storage)
    }
}

impl Bucket {
    /// Opens `s3://BUCKET/PREFIX`; tests use `file://` for a directory in its place. Nothing is
    /// asked of the storage yet.
    pub(crate) fn open(address: &str, variables: &StorageVariables) -> Result<Self, Error> {
        let (store, prefix) = open_store(address, variables, None)?;
        let (streams, _) = open_store(address, variables, Some(STREAM_TIMEOUT))?;
        Ok(Self {
            store,
            streams,
            prefix,
            address: address.trim_end_matches('/').to_owned(),
        })
    }

    /// The address, as it was given.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Writes an object, whole or not at all.
    pub(crate) async fn put(&self, name: &str, bytes: Bytes) -> Result<(), BucketError> {
        let put = self.store.put(&self.key(name), bytes.into()).await;
        put.map_err(|source| self.failed("write", name, source))?;
        Ok(())
    }

    /// Begins to write an object in parts. It appears when it is completed.
    pub(crate) async fn begin(&self, name: &str) -> Result<Box<dyn MultipartUpload>, BucketError> {
        let begun = self.store.put_multipart(&self.key(name)).await;
        begun.map_err(|source| self.failed("write", name, source))
    }

    /// Returns the facts of an object; `None` when there is none of this name.
    pub(crate) async fn facts(&self, name: &str) -> Result<Option<ObjectFacts>, BucketError> {
        match self.store.head(&self.key(name)).await {
            Ok(found) => Ok(Some(ObjectFacts {
                size: found.size,
                written: found.last_modified.into(),
            })),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(source) => Err(self.failed("find", name, source)),
        }
    }

    /// Reads a part of an object, piece by piece.
    pub(crate) async fn read(
        &self,
        name: &str,
        range: Range<u64>,
    ) -> Result<ByteStream, BucketError> {
        if range.is_empty() {
            return Ok(stream::empty().boxed());
        }
        let options = object_store::GetOptions {
            range: Some(range.into()),
            ..object_store::GetOptions::default()
        };
        let found = self.streams.get_opts(&self.key(name), options).await;
        let found = found.map_err(|source| self.failed("read", name, source))?;
        let pieces = found.into_stream();
        let patient = stream::try_unfold(pieces, async |mut pieces| {
            let next = tokio::time::timeout(CHUNK_PATIENCE, pieces.next()).await;
            let next = next.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?;
            let next = next.transpose().map_err(io::Error::other)?;
            Ok(next.map(|bytes| (bytes, pieces)))
        });
        Ok(patient.boxed())
    }

    /// Lists the objects below a folder: the path of each from there on, and its facts.
    pub(crate) async fn list(
        &self,
        folder: &str,
    ) -> Result<Vec<(String, ObjectFacts)>, BucketError> {
        let prefix = self.key(folder);
        let listed = self.store.list(Some(&prefix)).map_ok(|found| {
            let parts = found.location.prefix_match(&prefix).into_iter().flatten();
            let parts: Vec<String> = parts.map(|part| part.as_ref().to_owned()).collect();
            let facts = ObjectFacts {
                size: found.size,
                written: found.last_modified.into(),
            };
            (parts.join("/"), facts)
        });
        let listed = listed.try_collect().await;
        listed.map_err(|source| self.failed("list", folder, source))
    }

    /// Deletes objects; those that are gone already are no matter.
    pub(crate) async fn delete(&self, names: &[String]) -> Result<(), BucketError> {
        let keys: Vec<_> = names.iter().map(|name| Ok(self.key(name))).collect();
        let mut deleted = self.store.delete_stream(stream::iter(keys).boxed());
        while let Some(outcome) = deleted.next().await {
            match outcome {
                Ok(_) | Err(object_store::Error::NotFound { .. }) => {}
                Err(source) => return Err(self.failed("delete", "objects", source)),
            }
        }
        Ok(())
    }

    /// Writes an object and returns what time it is there.
    pub(crate) async fn probe(&self) -> Result<SystemTime, BucketError> {
        self.put(
            PROBE,
            Bytes::from_static(b"written to find out whether it can be\n"),
        )
        .await?;
        let key = self.key(PROBE);
        let found = self.store.head(&key).await;
        let found = found.map_err(|source| self.failed("find", PROBE, source))?;
        Ok(found.last_modified.into())
    }

    pub(crate) fn failed(
        &self,
        doing: &'static str,
        name: &str,
        source: object_store::Error,
    ) -> BucketError {
        BucketError::new(doing, format!("{}/{name}", self.address), source)
    }

    fn key(&self, name: &str) -> ObjectPath {
        let name = ObjectPath::from(name);
        self.prefix.parts().chain(name.parts()).collect()
    }
}

/// Opens the storage that an address names, and the prefix of its keys.
pub(crate) fn open_store(
    address: &str,
    variables: &StorageVariables,
    timeout: Option<&str>,
) -> Result<(Arc<dyn ObjectStore>, ObjectPath), Error> {
    let wrong = |error: &dyn std::error::Error| {
        Error::Invalid(format!(
            "`{address}` is no bucket that can be used: {}",
            chain(error)
        ))
    };
    let url = Url::parse(address).map_err(|error| wrong(&error))?;
    let timeout = timeout.map(|text| (TIMEOUT_OPTION.to_owned(), text.to_owned()));
    let options = variables.0.iter().cloned().chain(timeout);
    let opened = object_store::parse_url_opts(&url, options);
    let (store, prefix) = opened.map_err(|error| wrong(&error))?;
    Ok((Arc::from(store), prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_variables_of_the_storage_are_kept_and_no_secret_is_printed() {
        let variables = [
            ("AWS_SECRET_ACCESS_KEY", "hush"),
            ("HOME", "/root"),
            ("AWS_REGION", "eu-1"),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));

        let kept = format!("{:?}", StorageVariables::among(variables));

        assert_eq!(kept, r#"["AWS_SECRET_ACCESS_KEY", "AWS_REGION"]"#);
    }
}
