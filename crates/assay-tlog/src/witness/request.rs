use std::fmt;
use std::str::FromStr;

use crate::checkpoint::{SignedCheckpoint, decimal};
use crate::hash::TreeHash;
use crate::note::{MAX_NOTE, NoteError};

/// The most hashes of a request, as C2SP has it.
const MAX_PROOF: usize = 63;

/// The request of a log to a witness: to cosign a checkpoint that continues the last one that it
/// signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddCheckpoint {
    /// The size of what the witness signed last; 0 when it signed nothing.
    pub old: u64,
    /// Consistency proof from the old tree to the new one.
    pub proof: Vec<TreeHash>,
    /// The checkpoint to sign.
    pub checkpoint: SignedCheckpoint,
}

impl AddCheckpoint {
    /// Maximum length of a request in bytes.
    pub const MAX_LENGTH: usize = MAX_NOTE + MAX_PROOF * 45 + 32;
}

impl FromStr for AddCheckpoint {
    type Err = NoteError;

    fn from_str(text: &str) -> Result<Self, NoteError> {
        if text.len() > Self::MAX_LENGTH {
            return Err(NoteError::TooLarge);
        }
        let (head, checkpoint) = text.split_once("\n\n").ok_or(NoteError::Form)?;
        let mut lines = head.split('\n');
        let old = lines.next().and_then(|line| line.strip_prefix("old "));
        let old = old.and_then(decimal).ok_or(NoteError::Form)?;
        let proof: Option<Vec<TreeHash>> = lines.map(TreeHash::from_base64).collect();
        let proof = proof
            .filter(|proof| proof.len() <= MAX_PROOF)
            .ok_or(NoteError::Form)?;
        Ok(Self {
            old,
            proof,
            checkpoint: checkpoint.parse().map_err(|_| NoteError::Form)?,
        })
    }
}

impl fmt::Display for AddCheckpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "old {}", self.old)?;
        for hash in &self.proof {
            writeln!(f, "{hash}")?;
        }
        write!(f, "\n{}", self.checkpoint)
    }
}
