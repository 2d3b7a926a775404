//! From a credential to the right to ask: RFC 6749 for clients, RFC 8693 for the runs of CI
//! systems.

use std::time::Duration;

use assay_hub_api::client::{Client, ClientError, Origin, add_parameter};
use assay_model::RepoId;
use assay_trust::SigningKey;
use serde::Deserialize;

use super::{Credential, IssuerError, failed};
use crate::clock;

/// The path at which credentials are exchanged.
const TOKEN: &str = "/oauth/token";
/// The path of the metadata of an issuer.
const METADATA: &str = "/.well-known/oauth-authorization-server";
/// All that we ask for.
const SCOPE: &str = "eval:issue";
const CLIENT_CREDENTIALS: &str = "client_credentials";
const ASSERTION: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";
const ACCESS_TOKEN: &str = "urn:ietf:params:oauth:token-type:access_token";
/// Maximum duration of a CI system to say who a run is.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum size of its answer, in bytes.
const MAX_IDENTITY: u64 = 64 << 10;

/// Returns the credential that is sent with every request for a token.
pub(super) fn bearer(client: &Client, credential: &Credential) -> Result<String, IssuerError> {
    match credential {
        Credential::Bearer(token) => Ok(token.clone()),
        Credential::Client { id, secret } => {
            let form = [("grant_type", CLIENT_CREDENTIALS), ("scope", SCOPE)];
            access_token(client, &form, Some((id, secret)))
        }
        Credential::ClientKey { id, key } => {
            let assertion = assertion(client, id, key)?;
            let form = [
                ("grant_type", CLIENT_CREDENTIALS),
                ("scope", SCOPE),
                ("client_id", id),
                ("client_assertion_type", ASSERTION),
                ("client_assertion", &assertion),
            ];
            access_token(client, &form, None)
        }
        Credential::IdToken(token) => exchanged(client, token),
        Credential::Actions { url, token } => {
            let audience = name_of(client)?;
            exchanged(client, &identity_of_run(url, token, &audience)?)
        }
    }
}

/// Exchanges the identity of a CI run for a hub token that writes to one repository, as its trusted
/// publisher.
pub(super) fn publisher_token(
    client: &Client,
    identity: &Credential,
    repository: &RepoId,
) -> Result<String, IssuerError> {
    let id_token = match identity {
        Credential::IdToken(token) => token.clone(),
        Credential::Actions { url, token } => identity_of_run(url, token, &name_of(client)?)?,
        Credential::Bearer(_) | Credential::Client { .. } | Credential::ClientKey { .. } => {
            let what = identity.words();
            let message = format!("{what} is no identity of a CI run");
            return Err(IssuerError::Credential(message));
        }
    };
    let repository = repository.to_string();
    let form = [
        ("grant_type", EXCHANGE),
        ("subject_token", &id_token),
        ("subject_token_type", ID_TOKEN),
        ("resource", &repository),
    ];
    access_token(client, &form, None)
}

/// The client's word that it is the one, for this issuer alone.
fn assertion(client: &Client, id: &str, key: &str) -> Result<String, IssuerError> {
    let key = SigningKey::from_jwk(key).map_err(|_| {
        IssuerError::Credential("the key of the client is no private Ed25519 JWK".to_owned())
    })?;
    let audience = name_of(client)?;
    key.sign_client_assertion(id, &audience, clock::now().seconds())
        .map_err(|error| IssuerError::Identity(error.to_string()))
}

fn exchanged(client: &Client, id_token: &str) -> Result<String, IssuerError> {
    let form = [
        ("grant_type", EXCHANGE),
        ("subject_token", id_token),
        ("subject_token_type", ID_TOKEN),
        ("requested_token_type", ACCESS_TOKEN),
        ("scope", SCOPE),
    ];
    access_token(client, &form, None)
}

fn access_token(
    client: &Client,
    form: &[(&str, &str)],
    basic: Option<(&str, &str)>,
) -> Result<String, IssuerError> {
    let issuer = client.origin().as_str();
    let granted: Granted = client
        .post_form(TOKEN, form, basic)
        .map_err(|error| failed(issuer, error))?;
    let token = granted.access_token;
    token.ok_or_else(|| IssuerError::Identity(format!("`{issuer}` gave no access token")))
}

/// Returns the name of the issuer, which is the audience that an ID token must have.
fn name_of(client: &Client) -> Result<String, IssuerError> {
    let issuer = client.origin().as_str();
    let metadata: Metadata = client
        .get(METADATA)
        .map_err(|error| failed(issuer, error))?;
    Ok(metadata.issuer.unwrap_or_else(|| issuer.to_owned()))
}

/// The ID token of a run of GitHub Actions, for this issuer and no other.
fn identity_of_run(url: &str, token: &str, audience: &str) -> Result<String, IssuerError> {
    let address = url.split('?').next().unwrap_or_default();
    let (origin, path) = match Origin::split(url) {
        Ok((origin, path)) if origin.is_private() => (origin, path),
        Ok(_) | Err(_) => {
            return Err(IssuerError::Identity(format!(
                "`{address}` is not an https address"
            )));
        }
    };
    let mut path = path.to_owned();
    add_parameter(&mut path, "audience", audience);
    let fetched = Client::new(origin.as_str(), Some(token))
        .map(|client| client.with_limits(TIMEOUT, MAX_IDENTITY))
        .and_then(|client| client.get::<RunIdentity>(&path));
    let hint = "does the job have `permissions: id-token: write`?";
    let why = match fetched {
        Ok(RunIdentity { value: Some(token) }) => return Ok(token),
        Ok(RunIdentity { value: None }) => format!("it gave no token; {hint}"),
        Err(ClientError::Refused { status, .. }) => {
            format!("it answered {status} and gave no token; {hint}")
        }
        Err(error) => error.to_string(),
    };
    Err(IssuerError::Identity(format!("`{address}`: {why}")))
}

/// The answer to a request for an access token (RFC 6749, 5.1).
#[derive(Deserialize)]
struct Granted {
    access_token: Option<String>,
}

/// The metadata of an issuer (RFC 8414).
#[derive(Deserialize)]
struct Metadata {
    issuer: Option<String>,
}

/// The answer of GitHub Actions to a run that asks who it is.
#[derive(Deserialize)]
struct RunIdentity {
    value: Option<String>,
}
