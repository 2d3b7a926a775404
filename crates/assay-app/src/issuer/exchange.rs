use assay_store::{AccessToken, CredentialKind, NewIssuerEvent, Sha256, Tx};
use assay_trust::issuer::{
    Assertion, AssertionError, ClientAssertion, ClientAuth, ClientKey, IdToken, IdentityKind,
    Secret, SecretKind,
};

use super::Issuer;
use super::authenticate::{CallerFacts, Standing};
use crate::error::Error;
use crate::secret;

/// The credential that is exchanged for an access token.
#[derive(Debug, Clone)]
pub enum Exchange {
    /// That they are an OAuth client (RFC 6749, 4.4).
    ClientCredentials(ClientProof),
    /// An ID token of a provider (RFC 8693).
    SubjectToken(String),
}

/// The proof of an OAuth client.
#[derive(Debug, Clone)]
pub enum ClientProof {
    /// By its secret.
    Secret {
        /// The client id.
        client_id: String,
        /// The secret.
        secret: String,
    },
    /// By a signed assertion (RFC 7523).
    Assertion(String),
}

/// An access token that was given.
#[derive(Debug)]
pub struct Granted {
    /// The token: it is shown once.
    pub token: Secret,
    /// The lifetime in seconds.
    pub expires_in: i64,
    /// The scope of the token.
    pub scope: &'static str,
}

/// The reason why there is no access token. The exact fault is in the events, not here.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// It is not known who the client is.
    #[error("the client is not known, or did not prove who it is")]
    Client,
    /// The ID token will not do.
    #[error("the subject token is not accepted")]
    Grant,
    /// The requested resource is no repository.
    #[error("`resource` is a repository: `namespace/name` or `datasets/namespace/name`")]
    Target,
    /// No trusted publisher of the repository is described by the ID token.
    #[error(
        "no trusted publisher of this repository is described by the ID token; add one in the settings of the repository"
    )]
    Publisher,
    /// It is known who asks, and they get nothing.
    #[error("this identity is suspended")]
    Suspended,
    /// It is our fault.
    #[error("internal error")]
    Internal(#[source] Error),
}

/// The lifetime of an access token, in seconds.
const ACCESS_SECONDS: i64 = 600;
/// The scope of an access token.
const SCOPE: &str = "eval:issue";

/// The reason why a caller was not authenticated, for the events.
struct UnprovenCaller {
    why: String,
    identity: Option<String>,
}

impl Issuer {
    /// Gives an access token to whoever proves who they are.
    pub async fn exchange(
        &self,
        exchange: Exchange,
        request: &str,
    ) -> Result<Granted, ExchangeError> {
        let refused = match &exchange {
            Exchange::ClientCredentials(_) => ExchangeError::Client,
            Exchange::SubjectToken(_) => ExchangeError::Grant,
        };
        let proved = match exchange {
            Exchange::ClientCredentials(ClientProof::Secret { client_id, secret }) => {
                self.by_client_secret(&client_id, &secret).await
            }
            Exchange::ClientCredentials(ClientProof::Assertion(token)) => {
                self.by_client_assertion(&token).await
            }
            Exchange::SubjectToken(token) => self.by_id_token(&token).await,
        };
        let found = match proved {
            Ok(found) => found,
            Err(ProofError::UnprovenCaller(nobody)) => {
                self.note_refused(nobody, request).await;
                return Err(refused);
            }
            Err(ProofError::Internal(error)) => return Err(ExchangeError::Internal(error)),
        };
        if let Some(reason) = &found.standing.suspended {
            let nobody = UnprovenCaller {
                why: format!("it is suspended: {reason}"),
                identity: Some(found.standing.identity.key.to_string()),
            };
            self.note_refused(nobody, request).await;
            return Err(ExchangeError::Suspended);
        }
        match self.grant(found, request).await {
            Ok(Some(granted)) => Ok(granted),
            Ok(None) => Err(refused),
            Err(error) => Err(ExchangeError::Internal(error)),
        }
    }

    async fn by_client_secret(&self, client_id: &str, text: &str) -> Result<Proved, ProofError> {
        let secret: Secret = text
            .parse()
            .map_err(|_| UnprovenCaller::of("it is no secret"))?;
        let credential = self
            .credential_of(&secret, CredentialKind::Client)
            .await?
            .ok_or_else(|| UnprovenCaller::of("the secret is unknown, revoked or expired"))?;
        let standing = self
            .standing_of(&credential.integration, &credential.name)
            .await?
            .ok_or_else(|| UnprovenCaller::of("the identity of the secret is no more"))?;
        let is_it = matches!(
            &standing.identity.kind,
            IdentityKind::Client { client_id: own, auth: ClientAuth::ClientSecret } if own == client_id
        );
        if !is_it {
            return Err(UnprovenCaller::of("the secret is not that of this client").into());
        }
        let facts = CallerFacts::of(&standing.identity, "client");
        Ok(Proved {
            standing,
            facts,
            assertion: None,
        })
    }

    async fn by_client_assertion(&self, token: &str) -> Result<Proved, ProofError> {
        let assertion = ClientAssertion::read(token)?;
        let client = assertion.client_id().to_owned();
        let standing = self
            .standings()
            .await?
            .into_iter()
            .find(|standing| {
                matches!(
                    &standing.identity.kind,
                    IdentityKind::Client { client_id, auth: ClientAuth::PrivateKeyJwt } if *client_id == client
                )
            })
            .ok_or_else(|| UnprovenCaller::of("there is no such client with a key"))?;
        let key = &standing.identity.key;
        let credentials = self
            .store()
            .issuer_credentials(key.integration().as_str(), key.name())
            .await
            .map_err(Error::from)?;
        let now = self.now();
        let keys: Vec<ClientKey> = credentials
            .iter()
            .filter(|one| one.revoked.is_none() && now < one.expires)
            .filter_map(|one| ClientKey::read(one.jwk.as_deref()?).ok())
            .collect();
        let verified = assertion.verify(&keys, self.name(), now)?;
        let facts = CallerFacts::of(&standing.identity, "client");
        Ok(Proved {
            standing,
            facts,
            assertion: Some(verified),
        })
    }

    async fn by_id_token(&self, token: &str) -> Result<Proved, ProofError> {
        let policy = self.policy();
        let token = IdToken::read(token, policy.providers())?;
        let provider = token.provider();
        let keys = self.keys_of(provider, token.kid()).await?;
        let assertion = token.verify(&keys, self.name(), self.now())?;
        let mut nearest = AssertionError::Nobody;
        for standing in self.standings().await? {
            match standing.identity.matched(provider, &assertion) {
                Ok(found) => {
                    let facts = CallerFacts {
                        assurance: found.assurance.to_string(),
                        owner: Some(found.owner),
                        run: found.run,
                    };
                    return Ok(Proved {
                        standing,
                        facts,
                        assertion: Some(assertion),
                    });
                }
                Err(AssertionError::Nobody) => {}
                Err(error) => nearest = error,
            }
        }
        Err(nearest.into())
    }

    /// Makes the access token. That an assertion is used up and that the token is made are one
    /// transaction: what fails uses nothing up, and of two that race one gets the token.
    async fn grant(&self, proved: Proved, request: &str) -> Result<Option<Granted>, Error> {
        let now = self.now();
        let mut tx = self.store().begin().await?;
        if let Some(assertion) = &proved.assertion
            && !use_up(&mut tx, assertion, now).await?
        {
            tx.rollback().await?;
            let nobody = UnprovenCaller {
                why: AssertionError::Replayed.to_string(),
                identity: Some(proved.standing.identity.key.to_string()),
            };
            self.note_refused(nobody, request).await;
            return Ok(None);
        }
        let token = draw(SecretKind::Access)?;
        let key = &proved.standing.identity.key;
        let expires = now.millis() + ACCESS_SECONDS * 1_000;
        let kept = AccessToken {
            id: token.id().to_string(),
            hash: Sha256::from_bytes(*token.hash().as_bytes()),
            integration: key.integration().to_string(),
            name: key.name().to_owned(),
            facts: serde_json::to_string(&proved.facts).map_err(Error::internal)?,
            expires: assay_model::Timestamp::from_millis(expires),
        };
        tx.add_access_token(&kept, now).await?;
        tx.note_issuer_event(now, &event(key.to_string().into(), "done", None, request))
            .await?;
        tx.commit().await?;
        Ok(Some(Granted {
            token,
            expires_in: ACCESS_SECONDS,
            scope: SCOPE,
        }))
    }

    async fn note_refused(&self, nobody: UnprovenCaller, request: &str) {
        self.note(event(nobody.identity, "refused", Some(nobody.why), request))
            .await;
    }

    /// Ends an access token or a credential. Whoever has it may end it, and nobody is told whether
    /// there was one.
    pub async fn revoke_secret(&self, text: &str, reason: &str) -> Result<(), Error> {
        let Ok(secret) = text.parse::<Secret>() else {
            return Ok(());
        };
        let revoked = match secret.kind() {
            SecretKind::Access => {
                let token = self.store().access_token(secret.id().as_str()).await?;
                let hash = token.map(|token| {
                    assay_trust::issuer::SecretHash::from_bytes(*token.hash.as_bytes())
                });
                if !secret.is(hash.as_ref()) {
                    return Ok(());
                }
                let mut tx = self.store().begin().await?;
                let revoked = tx.remove_access_token(secret.id().as_str()).await?;
                tx.commit().await?;
                revoked
            }
            SecretKind::Personal => self.revoke_held(&secret, CredentialKind::Personal).await?,
            SecretKind::Client => self.revoke_held(&secret, CredentialKind::Client).await?,
        };
        if revoked {
            self.note(NewIssuerEvent {
                action: "revoke credential".to_owned(),
                outcome: "done".to_owned(),
                detail: Some(format!(
                    "{} {}: {reason}",
                    secret.kind().prefix(),
                    secret.id()
                )),
                ..NewIssuerEvent::default()
            })
            .await;
        }
        Ok(())
    }

    async fn revoke_held(&self, secret: &Secret, kind: CredentialKind) -> Result<bool, Error> {
        let Some(credential) = self.credential_of(secret, kind).await? else {
            return Ok(false);
        };
        let mut tx = self.store().begin().await?;
        let revoked = tx.revoke_credential(&credential.id, self.now()).await?;
        tx.commit().await?;
        Ok(revoked)
    }
}

/// Somebody who has proved who they are, and what that uses up.
struct Proved {
    standing: Standing,
    facts: CallerFacts,
    assertion: Option<Assertion>,
}

enum ProofError {
    UnprovenCaller(UnprovenCaller),
    Internal(Error),
}

impl UnprovenCaller {
    fn of(why: &str) -> Self {
        Self {
            why: why.to_owned(),
            identity: None,
        }
    }
}

impl From<UnprovenCaller> for ProofError {
    fn from(nobody: UnprovenCaller) -> Self {
        Self::UnprovenCaller(nobody)
    }
}

impl From<AssertionError> for ProofError {
    fn from(error: AssertionError) -> Self {
        Self::UnprovenCaller(UnprovenCaller::of(&error.to_string()))
    }
}

impl From<Error> for ProofError {
    fn from(error: Error) -> Self {
        Self::Internal(error)
    }
}

async fn use_up(
    tx: &mut Tx,
    assertion: &Assertion,
    now: assay_model::Timestamp,
) -> Result<bool, Error> {
    let until = assertion.remember_until();
    let (issuer, jti) = (assertion.issuer(), assertion.jti());
    Ok(tx.use_assertion(issuer, jti, until, now).await?)
}

/// Draws a secret.
pub(super) fn draw(kind: SecretKind) -> Result<Secret, Error> {
    loop {
        if let Some(secret) = Secret::of_entropy(kind, &secret::bytes()?) {
            return Ok(secret);
        }
    }
}

fn event(
    identity: Option<String>,
    outcome: &str,
    detail: Option<String>,
    request: &str,
) -> NewIssuerEvent {
    NewIssuerEvent {
        action: "exchange".to_owned(),
        integration: identity
            .as_deref()
            .and_then(|key| key.split_once('/'))
            .map(|(integration, _)| integration.to_owned()),
        identity,
        outcome: outcome.to_owned(),
        detail,
        request: Some(request.to_owned()),
        ..NewIssuerEvent::default()
    }
}
