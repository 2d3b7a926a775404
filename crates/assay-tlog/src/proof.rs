use crate::hash::TreeHash;

/// The most hashes that a proof can have: two for each of the 64 heights.
pub(crate) const MAX_HASHES: usize = 128;

/// Proof that a leaf is at an index of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InclusionProof {
    /// Index of the leaf.
    pub index: u64,
    /// Number of leaves of the tree.
    pub size: u64,
    /// The hashes beside the way from the leaf to the root.
    pub hashes: Vec<TreeHash>,
}

/// Proof that a tree is the beginning of a larger one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsistencyProof {
    /// Number of leaves of the smaller tree.
    pub old: u64,
    /// Number of leaves of the larger tree.
    pub new: u64,
    /// Hashes of the common part, then of what the larger tree adds.
    pub hashes: Vec<TreeHash>,
}

/// An error from verifying a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    /// It has too many or too few hashes, or its numbers make no sense.
    #[error("the proof does not have the shape for its index and size")]
    Shape,
    /// The hashes lead to another root.
    #[error("the proof leads to another root")]
    Root,
}

impl InclusionProof {
    /// The root of the tree in which this leaf has this place.
    pub fn root(&self, leaf: TreeHash) -> Result<TreeHash, ProofError> {
        if self.index >= self.size {
            return Err(ProofError::Shape);
        }
        let (mut node, mut index, mut last) = (leaf, self.index, self.size - 1);
        for hash in &self.hashes {
            if last == 0 {
                return Err(ProofError::Shape);
            }
            if index & 1 == 1 || index == last {
                node = TreeHash::of_node(*hash, node);
                // A node at the right edge has no sibling until it is a right child.
                while index & 1 == 0 && index != 0 {
                    index >>= 1;
                    last >>= 1;
                }
            } else {
                node = TreeHash::of_node(node, *hash);
            }
            index >>= 1;
            last >>= 1;
        }
        if last == 0 {
            Ok(node)
        } else {
            Err(ProofError::Shape)
        }
    }

    /// Checks that the leaf is in the tree with this root.
    pub fn verify(&self, leaf: TreeHash, root: TreeHash) -> Result<(), ProofError> {
        if self.root(leaf)? == root {
            Ok(())
        } else {
            Err(ProofError::Root)
        }
    }
}

impl ConsistencyProof {
    /// Checks that the tree with the first root is the beginning of the one with the second.
    pub fn verify(&self, old: TreeHash, new: TreeHash) -> Result<(), ProofError> {
        if self.old > self.new {
            return Err(ProofError::Shape);
        }
        if self.old == self.new || self.old == 0 {
            return self.verify_trivial(old, new);
        }
        // The root of a complete tree is itself the first hash, and is not repeated in the proof.
        let begins_with_root = self.old.is_power_of_two();
        let mut hashes = begins_with_root.then_some(old).into_iter();
        let mut hashes = hashes.by_ref().chain(self.hashes.iter().copied());
        let first = hashes.next().ok_or(ProofError::Shape)?;
        let common = (self.old - 1).trailing_ones();
        let mut index = (self.old - 1) >> common;
        let mut last = (self.new - 1) >> common;
        let (mut old_node, mut new_node) = (first, first);
        for hash in hashes {
            if last == 0 {
                return Err(ProofError::Shape);
            }
            if index & 1 == 1 || index == last {
                old_node = TreeHash::of_node(hash, old_node);
                new_node = TreeHash::of_node(hash, new_node);
                while index & 1 == 0 && index != 0 {
                    index >>= 1;
                    last >>= 1;
                }
            } else {
                new_node = TreeHash::of_node(new_node, hash);
            }
            index >>= 1;
            last >>= 1;
        }
        match (last, old_node == old && new_node == new) {
            (0, true) => Ok(()),
            (0, false) => Err(ProofError::Root),
            (1.., _) => Err(ProofError::Shape),
        }
    }

    /// Every tree begins with the empty one and with itself; there is nothing to add to that.
    fn verify_trivial(&self, old: TreeHash, new: TreeHash) -> Result<(), ProofError> {
        if !self.hashes.is_empty() {
            return Err(ProofError::Shape);
        }
        let holds = if self.old == 0 {
            old == TreeHash::of_nothing() && (self.new > 0 || new == old)
        } else {
            old == new
        };
        if holds { Ok(()) } else { Err(ProofError::Root) }
    }
}
