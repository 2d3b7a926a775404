//! Signed evidence: claims, canonical form, tokens, keys, issuer policy, verifier, leaves of the
//! logs and proofs.
//!
//! Everything that decides is a pure function of bytes: no clock, no network, no database and no
//! file is asked in here. The logs themselves are those of [`assay_tlog`]; this crate knows what
//! their leaves say. Nothing here knows HTTP or SQL.

pub mod canon;
mod claims;
mod client_assertion;
pub mod control;
mod digest;
mod exact;
mod id;
#[cfg(feature = "issuer")]
pub mod issuer;
mod json;
mod key;
mod leaf;
mod members;
pub mod proof;
mod reason;
#[cfg(feature = "seal")]
mod seal;
mod subject;
mod token;
mod trust;
mod verdict;

pub use canon::Canonical;
pub use claims::{Assurance, AssuranceError, Claims, ClaimsError, Digests, Evidence};
pub use control::{ControlLeaf, IssuerTrust, KeyPurpose, KeyState, Scope};
pub use digest::{Digest, DigestError};
pub use id::{IdError, IntegrationId, Jti, Kid, RepoUid};
pub use json::{Json, JsonError};
pub use key::{KeyError, PublicKey, SigningKey};
pub use leaf::{Decide, Issue, LeafError, Outcome, ResultsLeaf};
pub use members::Malformed;
pub use reason::{Field, Reason, Unverified};
#[cfg(feature = "seal")]
pub use seal::{SealCost, SealError};
pub use subject::{FrameworkClaim, MetricClaim, Subject};
pub use token::{MAX_TOKEN, UnverifiedToken};
pub use trust::{
    ControlError, ControlFault, Revocation, TrustState, TrustedIssuer, TrustedKey, claims_of,
};
pub use verdict::{
    Attestation, BenchmarkAt, CLOCK_SKEW, Facts, RepoView, Submission, Verdict, World, admit,
    matches, result_path, standing,
};
