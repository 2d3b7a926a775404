//! The bytes of large files: on the disk, or in object storage that several servers share.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::SystemTime;

use assay_git::{LargeFileId, LargeFiles, Removal, Upload};
use assay_model::chain;
use futures_util::StreamExt as _;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _, AsyncWriteExt as _};
use tokio::runtime::Handle;
use tokio_util::io::ReaderStream;

use crate::bucket::{Bucket, ByteStream, SCHEME, StorageVariables};
use crate::config::HubConfig;
use crate::error::Error;
use crate::home::Purpose;
use crate::hub::blocking;

mod bucket;

use bucket::{BucketUpload, LargeBucket, StreamReader};

/// The number of bytes of a file that are read at once. A client that does not read holds no more
/// of it.
const PIECE: usize = 64 << 10;
/// The directory of large files in a data directory.
const DIRECTORY: &str = "lfs";
/// The word for the data directory.
const DISK: &str = "disk";

/// The place of large files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum LargeFilesPlace {
    /// In the data directory.
    #[default]
    Disk,
    /// In a bucket, by its address.
    Bucket(String),
}

/// Large files by their SHA-256.
#[derive(Debug, Clone)]
pub(crate) enum LargeStorage {
    Disk(LargeFiles),
    Bucket(LargeBucket),
}

/// A large file on its way in: nobody sees it before its hash and size are proven.
pub(crate) enum LargeUpload {
    Disk(Upload),
    Bucket(BucketUpload),
}

/// The content of a large file.
#[derive(Debug, Clone)]
pub struct LargeContent {
    storage: LargeStorage,
    oid: LargeFileId,
}

/// A large file in a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StoredLargeFile {
    pub(crate) oid: LargeFileId,
    pub(crate) size: u64,
    pub(crate) came: SystemTime,
}

impl LargeFilesPlace {
    /// The address of the bucket; none for the disk.
    pub(crate) fn bucket(&self) -> Option<&str> {
        match self {
            Self::Disk => None,
            Self::Bucket(address) => Some(address),
        }
    }

    /// Refuses an address that no storage can have. Nothing is asked of the storage.
    pub fn check(&self, variables: &StorageVariables) -> Result<(), Error> {
        match self {
            Self::Disk => Ok(()),
            Self::Bucket(address) => Bucket::open(address, variables).map(|_| ()),
        }
    }

    /// The place that `hub.json` names; the disk when it names none.
    pub(crate) fn recorded(bucket: Option<&str>) -> Self {
        bucket.map_or(Self::Disk, |address| Self::Bucket(address.to_owned()))
    }
}

impl FromStr for LargeFilesPlace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim_end_matches('/');
        if text == DISK {
            return Ok(Self::Disk);
        }
        let is_bucket = text
            .strip_prefix(SCHEME)
            .is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'));
        if is_bucket {
            Ok(Self::Bucket(text.to_owned()))
        } else {
            Err(format!(
                "`{text}` is neither `{DISK}` nor `{SCHEME}BUCKET/PREFIX`"
            ))
        }
    }
}

impl std::fmt::Display for LargeFilesPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.bucket().unwrap_or(DISK))
    }
}

impl LargeStorage {
    /// Opens the large files of a hub, where they were last unless the configuration says
    /// otherwise. Another place than the last one is refused while that has any.
    pub(crate) async fn open(
        config: &HubConfig,
        recorded: &LargeFilesPlace,
        purpose: Purpose,
    ) -> Result<Self, Error> {
        let place = config.large_files.as_ref().unwrap_or(recorded);
        if place != recorded {
            let is_visit = purpose == Purpose::Visit;
            if is_visit || !Self::at(config, recorded)?.list().await?.is_empty() {
                return Err(Error::Operator(format!(
                    "the large files of this hub are in `{recorded}`, not in `{place}`; nothing was changed. Stop the hub and copy \
                     them with `assay admin move-large-files --to {place}`, or leave `large_files` as it was"
                )));
            }
        }
        let storage = Self::at(config, place)?;
        if let (Self::Bucket(files), Purpose::Serve) = (&storage, purpose) {
            files.bucket().probe().await.map_err(|error| {
                Error::Operator(format!(
                    "large files cannot be written to `{place}`: {}; check the address, and `AWS_ACCESS_KEY_ID`, \
                     `AWS_SECRET_ACCESS_KEY`, `AWS_REGION` and `AWS_ENDPOINT`",
                    chain(&error)
                ))
            })?;
        }
        Ok(storage)
    }

    /// Opens the large files in a place.
    pub(crate) fn at(config: &HubConfig, place: &LargeFilesPlace) -> Result<Self, Error> {
        match place {
            LargeFilesPlace::Disk => {
                let files = LargeFiles::new(config.data.join(DIRECTORY))?;
                Ok(Self::Disk(files.with_durability(config.durability)))
            }
            LargeFilesPlace::Bucket(address) => {
                let bucket = Bucket::open(address, &config.storage)?;
                Ok(Self::Bucket(LargeBucket::new(
                    bucket,
                    config.data.join("tmp"),
                )))
            }
        }
    }

    /// The place.
    pub(crate) fn place(&self) -> LargeFilesPlace {
        match self {
            Self::Disk(_) => LargeFilesPlace::Disk,
            Self::Bucket(files) => LargeFilesPlace::Bucket(files.bucket().address().to_owned()),
        }
    }

    /// The bucket, when they are in one.
    pub(crate) fn bucket(&self) -> Option<&Bucket> {
        match self {
            Self::Disk(_) => None,
            Self::Bucket(files) => Some(files.bucket()),
        }
    }

    /// Begins to take a file in. Give [`LargeUpload::write`] its bytes as they come. All of it
    /// blocks.
    pub(crate) fn begin(&self, oid: LargeFileId, size: u64) -> Result<LargeUpload, Error> {
        match self {
            Self::Disk(files) => Ok(LargeUpload::Disk(files.begin(oid, size)?)),
            Self::Bucket(files) => Ok(LargeUpload::Bucket(files.begin(oid, size)?)),
        }
    }

    /// Takes a whole file in, from another reader. It blocks.
    pub(crate) fn put(
        &self,
        oid: LargeFileId,
        size: u64,
        mut reader: impl Read,
    ) -> Result<(), Error> {
        let mut upload = self.begin(oid, size)?;
        let mut piece = vec![0; PIECE];
        loop {
            match reader.read(&mut piece) {
                Ok(0) => return upload.finish(),
                Ok(read) => upload.write(&piece[..read])?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::internal(error)),
            }
        }
    }

    /// Returns the size of a file; `None` when there is no such file.
    pub(crate) async fn size(&self, oid: LargeFileId) -> Result<Option<u64>, Error> {
        match self {
            Self::Disk(files) => Ok(files.size(oid)),
            Self::Bucket(files) => files.size(oid).await,
        }
    }

    /// Returns the content of a file that is there.
    pub(crate) fn content(&self, oid: LargeFileId) -> LargeContent {
        LargeContent {
            storage: self.clone(),
            oid,
        }
    }

    /// Opens a file to be read where blocking is allowed.
    pub(crate) fn reader(
        &self,
        oid: LargeFileId,
        runtime: &Handle,
    ) -> Result<Box<dyn Read + Send>, Error> {
        match self {
            Self::Disk(files) => Ok(Box::new(files.open(oid)?)),
            Self::Bucket(files) => Ok(Box::new(StreamReader::open(files, oid, runtime)?)),
        }
    }

    /// Removes what uploads of processes that are gone have left. Call it once at start-up.
    pub(crate) async fn recover(&self) -> Result<(), Error> {
        match self {
            Self::Disk(files) => {
                let files = files.clone();
                blocking(move || Ok(files.recover()?)).await?;
            }
            // Unfinished parts have no name; the rules of the bucket end them.
            Self::Bucket(_) => {}
        }
        Ok(())
    }

    /// Lists every file, in no order.
    pub(crate) async fn list(&self) -> Result<Vec<StoredLargeFile>, Error> {
        match self {
            Self::Disk(files) => {
                let files = files.clone();
                let listed = blocking(move || Ok(files.list()?)).await?;
                let listed =
                    listed
                        .into_iter()
                        .map(|(oid, size, came)| StoredLargeFile { oid, size, came });
                Ok(listed.collect())
            }
            Self::Bucket(files) => files.list().await,
        }
    }

    /// Returns what time it is by the clock that files are dated by.
    pub(crate) async fn now(&self) -> Result<SystemTime, Error> {
        match self {
            Self::Disk(files) => {
                let root = files.root().to_owned();
                blocking(move || {
                    let file = tempfile::NamedTempFile::new_in(root).map_err(Error::internal)?;
                    let facts = file.as_file().metadata().map_err(Error::internal)?;
                    facts.modified().map_err(Error::internal)
                })
                .await
            }
            Self::Bucket(files) => Ok(files.bucket().probe().await?),
        }
    }

    /// Removes files unless they came after this moment, and returns those that it removed. On the
    /// disk nothing that comes meanwhile is lost. In a bucket it may be: so whoever brings a file
    /// looks for it once more while it is recorded, which cannot be while this runs.
    pub(crate) async fn remove_older(
        &self,
        oids: Vec<LargeFileId>,
        moment: SystemTime,
    ) -> Result<Vec<LargeFileId>, Error> {
        match self {
            Self::Disk(files) => {
                let files = files.clone();
                blocking(move || {
                    let mut removed = Vec::new();
                    for oid in oids {
                        match files.remove_older(oid, moment)? {
                            Removal::Removed => removed.push(oid),
                            Removal::Young | Removal::Absent => {}
                        }
                    }
                    Ok(removed)
                })
                .await
            }
            Self::Bucket(files) => {
                files.remove(&oids).await?;
                Ok(oids)
            }
        }
    }
}

impl LargeUpload {
    /// Takes the next bytes; more than were said are refused at once.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        match self {
            Self::Disk(upload) => Ok(upload.write(bytes)?),
            Self::Bucket(upload) => upload.write(bytes),
        }
    }

    /// Proves hash and size, and puts the file in its place.
    pub(crate) fn finish(self) -> Result<(), Error> {
        match self {
            Self::Disk(upload) => Ok(upload.finish()?),
            Self::Bucket(upload) => upload.finish(),
        }
    }
}

impl LargeContent {
    /// Reads a part of the file, piece by piece.
    pub async fn read(&self, start: u64, length: u64) -> Result<ByteStream, Error> {
        match &self.storage {
            LargeStorage::Disk(files) => {
                let file = tokio::fs::File::open(files.path(self.oid)).await;
                let mut file = file.map_err(Error::internal)?;
                if start > 0 {
                    let position = io::SeekFrom::Start(start);
                    file.seek(position).await.map_err(Error::internal)?;
                }
                Ok(ReaderStream::with_capacity(file.take(length), PIECE).boxed())
            }
            LargeStorage::Bucket(files) => files.read(self.oid, start..start + length).await,
        }
    }

    /// Writes the file to a path, where nothing is yet. Large files never change, so one file of
    /// the disk serves both where the file system can do that.
    pub(crate) async fn copy_to(&self, size: u64, path: PathBuf) -> io::Result<()> {
        match &self.storage {
            LargeStorage::Disk(files) => {
                let from = files.path(self.oid);
                let copied =
                    tokio::task::spawn_blocking(move || match fs_err::hard_link(&from, &path) {
                        Ok(()) => Ok(()),
                        Err(_) => fs_err::copy(&from, &path).map(|_| ()),
                    });
                copied.await.map_err(io::Error::other)?
            }
            LargeStorage::Bucket(files) => download(files, self.oid, size, &path).await,
        }
    }
}

async fn download(files: &LargeBucket, oid: LargeFileId, size: u64, path: &Path) -> io::Result<()> {
    let mut file = tokio::fs::File::create(path).await?;
    let pieces = files.read(oid, 0..size).await;
    let mut pieces = pieces.map_err(io::Error::other)?;
    while let Some(bytes) = pieces.next().await {
        file.write_all(&bytes?).await?;
    }
    file.flush().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_the_disk_or_a_bucket() {
        let place = |text: &str| text.parse::<LargeFilesPlace>();

        assert_eq!(place("disk"), Ok(LargeFilesPlace::Disk));
        assert_eq!(
            place("s3://hub/files/").unwrap().to_string(),
            "s3://hub/files"
        );
        for wrong in [
            "",
            "s3://",
            "s3:///files",
            "/srv/files",
            "file:///srv/files",
        ] {
            let refused = place(wrong).unwrap_err();
            assert!(
                refused.contains("neither `disk` nor `s3://BUCKET/PREFIX`"),
                "{wrong}"
            );
        }
    }
}
