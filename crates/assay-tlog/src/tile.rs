use std::fmt;
use std::str::FromStr;

use crate::checkpoint::decimal;
use crate::frontier::TILE_HEIGHT;
use crate::hash::TreeHash;
use crate::note::MAX_NOTE;

/// No file has a larger number: a log of 2^48 leaves has fewer bundles.
const MAX_INDEX: u64 = 1 << 48;

/// A run of up to 256 hashes that stand side by side at one level of the tree. Level 0 has the
/// hashes of leaves, and each hash of the next level stands for a full tile of the one below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tile {
    /// Its level, from 0 at the leaves.
    pub level: u8,
    /// Its place among those of its level.
    pub index: u64,
    /// Number of hashes, 1 to 256.
    pub width: u16,
}

/// A run of up to 256 leaves, each behind its length in two bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bundle {
    /// Its place among the bundles.
    pub index: u64,
    /// Number of leaves, 1 to 256.
    pub width: u16,
}

/// The name of a file of a log, as C2SP tlog-tiles has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogPath {
    /// `checkpoint`
    Checkpoint,
    /// `witnessed`: the newest checkpoint that most witnesses of the log have signed. C2SP has no
    /// name for it.
    Witnessed,
    /// `tile/0/x001/234` or, with fewer than 256 hashes, `tile/0/x001/234.p/5`
    Tile(Tile),
    /// `tile/entries/x001/234` or `tile/entries/x001/234.p/5`
    Bundle(Bundle),
}

/// A file of a log is not what its name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the file does not hold exactly what its name says")]
pub struct TileError;

impl Tile {
    /// Number of hashes or leaves of a full file.
    pub const WIDTH: u16 = 256;
    /// Number of levels, enough for 2^48 leaves.
    pub const LEVELS: u8 = 6;

    /// The tile with a hash of a level, in a tree of some size; none when the tree has no such
    /// hash.
    pub(crate) fn around(level: u8, position: u64, size: u64) -> Option<Self> {
        let count = Self::count(level, size);
        let index = position / u64::from(Self::WIDTH);
        width(count, index)
            .filter(|_| position < count && level < Self::LEVELS)
            .map(|width| Self {
                level,
                index,
                width,
            })
    }

    /// Returns the number of hashes of a level in a tree of this size.
    pub(crate) fn count(level: u8, size: u64) -> u64 {
        size.checked_shr(TILE_HEIGHT * u32::from(level))
            .unwrap_or(0)
    }

    /// The hashes in the bytes of this tile.
    pub fn read(self, bytes: &[u8]) -> Result<Vec<TreeHash>, TileError> {
        let (hashes, rest) = bytes.as_chunks::<{ TreeHash::SIZE }>();
        if !rest.is_empty() || hashes.len() != usize::from(self.width) {
            return Err(TileError);
        }
        Ok(hashes.iter().copied().map(TreeHash::from_bytes).collect())
    }

    /// Returns whether the tile has all its hashes.
    pub fn is_full(self) -> bool {
        self.width == Self::WIDTH
    }
}

impl Bundle {
    /// Maximum length of a leaf in bytes.
    pub const MAX_ENTRY: usize = u16::MAX as usize;

    /// The bundle with a leaf, in a tree of some size; none when the tree has no such leaf.
    pub(crate) fn around(leaf: u64, size: u64) -> Option<Self> {
        let index = leaf / u64::from(Tile::WIDTH);
        width(size, index)
            .filter(|_| leaf < size)
            .map(|width| Self { index, width })
    }

    /// The index of its first leaf.
    pub fn first(self) -> u64 {
        self.index * u64::from(Tile::WIDTH)
    }

    /// The leaves in the bytes of this bundle.
    pub fn read(self, bytes: &[u8]) -> Result<Vec<&[u8]>, TileError> {
        let mut leaves = Vec::with_capacity(usize::from(self.width));
        let mut rest = bytes;
        while leaves.len() < usize::from(self.width) {
            let (leaf, after) = split_entry(rest).ok_or(TileError)?;
            leaves.push(leaf);
            rest = after;
        }
        if rest.is_empty() {
            Ok(leaves)
        } else {
            Err(TileError)
        }
    }

    /// Returns the number of whole leaves at the start of the bytes.
    pub(crate) fn count(mut bytes: &[u8]) -> u64 {
        let mut count = 0;
        while let Some((_, rest)) = split_entry(bytes) {
            count += 1;
            bytes = rest;
        }
        count
    }

    /// Returns the length in bytes of the first `count` leaves, as far as they are there.
    pub(crate) fn length(bytes: &[u8], leaves: u16) -> usize {
        let mut rest = bytes;
        for _ in 0..leaves {
            match split_entry(rest) {
                Some((_, after)) => rest = after,
                None => break,
            }
        }
        bytes.len() - rest.len()
    }

    /// Returns whether the bundle has all its leaves.
    pub fn is_full(self) -> bool {
        self.width == Tile::WIDTH
    }
}

impl LogPath {
    /// Returns the maximum length of the file in bytes. A reader of an untrusted log reads no more.
    pub fn max_length(self) -> usize {
        match self {
            Self::Checkpoint | Self::Witnessed => MAX_NOTE,
            Self::Tile(tile) => usize::from(tile.width) * TreeHash::SIZE,
            Self::Bundle(bundle) => usize::from(bundle.width) * (2 + Bundle::MAX_ENTRY),
        }
    }

    /// Returns whether the file never changes. Only checkpoints change.
    pub fn is_immutable(self) -> bool {
        match self {
            Self::Checkpoint | Self::Witnessed => false,
            Self::Tile(_) | Self::Bundle(_) => true,
        }
    }
}

impl fmt::Display for LogPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (index, width) = match self {
            Self::Checkpoint => return f.write_str("checkpoint"),
            Self::Witnessed => return f.write_str("witnessed"),
            Self::Tile(tile) => {
                write!(f, "tile/{}/", tile.level)?;
                (tile.index, tile.width)
            }
            Self::Bundle(bundle) => {
                f.write_str("tile/entries/")?;
                (bundle.index, bundle.width)
            }
        };
        write_index(f, index)?;
        if width == Tile::WIDTH {
            Ok(())
        } else {
            write!(f, ".p/{width}")
        }
    }
}

impl FromStr for LogPath {
    type Err = TileError;

    fn from_str(path: &str) -> Result<Self, TileError> {
        let read = read_path(path).ok_or(TileError)?;
        // Every file has one name: what is written otherwise does not exist.
        if read.to_string() == path {
            Ok(read)
        } else {
            Err(TileError)
        }
    }
}

/// Takes a leaf off the front of a bundle.
pub(crate) fn split_entry(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<2>()?;
    rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))
}

/// Returns how many of `count` items are in the file with this index.
fn width(count: u64, index: u64) -> Option<u16> {
    let before = index.checked_mul(u64::from(Tile::WIDTH))?;
    let rest = count.checked_sub(before).filter(|rest| *rest > 0)?;
    Some(u16::try_from(rest).map_or(Tile::WIDTH, |rest| rest.min(Tile::WIDTH)))
}

/// Writes the number of a file in groups of three digits, so that no directory becomes large.
fn write_index(f: &mut fmt::Formatter<'_>, index: u64) -> fmt::Result {
    if index >= 1000 {
        write_group(f, index / 1000)?;
    }
    write!(f, "{:03}", index % 1000)
}

fn write_group(f: &mut fmt::Formatter<'_>, index: u64) -> fmt::Result {
    if index >= 1000 {
        write_group(f, index / 1000)?;
    }
    write!(f, "x{:03}/", index % 1000)
}

fn read_path(path: &str) -> Option<LogPath> {
    if path == "checkpoint" {
        return Some(LogPath::Checkpoint);
    }
    if path == "witnessed" {
        return Some(LogPath::Witnessed);
    }
    let (level, rest) = path.strip_prefix("tile/")?.split_once('/')?;
    let (index, width) = match rest.split_once(".p/") {
        Some((index, width)) => (index, u16::try_from(decimal(width)?).ok()?),
        None => (rest, Tile::WIDTH),
    };
    if !(1..=Tile::WIDTH).contains(&width) {
        return None;
    }
    let index = read_index(index)?;
    if level == "entries" {
        return Some(LogPath::Bundle(Bundle { index, width }));
    }
    let level = u8::try_from(decimal(level)?)
        .ok()
        .filter(|level| *level < Tile::LEVELS)?;
    Some(LogPath::Tile(Tile {
        level,
        index,
        width,
    }))
}

fn read_index(text: &str) -> Option<u64> {
    let mut index: u64 = 0;
    for group in text.split('/') {
        let digits = group.strip_prefix('x').unwrap_or(group);
        let number: u64 = digits.parse().ok().filter(|_| digits.len() == 3)?;
        index = index.checked_mul(1000)?.checked_add(number)?;
    }
    (index < MAX_INDEX).then_some(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_as_tlog_tiles_names_them() {
        let tile = |level, index, width| {
            LogPath::Tile(Tile {
                level,
                index,
                width,
            })
        };

        assert_eq!(tile(0, 1_234_067, 256).to_string(), "tile/0/x001/x234/067");
        assert_eq!(tile(3, 0, 17).to_string(), "tile/3/000.p/17");
        assert_eq!(
            LogPath::Bundle(Bundle {
                index: 1000,
                width: 1
            })
            .to_string(),
            "tile/entries/x001/000.p/1"
        );
    }

    #[test]
    fn a_file_has_one_name() {
        for path in [
            "checkpoint",
            "tile/0/000",
            "tile/5/x999/123.p/255",
            "tile/entries/x001/x000/000",
        ] {
            assert_eq!(path.parse::<LogPath>().unwrap().to_string(), path);
        }
        for path in [
            "",
            "/checkpoint",
            "tile/0/0",
            "tile/00/000",
            "tile/6/000",
            "tile/0/x000/001",
            "tile/0/000.p/0",
            "tile/0/000.p/256",
            "tile/0/000.p/07",
            "tile/0/001/002",
            "tile/0/x001",
            "tile/0/+01",
            "tile/0/../000",
            "tile/entries/000/",
            "tile/0/x999/x999/x999/x999/x999/x999/x999/999",
        ] {
            assert_eq!(path.parse::<LogPath>(), Err(TileError), "{path}");
        }
    }

    #[test]
    fn a_bundle_holds_exactly_its_leaves() {
        let bundle = Bundle { index: 0, width: 2 };

        assert_eq!(
            bundle.read(b"\0\x01a\0\0"),
            Ok(vec![b"a".as_slice(), b"".as_slice()])
        );
        for broken in [
            b"\0\x01a".as_slice(),
            b"\0\x01a\0",
            b"\0\x01a\0\0\0",
            b"\0\x01a\0\x02b",
        ] {
            assert_eq!(bundle.read(broken), Err(TileError), "{broken:?}");
        }
    }

    #[test]
    fn the_last_file_of_a_level_has_what_is_left() {
        assert_eq!(Tile::around(0, 511, 512).unwrap().width, 256);
        assert_eq!(Tile::around(0, 512, 513).unwrap().width, 1);
        assert_eq!(Tile::around(1, 1, 513).unwrap().width, 2);
        assert_eq!(Tile::around(1, 2, 513), None);
        assert_eq!(Bundle::around(300, 300), None);
    }
}
