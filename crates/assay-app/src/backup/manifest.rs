use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use assay_git::RefName;
use assay_model::{ObjectId, Timestamp};
use assay_store::{Sha256, Sha256Error};
use serde::{Deserialize, Serialize};

use super::contents::{KeptFile, digest_of, sizes};
use super::place::BackupPlace;
use crate::error::Error;

/// The version of the format. A program refuses one that it does not know.
const FORMAT: u32 = 1;
/// The folder of the manifests.
pub(super) const FOLDER: &str = "generations";
/// The ending of the name of a manifest.
const ENDING: &str = ".json";
/// The number of digits of its own digest in the name of a manifest.
const NAME_DIGITS: usize = 16;

/// A SHA-256 in a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Digest(pub(crate) Sha256);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Digest {
    type Err = Sha256Error;

    fn from_str(text: &str) -> Result<Self, Sha256Error> {
        text.parse().map(Self)
    }
}

impl TryFrom<String> for Digest {
    type Error = Sha256Error;

    fn try_from(text: String) -> Result<Self, Sha256Error> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

/// One generation of a backup: all that a hub had at one time.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The version of the format.
    pub(crate) format: u32,
    /// The version of the program that wrote it.
    pub(crate) program: String,
    /// The public key of the results log, which no other hub has.
    pub(crate) hub: String,
    /// The time at which it was begun, in milliseconds since 1970.
    pub(crate) begun_ms: i64,
    /// The time at which it was finished, in milliseconds since 1970.
    pub(crate) finished_ms: i64,
    /// The backend that the database was copied from: `sqlite` or `postgresql`.
    pub(crate) backend: String,
    /// The database, as a file of `SQLite`.
    pub(crate) database: StoredListing,
    /// The repositories.
    pub(crate) repositories: Vec<StoredRepository>,
    /// All other files.
    pub(crate) folders: Vec<StoredFolder>,
    /// Number of leaves that the results log has.
    pub(crate) results_log: u64,
    /// Number of leaves that the control log has.
    pub(crate) control_log: u64,
    /// Number of files that it has.
    pub(crate) files: u64,
    /// Number of bytes that they have.
    pub(crate) bytes: u64,
    /// Missing or damaged content, a sentence each. A generation without faults is whole.
    pub(crate) faults: Vec<String>,
}

/// A file that is named by a manifest itself: its size and its pieces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredListing {
    pub(crate) size: u64,
    pub(crate) chunks: Vec<Digest>,
}

/// A repository of a generation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredRepository {
    /// The path of its directory, from the data directory on.
    pub(crate) path: String,
    /// True if every ref leads to objects that are there.
    pub(crate) complete: bool,
    /// Its [`Listing`].
    pub(crate) listing: StoredListing,
}

/// A folder of a generation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredFolder {
    /// The folder that its files have in common.
    pub(crate) path: String,
    /// Its [`Listing`].
    pub(crate) listing: StoredListing,
}

/// The refs and files of a repository, or the files of a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Listing {
    /// The refs and the objects that they point at.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) refs: BTreeMap<String, String>,
    /// The files.
    pub(crate) files: Vec<ListedFile>,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ListedFile {
    /// The path, from the directory of the repository on, or from the data directory on.
    pub(crate) path: String,
    /// The size in bytes.
    pub(crate) size: u64,
    /// The time of the last write, in nanoseconds since 1970.
    pub(crate) modified_ns: i64,
    /// The permissions.
    pub(crate) mode: u32,
    /// The SHA-256 of its pieces.
    pub(crate) chunks: Vec<Digest>,
}

impl From<KeptFile> for StoredListing {
    fn from(kept: KeptFile) -> Self {
        Self {
            size: kept.size,
            chunks: kept.chunks,
        }
    }
}

impl StoredListing {
    /// Adds its pieces to those that are needed.
    pub(crate) fn add_to(&self, needed: &mut BTreeMap<Digest, u64>) {
        needed.extend(self.chunks.iter().copied().zip(sizes(self.size)));
    }
}

impl Listing {
    /// Adds the pieces of its files to those that are needed.
    pub(crate) fn add_to(&self, needed: &mut BTreeMap<Digest, u64>) {
        for file in &self.files {
            needed.extend(file.chunks.iter().copied().zip(sizes(file.size)));
        }
    }

    /// The refs, as git has them.
    pub(crate) fn git_refs(&self) -> Result<Vec<(RefName, ObjectId)>, Error> {
        let read = |(name, target): (&String, &String)| {
            let name = name.parse().map_err(Error::internal)?;
            Ok((name, target.parse().map_err(Error::internal)?))
        };
        self.refs.iter().map(read).collect()
    }

    /// Returns the number of bytes of its files.
    pub(crate) fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }
}

impl Manifest {
    /// The version of the format that this program writes.
    pub(crate) const FORMAT: u32 = FORMAT;

    /// Writes it, and returns the name of the generation: the time, and the beginning of the digest
    /// of the manifest. The name sorts after those of all generations before, also when the clock
    /// was ahead while one of them was made: otherwise that one would pass for the newest, and this
    /// one would be removed as an old one.
    pub(crate) async fn write(&self, place: &BackupPlace) -> Result<String, Error> {
        let bytes = serde_json::to_vec_pretty(self).map_err(Error::internal)?;
        let digest = digest_of(&bytes).to_string();
        let mut begun = Timestamp::from_millis(self.begun_ms);
        if let Some(newest) = Self::names(place)
            .await?
            .last()
            .and_then(|it| moment_of(it))
            && newest >= begun
        {
            tracing::warn!(
                "the clock says {begun}, and a backup was made at {newest}: this one is named as if it came right after it"
            );
            begun = Timestamp::from_millis(newest.millis() + 1);
        }
        let moment = begun.to_string().replace(['-', ':'], "");
        let name = format!("{moment}-{}", &digest[..NAME_DIGITS]);
        place.put(&path(&name), bytes.into()).await?;
        Ok(name)
    }

    /// The names of all generations, oldest first.
    pub(crate) async fn names(place: &BackupPlace) -> Result<Vec<String>, Error> {
        let listed = place.list(FOLDER).await?;
        let names = listed.keys().filter_map(|name| name.strip_suffix(ENDING));
        Ok(names.map(ToOwned::to_owned).collect())
    }

    /// Reads a generation. One that is not what its name says is refused.
    pub(crate) async fn read(place: &BackupPlace, name: &str) -> Result<Self, Error> {
        let wrong = |why: &str| {
            Error::Operator(format!(
                "the manifest of generation `{name}` in `{}` {why}; choose another generation with `--at`, or delete \
                 `{FOLDER}/{name}{ENDING}`",
                place.address()
            ))
        };
        let bytes = place.get(&path(name)).await?;
        let bytes = bytes.ok_or_else(|| wrong("is gone"))?;
        let digest = digest_of(&bytes).to_string();
        if !name.ends_with(&format!("-{}", &digest[..NAME_DIGITS])) {
            return Err(wrong("is damaged: its bytes have another hash"));
        }
        let read: Self = serde_json::from_slice(&bytes)
            .map_err(|error| wrong(&format!("cannot be read: {error}")))?;
        if read.format != FORMAT {
            return Err(wrong(&format!(
                "has format {}, and this program knows {FORMAT}",
                read.format
            )));
        }
        Ok(read)
    }

    /// Deletes the manifests of generations.
    pub(crate) async fn delete(place: &BackupPlace, names: &[String]) -> Result<(), Error> {
        let paths = names.iter().map(|name| path(name)).collect();
        Ok(place.delete(paths).await?)
    }
}

/// The time in the name of a generation.
fn moment_of(name: &str) -> Option<Timestamp> {
    let (moment, _) = name.split_once('-')?;
    let (day, time) = moment.split_once('T')?;
    let (year, month, day) = (day.get(..4)?, day.get(4..6)?, day.get(6..)?);
    let (hour, minute, second) = (time.get(..2)?, time.get(2..4)?, time.get(4..)?);
    let text = format!("{year}-{month}-{day}T{hour}:{minute}:{second}");
    Timestamp::of_date(&text.parse().ok()?)
}

fn path(name: &str) -> String {
    format!("{FOLDER}/{name}{ENDING}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(begun_ms: i64) -> Manifest {
        Manifest {
            format: FORMAT,
            program: String::new(),
            hub: String::new(),
            begun_ms,
            finished_ms: begun_ms,
            backend: String::new(),
            database: StoredListing {
                size: 0,
                chunks: Vec::new(),
            },
            repositories: Vec::new(),
            folders: Vec::new(),
            results_log: 0,
            control_log: 0,
            files: 0,
            bytes: 0,
            faults: Vec::new(),
        }
    }

    #[tokio::test]
    async fn generations_are_in_the_order_in_which_they_were_made_whatever_the_clock_says() {
        let directory = tempfile::tempdir().unwrap();
        let address = directory.path().to_str().unwrap();
        let place = BackupPlace::create(address, &crate::StorageVariables::default()).unwrap();
        let times = [
            1_771_065_000_000,
            1_773_657_000_000,
            1_771_065_000_000,
            1_771_065_000_001,
        ];

        let mut written = Vec::new();
        for time in times {
            written.push(manifest(time).write(&place).await.unwrap());
        }

        assert_eq!(Manifest::names(&place).await.unwrap(), written);
        let moments = written.iter().map(|name| moment_of(name).unwrap().millis());
        let ahead = times[1];
        assert!(moments.eq([times[0], ahead, ahead + 1, ahead + 2]));
    }
}
