//! Signed evidence: claims, canonical form, tokens, keys, issuer policy, verifier, transparency log and proofs.
//!
//! Everything that decides is a pure function of bytes: no clock, no network and no database is asked in here. What is
//! on disk is the log, which is appended to and never rewritten. Nothing here knows HTTP or SQL.

mod assurance;
mod digest;
mod id;
pub mod issuer;
mod leaf;
pub mod log;

pub use assurance::{Assurance, AssuranceError};
pub use digest::{Digest, DigestError};
pub use id::{IdError, IntegrationId, Jti, Kid, RepoUid};
pub use leaf::{Decide, Issue, Outcome};
