use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::frontier::Frontier;

/// A hash of the tree of RFC 6962: of a leaf, of a node, or the root; written in base64.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreeHash([u8; 32]);

impl TreeHash {
    /// Length of a hash in bytes.
    pub const SIZE: usize = 32;

    /// The root of the tree without leaves.
    pub fn of_nothing() -> Self {
        Self(Sha256::digest(b"").into())
    }

    /// The hash of a leaf.
    pub fn of_leaf(leaf: &[u8]) -> Self {
        // Leaves and nodes are hashed apart, else a node could be passed off as a leaf.
        let mut hasher = Sha256::new();
        hasher.update([0x00]);
        hasher.update(leaf);
        Self(hasher.finalize().into())
    }

    /// The hash of the node above two others.
    pub fn of_node(left: Self, right: Self) -> Self {
        let mut bytes = [0x01; 1 + 2 * Self::SIZE];
        bytes[1..=Self::SIZE].copy_from_slice(&left.0);
        bytes[1 + Self::SIZE..].copy_from_slice(&right.0);
        Self(Sha256::digest(bytes).into())
    }

    /// The root of the tree that has these leaves and no others.
    pub fn of_leaves<L: AsRef<[u8]>>(leaves: impl IntoIterator<Item = L>) -> Self {
        let mut frontier = Frontier::default();
        for leaf in leaves {
            frontier.push(Self::of_leaf(leaf.as_ref()), |_, _| {});
        }
        frontier.root()
    }

    /// A hash that was computed elsewhere.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Reads the one spelling of a hash in base64.
    pub fn from_base64(text: &str) -> Option<Self> {
        (text.len() == 44).then_some(())?;
        STANDARD.decode(text).ok()?.try_into().ok().map(Self)
    }
}

impl fmt::Display for TreeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&STANDARD.encode(self.0))
    }
}

impl fmt::Debug for TreeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
