use serde::Serialize;

use crate::Timestamp;

/// What the signed evidence says of an entry. It is computed, never declared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum Standing {
    /// Its token was checked and holds.
    Verified(Box<Attested>),
    /// It stands on its author's word.
    Unverified {
        /// Why, as a code for machines such as `no_token`.
        reason: String,
        /// Why, for people.
        detail: String,
    },
    /// Its token was good, and has been taken back since.
    Revoked {
        /// Why, as a code for machines such as `key_revoked`.
        reason: String,
        /// Why, for people.
        detail: String,
    },
}

/// What a token attests, and who stands behind it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Attested {
    /// How strongly the run itself was controlled, such as `hosted`.
    pub assurance: String,
    /// The framework integration that asked for the signature.
    pub integration: String,
    /// Who signed.
    pub issuer: String,
    /// The identity of the key.
    pub kid: String,
    /// The identity of the token.
    pub jti: String,
    /// When it was signed.
    pub signed: Timestamp,
    /// When it first came to the hub.
    pub first_seen: Timestamp,
    /// Where the results log says that it was issued; none when the issuer keeps a log of its own.
    pub issue_index: Option<u64>,
    /// Where the results log says that it was admitted.
    pub decide_index: u64,
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
        self.attested().is_some()
    }

    /// What the token attests, when it holds.
    pub fn attested(&self) -> Option<&Attested> {
        match self {
            Self::Verified(attested) => Some(attested),
            Self::Unverified { .. } | Self::Revoked { .. } => None,
        }
    }

    /// The code of the reason why it is not verified.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Verified(_) => None,
            Self::Unverified { reason, .. } | Self::Revoked { reason, .. } => Some(reason),
        }
    }

    /// Why it is not verified, for people.
    pub fn detail(&self) -> Option<&str> {
        match self {
            Self::Verified(_) => None,
            Self::Unverified { detail, .. } | Self::Revoked { detail, .. } => Some(detail),
        }
    }

    /// The word for it.
    pub fn state(&self) -> &'static str {
        match self {
            Self::Verified(_) => "verified",
            Self::Unverified { .. } => "unverified",
            Self::Revoked { .. } => "revoked",
        }
    }
}
