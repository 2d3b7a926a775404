use std::fmt;
use std::str::FromStr;

/// The kind of failure that an acknowledged change survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Durability {
    /// A loss of power: what was acknowledged is on the disk.
    Full,
    /// The death of the process. A loss of power may take back the last moments.
    #[default]
    Fast,
}

/// A text that names no [`Durability`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither `full` nor `fast`")]
pub struct DurabilityError(String);

impl Durability {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Fast => "fast",
        }
    }
}

impl FromStr for Durability {
    type Err = DurabilityError;

    fn from_str(text: &str) -> Result<Self, DurabilityError> {
        let all = [Self::Full, Self::Fast];
        let named = all.into_iter().find(|one| one.as_str() == text);
        named.ok_or_else(|| DurabilityError(text.to_owned()))
    }
}

impl fmt::Display for Durability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
