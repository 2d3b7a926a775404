use std::collections::{BTreeMap, BTreeSet};

use crate::control::{ControlLeaf, IssuerTrust, KeyPurpose, KeyState, Scope};
use crate::{Claims, Digest, Json, Kid, LeafError, PublicKey, Reason, Unverified, UnverifiedToken};

mod revocation;

pub use revocation::Revocation;

/// The state after all leaves of the control log: the trusted keys and issuers, and all
/// revocations.
#[derive(Debug, Clone, Default)]
pub struct TrustState {
    size: u64,
    keys: BTreeMap<Kid, TrustedKey>,
    issuers: BTreeMap<String, TrustedIssuer>,
    policies: Vec<Digest>,
    revocations: BTreeMap<u64, Revocation>,
}

/// A key that the control log knows.
#[derive(Debug, Clone, PartialEq)]
pub struct TrustedKey {
    /// The key.
    pub key: PublicKey,
    /// The owner of the key.
    pub issuer: String,
    /// The purpose of the key.
    pub purpose: KeyPurpose,
    /// The state of the key in its life.
    pub state: KeyState,
}

/// An issuer that the control log knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedIssuer {
    /// The current terms of trust.
    pub trust: IssuerTrust,
    /// Every audience that its tokens may name.
    pub audiences: BTreeSet<String>,
}

/// The reason why the control log cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("leaf {index} of the control log cannot be followed: {fault}")]
pub struct ControlError {
    /// The index of the leaf.
    pub index: u64,
    /// The fault of the leaf.
    pub fault: ControlFault,
}

/// A fault of a leaf of the control log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ControlFault {
    /// It cannot be read.
    #[error(transparent)]
    Leaf(LeafError),
    /// The key already belongs to someone else or signs something else.
    #[error("key `{0}` is already there for another issuer or another use")]
    KeyReused(Kid),
    /// The life of a key goes one way.
    #[error("key `{0}` may not go back to an earlier state")]
    KeyRevived(Kid),
    /// There is nothing to take back.
    #[error("there is no revocation in force at leaf {0}")]
    NothingToUnrevoke(u64),
}

impl TrustState {
    /// Follows the control log from its first leaf. A leaf that cannot be followed ends it: to skip
    /// one could skip a revocation.
    pub fn replay<L: AsRef<[u8]>>(
        leaves: impl IntoIterator<Item = L>,
    ) -> Result<Self, ControlError> {
        let mut state = Self::default();
        for leaf in leaves {
            state.apply(leaf.as_ref())?;
        }
        Ok(state)
    }

    /// Follows the next leaf; nothing changes when it cannot be followed. Ask before the leaf is
    /// logged: what is in the log stays there.
    pub fn apply(&mut self, leaf: &[u8]) -> Result<(), ControlError> {
        let index = self.size;
        let at = |fault| ControlError { index, fault };
        let leaf = ControlLeaf::read(leaf).map_err(|error| at(ControlFault::Leaf(error)))?;
        self.follow(leaf).map_err(at)?;
        self.size += 1;
        Ok(())
    }

    /// Returns the number of leaves that were followed.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// A key of any purpose and state.
    pub fn key(&self, kid: Kid) -> Option<&TrustedKey> {
        self.keys.get(&kid)
    }

    /// Every key, by its name.
    pub fn keys(&self) -> impl Iterator<Item = &TrustedKey> {
        self.keys.values()
    }

    /// An issuer, trusted or not.
    pub fn issuer(&self, name: &str) -> Option<&TrustedIssuer> {
        self.issuers.get(name)
    }

    /// Every issuer, by its name.
    pub fn issuers(&self) -> impl Iterator<Item = &TrustedIssuer> {
        self.issuers.values()
    }

    /// Every policy that was in force, the last one being the present one.
    pub fn policies(&self) -> &[Digest] {
        &self.policies
    }

    /// The revocations in force, in the order of the log, each with the index of its leaf.
    pub fn revocations(&self) -> impl Iterator<Item = (u64, &Revocation)> {
        self.revocations.iter().map(|(index, one)| (*index, one))
    }

    /// The revocation that a token falls under, if any: the first in the log. `position` is where
    /// the results log has its issuance, or its admission when an issuer keeps its own log.
    pub fn revocation(&self, claims: &Claims, kid: Kid, position: u64) -> Option<&Revocation> {
        self.revocations
            .values()
            .find(|revocation| revocation.covers(claims, kid, position))
    }

    /// The keys of an issuer that others may meet in fresh tokens, as a JWK set.
    pub fn jwks_json(&self, issuer: &str) -> String {
        let is_revoked = |kid| {
            let scope = Scope::Kid(kid);
            self.revocations.values().any(|own| own.scope == scope)
        };
        let jwk = |key: &TrustedKey| {
            let mut jwk = key.key.to_jwk();
            jwk.set("kid", Some(Json::shown(&key.key.kid())));
            jwk.set("alg", Some(Json::Text("EdDSA".to_owned())));
            jwk.set("use", Some(Json::Text("sig".to_owned())));
            jwk
        };
        let keys = self.keys().filter(|key| {
            key.issuer == issuer
                && key.purpose == KeyPurpose::Token
                && key.state != KeyState::Retired
                && !is_revoked(key.key.kid())
        });
        Json::map([("keys", Json::List(keys.map(jwk).collect()))]).to_jcs()
    }

    fn follow(&mut self, leaf: ControlLeaf) -> Result<(), ControlFault> {
        match leaf {
            ControlLeaf::Key {
                issuer,
                key,
                purpose,
                state,
            } => self.follow_key(TrustedKey {
                key,
                issuer,
                purpose,
                state,
            })?,
            ControlLeaf::Issuer(trust) => self.follow_issuer(trust),
            ControlLeaf::Policy { sha256 } => self.policies.push(sha256),
            ControlLeaf::Revoke {
                scope,
                from_index,
                reason,
                actor,
            } => {
                let revocation = Revocation {
                    scope,
                    from_index,
                    reason,
                    actor,
                };
                self.revocations.insert(self.size, revocation);
            }
            ControlLeaf::Unrevoke { revocation, .. } => {
                let removed = self.revocations.remove(&revocation);
                removed.ok_or(ControlFault::NothingToUnrevoke(revocation))?;
            }
        }
        Ok(())
    }

    fn follow_key(&mut self, key: TrustedKey) -> Result<(), ControlFault> {
        let kid = key.key.kid();
        if let Some(known) = self.keys.get(&kid) {
            if known.issuer != key.issuer || known.purpose != key.purpose {
                return Err(ControlFault::KeyReused(kid));
            }
            if key.state < known.state {
                return Err(ControlFault::KeyRevived(kid));
            }
        }
        self.keys.insert(kid, key);
        Ok(())
    }

    fn follow_issuer(&mut self, trust: IssuerTrust) {
        let known = self.issuers.remove(&trust.issuer);
        let mut audiences = known.map_or_else(BTreeSet::new, |known| known.audiences);
        audiences.insert(trust.audience.clone());
        let name = trust.issuer.clone();
        self.issuers
            .insert(name, TrustedIssuer { trust, audiences });
    }
}

/// Returns the claims of a token and the key that signed it, once everything about it holds that
/// the control log decides: the key, the signature, the issuer, the audience, the framework and the
/// lifetime.
pub fn claims_of(token: &str, trust: &TrustState) -> Result<(Claims, Kid), Unverified> {
    let token = UnverifiedToken::read(token)?;
    let key = signing_key(token.kid(), trust)?;
    let claims = token.verify(&key.key)?;
    check_issuer(&claims, key, trust)?;
    check_lifetime(&claims)?;
    Ok((claims, token.kid()))
}

fn signing_key(kid: Kid, trust: &TrustState) -> Result<&TrustedKey, Unverified> {
    let refuse = |words: &str| {
        let detail = format!("key `{kid}` {words}");
        Err(Unverified::new(Reason::UnknownKey, detail))
    };
    match trust.key(kid) {
        None => refuse("is not in the control log"),
        Some(key) if key.purpose != KeyPurpose::Token => refuse("signs a log and not tokens"),
        Some(key) if key.state == KeyState::Pending => refuse("may not sign yet"),
        Some(key) => Ok(key),
    }
}

fn check_issuer(claims: &Claims, key: &TrustedKey, trust: &TrustState) -> Result<(), Unverified> {
    let name = &claims.iss;
    if key.issuer != *name {
        let detail = format!(
            "the key belongs to `{}` and the token names `{name}`",
            key.issuer
        );
        return Err(Unverified::new(Reason::IssuerUntrusted, detail));
    }
    let issuer = trust.issuer(name).filter(|issuer| issuer.trust.is_trusted);
    let Some(issuer) = issuer else {
        let detail = format!("the issuer `{name}` is not trusted here");
        return Err(Unverified::new(Reason::IssuerUntrusted, detail));
    };
    if !issuer.audiences.contains(&claims.aud) {
        let detail = format!("the token is for `{}`", claims.aud);
        return Err(Unverified::new(Reason::AudienceMismatch, detail));
    }
    let framework = &claims.subject.framework.name;
    match &issuer.trust.frameworks {
        Some(names) if !names.contains(framework) => {
            let detail = format!("`{name}` is not trusted for `{framework}`");
            Err(Unverified::new(Reason::FrameworkNotAllowed, detail))
        }
        Some(_) | None => Ok(()),
    }
}

fn check_lifetime(claims: &Claims) -> Result<(), Unverified> {
    let Claims { iat, nbf, exp, .. } = claims;
    let is_sane = iat <= nbf && nbf < exp && exp - iat <= Claims::MAX_LIFETIME && *iat > 0;
    if is_sane {
        return Ok(());
    }
    let detail = format!(
        "the token is from {iat}, holds from {nbf} until {exp}, and may hold {} seconds",
        Claims::MAX_LIFETIME
    );
    Err(Unverified::new(Reason::LifetimeInvalid, detail))
}
