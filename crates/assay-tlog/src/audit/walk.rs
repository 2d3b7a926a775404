use super::AuditFault;
use super::files::Files;
use crate::frontier::Frontier;
use crate::hash::TreeHash;
use crate::tile::{Bundle, LogPath, Tile};

/// Reads entries in their order and hashes them. It keeps the right edge of the tree and one tile
/// of each level, whatever the size of the log.
pub(super) struct Walk {
    frontier: Frontier,
    size: u64,
    /// The size at which the root is wanted as well.
    earlier_size: Option<u64>,
    earlier: Option<TreeHash>,
    /// The tile of each level that is being filled; only for a walk from the start.
    levels: Option<[Vec<TreeHash>; Tile::LEVELS as usize]>,
    first_difference: Option<(u64, String)>,
}

/// The result of hashing the entries.
pub(super) struct WalkResult {
    /// The root over the entries as they are.
    pub(super) root: TreeHash,
    /// The root over those up to the earlier size.
    pub(super) earlier: Option<TreeHash>,
    /// The first leaf under a tile that is not made of the entries, and that tile.
    pub(super) first_difference: Option<(u64, String)>,
}

impl Walk {
    /// A walk through all entries, which compares all tiles.
    pub(super) fn from_start(size: u64, earlier_size: Option<u64>) -> Self {
        let frontier = Frontier::default();
        Self {
            earlier: (earlier_size == Some(0)).then(|| frontier.root()),
            frontier,
            size,
            earlier_size,
            levels: Some(Default::default()),
            first_difference: None,
        }
    }

    /// A walk through the entries behind a frontier.
    pub(super) fn from_frontier(frontier: Frontier, size: u64) -> Self {
        Self {
            frontier,
            size,
            earlier_size: None,
            earlier: None,
            levels: None,
            first_difference: None,
        }
    }

    pub(super) fn run(
        mut self,
        files: &mut Files<'_>,
        progress: Option<&dyn Fn(u64, u64)>,
    ) -> Result<WalkResult, AuditFault> {
        while let Some(bundle) = Bundle::around(self.frontier.size(), self.size) {
            let bytes = files.bundle(bundle)?;
            let leaves = bundle.read(&bytes).map_err(|_| broken(bundle, &bytes))?;
            let skip = usize::try_from(self.frontier.size() - bundle.first());
            let skip = skip.expect("a bundle is small");
            self.hash(&leaves[skip..]);
            self.compare(files, false)?;
            if let Some(progress) = progress {
                progress(self.frontier.size(), self.size);
            }
        }
        self.compare(files, true)?;
        Ok(WalkResult {
            root: self.frontier.root(),
            earlier: self.earlier,
            first_difference: self.first_difference,
        })
    }

    fn hash(&mut self, leaves: &[&[u8]]) {
        let levels = &mut self.levels;
        for leaf in leaves {
            self.frontier.push(TreeHash::of_leaf(leaf), |level, hash| {
                let levels = levels.as_mut();
                if let Some(tile) = levels.and_then(|own| own.get_mut(usize::from(level))) {
                    tile.push(hash);
                }
            });
            if self.earlier_size == Some(self.frontier.size()) {
                self.earlier = Some(self.frontier.root());
            }
        }
    }

    /// Compares tiles that are full with those of the log, and at the end those that are not.
    fn compare(&mut self, files: &mut Files<'_>, is_end: bool) -> Result<(), AuditFault> {
        let Some(levels) = &mut self.levels else {
            return Ok(());
        };
        for (level, hashes) in (0..Tile::LEVELS).zip(levels) {
            let is_full = hashes.len() == usize::from(Tile::WIDTH);
            if hashes.is_empty() || !(is_full || is_end) {
                continue;
            }
            let count = Tile::count(level, self.frontier.size());
            let last = count.saturating_sub(1);
            let tile = Tile::around(level, last, self.frontier.size());
            let tile = tile.expect("a tile that was filled is in the tree");
            let found = files.tile(tile)?;
            if self.first_difference.is_none()
                && let Some(at) = found.iter().zip(&*hashes).position(|(a, b)| a != b)
            {
                let index = (tile.index * u64::from(Tile::WIDTH) + at as u64)
                    .checked_shl(8 * u32::from(level));
                let path = LogPath::Tile(tile).to_string();
                self.first_difference = Some((index.unwrap_or(0), path));
            }
            hashes.clear();
        }
        Ok(())
    }
}

/// Returns the fault of a bundle that does not have the leaves that its name says.
fn broken(bundle: Bundle, bytes: &[u8]) -> AuditFault {
    let count = Bundle::count(bytes);
    if count < u64::from(bundle.width) {
        AuditFault::Dropped {
            index: bundle.first() + count,
        }
    } else {
        AuditFault::Rewritten {
            index: Some(bundle.first() + u64::from(bundle.width)),
        }
    }
}
