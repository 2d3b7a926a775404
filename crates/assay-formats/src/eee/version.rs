use std::fmt;
use std::str::FromStr;

/// A published version of the two schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// 0.2.0: free detail maps, `interactions`, scalars where lists came later.
    V0_2_0,
    /// 0.2.1: details are strings, `eval_library` is required, `messages`.
    V0_2_1,
    /// 0.2.2: result ids and metric identity.
    V0_2_2,
    /// 0.2.3: deployment and availability are required, bounds may be infinite.
    V0_2_3,
    /// 0.3.0: the current one.
    V0_3_0,
}

/// The error of a text that is not a known version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a published schema version")]
pub struct VersionError(String);

impl Version {
    /// The version that new records are written in.
    pub const CURRENT: Self = Self::V0_3_0;

    /// All versions, oldest first.
    pub const ALL: [Self; 5] = [
        Self::V0_2_0,
        Self::V0_2_1,
        Self::V0_2_2,
        Self::V0_2_3,
        Self::V0_3_0,
    ];

    /// The version as records write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V0_2_0 => "0.2.0",
            Self::V0_2_1 => "0.2.1",
            Self::V0_2_2 => "0.2.2",
            Self::V0_2_3 => "0.2.3",
            Self::V0_3_0 => "0.3.0",
        }
    }
}

impl FromStr for Version {
    type Err = VersionError;

    /// Reads the version of a record or of a row; rows of 0.2 may carry the prefix of their schema
    /// document.
    fn from_str(text: &str) -> Result<Self, VersionError> {
        let bare = text.strip_prefix("instance_level_eval_").unwrap_or(text);
        Self::ALL
            .into_iter()
            .find(|version| version.as_str() == bare)
            .ok_or_else(|| VersionError(text.to_owned()))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
