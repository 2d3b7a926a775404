use crate::hash::TreeHash;

/// Levels of nodes in one tile.
pub(crate) const TILE_HEIGHT: u32 = 8;

/// The right edge of a growing tree: the roots of its complete subtrees, the largest first, one for
/// each bit of the size.
///
/// It is all that is needed to append a leaf and to tell the root, so a log of any size is followed
/// in a few hundred bytes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Frontier {
    size: u64,
    nodes: Vec<TreeHash>,
}

impl Frontier {
    /// A frontier from its parts. There must be a node for each bit of the size.
    pub(crate) fn from_nodes(size: u64, nodes: Vec<TreeHash>) -> Option<Self> {
        (nodes.len() == usize::try_from(size.count_ones()).ok()?).then_some(Self { size, nodes })
    }

    /// Number of leaves.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Appends a leaf, and tells of each hash that belongs into a tile: its level and the hash.
    pub(crate) fn push(&mut self, leaf: TreeHash, mut completed: impl FnMut(u8, TreeHash)) {
        let mut node = leaf;
        completed(0, node);
        for height in 1..=self.size.trailing_ones() {
            let Some(left) = self.nodes.pop() else { break };
            node = TreeHash::of_node(left, node);
            if height.is_multiple_of(TILE_HEIGHT) {
                completed(level_of(height), node);
            }
        }
        self.nodes.push(node);
        self.size += 1;
    }

    /// The root of the tree.
    pub(crate) fn root(&self) -> TreeHash {
        let mut nodes = self.nodes.iter().rev().copied();
        let Some(last) = nodes.next() else {
            return TreeHash::of_nothing();
        };
        nodes.fold(last, |right, left| TreeHash::of_node(left, right))
    }
}

fn level_of(height: u32) -> u8 {
    u8::try_from(height / TILE_HEIGHT).expect("a tree of 64-bit sizes has at most eight levels")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_eighth_height_is_told_once_for_each_complete_subtree() {
        let mut frontier = Frontier::default();
        let mut told = [0; 3];

        for number in 0..65_536_u32 {
            let leaf = TreeHash::of_leaf(&number.to_be_bytes());
            frontier.push(leaf, |level, _| told[usize::from(level)] += 1);
        }

        assert_eq!(told, [65_536, 256, 1]);
        assert_eq!(frontier.size(), 65_536);
    }
}
