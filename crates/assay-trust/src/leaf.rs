//! What the results log says: a token was issued, and what the hub decided when it first saw one.

use assay_model::Timestamp;

use crate::{Digest, IntegrationId, Jti, Kid, RepoUid};

/// A token was issued. It is in the log before anyone gets the token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// Who issued it.
    pub issuer: String,
    /// With which key.
    pub kid: Kid,
    /// The token's identity.
    pub jti: Jti,
    /// From when on, in seconds since 1970.
    pub iat: i64,
    /// Until when, in seconds since 1970.
    pub exp: i64,
    /// The digest of the token.
    pub token: Digest,
    /// For whom.
    pub integration: IntegrationId,
    /// What it is about, when the policy discloses that.
    pub target: Option<Digest>,
}

/// What was decided when a token was first seen with an entry in a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decide {
    /// The token's identity.
    pub jti: Jti,
    /// The digest of the token.
    pub token: Digest,
    /// Where.
    pub repo: RepoUid,
    /// The digest of the entry.
    pub entry: Digest,
    /// When the push came in; whole seconds are logged.
    pub received_at: Timestamp,
    /// How it ended.
    pub outcome: Outcome,
}

/// How a decision ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is bound to this entry in this repository, for ever.
    Admitted {
        /// Where in the results log the token was issued; none for a trusted issuer that keeps its own log.
        issue_index: Option<u64>,
    },
    /// It is refused, for ever, for this entry in this repository.
    Refused {
        /// The code of the reason, such as `expired_at_first_seen`.
        reason: String,
    },
}
