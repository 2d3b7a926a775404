//! From a credential to the right to ask: RFC 6749 for clients, RFC 8693 for the runs of CI systems.

use std::io::Read as _;
use std::time::Duration;

use assay_model::Clock as _;
use assay_server::SystemClock;
use assay_trust::SigningKey;
use serde_json::Value as Json;

use super::{Credential, IssuerError, failed};
use crate::client::{Client, Origin, agent, segment};

/// Where credentials are exchanged.
const TOKEN: &str = "/oauth/token";
/// Where an issuer says what it calls itself.
const METADATA: &str = "/.well-known/oauth-authorization-server";
/// All that we ask for.
const SCOPE: &str = "eval:issue";
const CLIENT_CREDENTIALS: &str = "client_credentials";
const ASSERTION: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";
const ACCESS_TOKEN: &str = "urn:ietf:params:oauth:token-type:access_token";
/// How long a CI system may take to say who a run is.
const TIMEOUT: Duration = Duration::from_secs(30);
/// How large its answer may be, in bytes.
const MAX_IDENTITY: u64 = 64 << 10;

/// What is shown with every request for a token.
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

/// The client's word that it is the one, for this issuer alone.
fn assertion(client: &Client, id: &str, key: &str) -> Result<String, IssuerError> {
    let key = SigningKey::from_jwk(key).map_err(|_| {
        IssuerError::Credential("the key of the client is no private Ed25519 JWK".to_owned())
    })?;
    let audience = name_of(client)?;
    key.sign_client_assertion(id, &audience, SystemClock.now().seconds())
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
    let answer = client
        .post_form(TOKEN, form, basic)
        .map_err(|error| failed(issuer, error))?;
    let token = answer["access_token"].as_str().map(str::to_owned);
    token.ok_or_else(|| IssuerError::Identity(format!("`{issuer}` gave no access token")))
}

/// What the issuer calls itself, which is the audience that an ID token has to be for.
fn name_of(client: &Client) -> Result<String, IssuerError> {
    let issuer = client.origin().as_str();
    let metadata = client
        .get(METADATA)
        .map_err(|error| failed(issuer, error))?;
    let name = metadata["issuer"].as_str().unwrap_or(issuer);
    Ok(name.to_owned())
}

/// The ID token of a run of GitHub Actions, for this issuer and no other.
fn identity_of_run(url: &str, token: &str, audience: &str) -> Result<String, IssuerError> {
    let address = url.split('?').next().unwrap_or_default();
    let is_private = address
        .parse::<Origin>()
        .is_ok_and(|origin| origin.is_private());
    if !is_private {
        return Err(IssuerError::Identity(format!(
            "`{address}` is not an https address"
        )));
    }
    let joint = if url.contains('?') { '&' } else { '?' };
    let asked = agent(TIMEOUT)
        .get(format!("{url}{joint}audience={}", segment(audience)))
        .header("authorization", format!("Bearer {token}"))
        .call();
    let unsaid = |why: String| IssuerError::Identity(format!("`{address}`: {why}"));
    let mut answer = asked.map_err(|error| unsaid(error.to_string()))?;
    let status = answer.status().as_u16();
    let mut body = Vec::new();
    let mut reader = answer.body_mut().as_reader().take(MAX_IDENTITY);
    reader
        .read_to_end(&mut body)
        .map_err(|error| unsaid(error.to_string()))?;
    let body: Json = serde_json::from_slice(&body).unwrap_or_default();
    match body["value"].as_str() {
        Some(token) if status == 200 => Ok(token.to_owned()),
        Some(_) | None => Err(unsaid(format!(
            "it answered {status} and gave no token; does the job have `permissions: id-token: write`?"
        ))),
    }
}
