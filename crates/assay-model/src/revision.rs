use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// A commit, by its hash: in full, or cut short as people write it.
///
/// ```
/// # use assay_model::Revision;
/// assert!("5503434ddd753f426f4b38109466949a1217c2bb".parse::<Revision>()?.is_full());
/// assert!(!"9f3c2c9a1c4e6d1e".parse::<Revision>()?.is_full());
/// # Ok::<(), assay_model::RevisionError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Revision(String);

/// The error of a text that is not the hash of a commit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a commit hash is {min} to {max} lower-case hexadecimal digits", min = Revision::MIN, max = Revision::SHA256)]
pub struct RevisionError;

impl Revision {
    /// The fewest digits that name a commit with any confidence.
    pub const MIN: usize = 7;
    /// The digits of a full SHA-1 hash.
    pub const SHA1: usize = 40;
    /// The digits of a full SHA-256 hash.
    pub const SHA256: usize = 64;

    /// Returns whether this pins one commit for ever: a cut hash can become ambiguous.
    pub fn is_full(&self) -> bool {
        matches!(self.0.len(), Self::SHA1 | Self::SHA256)
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Revision {
    type Err = RevisionError;

    fn from_str(text: &str) -> Result<Self, RevisionError> {
        let hex = text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if hex && (Self::MIN..=Self::SHA256).contains(&text.len()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(RevisionError)
        }
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
