use std::fs::File;
use std::path::{Path, PathBuf};

use crate::error::LogError;
use crate::hash::TreeHash;
use crate::positional::FileExt as _;
use crate::tile::Tile;
use crate::tree::Tiles;

/// The files of a log that grow.
///
/// `entries` is the truth: the bundles of all leaves, one behind the other. `hashes.L` has the
/// tiles of a level, one behind the other, and `offsets` the place in `entries` where each bundle
/// but the first begins. Those can be made again.
pub(crate) struct Disk {
    dir: PathBuf,
    entries: File,
    levels: Vec<File>,
    offsets: File,
}

/// Read-only or read-write access to the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

impl Disk {
    /// Opens the files below a directory, and makes those that are not there when that is allowed.
    pub(crate) fn open(dir: &Path, access: Access) -> Result<Self, LogError> {
        let levels = (0..Tile::LEVELS).map(|level| open(&level_path(dir, level), access));
        Ok(Self {
            entries: open(&dir.join("entries"), access)?,
            levels: levels.collect::<Result<_, _>>()?,
            offsets: open(&dir.join("offsets"), access)?,
            dir: dir.to_owned(),
        })
    }

    /// Returns the directory of the files.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the length of `entries` in bytes, including what no checkpoint covers.
    pub(crate) fn entries_length(&self) -> Result<u64, LogError> {
        let metadata = self.entries.metadata();
        Ok(metadata
            .map_err(LogError::io("read", &self.dir.join("entries")))?
            .len())
    }

    /// Bytes of entries.
    pub(crate) fn read_entries(&self, start: u64, end: u64) -> Result<Vec<u8>, LogError> {
        let path = self.dir.join("entries");
        let length = usize::try_from(end.saturating_sub(start))
            .map_err(|_| LogError::Damaged(path.clone()))?;
        let mut bytes = vec![0; length];
        self.entries
            .read_exact_at(&mut bytes, start)
            .map_err(LogError::io("read", &path))?;
        Ok(bytes)
    }

    /// Writes entries behind those that are signed for. They are not durable yet.
    pub(crate) fn write_entries(&self, at: u64, bytes: &[u8]) -> Result<(), LogError> {
        self.entries
            .write_all_at(bytes, at)
            .map_err(LogError::io("write", &self.dir.join("entries")))
    }

    /// Makes the entries durable.
    pub(crate) fn sync_entries(&self) -> Result<(), LogError> {
        self.entries
            .sync_data()
            .map_err(LogError::io("sync", &self.dir.join("entries")))
    }

    /// Takes away what lies behind the entries that are signed for.
    pub(crate) fn cut_entries(&self, end: u64) -> Result<(), LogError> {
        self.entries.set_len(end).map_err(LogError::io(
            "cut off the end of",
            &self.dir.join("entries"),
        ))
    }

    /// Writes hashes of a level from a position on.
    pub(crate) fn write_hashes(
        &self,
        level: u8,
        position: u64,
        bytes: &[u8],
    ) -> Result<(), LogError> {
        self.levels[usize::from(level)]
            .write_all_at(bytes, position * TreeHash::SIZE as u64)
            .map_err(LogError::io("write", &level_path(&self.dir, level)))
    }

    /// Writes where bundles begin, from the one with this number on. The first one is not written
    /// down.
    pub(crate) fn write_offsets(&self, bundle: u64, starts: &[u64]) -> Result<(), LogError> {
        let bytes: Vec<u8> = starts.iter().flat_map(|own| own.to_be_bytes()).collect();
        self.offsets
            .write_all_at(&bytes, (bundle - 1) * 8)
            .map_err(LogError::io("write", &self.dir.join("offsets")))
    }

    /// Reads the offsets of `count` bundles, from the second one on.
    pub(crate) fn read_offsets(&self, count: u64) -> Result<Vec<u64>, LogError> {
        let path = self.dir.join("offsets");
        let length = usize::try_from(count * 8).map_err(|_| LogError::Damaged(path.clone()))?;
        let mut bytes = vec![0; length];
        self.offsets
            .read_exact_at(&mut bytes, 0)
            .map_err(LogError::io("read", &path))?;
        let (starts, _) = bytes.as_chunks::<8>();
        Ok(starts.iter().copied().map(u64::from_be_bytes).collect())
    }

    /// Makes durable what can be made again, so that it need not be.
    pub(crate) fn settle(&self) -> Result<(), LogError> {
        for (level, file) in (0..Tile::LEVELS).zip(&self.levels) {
            file.sync_data()
                .map_err(LogError::io("sync", &level_path(&self.dir, level)))?;
        }
        self.offsets
            .sync_data()
            .map_err(LogError::io("sync", &self.dir.join("offsets")))
    }
}

impl Tiles for &Disk {
    type Error = LogError;

    fn tile(&mut self, tile: Tile) -> Result<Vec<TreeHash>, LogError> {
        let path = level_path(&self.dir, tile.level);
        let mut bytes = vec![0; usize::from(tile.width) * TreeHash::SIZE];
        let at = tile.index * u64::from(Tile::WIDTH) * TreeHash::SIZE as u64;
        self.levels[usize::from(tile.level)]
            .read_exact_at(&mut bytes, at)
            .map_err(LogError::io("read", &path))?;
        tile.read(&bytes).map_err(|_| LogError::Damaged(path))
    }
}

/// The file with the hashes of a level.
pub(crate) fn level_path(dir: &Path, level: u8) -> PathBuf {
    dir.join(format!("hashes.{level}"))
}

fn open(path: &Path, access: Access) -> Result<File, LogError> {
    let writes = access == Access::Write;
    File::options()
        .read(true)
        .write(writes)
        .create(writes)
        .open(path)
        .map_err(LogError::io("open", path))
}
