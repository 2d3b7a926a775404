//! Issuers that the configuration names: the control log is brought up to it when a server starts.

use std::collections::BTreeSet;
use std::sync::Arc;

use assay_trust::{ControlLeaf, IssuerTrust, KeyPurpose, KeyState, Kid, TrustState};

use super::issuers::NewIssuer;
use crate::access::Caller;
use crate::error::Error;
use crate::hub::blocking;
use crate::services::EvidenceService;

/// The file with the issuers that are trusted because the configuration says so, a line each. What
/// an operator has trusted at the shell is not among them, and no configuration takes it back.
const FILE: &str = "configured-issuers";

impl EvidenceService<'_> {
    /// Trusts the issuers that a configuration names, as it names them, and no more those that it
    /// named before. What is as it should be costs no leaf; every change is one, so that a rebuilt
    /// index comes to the same. The number of leaves is returned. For operators.
    pub async fn trust_as_configured(
        self,
        caller: &Caller,
        wanted: &[NewIssuer],
    ) -> Result<u64, Error> {
        caller.check_operator()?;
        let before = self.configured().await?;
        let now: BTreeSet<String> = wanted.iter().map(|new| new.issuer.clone()).collect();
        if before.is_empty() && wanted.is_empty() {
            return Ok(0);
        }
        if let Some(own) = wanted
            .iter()
            .find(|new| new.issuer == self.hub.trust.issuer())
        {
            return Err(Error::Operator(format!(
                "`{}` is this hub itself, which it trusts already",
                own.issuer
            )));
        }
        // Whoever was ever named is remembered before the log is touched, so that a crash forgets
        // nobody.
        self.keep_configured(before.union(&now)).await?;
        let mut written = 0;
        for issuer in before.difference(&now) {
            let state = self.trust_now().await?;
            let is_trusted = |known: &assay_trust::TrustedIssuer| known.trust.is_trusted;
            if state.issuer(issuer).is_some_and(is_trusted) {
                self.distrust_issuer(caller, issuer).await?;
                written += 1;
            }
        }
        for new in wanted {
            let state = self.trust_now().await?;
            for leaf in self.missing(&state, new)? {
                self.log_control(caller, &leaf).await?;
                written += 1;
            }
        }
        self.keep_configured(&now).await?;
        Ok(written)
    }

    /// Returns the leaves of an issuer that the control log lacks.
    fn missing(self, state: &TrustState, new: &NewIssuer) -> Result<Vec<ControlLeaf>, Error> {
        let wanted = IssuerTrust {
            issuer: new.issuer.clone(),
            audience: self.hub.trust.audience_for(new),
            frameworks: new.frameworks.clone(),
            must_be_logged: new.must_be_logged,
            is_trusted: true,
        };
        let mut leaves = Vec::new();
        if state.issuer(&new.issuer).map(|known| &known.trust) != Some(&wanted) {
            leaves.push(ControlLeaf::Issuer(wanted));
        }
        for key in &new.keys {
            match state.key(key.kid()).map(|known| known.state) {
                None | Some(KeyState::Pending) => leaves.push(ControlLeaf::Key {
                    issuer: new.issuer.clone(),
                    key: key.clone(),
                    purpose: KeyPurpose::Token,
                    state: KeyState::Active,
                }),
                Some(KeyState::Active | KeyState::Retiring) => {}
                Some(KeyState::Retired) => return Err(comes_back(&new.issuer, key.kid())),
            }
        }
        let is_gone = |kid: Kid| new.keys.iter().all(|key| key.kid() != kid);
        let gone = state.keys().filter(|known| {
            known.issuer == new.issuer
                && known.state != KeyState::Retired
                && is_gone(known.key.kid())
        });
        leaves.extend(gone.map(|known| ControlLeaf::Key {
            issuer: known.issuer.clone(),
            key: known.key.clone(),
            purpose: known.purpose,
            state: KeyState::Retired,
        }));
        Ok(leaves)
    }

    async fn configured(self) -> Result<BTreeSet<String>, Error> {
        let trust = Arc::clone(&self.hub.trust);
        let text = blocking(move || trust.vault.kept(FILE)).await?;
        let text = text.unwrap_or_default();
        Ok(text.lines().map(ToOwned::to_owned).collect())
    }

    async fn keep_configured(
        self,
        issuers: impl IntoIterator<Item = &String>,
    ) -> Result<(), Error> {
        let text: String = issuers
            .into_iter()
            .flat_map(|issuer| [issuer, "\n"])
            .collect();
        let trust = Arc::clone(&self.hub.trust);
        blocking(move || trust.vault.replace(FILE, &text)).await
    }
}

fn comes_back(issuer: &str, kid: Kid) -> Error {
    Error::Operator(format!(
        "key `{kid}` of `{issuer}` has retired and does not come back; take it out of its key set"
    ))
}
