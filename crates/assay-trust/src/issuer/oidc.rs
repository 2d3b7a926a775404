use assay_model::Timestamp;

use super::assertion::{Assertion, AssertionError, check_audience, check_times, text};
use super::jwks::KeySet;
use super::jwt::Unchecked;
use super::provider::Provider;
use crate::Digest;

/// An ID token of a provider that is configured. Nothing in it is believed yet.
#[derive(Debug, Clone)]
pub struct IdToken<'a> {
    token: Unchecked<'a>,
    provider: &'a Provider,
}

/// The types that an ID token may have.
const TYPES: [&str; 2] = ["JWT", "id_token+jwt"];

impl<'a> IdToken<'a> {
    /// Takes a token apart and finds its provider. What it says of its issuer chooses whose keys
    /// are looked at, and nothing else.
    pub fn read(token: &'a str, providers: &'a [Provider]) -> Result<Self, AssertionError> {
        let token = Unchecked::read(token)?;
        let issuer = text(&token.claims, "iss")?;
        let provider = providers
            .iter()
            .find(|provider| provider.issuer == issuer)
            .ok_or_else(|| AssertionError::Issuer(issuer.chars().take(200).collect()))?;
        let is_known = token.typ.as_deref().is_none_or(|typ| TYPES.contains(&typ));
        if !is_known {
            return Err(AssertionError::Header("typ".to_owned()));
        }
        if !provider.algorithms.contains(&token.algorithm) {
            let algorithm = token.algorithm.chars().take(40).collect();
            return Err(AssertionError::Algorithm(algorithm));
        }
        Ok(Self { token, provider })
    }

    /// Its provider.
    pub fn provider(&self) -> &'a Provider {
        self.provider
    }

    /// The key that it names.
    pub fn kid(&self) -> Option<&str> {
        self.token.kid.as_deref()
    }

    /// Checks signature, audience and times. `ours` is what this issuer calls itself.
    pub fn verify(
        self,
        keys: &KeySet,
        ours: &str,
        now: Timestamp,
    ) -> Result<Assertion, AssertionError> {
        let Self { token, provider } = self;
        let key = keys.get(token.kid.as_deref()).ok_or(AssertionError::Key)?;
        token.is_signed_by(key)?;
        let audience = provider.audience.as_deref().unwrap_or(ours);
        check_audience(&token.claims, audience)?;
        let expires = check_times(&token.claims, now)?;
        Ok(Assertion {
            issuer: provider.issuer.clone(),
            jti: identity_of(&token),
            expires,
            claims: token.claims,
        })
    }
}

/// Returns the identity of a token: its `jti`, or the signed text when it has none.
fn identity_of(token: &Unchecked<'_>) -> String {
    match text(&token.claims, "jti") {
        Ok(jti) if jti.len() <= 200 => format!("jti:{jti}"),
        Ok(_) | Err(_) => Digest::of(token.signed().as_bytes()).to_string(),
    }
}
