use std::fmt;
use std::str::FromStr;

/// How strongly the run was controlled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Assurance {
    /// A known integration answers for the numbers.
    Attributed,
    /// They come from a hosted runner that the integration does not own.
    Hosted,
    /// They come from a run without access to the outside.
    Isolated,
    /// Somebody else ran it again and got the same.
    Reproduced,
}

/// A word is no assurance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an assurance is `attributed`, `hosted`, `isolated` or `reproduced`")]
pub struct AssuranceError;

impl fmt::Display for Assurance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Attributed => "attributed",
            Self::Hosted => "hosted",
            Self::Isolated => "isolated",
            Self::Reproduced => "reproduced",
        })
    }
}

impl FromStr for Assurance {
    type Err = AssuranceError;

    fn from_str(text: &str) -> Result<Self, AssuranceError> {
        [
            Self::Attributed,
            Self::Hosted,
            Self::Isolated,
            Self::Reproduced,
        ]
        .into_iter()
        .find(|one| one.to_string() == text)
        .ok_or(AssuranceError)
    }
}
