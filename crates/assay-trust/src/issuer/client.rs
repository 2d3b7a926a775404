//! OAuth clients that prove who they are by a signature (RFC 7523). The audience must be this
//! issuer and not one of its addresses: otherwise an issuer that a client also talks to could have
//! it sign something for us.

use assay_model::Timestamp;
use jsonwebtoken::jwk::Jwk;

use super::assertion::{Assertion, AssertionError, check_audience, check_times, text};
use super::jwt::{PublicKey, Unchecked};

/// An assertion of a client. Nothing in it is believed yet.
#[derive(Debug, Clone)]
pub struct ClientAssertion<'t> {
    token: Unchecked<'t>,
    client_id: String,
}

/// The public key of a client.
#[derive(Debug, Clone)]
pub struct ClientKey(PublicKey);

/// The text is no public key that a client may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a client key is a public JWK for EdDSA, ES256 or RS256 with at least 2048 bits")]
pub struct ClientKeyError;

/// The longest that a client assertion may be valid, in seconds.
const MAX_LIFETIME_SECONDS: i64 = 60 * 60;
/// The types that it may have.
const TYPES: [&str; 2] = ["JWT", "client-authentication+jwt"];

impl ClientKey {
    /// Reads a public JWK. One with a private part is refused: it should never have come here.
    pub fn read(json: &str) -> Result<Self, ClientKeyError> {
        let value: serde_json::Value = serde_json::from_str(json).map_err(|_| ClientKeyError)?;
        if value.get("d").is_some() {
            return Err(ClientKeyError);
        }
        let jwk: Jwk = serde_json::from_value(value).map_err(|_| ClientKeyError)?;
        PublicKey::of(&jwk).map(Self).ok_or(ClientKeyError)
    }
}

impl<'t> ClientAssertion<'t> {
    /// Takes an assertion apart.
    pub fn read(token: &'t str) -> Result<Self, AssertionError> {
        let token = Unchecked::read(token)?;
        let client_id = text(&token.claims, "iss")?;
        if text(&token.claims, "sub")? != client_id {
            return Err(AssertionError::Claim("sub".to_owned()));
        }
        let is_known = token.typ.as_deref().is_none_or(|typ| TYPES.contains(&typ));
        if !is_known {
            return Err(AssertionError::Header("typ".to_owned()));
        }
        Ok(Self { token, client_id })
    }

    /// The client that it claims to be of.
    pub fn client_id(&self) -> &str {
        &self.client_id
    }

    /// Checks it against the keys of the client. `ours` is what this issuer calls itself.
    pub fn verify(
        self,
        keys: &[ClientKey],
        ours: &str,
        now: Timestamp,
    ) -> Result<Assertion, AssertionError> {
        let mut told = AssertionError::Key;
        let is_signed = keys.iter().any(|key| {
            let checked = self.token.is_signed_by(&key.0);
            checked.inspect_err(|error| told = error.clone()).is_ok()
        });
        if !is_signed {
            return Err(told);
        }
        let claims = self.token.claims;
        check_audience(&claims, ours)?;
        let expires = check_times(&claims, now)?;
        let jti = text(&claims, "jti")?;
        if expires.saturating_sub(now.seconds()) > MAX_LIFETIME_SECONDS {
            return Err(AssertionError::Time("it is valid for more than an hour"));
        }
        if jti.len() > 200 {
            return Err(AssertionError::Claim("jti".to_owned()));
        }
        Ok(Assertion {
            issuer: format!("client:{}", self.client_id),
            jti: format!("jti:{jti}"),
            expires,
            claims,
        })
    }
}
