use serde::Serialize;

use crate::Timestamp;

/// The verdict on the signed evidence of an entry. It is computed, never declared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum Standing {
    /// Its token was checked and holds.
    Verified(Box<Attested>),
    /// It stands on its author's word.
    Unverified {
        /// The reason as a code for machines, such as `no_token`.
        reason: String,
        /// The reason in words.
        detail: String,
    },
    /// Its token was good, and has been taken back since.
    Revoked {
        /// The reason as a code for machines, such as `key_revoked`.
        reason: String,
        /// The reason in words.
        detail: String,
    },
}

/// The claims of a token that holds, and its signer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Attested {
    /// The degree of control over the run itself, such as `hosted`.
    pub assurance: String,
    /// The framework integration that asked for the signature.
    pub integration: String,
    /// The issuer that signed.
    pub issuer: String,
    /// The identity of the key.
    pub kid: String,
    /// The identity of the token.
    pub jti: String,
    /// Time at which it was signed.
    pub signed: Timestamp,
    /// The time at which it first came to the hub.
    pub first_seen: Timestamp,
    /// The index in the results log at which it was issued; none when the issuer keeps a log of its
    /// own.
    pub issue_index: Option<u64>,
    /// The index in the results log at which it was admitted.
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

    /// Returns whether the token was checked and holds.
    pub fn is_verified(&self) -> bool {
        self.attested().is_some()
    }

    /// Returns the claims of the token, when it holds.
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

    /// Returns the reason, in words, why it is not verified.
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
