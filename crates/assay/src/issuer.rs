//! An issuer of tokens, spoken to as a machine.

mod credential;
mod evidence;
mod exchange;

use std::time::Duration;

use assay_hub_api::EvalToken;
use assay_hub_api::client::{Client, ClientError, Document};
use assay_model::RepoId;
use assay_trust::{Canonical, Unverified, UnverifiedToken, matches};
use serde_json::{Value as Json, json};

pub(crate) use self::credential::{Credential, IssuerSettings};
pub(crate) use self::evidence::{Artefact, artefacts};
use crate::clock;

/// The path at which an issuer signs.
pub(crate) const ISSUE: &str = EvalToken::PATH;
/// The number of attempts when the issuer cannot be reached or asks for patience.
const ATTEMPTS: u32 = 3;
/// The time to wait before the second attempt; each further one waits twice as long.
const PATIENCE: Duration = Duration::from_millis(500);

/// The reason why there is no token.
#[derive(Debug, thiserror::Error)]
pub(crate) enum IssuerError {
    /// The issuer refused, or cannot be reached.
    #[error("the issuer at `{issuer}`: {source}")]
    Client { issuer: String, source: ClientError },
    /// A credential would travel in the open.
    #[error("a credential is sent over https or to this machine only, and the issuer is at `{0}`")]
    Open(String),
    /// The credential is none.
    #[error("{0}")]
    Credential(String),
    /// A file of the run cannot be signed along.
    #[error("`{path}` cannot be signed along: {why}")]
    Evidence { path: String, why: String },
    /// The machine identity could not be had.
    #[error("the identity of this run cannot be had: {0}")]
    Identity(String),
    /// The entry could never be verified.
    #[error("the entry cannot be signed: {}: {} ({})", .0.reason, .0.detail, .0.hint())]
    Entry(Unverified),
    /// The answer is not what was asked for.
    #[error("the issuer at `{issuer}` signed something else than it was asked to: {why}")]
    Answer { issuer: String, why: String },
}

/// An issuer and the right to ask it.
pub(crate) struct Issuer {
    client: Client,
}

impl Issuer {
    /// Shows the credential, and gets the right to ask for tokens.
    pub(crate) fn connect(address: &str, credential: &Credential) -> Result<Self, IssuerError> {
        let bare = Client::new(address, None).map_err(|error| failed(address, error))?;
        if !bare.origin().is_private() {
            return Err(IssuerError::Open(address.to_owned()));
        }
        let bearer = exchange::bearer(&bare, credential)?;
        let client = Client::new(address, Some(&bearer)).map_err(|error| failed(address, error))?;
        Ok(Self { client })
    }

    /// The address of the issuer.
    pub(crate) fn address(&self) -> &str {
        self.client.origin().as_str()
    }

    /// Has an entry signed. What comes back is compared with what was asked for: a token for
    /// anything else is of no use.
    pub(crate) fn issue(
        &self,
        model: &RepoId,
        canonical: &Canonical,
        artefacts: &[Artefact],
    ) -> Result<Document<EvalToken>, IssuerError> {
        let body = request(model, canonical, artefacts)?;
        // The same key for every attempt of one request: an issuer that signed and whose answer was
        // lost gives it again.
        let now = clock::now().millis();
        let key = format!("{}-{now}-{}", canonical.digest(), std::process::id());
        let issued = self.ask(&body, &key.replace(':', "-"))?;
        let token = UnverifiedToken::read(&issued.value.verify_token);
        let claims = token.and_then(|token| token.unverified_claims());
        let compared = claims.and_then(|claims| matches(canonical, &claims));
        compared.map_err(|unverified| IssuerError::Answer {
            issuer: self.address().to_owned(),
            why: unverified.to_string(),
        })?;
        Ok(issued)
    }

    fn ask(&self, body: &str, key: &str) -> Result<Document<EvalToken>, IssuerError> {
        let mut patience = PATIENCE;
        let mut attempt = 1;
        loop {
            let error = match self.client.issue_token(body, key) {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            if attempt == ATTEMPTS || !is_passing(&error) {
                return Err(failed(self.address(), error));
            }
            std::thread::sleep(patience);
            patience *= 2;
            attempt += 1;
        }
    }
}

/// Returns a client of a hub that may write to `repository`.
///
/// A client without a token gets one in exchange for the identity of the CI run, when the
/// repository has this run as a trusted publisher. Outside of CI it stays as it is.
pub(crate) fn client_to_publish(
    client: Client,
    repository: &RepoId,
    settings: &IssuerSettings,
) -> Result<Client, IssuerError> {
    let Some(identity) = Credential::of_ci_run(settings).filter(|_| !client.has_token()) else {
        return Ok(client);
    };
    let hub = client.origin().as_str().to_owned();
    if !client.origin().is_private() {
        return Err(IssuerError::Open(hub));
    }
    let token = exchange::publisher_token(&client, &identity, repository)?;
    Client::new(&hub, Some(&token)).map_err(|error| failed(&hub, error))
}

/// Returns the request to an issuer. The entry is in its canonical form, so numbers stand as they
/// are signed.
pub(crate) fn request(
    model: &RepoId,
    canonical: &Canonical,
    artefacts: &[Artefact],
) -> Result<String, IssuerError> {
    let subject = canonical.subject(model).map_err(IssuerError::Entry)?;
    let expect = json!({
        "entry": canonical.digest().to_string(),
        "subject": subject.digest().to_string(),
    });
    let evidence = match artefacts {
        [] => String::new(),
        some => {
            let list: Vec<Json> = some.iter().map(Artefact::to_json).collect();
            format!(",\"evidence\":{}", Json::Array(list))
        }
    };
    Ok(format!(
        "{{\"model_repo\":{},\"entry\":{},\"expect\":{expect}{evidence}}}",
        json!(model.as_str()),
        canonical.as_json()
    ))
}

/// Returns whether the same request may well be granted in a moment.
fn is_passing(error: &ClientError) -> bool {
    match error {
        ClientError::Transport { .. }
        | ClientError::Refused {
            status: 502..=504, ..
        } => true,
        ClientError::Address(_)
        | ClientError::Body { .. }
        | ClientError::TooLarge { .. }
        | ClientError::Shape { .. }
        | ClientError::Elsewhere { .. }
        | ClientError::Redirects { .. }
        | ClientError::File { .. }
        | ClientError::Refused { .. } => false,
    }
}

fn failed(issuer: &str, source: ClientError) -> IssuerError {
    IssuerError::Client {
        issuer: issuer.to_owned(),
        source,
    }
}
