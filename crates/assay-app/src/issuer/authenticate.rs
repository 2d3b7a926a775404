use std::collections::BTreeMap;
use std::sync::Arc;

use assay_store::{CredentialKind, IssuerCredential};
use assay_trust::Assurance;
use assay_trust::issuer::{
    Identity, IdentityKey, Integration, Policy, Secret, SecretHash, SecretKind,
};
use serde::{Deserialize, Serialize};

use super::{Issuer, Refusal};
use crate::error::Error;

/// Somebody who has proved who they are. Only this module makes one, and nothing is signed without
/// one.
#[derive(Debug, Clone)]
pub struct Authenticated {
    pub(super) identity: Identity,
    pub(super) policy: Arc<Policy>,
    pub(super) facts: CallerFacts,
    pub(super) suspended: Option<String>,
}

/// The facts about a caller that authentication brought.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct CallerFacts {
    /// The most that their runs are worth.
    pub(super) assurance: String,
    /// The owner whose runs are counted together.
    pub(super) owner: Option<String>,
    /// The facts of the run for its token.
    pub(super) run: BTreeMap<String, String>,
}

/// An identity as it stands now.
#[derive(Debug, Clone)]
pub(super) struct Standing {
    pub(super) identity: Identity,
    /// The reason why it gets nothing, when it is suspended.
    pub(super) suspended: Option<String>,
}

/// The precision of the last use of a credential, in milliseconds.
const USE_NOTED_MILLIS: i64 = 60 * 60 * 1_000;

impl Authenticated {
    /// Returns the key of the identity.
    pub fn key(&self) -> &IdentityKey {
        &self.identity.key
    }

    /// The rules for their integration.
    pub(super) fn integration(&self) -> Option<&Integration> {
        self.policy.integration(self.identity.key.integration())
    }

    /// The most that a run of theirs is worth.
    pub(super) fn assurance(&self) -> Assurance {
        let found = self
            .facts
            .assurance
            .parse()
            .unwrap_or(Assurance::Attributed);
        let most = self
            .integration()
            .map_or(Assurance::Attributed, |one| one.assurance_max);
        found.min(most)
    }
}

impl CallerFacts {
    /// Returns the facts of an identity that has a secret or a key.
    pub(super) fn of(identity: &Identity, kind: &str) -> Self {
        let run = [("kind".to_owned(), kind.to_owned())];
        Self {
            assurance: identity.assurance.to_string(),
            owner: None,
            run: run.into_iter().collect(),
        }
    }
}

impl Issuer {
    /// Returns the owner of a bearer token. All faults of a token have the same answer, and take as
    /// long.
    pub async fn authenticate(&self, bearer: Option<&str>) -> Result<Authenticated, Refusal> {
        let secret: Option<Secret> = bearer.and_then(|text| text.parse().ok());
        let found = match &secret {
            Some(secret) if secret.kind() == SecretKind::Access => self.by_access(secret).await?,
            Some(secret) if secret.kind() == SecretKind::Personal => {
                self.by_personal(secret).await?
            }
            Some(_) | None => None,
        };
        let Some((standing, facts)) = found else {
            return Err(Refusal::unauthenticated());
        };
        Ok(Authenticated {
            identity: standing.identity,
            policy: self.policy(),
            facts,
            suspended: standing.suspended,
        })
    }

    async fn by_access(&self, secret: &Secret) -> Result<Option<(Standing, CallerFacts)>, Error> {
        let token = self.store().access_token(secret.id().as_str()).await?;
        let hash = token
            .as_ref()
            .map(|token| SecretHash::from_bytes(*token.hash.as_bytes()));
        let is_it = secret.is(hash.as_ref());
        let Some(token) = token.filter(|token| is_it && self.now() < token.expires) else {
            return Ok(None);
        };
        let facts = serde_json::from_str(&token.facts).map_err(Error::internal)?;
        let standing = self.standing_of(&token.integration, &token.name).await?;
        Ok(standing.map(|standing| (standing, facts)))
    }

    async fn by_personal(&self, secret: &Secret) -> Result<Option<(Standing, CallerFacts)>, Error> {
        let credential = self.credential_of(secret, CredentialKind::Personal).await?;
        let Some(credential) = credential else {
            return Ok(None);
        };
        let standing = self
            .standing_of(&credential.integration, &credential.name)
            .await?;
        Ok(standing.map(|standing| {
            let facts = CallerFacts::of(&standing.identity, "token");
            (standing, facts)
        }))
    }

    /// The credential of a secret, if it is good. The comparison is made whether there is one or
    /// not.
    pub(super) async fn credential_of(
        &self,
        secret: &Secret,
        kind: CredentialKind,
    ) -> Result<Option<IssuerCredential>, Error> {
        let found = self.store().issuer_credential(secret.id().as_str()).await?;
        let hash = found
            .as_ref()
            .and_then(|credential| credential.hash)
            .map(|hash| SecretHash::from_bytes(*hash.as_bytes()));
        let is_it = secret.is(hash.as_ref());
        let now = self.now();
        let good = found.filter(|credential| {
            is_it
                && credential.kind == kind
                && credential.revoked.is_none()
                && now < credential.expires
        });
        if let Some(credential) = &good {
            self.note_use(credential).await;
        }
        Ok(good)
    }

    async fn note_use(&self, credential: &IssuerCredential) {
        let now = self.now();
        let is_noted = credential
            .last_used
            .is_some_and(|used| now.millis() - used.millis() < USE_NOTED_MILLIS);
        if is_noted {
            return;
        }
        let noted = async {
            let mut tx = self.store().begin().await?;
            tx.touch_credential(&credential.id, now).await?;
            tx.commit().await
        };
        if let Err(error) = noted.await {
            tracing::warn!(%error, "failed to note the use of a credential");
        }
    }

    /// An identity as it stands now. None when there is none, or when its integration is not
    /// registered.
    pub(super) async fn standing_of(
        &self,
        integration: &str,
        name: &str,
    ) -> Result<Option<Standing>, Error> {
        let standings = self.standings().await?;
        Ok(standings.into_iter().find(|standing| {
            let key = &standing.identity.key;
            key.integration().as_str() == integration && key.name() == name
        }))
    }

    /// Every identity whose integration the policy has and an operator has registered.
    pub(super) async fn standings(&self) -> Result<Vec<Standing>, Error> {
        let policy = self.policy();
        let registered = self.store().issuer_integrations().await?;
        let kept = self.store().issuer_identities().await?;
        let mut standings = Vec::new();
        for row in registered {
            let Ok(id) = row.id.parse() else { continue };
            let Some(integration) = policy.integration(&id) else {
                continue;
            };
            let added = kept.iter().filter(|one| one.integration == row.id);
            let added = added.filter_map(|one| {
                let definition = one.definition.as_deref()?;
                policy.added_identity(&id, definition).ok()
            });
            for identity in integration.identities.iter().cloned().chain(added) {
                let own = kept
                    .iter()
                    .find(|one| one.integration == row.id && one.name == identity.key.name());
                let of_identity = own.and_then(|one| one.suspended.clone());
                let suspended = row.suspended.clone().or(of_identity);
                standings.push(Standing {
                    identity,
                    suspended: suspended.map(|(_, reason)| reason),
                });
            }
        }
        Ok(standings)
    }
}
