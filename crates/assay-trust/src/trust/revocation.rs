use semver::{Version, VersionReq};

use crate::control::Scope;
use crate::{Claims, Kid, Reason, Unverified};

/// A revocation in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revocation {
    /// The scope of the revocation.
    pub scope: Scope,
    /// Only what the results log has from this index on.
    pub from_index: u64,
    /// The reason.
    pub reason: String,
    /// The person who decided it.
    pub actor: String,
}

impl Revocation {
    /// Returns whether it covers a token that the results log has at this position. The position
    /// counts and not the time that the token names: a thief chooses the time, and the log gives
    /// the position.
    pub fn covers(&self, claims: &Claims, kid: Kid, position: u64) -> bool {
        position >= self.from_index && self.names(claims, kid)
    }

    /// The reason and the words for an entry that it covers.
    pub fn verdict(&self) -> Unverified {
        let (reason, what) = match &self.scope {
            Scope::Kid(_) => (Reason::KeyRevoked, "the key"),
            Scope::Issuer(_) => (Reason::IssuerRevoked, "the issuer"),
            Scope::Integration(_) => (Reason::IntegrationRevoked, "the integration"),
            Scope::Identity(_) => (Reason::IdentityRevoked, "the identity"),
            Scope::Jti(_) => (Reason::TokenRevoked, "the token"),
            Scope::Framework { .. } => (Reason::FrameworkRevoked, "the version of the framework"),
            Scope::BenchmarkRevision(_) => (Reason::Withdrawn, "the commit of the benchmark"),
        };
        let detail = format!(
            "{what} is revoked from index {} on: {}",
            self.from_index, self.reason
        );
        Unverified::new(reason, detail)
    }

    fn names(&self, claims: &Claims, kid: Kid) -> bool {
        match &self.scope {
            Scope::Kid(own) => *own == kid,
            Scope::Issuer(own) => *own == claims.iss,
            Scope::Integration(own) => *own == claims.sub,
            Scope::Identity(own) => {
                let identity = claims.act.as_ref().and_then(|act| act.get("identity"));
                identity.is_some_and(|identity| identity == own)
            }
            Scope::Jti(own) => *own == claims.jti,
            Scope::Framework { name, versions } => {
                let framework = &claims.subject.framework;
                framework.name == *name && is_in(versions, &framework.version)
            }
            Scope::BenchmarkRevision(own) => *own == claims.subject.benchmark_revision,
        }
    }
}

/// Returns whether a version is in the range, by its release numbers alone: a fault of `0.4.2` is
/// in `0.4.2.dev3` too. A text without any number is in the range of all versions and in no other.
fn is_in(versions: &VersionReq, text: &str) -> bool {
    match release(text) {
        Some(version) => versions.matches(&version),
        None => *versions == VersionReq::STAR,
    }
}

/// The first three numbers of a version, as Python and everyone else write them: `v1.2`,
/// `0.4.2rc1`, `2024.10.1.post1`.
fn release(text: &str) -> Option<Version> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut numbers = text.split(['.', '-', '+']).map_while(|part| {
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        part[..digits].parse::<u64>().ok()
    });
    let major = numbers.next()?;
    let minor = numbers.next().unwrap_or(0);
    Some(Version::new(major, minor, numbers.next().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_takes_versions_as_people_write_them() {
        let range: VersionReq = ">=0.4.0, <0.4.3".parse().unwrap();

        for version in [
            "0.4",
            "0.4.2",
            "v0.4.1",
            "0.4.2rc1",
            "0.4.2.dev3+g12",
            "0.4.0-beta",
        ] {
            assert!(is_in(&range, version), "{version}");
        }
        for version in ["0.4.3", "0.3.9", "1", "main", ""] {
            assert!(!is_in(&range, version), "{version}");
        }
        assert!(is_in(&VersionReq::STAR, "main"));
    }
}
