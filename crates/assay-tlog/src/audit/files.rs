use super::AuditFault;
use crate::checkpoint::{CheckpointError, SignedCheckpoint};
use crate::hash::TreeHash;
use crate::note::NoteError;
use crate::source::LogSource;
use crate::tile::{Bundle, LogPath, Tile};
use crate::tree::Tiles;

/// The files of a log as they are fetched, and how many.
pub(super) struct Files<'s> {
    source: &'s mut dyn LogSource,
    fetched: u64,
    bytes: u64,
}

impl<'s> Files<'s> {
    pub(super) fn new(source: &'s mut dyn LogSource) -> Self {
        Self {
            source,
            fetched: 0,
            bytes: 0,
        }
    }

    pub(super) fn fetched(&self) -> u64 {
        self.fetched
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The checkpoint, signed or not, if there is one.
    pub(super) fn checkpoint(&mut self) -> Result<Option<SignedCheckpoint>, AuditFault> {
        self.signed(LogPath::Checkpoint)
    }

    /// The checkpoint that witnesses have signed, or have not, if there is one.
    pub(super) fn witnessed(&mut self) -> Result<Option<SignedCheckpoint>, AuditFault> {
        self.signed(LogPath::Witnessed)
    }

    fn signed(&mut self, path: LogPath) -> Result<Option<SignedCheckpoint>, AuditFault> {
        let Some(bytes) = self.fetch(path)? else {
            return Ok(None);
        };
        let text = String::from_utf8(bytes)
            .map_err(|_| AuditFault::NotSigned(CheckpointError::Note(NoteError::Form)))?;
        text.parse().map(Some).map_err(AuditFault::NotSigned)
    }

    /// The bytes of a bundle, or of the full one that it has grown into.
    pub(super) fn bundle(&mut self, bundle: Bundle) -> Result<Vec<u8>, AuditFault> {
        let found = self.fetch(LogPath::Bundle(bundle))?;
        let missing = AuditFault::Dropped {
            index: bundle.first(),
        };
        if found.is_some() || bundle.is_full() {
            return found.ok_or(missing);
        }
        let full = Bundle {
            width: Tile::WIDTH,
            ..bundle
        };
        let mut bytes = self.fetch(LogPath::Bundle(full))?.ok_or(missing)?;
        let length = Bundle::length(&bytes, bundle.width);
        bytes.truncate(length);
        Ok(bytes)
    }

    fn fetch(&mut self, path: LogPath) -> Result<Option<Vec<u8>>, AuditFault> {
        let found = self.source.fetch(&path)?;
        self.fetched += 1;
        self.bytes += found.as_ref().map_or(0, |bytes| bytes.len() as u64);
        Ok(found)
    }
}

impl Tiles for &mut Files<'_> {
    type Error = AuditFault;

    fn tile(&mut self, tile: Tile) -> Result<Vec<TreeHash>, AuditFault> {
        Files::tile(self, tile)
    }
}

impl Files<'_> {
    /// The hashes of a tile, or of the beginning of the full one that it has grown into.
    pub(super) fn tile(&mut self, tile: Tile) -> Result<Vec<TreeHash>, AuditFault> {
        let path = LogPath::Tile(tile);
        let missing = || AuditFault::TileMissing {
            path: path.to_string(),
        };
        let differs = |_| AuditFault::TileDiffers {
            path: path.to_string(),
        };
        if let Some(bytes) = self.fetch(path)? {
            return tile.read(&bytes).map_err(differs);
        }
        if tile.is_full() {
            return Err(missing());
        }
        let full = Tile {
            width: Tile::WIDTH,
            ..tile
        };
        let bytes = self.fetch(LogPath::Tile(full))?.ok_or_else(missing)?;
        let mut hashes = full.read(&bytes).map_err(differs)?;
        hashes.truncate(usize::from(tile.width));
        Ok(hashes)
    }
}
