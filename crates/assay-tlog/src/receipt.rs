use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::checkpoint::{Checkpoint, CheckpointError, SignedCheckpoint, decimal};
use crate::hash::TreeHash;
use crate::key::VerifierKey;
use crate::note::MAX_NOTE;
use crate::proof::{InclusionProof, MAX_HASHES, ProofError};
use crate::tile::Bundle;

/// The first line of every receipt.
const FIRST_LINE: &str = "c2sp.org/tlog-proof@v1";
/// Maximum length of a receipt in bytes: the largest leaf in base64, all hashes, and a note.
const MAX_RECEIPT: usize = MAX_NOTE + MAX_HASHES * 45 + Bundle::MAX_ENTRY * 4 / 3 + 64;

/// A leaf with the proof that it is in a log, as the text `tlog-proof@v1`. It is checked without
/// asking anyone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    leaf: Vec<u8>,
    proof: InclusionProof,
    checkpoint: SignedCheckpoint,
}

/// An error from reading or verifying a receipt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReceiptError {
    /// It does not look like one.
    #[error(
        "this is no receipt: `{FIRST_LINE}`, the leaf, the index, hashes, an empty line and a checkpoint"
    )]
    Form,
    /// It is too long.
    #[error("a receipt has at most {MAX_RECEIPT} bytes")]
    TooLarge,
    /// Its checkpoint is broken or not signed by the log.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// Its hashes do not lead from the leaf to the checkpoint.
    #[error(transparent)]
    Proof(#[from] ProofError),
}

impl Receipt {
    /// Puts a receipt together. Whether it holds is for [`Receipt::verify`].
    pub fn new(leaf: Vec<u8>, proof: InclusionProof, checkpoint: SignedCheckpoint) -> Self {
        Self {
            leaf,
            proof,
            checkpoint,
        }
    }

    /// The leaf, whether it is in the log or not.
    pub fn leaf(&self) -> &[u8] {
        &self.leaf
    }

    /// Returns the claimed index of the leaf.
    pub fn index(&self) -> u64 {
        self.proof.index
    }

    /// The way from the leaf to the root.
    pub fn proof(&self) -> &InclusionProof {
        &self.proof
    }

    /// The checkpoint.
    pub fn checkpoint(&self) -> &SignedCheckpoint {
        &self.checkpoint
    }

    /// Checks that the log with this key has the leaf at its index, and returns the checkpoint that
    /// says so.
    pub fn verify(&self, key: &VerifierKey) -> Result<&Checkpoint, ReceiptError> {
        let checkpoint = self.checkpoint.verify(key)?;
        self.proof
            .verify(TreeHash::of_leaf(&self.leaf), checkpoint.root)?;
        Ok(checkpoint)
    }
}

impl FromStr for Receipt {
    type Err = ReceiptError;

    fn from_str(text: &str) -> Result<Self, ReceiptError> {
        if text.len() > MAX_RECEIPT {
            return Err(ReceiptError::TooLarge);
        }
        let (head, checkpoint) = text.split_once("\n\n").ok_or(ReceiptError::Form)?;
        let checkpoint: SignedCheckpoint = checkpoint.parse()?;
        let (leaf, index, hashes) = read_head(head).ok_or(ReceiptError::Form)?;
        let proof = InclusionProof {
            index,
            size: checkpoint.claimed().size,
            hashes,
        };
        Ok(Self::new(leaf, proof, checkpoint))
    }
}

impl fmt::Display for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{FIRST_LINE}")?;
        writeln!(f, "extra {}", STANDARD.encode(&self.leaf))?;
        writeln!(f, "index {}", self.proof.index)?;
        for hash in &self.proof.hashes {
            writeln!(f, "{hash}")?;
        }
        write!(f, "\n{}", self.checkpoint)
    }
}

fn read_head(head: &str) -> Option<(Vec<u8>, u64, Vec<TreeHash>)> {
    let mut lines = head.split('\n');
    (lines.next()? == FIRST_LINE).then_some(())?;
    let leaf = STANDARD
        .decode(lines.next()?.strip_prefix("extra ")?)
        .ok()?;
    let index = decimal(lines.next()?.strip_prefix("index ")?)?;
    let hashes: Vec<TreeHash> = lines.map(TreeHash::from_base64).collect::<Option<_>>()?;
    (leaf.len() <= Bundle::MAX_ENTRY && hashes.len() <= MAX_HASHES).then_some((leaf, index, hashes))
}
