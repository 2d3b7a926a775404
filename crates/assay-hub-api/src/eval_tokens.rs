//! Requests of frameworks to the issuer of tokens, and its answers.

use assay_model::{Diagnostic, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The body of `POST /v1/eval-tokens` and of its preview. It is read from its text, so that no
/// number loses a digit.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EvalTokenRequest {
    /// The model, as `namespace/name`.
    pub model_repo: String,
    /// The entry, as the result file would have it, without a token. Revisions are full hashes.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub entry: Value,
    /// Artefacts of the run, by their digests.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schema(required = false))]
    pub evidence: Vec<TokenEvidence>,
    /// The digests that the caller computed itself; a disagreement is reported at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expect: Option<ExpectedDigests>,
    /// `attributed`, `hosted`, `isolated` or `reproduced`, when less is wanted than could be had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assurance: Option<String>,
}

/// An artefact of the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TokenEvidence {
    /// The name of the artefact, such as `logs`.
    pub name: String,
    /// The SHA-256 of its bytes, in hexadecimal digits.
    pub sha256: String,
    /// Its size in bytes.
    pub size: u64,
}

/// The digests that a caller expects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ExpectedDigests {
    /// Of the entry: `sha256:` and 64 digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// Of the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

/// A token that was issued, and what goes with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EvalToken {
    /// The token, for `verify_token`.
    pub verify_token: String,
    /// Its identity.
    pub jti: String,
    /// Until when it must first reach the hub.
    pub expires_at: Timestamp,
    /// The file that the entry belongs in.
    pub path: String,
    /// The entry with its token, ready to be put into that file.
    pub entry_yaml: String,
    /// The digests that were signed.
    pub digests: TokenDigests,
    /// The place of the token in the log.
    pub log: TokenLog,
}

impl EvalToken {
    /// The path at which an issuer signs.
    pub const PATH: &str = "/v1/eval-tokens";
}

/// The digests of a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TokenDigests {
    /// Of the claim.
    pub subject: String,
    /// Of the whole entry without its token.
    pub entry: String,
}

/// The place of a token in the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TokenLog {
    /// The index of its leaf in the results log.
    pub index: u64,
    /// The proof of that, as a `c2sp.org/tlog-proof@v1`.
    pub receipt: String,
}

/// A preview of a token. Nothing was signed and nothing was logged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EvalTokenPreview {
    /// The canonical claim: the bytes under the digest of the subject, after `eval-subject/v1` and
    /// a line feed.
    pub subject: String,
    /// The entry, canonically: the bytes under its digest, after `eval-entry/v1` and a line feed.
    pub entry: String,
    /// The claims of the token, canonically. Its `jti` and times are those of this moment.
    pub claims: String,
    /// The digests.
    pub digests: TokenDigests,
    /// The file that the entry belongs in.
    pub path: String,
    /// The entry as it would be written, without a token.
    pub entry_yaml: String,
    /// True if the policy allows it.
    pub allowed: bool,
    /// The rule that decided, in words.
    pub decision: String,
}

/// The status of a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EvalTokenStatus {
    /// Its identity.
    pub jti: String,
    /// `issued`, `admitted`, `refused` or `revoked`.
    pub state: String,
    /// To which integration it was issued.
    pub integration: String,
    /// Until when it must first reach the hub.
    pub expires_at: Timestamp,
    /// The place of its issuance in the log.
    pub log: TokenLog,
    /// The decision about it when it first came, when it has come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<TokenDecision>,
    /// The reason of the revocation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked: Option<String>,
}

/// A decision about a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TokenDecision {
    /// The reason of a refusal; none when it was admitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The place of the decision in the log.
    pub log: TokenLog,
}

/// The body of `POST /v1/eval-tokens/{jti}/revoke`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RevokeEvalToken {
    /// The reason in words. It is public.
    #[serde(default)]
    pub reason: String,
}

/// The body of `POST /v1/credentials/revoke`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct LeakedCredentials {
    /// Secrets of this issuer that were found where they should not be.
    pub credentials: Vec<String>,
}

/// A failure of the issuer (RFC 9457).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Problem {
    /// An address that stands for the kind of failure and never gets another meaning.
    #[serde(rename = "type")]
    pub kind: String,
    /// The same for every failure of this kind.
    pub title: String,
    /// The status of the answer.
    pub status: u16,
    /// The last part of the type, for machines.
    pub code: String,
    /// The fault in this very case.
    pub detail: String,
    /// The place in the request, as a JSON pointer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// The id of the request, which the log has too.
    pub request_id: String,
    /// The time after which to try again, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// Diagnostics of the result file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<Object>, required = false))]
    pub diagnostics: Vec<Diagnostic>,
}
