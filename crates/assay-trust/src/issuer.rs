//! Decisions on who may be given a token, and for what: the part of the issuer without input and
//! output.
//!
//! Nothing here asks the clock, the network or a database. A policy is text that became rules, an
//! assertion is text that became claims once its signature held, a key set is a state that is told
//! what was fetched, and abuse is a state that is told what happened. The caller keeps what must
//! last.

mod abuse;
mod assertion;
mod client;
mod decide;
mod framework;
mod identity;
mod jwks;
mod jwt;
mod limit;
mod oidc;
mod pattern;
mod policy;
mod policy_file;
mod provider;
mod scan;
mod secret;

pub use abuse::{AbuseRules, Conduct, Notice, Restraint, Signal};
pub use assertion::{Assertion, AssertionError, LEEWAY_SECONDS, RETENTION_MARGIN_SECONDS};
pub use client::{ClientAssertion, ClientKey, ClientKeyError};
pub use decide::{Ask, Decision, Denial};
pub use framework::{FrameworkName, FrameworkRule};
pub use identity::{ClientAuth, Identity, IdentityKey, IdentityKind, Match};
pub use jwks::{Fetch, FetchError, KeyCache, KeySet, KeySetError, Look, MAX_KEY_SET_BYTES};
pub use limit::{Limits, Meter};
pub use oidc::IdToken;
pub use pattern::{Pattern, PatternError, SegmentPattern};
pub use policy::{Integration, Policy, PolicyFault, Rule, RuleEffect};
pub use provider::{Provider, ProviderClass};
pub use scan::{CredentialShape, find_credential};
pub use secret::{Secret, SecretError, SecretHash, SecretId, SecretKind};

#[cfg(test)]
mod oidc_tests;
