use serde::Serialize;

/// What the signed evidence says of an entry. It is computed, never declared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum Standing {
    /// Its token was checked and holds.
    Verified,
    /// It stands on its author's word.
    Unverified {
        /// Why, as a code for machines such as `no_token`.
        reason: String,
        /// Why, for people.
        detail: String,
    },
}

impl Standing {
    /// The standing of an entry that brings no token.
    pub fn no_token() -> Self {
        Self::Unverified {
            reason: "no_token".to_owned(),
            detail: "the entry carries no token".to_owned(),
        }
    }

    /// Whether the token was checked and holds.
    pub fn is_verified(&self) -> bool {
        match self {
            Self::Verified => true,
            Self::Unverified { .. } => false,
        }
    }
}
