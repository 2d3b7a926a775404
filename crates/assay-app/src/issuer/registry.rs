//! Commands of operators at the shell: integrations, identities, credentials.

use assay_model::{Timestamp, skeleton};
use assay_store::{
    AuditAction, AuditSubject, AuditSubjectKind, CredentialKind, IssuerCredential, NewIssuerEvent,
    Sha256, Tx,
};
use assay_trust::issuer::{
    ClientAuth, ClientKey, Identity, IdentityKey, IdentityKind, Secret, SecretKind,
};
use assay_trust::{Digest, IntegrationId};

use super::Issuer;
use super::exchange::draw;
use crate::access::Caller;
use crate::error::{Error, Existing, Missing};

/// An integration, as operators see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntegrationInfo {
    /// The name of the integration.
    pub id: String,
    /// Time at which it was registered; none when only the policy names it.
    pub registered: Option<Timestamp>,
    /// True if the policy names it.
    pub in_policy: bool,
    /// Since when it is suspended, and why.
    pub suspended: Option<(Timestamp, String)>,
}

/// An identity, as operators see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentityInfo {
    /// The name of the identity.
    pub key: String,
    /// `oidc`, `oauth_client` or `token`.
    pub kind: &'static str,
    /// True if the policy defines it.
    pub in_policy: bool,
    /// The most that its runs are worth.
    pub assurance: String,
    /// Since when it is suspended, and why.
    pub suspended: Option<(Timestamp, String)>,
    /// Until when it is slowed, and why.
    pub slowed: Option<(Timestamp, String)>,
}

/// A credential, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CredentialInfo {
    /// Its public part.
    pub id: String,
    /// The owner of the credential.
    pub identity: String,
    /// The kind of the credential.
    pub kind: CredentialKind,
    /// The label of the credential.
    pub label: String,
    /// Time at which it was made.
    pub created: Timestamp,
    /// The time at which it expires.
    pub expires: Timestamp,
    /// Time at which it was last used.
    pub last_used: Option<Timestamp>,
    /// Time at which it was revoked.
    pub revoked: Option<Timestamp>,
}

/// A credential that is to be made.
#[derive(Debug, Clone)]
pub struct NewCredential {
    /// The label of the credential.
    pub label: String,
    /// The lifetime in days.
    pub days: u32,
    /// The public key of a client, as a JWK; a secret is made when absent.
    pub public_key: Option<String>,
}

/// The longest that a credential lasts, in days.
const MAX_DAYS: u32 = 90;
/// The longest that a public key lasts, in days: it is no secret.
const MAX_KEY_DAYS: u32 = 730;
/// A day, in milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1_000;

impl Issuer {
    /// Registers an integration. One that looks like another is refused.
    pub async fn add_integration(&self, caller: &Caller, id: &str) -> Result<(), Error> {
        caller.check_operator()?;
        let id: IntegrationId = id
            .parse()
            .map_err(|error: assay_trust::IdError| Error::Invalid(error.to_string()))?;
        let mut tx = self.store().begin().await?;
        tx.add_integration(id.as_str(), &skeleton(id.as_str()), self.now())
            .await?;
        self.audit(
            &mut tx,
            caller,
            AuditAction::IntegrationAdded,
            id.as_str(),
            None,
        )
        .await?;
        tx.commit().await?;
        self.note_operator("add integration", Some(id.as_str()), None, None)
            .await;
        Ok(())
    }

    /// Every integration that is registered or that the policy names.
    pub async fn integrations(&self) -> Result<Vec<IntegrationInfo>, Error> {
        let policy = self.policy();
        let registered = self.store().issuer_integrations().await?;
        let mut all: Vec<IntegrationInfo> = registered
            .into_iter()
            .map(|one| IntegrationInfo {
                in_policy: one
                    .id
                    .parse()
                    .is_ok_and(|id| policy.integration(&id).is_some()),
                id: one.id,
                registered: Some(one.created),
                suspended: one.suspended,
            })
            .collect();
        for integration in policy.integrations() {
            if all.iter().all(|one| one.id != integration.id.as_str()) {
                all.push(IntegrationInfo {
                    id: integration.id.to_string(),
                    registered: None,
                    in_policy: true,
                    suspended: None,
                });
            }
        }
        Ok(all)
    }

    /// Suspends an integration with the reason, or lets it go on.
    pub async fn suspend_integration(
        &self,
        caller: &Caller,
        id: &str,
        reason: Option<&str>,
    ) -> Result<(), Error> {
        caller.check_operator()?;
        let now = self.now();
        let mut tx = self.store().begin().await?;
        let suspended = reason.map(|reason| (now, reason));
        if !tx.suspend_integration(id, suspended).await? {
            return Err(missing(format!("there is no integration `{id}`")));
        }
        let audited = match reason {
            Some(_) => AuditAction::IntegrationSuspended,
            None => AuditAction::IntegrationResumed,
        };
        self.audit(&mut tx, caller, audited, id, reason).await?;
        tx.commit().await?;
        let action = if reason.is_some() {
            "suspend"
        } else {
            "resume"
        };
        self.note_operator(action, Some(id), None, reason).await;
        Ok(())
    }

    /// Adds an identity in the words of a policy, as JSON.
    pub async fn add_identity(
        &self,
        caller: &Caller,
        integration: &str,
        definition: &str,
    ) -> Result<IdentityInfo, Error> {
        caller.check_operator()?;
        let id: IntegrationId = integration
            .parse()
            .map_err(|error: assay_trust::IdError| Error::Invalid(error.to_string()))?;
        let policy = self.policy();
        if policy.integration(&id).is_none() {
            return Err(Error::Invalid(format!(
                "the policy has no integration `{id}`"
            )));
        }
        let identity = policy
            .added_identity(&id, definition)
            .map_err(Error::Invalid)?;
        let taken = self.standings().await?;
        if taken.iter().any(|one| one.identity.key == identity.key) {
            return Err(Error::Exists(Existing::Identity(identity.key.to_string())));
        }
        if let IdentityKind::Client { client_id, .. } = &identity.kind {
            let is_same = |one: &Identity| matches!(&one.kind, IdentityKind::Client { client_id: own, .. } if own == client_id);
            if taken.iter().any(|one| is_same(&one.identity)) {
                return Err(Error::Exists(Existing::Client(client_id.clone())));
            }
        }
        let mut tx = self.store().begin().await?;
        let added = tx
            .add_identity(id.as_str(), identity.key.name(), definition, self.now())
            .await;
        if matches!(added, Err(assay_store::Error::Related { .. })) {
            return Err(missing(format!("register the integration `{id}` first")));
        }
        added?;
        let key = identity.key.to_string();
        self.audit(&mut tx, caller, AuditAction::IdentityAdded, &key, None)
            .await?;
        tx.commit().await?;
        self.note_operator("add identity", Some(id.as_str()), Some(&key), None)
            .await;
        Ok(info(&identity, false, None))
    }

    /// Every identity.
    pub async fn identities(&self) -> Result<Vec<IdentityInfo>, Error> {
        let policy = self.policy();
        let kept = self.store().issuer_identities().await?;
        let mut all: Vec<IdentityInfo> = policy
            .identities()
            .map(|identity| {
                let own = kept.iter().find(|one| is_of(one, &identity.key));
                info(identity, true, own.and_then(|one| one.suspended.clone()))
            })
            .collect();
        for one in &kept {
            let (Ok(id), Some(definition)) = (one.integration.parse(), &one.definition) else {
                continue;
            };
            if let Ok(identity) = policy.added_identity(&id, definition) {
                all.push(info(&identity, false, one.suspended.clone()));
            }
        }
        all.sort_by(|one, other| one.key.cmp(&other.key));
        for one in &mut all {
            if let Ok(key) = one.key.parse() {
                one.slowed = self.slowed(&key).await?;
            }
        }
        Ok(all)
    }

    /// Suspends an identity with the reason, or lets it go on.
    pub async fn suspend_identity(
        &self,
        caller: &Caller,
        key: &str,
        reason: Option<&str>,
    ) -> Result<(), Error> {
        caller.check_operator()?;
        let key = self.known_key(key).await?;
        let (integration, name) = (key.integration().as_str(), key.name());
        let mut tx = self.store().begin().await?;
        match reason {
            Some(reason) => {
                let suspended = tx
                    .suspend_identity(integration, name, reason, self.now())
                    .await;
                if matches!(suspended, Err(assay_store::Error::Related { .. })) {
                    return Err(missing(format!(
                        "register the integration `{integration}` first"
                    )));
                }
                suspended?;
            }
            None => {
                tx.resume_identity(integration, name).await?;
            }
        }
        let outcome = if reason.is_some() {
            "suspended"
        } else {
            "resumed"
        };
        let event = NewIssuerEvent {
            action: "operator".to_owned(),
            integration: Some(integration.to_owned()),
            identity: Some(key.to_string()),
            outcome: outcome.to_owned(),
            detail: reason.map(str::to_owned),
            ..NewIssuerEvent::default()
        };
        tx.note_issuer_event(self.now(), &event).await?;
        let audited = match reason {
            Some(_) => AuditAction::IdentitySuspended,
            None => AuditAction::IdentityResumed,
        };
        self.audit(&mut tx, caller, audited, &key.to_string(), reason)
            .await?;
        tx.commit().await?;
        self.pardon(&key);
        Ok(())
    }

    /// Removes an identity that was added at the shell, with its credentials.
    pub async fn remove_identity(&self, caller: &Caller, key: &str) -> Result<(), Error> {
        caller.check_operator()?;
        let key = self.known_key(key).await?;
        if self.policy().identities().any(|one| one.key == key) {
            return Err(Error::Operator(format!(
                "`{key}` is in the policy: take it out there, or suspend it"
            )));
        }
        let (integration, name) = (key.integration().as_str(), key.name());
        let mut tx = self.store().begin().await?;
        tx.remove_identity(integration, name).await?;
        let removed = key.to_string();
        self.audit(
            &mut tx,
            caller,
            AuditAction::IdentityRemoved,
            &removed,
            None,
        )
        .await?;
        tx.commit().await?;
        self.note_operator(
            "remove identity",
            Some(integration),
            Some(&key.to_string()),
            None,
        )
        .await;
        Ok(())
    }

    /// Makes a credential for an identity. A secret is given back once; of a public key there is
    /// none.
    pub async fn add_credential(
        &self,
        caller: &Caller,
        key: &str,
        new: NewCredential,
    ) -> Result<(CredentialInfo, Option<Secret>), Error> {
        caller.check_operator()?;
        let key = self.known_key(key).await?;
        let identity = self.identity(&key).await?;
        let (kind, secret) = drawn(&identity, &new)?;
        let most = if new.public_key.is_some() {
            MAX_KEY_DAYS
        } else {
            MAX_DAYS
        };
        if !(1..=most).contains(&new.days) {
            return Err(Error::Invalid(format!(
                "such a credential lasts 1 to {most} days"
            )));
        }
        let now = self.now();
        let id = match (&secret, &new.public_key) {
            (Some(secret), _) => secret.id().to_string(),
            (None, Some(jwk)) => key_id(jwk),
            (None, None) => return Err(Error::internal("a credential is a secret or a key")),
        };
        let credential = IssuerCredential {
            id,
            integration: key.integration().to_string(),
            name: key.name().to_owned(),
            kind,
            label: new.label,
            hash: secret
                .as_ref()
                .map(|secret| Sha256::from_bytes(*secret.hash().as_bytes())),
            jwk: new.public_key,
            created: now,
            expires: Timestamp::from_millis(now.millis() + i64::from(new.days) * DAY),
            last_used: None,
            revoked: None,
        };
        let mut tx = self.store().begin().await?;
        tx.add_credential(&credential).await?;
        let words = format!("credential {} `{}`", credential.id, credential.label);
        let (made, owner) = (AuditAction::CredentialCreated, key.to_string());
        self.audit(&mut tx, caller, made, &owner, Some(&words))
            .await?;
        tx.commit().await?;
        let integration = key.integration().as_str();
        let (action, detail) = ("add credential", credential.id.as_str());
        self.note_operator(
            action,
            Some(integration),
            Some(&key.to_string()),
            Some(detail),
        )
        .await;
        Ok((credential_info(credential), secret))
    }

    /// Every credential, without secrets.
    pub async fn credentials(&self) -> Result<Vec<CredentialInfo>, Error> {
        let all = self.store().all_issuer_credentials().await?;
        Ok(all.into_iter().map(credential_info).collect())
    }

    /// Ends a credential.
    pub async fn revoke_credential(&self, caller: &Caller, id: &str) -> Result<(), Error> {
        caller.check_operator()?;
        let mut tx = self.store().begin().await?;
        if !tx.revoke_credential(id, self.now()).await? {
            return Err(missing(format!(
                "there is no credential `{id}` that could be revoked"
            )));
        }
        let words = format!("credential {id}");
        self.audit(
            &mut tx,
            caller,
            AuditAction::CredentialRevoked,
            "",
            Some(&words),
        )
        .await?;
        tx.commit().await?;
        self.note_operator("revoke credential", None, None, Some(id))
            .await;
        Ok(())
    }

    async fn audit(
        &self,
        tx: &mut Tx,
        caller: &Caller,
        action: AuditAction,
        name: &str,
        detail: Option<&str>,
    ) -> Result<(), Error> {
        let subject = AuditSubject {
            detail: detail.map(str::to_owned),
            ..AuditSubject::new(AuditSubjectKind::Integration, name)
        };
        self.hub
            .operations()
            .audit(tx, caller, action, subject)
            .await
    }

    async fn known_key(&self, text: &str) -> Result<IdentityKey, Error> {
        let key: IdentityKey = text
            .parse()
            .map_err(|error: &str| Error::Invalid(error.to_owned()))?;
        self.identity(&key).await?;
        Ok(key)
    }

    async fn identity(&self, key: &IdentityKey) -> Result<Identity, Error> {
        let policy = self.policy();
        if let Some(identity) = policy.identities().find(|one| one.key == *key) {
            return Ok(identity.clone());
        }
        let kept = self.store().issuer_identities().await?;
        let definition = kept
            .into_iter()
            .find(|one| is_of(one, key))
            .and_then(|one| one.definition);
        let added = definition
            .and_then(|definition| policy.added_identity(key.integration(), &definition).ok());
        added.ok_or_else(|| {
            // A command may have been told less than the server beside it was.
            let why = if policy.identities().next().is_none() {
                "; no policy is in use here: give the one of the server with `--policy`"
            } else {
                ""
            };
            missing(format!("there is no identity `{key}`{why}"))
        })
    }

    async fn note_operator(
        &self,
        action: &str,
        integration: Option<&str>,
        identity: Option<&str>,
        detail: Option<&str>,
    ) {
        self.note(NewIssuerEvent {
            action: action.to_owned(),
            integration: integration.map(str::to_owned),
            identity: identity.map(str::to_owned),
            outcome: "done".to_owned(),
            detail: detail.map(str::to_owned),
            ..NewIssuerEvent::default()
        })
        .await;
    }
}

/// Returns the kind of credential that an identity takes, and the secret when it is one.
fn drawn(
    identity: &Identity,
    new: &NewCredential,
) -> Result<(CredentialKind, Option<Secret>), Error> {
    let no_key = || Error::Invalid("only a client with `private_key_jwt` has a key".to_owned());
    match &identity.kind {
        IdentityKind::Oidc { .. } => Err(Error::Invalid(format!(
            "`{}` proves who it is by ID tokens and has no credential here",
            identity.key
        ))),
        IdentityKind::Client {
            auth: ClientAuth::PrivateKeyJwt,
            ..
        } => {
            let jwk = new.public_key.as_deref().ok_or_else(|| {
                Error::Invalid("give the public key of the client, as a JWK".to_owned())
            })?;
            ClientKey::read(jwk).map_err(|error| Error::Invalid(error.to_string()))?;
            Ok((CredentialKind::Key, None))
        }
        IdentityKind::Client {
            auth: ClientAuth::ClientSecret,
            ..
        } => {
            new.public_key.is_none().then_some(()).ok_or_else(no_key)?;
            Ok((CredentialKind::Client, Some(draw(SecretKind::Client)?)))
        }
        IdentityKind::Token => {
            new.public_key.is_none().then_some(()).ok_or_else(no_key)?;
            Ok((CredentialKind::Personal, Some(draw(SecretKind::Personal)?)))
        }
    }
}

fn key_id(jwk: &str) -> String {
    let digest = Digest::of(jwk.as_bytes()).to_string();
    digest["sha256:".len()..][..16].to_owned()
}

fn is_of(one: &assay_store::IssuerIdentity, key: &IdentityKey) -> bool {
    one.integration == key.integration().as_str() && one.name == key.name()
}

fn info(
    identity: &Identity,
    in_policy: bool,
    suspended: Option<(Timestamp, String)>,
) -> IdentityInfo {
    IdentityInfo {
        key: identity.key.to_string(),
        kind: match identity.kind {
            IdentityKind::Oidc { .. } => "oidc",
            IdentityKind::Client { .. } => "oauth_client",
            IdentityKind::Token => "token",
        },
        in_policy,
        assurance: identity.assurance.to_string(),
        suspended,
        slowed: None,
    }
}

fn credential_info(credential: IssuerCredential) -> CredentialInfo {
    CredentialInfo {
        identity: format!("{}/{}", credential.integration, credential.name),
        id: credential.id,
        kind: credential.kind,
        label: credential.label,
        created: credential.created,
        expires: credential.expires,
        last_used: credential.last_used,
        revoked: credential.revoked,
    }
}

fn missing(text: String) -> Error {
    Error::NotFound(Missing::Other(text))
}
