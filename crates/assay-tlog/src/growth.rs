use crate::disk::Disk;
use crate::error::LogError;
use crate::frontier::Frontier;
use crate::hash::TreeHash;
use crate::tile::Tile;

/// A log that grows: what its new leaves add to the files that are derived from them.
pub(crate) struct Growth {
    frontier: Frontier,
    end: u64,
    /// Number of leaves in the files.
    written: u64,
    levels: [Vec<u8>; Tile::LEVELS as usize],
    starts: Vec<u64>,
}

impl Growth {
    /// Growth from this frontier on. The entries so far take `end` bytes.
    pub(crate) fn new(frontier: Frontier, end: u64) -> Self {
        Self {
            written: frontier.size(),
            frontier,
            end,
            levels: Default::default(),
            starts: Vec::new(),
        }
    }

    /// Adds a leaf.
    pub(crate) fn push(&mut self, leaf: &[u8]) {
        let levels = &mut self.levels;
        self.frontier.push(TreeHash::of_leaf(leaf), |level, hash| {
            if let Some(bytes) = levels.get_mut(usize::from(level)) {
                bytes.extend_from_slice(hash.as_bytes());
            }
        });
        self.end += 2 + leaf.len() as u64;
        if self.frontier.size().is_multiple_of(u64::from(Tile::WIDTH)) {
            self.starts.push(self.end);
        }
    }

    /// Returns the number of leaves.
    pub(crate) fn size(&self) -> u64 {
        self.frontier.size()
    }

    /// Returns the length of their entries in bytes.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// The root over all leaves.
    pub(crate) fn root(&self) -> TreeHash {
        self.frontier.root()
    }

    /// Returns the number of leaves that are not in the files yet.
    pub(crate) fn unwritten(&self) -> u64 {
        self.size() - self.written
    }

    /// Writes what was added, and returns where bundles begin that began with it. It is not
    /// durable.
    pub(crate) fn write(&mut self, disk: &Disk) -> Result<Vec<u64>, LogError> {
        for (level, bytes) in (0..Tile::LEVELS).zip(&mut self.levels) {
            if !bytes.is_empty() {
                disk.write_hashes(level, Tile::count(level, self.written), bytes)?;
                bytes.clear();
            }
        }
        if !self.starts.is_empty() {
            let bundle = self.written / u64::from(Tile::WIDTH) + 1;
            disk.write_offsets(bundle, &self.starts)?;
        }
        self.written = self.size();
        Ok(std::mem::take(&mut self.starts))
    }

    /// Writes nothing, and returns where bundles begin that began since the last time.
    pub(crate) fn forget(&mut self) -> Vec<u64> {
        self.levels.iter_mut().for_each(Vec::clear);
        self.written = self.size();
        std::mem::take(&mut self.starts)
    }

    /// The frontier to go on from.
    pub(crate) fn into_frontier(self) -> Frontier {
        self.frontier
    }
}
