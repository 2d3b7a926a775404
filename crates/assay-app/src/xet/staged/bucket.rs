use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

use assay_store::AccountId;
use assay_xet::XetHash;
use futures_util::StreamExt as _;
use tokio::runtime::Handle;

use super::StagingPlace;
use crate::bucket::Bucket;
use crate::error::Error;

/// The folder of xorbs in a bucket.
const FOLDER: &str = "xet";
/// The end of the name of the empty object beside a xorb that a file was made of.
const USED: &str = ".used";

/// Xorbs in a bucket. All of it blocks.
#[derive(Debug, Clone)]
pub(super) struct XorbBucket {
    bucket: Bucket,
}

impl XorbBucket {
    pub(super) fn new(bucket: Bucket) -> Self {
        Self { bucket }
    }

    /// Writes a xorb that was verified. Returns whether it was not there before.
    pub(super) fn put(
        &self,
        place: StagingPlace,
        hash: XetHash,
        received: &Path,
    ) -> Result<bool, Error> {
        let name = name(place, hash);
        let bytes = fs_err::read(received).map_err(Error::internal)?;
        Handle::current().block_on(async {
            let is_new = self.bucket.facts(&name).await?.is_none();
            self.bucket.put(&name, bytes.into()).await?;
            Ok(is_new)
        })
    }

    /// Copies a xorb to a file without a name; `None` when there is none.
    pub(super) fn fetch(
        &self,
        place: StagingPlace,
        hash: XetHash,
        scratch: &Path,
    ) -> Result<Option<File>, Error> {
        let name = name(place, hash);
        Handle::current().block_on(async {
            let Some(facts) = self.bucket.facts(&name).await? else {
                return Ok(None);
            };
            let mut file = tempfile::tempfile_in(scratch).map_err(Error::internal)?;
            let mut pieces = self.bucket.read(&name, 0..facts.size).await?;
            while let Some(piece) = pieces.next().await {
                let piece = piece.map_err(Error::internal)?;
                file.write_all(&piece).map_err(Error::internal)?;
            }
            file.rewind().map_err(Error::internal)?;
            Ok(Some(file))
        })
    }

    /// Marks a xorb that a file was made of.
    pub(super) fn mark_used(&self, place: StagingPlace, hash: XetHash) -> Result<(), Error> {
        let mark = name(place, hash) + USED;
        let written = self.bucket.put(&mark, bytes::Bytes::new());
        Ok(Handle::current().block_on(written)?)
    }

    /// Adds up the xorbs of an account that no file was made of yet, in bytes.
    pub(super) fn waiting_bytes(&self, account: AccountId) -> Result<u64, Error> {
        let folder = format!("{FOLDER}/{}", account.0);
        let listed = Handle::current().block_on(self.bucket.list(&folder))?;
        let sizes: BTreeMap<&str, u64> = listed
            .iter()
            .map(|(path, facts)| (path.as_str(), facts.size))
            .collect();
        let is_waiting =
            |(path, _): &(&&str, &u64)| !sizes.contains_key(format!("{path}{USED}").as_str());
        Ok(sizes.iter().filter(is_waiting).map(|(_, size)| size).sum())
    }

    /// Removes what came longer ago than `life`, and returns how many xorbs.
    pub(super) fn remove_older(&self, life: Duration) -> Result<u64, Error> {
        Handle::current().block_on(async {
            let now = self.bucket.probe().await?;
            let oldest = now.checked_sub(life).unwrap_or(SystemTime::UNIX_EPOCH);
            let listed = self.bucket.list(FOLDER).await?;
            let old = listed.iter().filter(|(_, facts)| facts.written <= oldest);
            let old: Vec<String> = old.map(|(path, _)| format!("{FOLDER}/{path}")).collect();
            self.bucket.delete(&old).await?;
            Ok(old.iter().filter(|name| !name.ends_with(USED)).count() as u64)
        })
    }
}

fn name(place: StagingPlace, hash: XetHash) -> String {
    format!("{FOLDER}/{}/{}/{hash}", place.account.0, place.repo)
}
