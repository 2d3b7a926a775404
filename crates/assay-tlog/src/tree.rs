use crate::frontier::{Frontier, TILE_HEIGHT};
use crate::hash::TreeHash;
use crate::proof::{ConsistencyProof, InclusionProof};
use crate::tile::Tile;

/// Number of tiles cached while a proof is made: it reads one or two of each level.
const KEPT_TILES: usize = 2 * Tile::LEVELS as usize;

/// A source of the tiles of a tree: a disk or a server.
pub(crate) trait Tiles {
    /// An error from reading a tile.
    type Error;

    /// The hashes of a tile, exactly as many as it has.
    fn tile(&mut self, tile: Tile) -> Result<Vec<TreeHash>, Self::Error>;
}

/// A tree of some size, read through its tiles. A hash that no tile has is made of those that one
/// has.
pub(crate) struct Tree<T> {
    tiles: T,
    size: u64,
    kept: Vec<(Tile, Vec<TreeHash>)>,
}

impl<T: Tiles> Tree<T> {
    /// A tree of this size.
    pub(crate) fn new(tiles: T, size: u64) -> Self {
        Self {
            tiles,
            size,
            kept: Vec::new(),
        }
    }

    /// The root of the tree of the first so many leaves.
    pub(crate) fn root(&mut self, size: u64) -> Result<TreeHash, T::Error> {
        Ok(self.frontier(size)?.root())
    }

    /// The frontier of the tree of the first so many leaves.
    pub(crate) fn frontier(&mut self, size: u64) -> Result<Frontier, T::Error> {
        debug_assert!(size <= self.size);
        let (mut nodes, mut start) = (Vec::new(), 0);
        for height in (0..u64::BITS).rev().filter(|bit| size >> bit & 1 == 1) {
            nodes.push(self.subtree(height, start >> height)?);
            start += 1 << height;
        }
        Ok(Frontier::from_nodes(size, nodes).expect("there is a node for each bit"))
    }

    /// The proof that a leaf is in the tree of the first so many leaves. The index must be smaller
    /// than that.
    pub(crate) fn inclusion(&mut self, index: u64, size: u64) -> Result<InclusionProof, T::Error> {
        debug_assert!(index < size && size <= self.size);
        let mut hashes = Vec::new();
        let (mut start, mut end) = (0, size);
        while end - start > 1 {
            let middle = start + split(end - start);
            if index < middle {
                hashes.push(self.range(middle, end)?);
                end = middle;
            } else {
                hashes.push(self.range(start, middle)?);
                start = middle;
            }
        }
        hashes.reverse();
        Ok(InclusionProof {
            index,
            size,
            hashes,
        })
    }

    /// The proof that the tree of the first `old` leaves is the beginning of that of the first
    /// `new`.
    pub(crate) fn consistency(&mut self, old: u64, new: u64) -> Result<ConsistencyProof, T::Error> {
        debug_assert!(old <= new && new <= self.size);
        let mut hashes = Vec::new();
        let (mut start, mut end) = (0, new);
        // The old tree ends inside this range for as long as there is something to say beside it.
        while old != 0 && old < end {
            let middle = start + split(end - start);
            if old <= middle {
                hashes.push(self.range(middle, end)?);
                end = middle;
            } else {
                hashes.push(self.range(start, middle)?);
                start = middle;
            }
        }
        // The verifier knows the root of the old tree, and so needs no telling when that is all of
        // this range.
        if old != 0 && start != 0 {
            hashes.push(self.range(start, end)?);
        }
        hashes.reverse();
        Ok(ConsistencyProof { old, new, hashes })
    }

    /// The hash over leaves that begin where a subtree of that size can begin.
    fn range(&mut self, start: u64, end: u64) -> Result<TreeHash, T::Error> {
        let length = end - start;
        if length.is_power_of_two() {
            let height = length.trailing_zeros();
            return self.subtree(height, start >> height);
        }
        let middle = start + split(length);
        let left = self.range(start, middle)?;
        let right = self.range(middle, end)?;
        Ok(TreeHash::of_node(left, right))
    }

    /// The root of a complete subtree, by its height and its place among those of its height.
    fn subtree(&mut self, height: u32, index: u64) -> Result<TreeHash, T::Error> {
        let level = u8::try_from(height / TILE_HEIGHT).expect("heights are below 64");
        let within = height % TILE_HEIGHT;
        let first = index << within;
        let tile = Tile::around(level, first, self.size).expect("the subtree is in the tree");
        let from = usize::try_from(first % u64::from(Tile::WIDTH)).expect("a tile is small");
        let hashes = self.kept(tile)?;
        let mut nodes = hashes[from..from + (1 << within)].to_vec();
        while nodes.len() > 1 {
            nodes = nodes
                .as_chunks::<2>()
                .0
                .iter()
                .map(|[left, right]| TreeHash::of_node(*left, *right))
                .collect();
        }
        Ok(nodes[0])
    }

    fn kept(&mut self, tile: Tile) -> Result<&[TreeHash], T::Error> {
        let found = self.kept.iter().position(|(own, _)| *own == tile);
        if let Some(position) = found {
            return Ok(&self.kept[position].1);
        }
        let hashes = self.tiles.tile(tile)?;
        if self.kept.len() == KEPT_TILES {
            self.kept.remove(0);
        }
        let (_, hashes) = self.kept.push_mut((tile, hashes));
        Ok(hashes)
    }
}

/// Returns where a tree of more than one leaf is split: the largest power of two below its size.
fn split(length: u64) -> u64 {
    1 << (length - 1).ilog2()
}
