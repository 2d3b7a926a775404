//! The keys that sign tokens, through their lives.

use std::sync::Arc;

use assay_trust::{
    ControlLeaf, IssuerTrust, KeyPurpose, KeyState, Kid, Scope, SigningKey, TrustState, TrustedKey,
};

use super::{Trust, Which, log_error};
use crate::access::Caller;
use crate::error::{Error, Missing};
use crate::hub::blocking;
use crate::services::EvidenceService;

/// A key that the control log knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyInfo {
    /// Its name.
    pub kid: Kid,
    /// The owner: an issuer, or the origin of a log.
    pub issuer: String,
    /// The purpose of the key.
    pub purpose: KeyPurpose,
    /// The state of the key in its life.
    pub state: KeyState,
    /// From which index of the results log on what it signed is revoked.
    pub revoked_from: Option<u64>,
    /// True if this hub has its secret half.
    pub is_own: bool,
}

/// The reason why nothing can be signed at present, and the next step of an operator.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoTokenKey {
    /// Every key is revoked, retired, not in use yet, or its secret half is not here.
    #[error("this issuer has no key that may sign; an operator makes one with `assay keys rotate`")]
    NoneSigns,
    /// Nothing that this issuer signs would count.
    #[error(
        "this issuer is revoked by leaf {0} of the control log; an operator takes that back with `assay trust unrevoke {0}`"
    )]
    IssuerRevoked(u64),
    /// The key cannot be read.
    #[error(transparent)]
    Vault(#[from] Error),
}

impl EvidenceService<'_> {
    /// Every key that the control log knows, by its name. For operators.
    pub async fn keys(self, caller: &Caller) -> Result<Vec<KeyInfo>, Error> {
        caller.check_operator()?;
        let state = self.trust_now().await?;
        let keys = state.keys().map(|key| self.key_info(&state, key));
        Ok(keys.collect())
    }

    /// Makes a key for tokens and publishes it, to be used later. For operators.
    pub async fn generate_key(self, caller: &Caller) -> Result<KeyInfo, Error> {
        caller.check_operator()?;
        let key = self.new_token_key(caller, KeyState::Pending).await?;
        self.key(key.kid()).await
    }

    /// Lets another key sign tokens from now on: the one that is named, else one that waits, else a
    /// new one. The one that signed before retires. For operators.
    pub async fn rotate_key(self, caller: &Caller, to: Option<Kid>) -> Result<KeyInfo, Error> {
        caller.check_operator()?;
        let state = self.trust_now().await?;
        let own: Vec<&TrustedKey> = self.hub.trust.own_token_keys(&state).collect();
        let waiting = |key: &&&TrustedKey| key.state == KeyState::Pending;
        let next = match to {
            Some(kid) => {
                let found = own.iter().find(|key| key.key.kid() == kid);
                let found = found.filter(waiting).ok_or_else(|| {
                    Error::Operator(format!(
                        "`{kid}` is no key of this hub that waits to be used"
                    ))
                })?;
                Some(*found)
            }
            None => own.iter().find(waiting).copied(),
        };
        let kid = match next {
            Some(next) => {
                self.set_key_state(caller, next, KeyState::Active).await?;
                next.key.kid()
            }
            None => self.new_token_key(caller, KeyState::Active).await?.kid(),
        };
        for former in own.iter().filter(|key| key.state == KeyState::Active) {
            self.set_key_state(caller, former, KeyState::Retiring)
                .await?;
        }
        self.key(kid).await
    }

    /// Ends the life of a key that signs no more. What it signed stands. For operators.
    pub async fn retire_key(self, caller: &Caller, kid: Kid) -> Result<KeyInfo, Error> {
        caller.check_operator()?;
        let state = self.trust_now().await?;
        let key = known_key(&state, kid)?;
        if key.state == KeyState::Active && self.hub.trust.vault.has(key.purpose, kid) {
            return Err(Error::Operator(
                "this key signs at present; `assay keys rotate` first".to_owned(),
            ));
        }
        self.set_key_state(caller, key, KeyState::Retired).await?;
        self.key(kid).await
    }

    async fn new_token_key(self, caller: &Caller, state: KeyState) -> Result<SigningKey, Error> {
        let trust = Arc::clone(&self.hub.trust);
        // The secret is on disk before the world is told of the key.
        let key = blocking(move || trust.vault.make(KeyPurpose::Token)).await?;
        self.log_control(
            caller,
            &ControlLeaf::Key {
                issuer: self.hub.trust.issuer().to_owned(),
                key: key.public(),
                purpose: KeyPurpose::Token,
                state,
            },
        )
        .await?;
        Ok(key)
    }

    async fn set_key_state(
        self,
        caller: &Caller,
        key: &TrustedKey,
        state: KeyState,
    ) -> Result<(), Error> {
        self.log_control(
            caller,
            &ControlLeaf::Key {
                issuer: key.issuer.clone(),
                key: key.key.clone(),
                purpose: key.purpose,
                state,
            },
        )
        .await?;
        Ok(())
    }

    async fn key(self, kid: Kid) -> Result<KeyInfo, Error> {
        let state = self.trust_now().await?;
        let key = known_key(&state, kid)?;
        Ok(self.key_info(&state, key))
    }

    fn key_info(self, state: &TrustState, key: &TrustedKey) -> KeyInfo {
        let kid = key.key.kid();
        let revoked = state
            .revocations()
            .filter(|(_, own)| own.scope == Scope::Kid(kid))
            .map(|(_, own)| own.from_index)
            .min();
        KeyInfo {
            kid,
            issuer: key.issuer.clone(),
            purpose: key.purpose,
            state: key.state,
            revoked_from: revoked,
            is_own: self.hub.trust.vault.has(key.purpose, kid),
        }
    }

    pub(super) fn signs_now(self, state: &TrustState, kid: Kid) -> bool {
        self.hub
            .trust
            .own_token_keys(state)
            .any(|key| key.key.kid() == kid && key.state == KeyState::Active)
    }
}

pub(super) fn known_key(state: &TrustState, kid: Kid) -> Result<&TrustedKey, Error> {
    state.key(kid).ok_or_else(|| {
        let text = format!("the control log knows no key `{kid}`");
        Error::NotFound(Missing::Other(text))
    })
}

impl Trust {
    /// Says in the control log who this hub is, as far as it does not say so yet.
    pub(super) fn introduce(&self) -> Result<(), Error> {
        let state = self.state();
        let mut leaves = Vec::new();
        let known = state.issuer(&self.issuer);
        let is_known = known.is_some_and(|known| {
            known.trust.is_trusted && known.audiences.contains(&self.audience)
        });
        if !is_known {
            leaves.push(ControlLeaf::Issuer(IssuerTrust {
                issuer: self.issuer.clone(),
                audience: self.audience.clone(),
                frameworks: None,
                must_be_logged: true,
                is_trusted: true,
            }));
        }
        for which in [Which::Results, Which::Control] {
            let key = self.vault.own(which.purpose())?;
            if state.key(key.kid()).is_none() {
                leaves.push(ControlLeaf::Key {
                    issuer: self.origin.of(which),
                    key: key.public(),
                    purpose: which.purpose(),
                    state: KeyState::Active,
                });
            }
        }
        let is_signing =
            |key: &TrustedKey| key.state == KeyState::Active && !is_revoked(&state, key.key.kid());
        if !self.own_token_keys(&state).any(is_signing) {
            let key = self.vault.make(KeyPurpose::Token)?;
            leaves.push(ControlLeaf::Key {
                issuer: self.issuer.clone(),
                key: key.public(),
                purpose: KeyPurpose::Token,
                state: KeyState::Active,
            });
        }
        let log = self.control();
        let append = |leaf: &ControlLeaf| log.append(leaf.to_json().into_bytes());
        let pending: Vec<_> = leaves.iter().map(append).collect();
        for appended in pending {
            appended.wait().map_err(log_error)?;
        }
        self.read_state()
    }

    /// Returns whether what this hub signs could count at all.
    pub(super) fn check_not_revoked(&self, state: &TrustState) -> Result<(), NoTokenKey> {
        let own = Scope::Issuer(self.issuer.clone());
        let mut revocations = state.revocations();
        match revocations.find(|(_, revocation)| revocation.scope == own) {
            Some((index, _)) => Err(NoTokenKey::IssuerRevoked(index)),
            None => Ok(()),
        }
    }

    /// The keys for tokens of this hub, by their names.
    pub(super) fn own_token_keys<'s>(
        &'s self,
        state: &'s TrustState,
    ) -> impl Iterator<Item = &'s TrustedKey> + 's {
        state.keys().filter(|key| {
            key.purpose == KeyPurpose::Token
                && key.issuer == self.issuer
                && self.vault.has(KeyPurpose::Token, key.key.kid())
        })
    }
}

/// Returns whether what a key signs is revoked, from any index on.
pub(super) fn is_revoked(state: &TrustState, kid: Kid) -> bool {
    let mut scopes = state.revocations().map(|(_, own)| &own.scope);
    scopes.any(|scope| *scope == Scope::Kid(kid))
}
