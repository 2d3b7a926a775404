//! Issuers beside this hub, and how far each is trusted.

use assay_trust::{ControlLeaf, IssuerTrust, KeyPurpose, KeyState, PublicKey, TrustedIssuer};

use super::Trust;
use crate::access::Caller;
use crate::error::{Error, Missing};
use crate::services::EvidenceService;

/// An issuer to be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewIssuer {
    /// Its name, as its tokens have it.
    pub issuer: String,
    /// The audience that its tokens name; that of this hub when absent.
    pub audience: Option<String>,
    /// The frameworks that it may sign for; none for all.
    pub frameworks: Option<Vec<String>>,
    /// True if its tokens count only when the results log of this hub has their issuance.
    pub must_be_logged: bool,
    /// Its keys.
    pub keys: Vec<PublicKey>,
}

impl EvidenceService<'_> {
    /// The issuers that the control log knows, by their names. For operators.
    pub async fn issuers(self, caller: &Caller) -> Result<Vec<TrustedIssuer>, Error> {
        caller.check_operator()?;
        Ok(self.trust_now().await?.issuers().cloned().collect())
    }

    /// Trusts an issuer and its keys from now on. For operators.
    pub async fn trust_issuer(self, caller: &Caller, new: NewIssuer) -> Result<(), Error> {
        caller.check_operator()?;
        if new.issuer == self.hub.trust.issuer() {
            return Err(Error::Operator(
                "this hub trusts itself already, and on its own terms".to_owned(),
            ));
        }
        let audience = self.hub.trust.audience_for(&new);
        self.log_control(
            caller,
            &ControlLeaf::Issuer(IssuerTrust {
                issuer: new.issuer.clone(),
                audience,
                frameworks: new.frameworks,
                must_be_logged: new.must_be_logged,
                is_trusted: true,
            }),
        )
        .await?;
        let state = self.trust_now().await?;
        for key in new.keys {
            let is_known = state
                .key(key.kid())
                .is_some_and(|known| known.issuer == new.issuer);
            if is_known {
                continue;
            }
            self.log_control(
                caller,
                &ControlLeaf::Key {
                    issuer: new.issuer.clone(),
                    key,
                    purpose: KeyPurpose::Token,
                    state: KeyState::Active,
                },
            )
            .await?;
        }
        Ok(())
    }

    /// Trusts an issuer no more: what it signed becomes unverified. For operators.
    pub async fn distrust_issuer(self, caller: &Caller, issuer: &str) -> Result<(), Error> {
        caller.check_operator()?;
        if issuer == self.hub.trust.issuer() {
            return Err(Error::Operator(
                "this is the issuer of this hub; revoke its keys instead".to_owned(),
            ));
        }
        let state = self.trust_now().await?;
        let known = state.issuer(issuer).ok_or_else(|| {
            Error::NotFound(Missing::Other(format!("`{issuer}` is no known issuer")))
        })?;
        self.log_control(
            caller,
            &ControlLeaf::Issuer(IssuerTrust {
                is_trusted: false,
                ..known.trust.clone()
            }),
        )
        .await?;
        Ok(())
    }
}

impl Trust {
    /// Returns the audience of the tokens of an issuer.
    pub(super) fn audience_for(&self, new: &NewIssuer) -> String {
        let named = new.audience.clone();
        named.unwrap_or_else(|| self.audience.clone())
    }
}

/// Reads the keys of a JWK set that can sign tokens.
pub fn keys_of_jwks(text: &str) -> Result<Vec<PublicKey>, Error> {
    let wrong = |what: &str| Error::Invalid(format!("this is no set of keys: {what}"));
    let json: serde_json::Value =
        serde_json::from_str(text).map_err(|error| wrong(&error.to_string()))?;
    let keys = json.get("keys").and_then(serde_json::Value::as_array);
    let keys = keys.ok_or_else(|| wrong("it has no list `keys`"))?;
    let mut read = Vec::new();
    for jwk in keys {
        let member = |name: &str| jwk.get(name).and_then(serde_json::Value::as_str);
        if (member("kty"), member("crv")) != (Some("OKP"), Some("Ed25519")) {
            continue;
        }
        let x = member("x").ok_or_else(|| wrong("a key has no `x`"))?;
        let plain = serde_json::json!({ "crv": "Ed25519", "kty": "OKP", "x": x }).to_string();
        let plain = assay_trust::Json::read(&plain).map_err(|error| wrong(&error.to_string()))?;
        read.push(PublicKey::from_jwk(plain).map_err(|error| wrong(&error.to_string()))?);
    }
    if read.is_empty() {
        return Err(wrong("it has no Ed25519 key"));
    }
    Ok(read)
}
