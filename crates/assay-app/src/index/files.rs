//! Result files that were read and validated, each once however many look at it.

use std::sync::Arc;

use assay_check::{Context, ResultFile};
use assay_git::{Error, Objects};
use assay_model::{ObjectId, RepoKey};
use moka::sync::Cache;

use super::read::{self, MAX_CARD_BYTES, Submission};

/// The approximate memory of the files that are kept, in bytes.
const ROOM: u64 = 64 << 20;
/// Number of bytes of memory that a byte of a file takes once it is read, about.
const READ_BYTES: usize = 6;
/// The overhead of a file, in bytes.
const FILE_BYTES: usize = 1 << 10;

/// The kind of a file with results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// It is a result file.
    Results,
    /// It is a card, which may have a `model-index`.
    Card,
}

/// The files with results of a hub that were read lately. What a file says follows from its bytes
/// alone, so it is kept by the name that git gives those.
#[derive(Clone)]
pub(crate) struct ResultFiles(Cache<(RepoKey, Kind, ObjectId), Arc<ReadFile>>);

/// The files with results of one repository.
#[derive(Clone)]
pub(crate) struct RepoFiles {
    files: ResultFiles,
    key: RepoKey,
}

/// A file with results that was read.
#[derive(Debug)]
pub(crate) struct ReadFile {
    /// The file as it was validated; none of a card.
    file: Option<ResultFile>,
    submissions: Vec<Submission>,
}

impl ResultFiles {
    /// No files yet.
    pub(crate) fn new() -> Self {
        let weigh = |_: &(RepoKey, Kind, ObjectId), file: &Arc<ReadFile>| {
            u32::try_from(file.memory()).unwrap_or(u32::MAX)
        };
        Self(Cache::builder().weigher(weigh).max_capacity(ROOM).build())
    }

    /// Those of one repository.
    pub(crate) fn of_repository(&self, key: RepoKey) -> RepoFiles {
        RepoFiles {
            files: self.clone(),
            key,
        }
    }
}

impl RepoFiles {
    /// Returns a file; git is asked for it unless it was read lately.
    pub(crate) fn read(
        &self,
        objects: &Objects,
        kind: Kind,
        blob: ObjectId,
    ) -> Result<Arc<ReadFile>, Error> {
        let place = (self.key, kind, blob);
        if let Some(file) = self.files.0.get(&place) {
            return Ok(file);
        }
        let file = Arc::new(ReadFile::read(objects, kind, blob)?);
        self.files.0.insert(place, Arc::clone(&file));
        Ok(file)
    }
}

impl ReadFile {
    fn read(objects: &Objects, kind: Kind, blob: ObjectId) -> Result<Self, Error> {
        let max = match kind {
            Kind::Results => ResultFile::MAX_BYTES,
            Kind::Card => MAX_CARD_BYTES,
        };
        let bytes = match objects.read(blob, max) {
            Ok(bytes) => Some(bytes),
            Err(Error::BlobTooLarge { .. }) => None,
            Err(error) => return Err(error),
        };
        Ok(match kind {
            Kind::Results => Self::of_results(match bytes {
                Some(bytes) => ResultFile::read(bytes, Context::DEFAULT_LIMIT),
                None => ResultFile::too_large(Context::DEFAULT_LIMIT),
            }),
            Kind::Card => Self {
                file: None,
                submissions: bytes.map_or_else(Vec::new, |bytes| read::legacy_submissions(&bytes)),
            },
        })
    }

    fn of_results(file: ResultFile) -> Self {
        Self {
            submissions: read::submissions(&file),
            file: Some(file),
        }
    }

    /// The result file as it was validated; none of a card.
    pub(crate) fn validated(&self) -> Option<&ResultFile> {
        self.file.as_ref()
    }

    /// The entries; none when the file is refused.
    pub(crate) fn submissions(&self) -> &[Submission] {
        &self.submissions
    }

    /// Returns its approximate memory, in bytes.
    fn memory(&self) -> usize {
        let file = self.file.as_ref().map_or(0, ResultFile::bytes);
        let entries = self.submissions.len() * size_of::<Submission>();
        FILE_BYTES + entries + file * READ_BYTES
    }
}
