use std::io::Read as _;
use std::path::PathBuf;

use super::IssuerError;
use crate::config::Config;
use crate::credentials::Credentials;

/// The longest credential that is read from standard input, in bytes: the ID token of a CI run is
/// the longest.
const MAX_CREDENTIAL: u64 = 16 << 10;
/// The prefixes of credentials that are sent to the issuer as they are: a personal token, or an
/// access token.
const BEARERS: [&str; 2] = ["evp_", "eva_"];

/// A credential of this machine for an issuer.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Credential {
    /// A token that is shown as it is.
    Bearer(String),
    /// An OAuth client with its secret.
    Client { id: String, secret: String },
    /// An OAuth client with its key: a private JWK.
    ClientKey { id: String, key: String },
    /// The ID token of a CI run, to be exchanged.
    IdToken(String),
    /// A run of GitHub Actions, which is given an ID token when it asks.
    Actions { url: String, token: String },
}

/// The settings of the environment for issuers.
#[derive(Debug, Clone, Default)]
pub(crate) struct IssuerSettings {
    /// The address of the issuer, when it is not the hub.
    pub(crate) address: Option<String>,
    /// A credential.
    pub(crate) credential: Option<String>,
    /// An OAuth client.
    pub(crate) client_id: Option<String>,
    /// Its secret.
    pub(crate) client_secret: Option<String>,
    /// Or the file with its key, a private JWK.
    pub(crate) client_key: Option<PathBuf>,
    /// The ID token of a CI run, as GitLab hands it over.
    pub(crate) id_token: Option<String>,
    /// The address at which a run of GitHub Actions gets its ID token.
    pub(crate) actions_url: Option<String>,
    /// With what.
    pub(crate) actions_token: Option<String>,
}

impl Credential {
    /// Returns the credential: the one that was typed, else that of the environment, else the one
    /// that `assay hub login` kept.
    pub(crate) fn find(
        typed: Option<&str>,
        issuer: &str,
        config: &Config,
    ) -> Result<Option<Self>, IssuerError> {
        let settings = &config.issuer;
        if let Some(text) = typed {
            let text = if text == "-" {
                standard_input()?
            } else {
                text.to_owned()
            };
            return Self::of(&text).map(Some);
        }
        if let Some(text) = &settings.credential {
            return Self::of(text).map(Some);
        }
        if let (Some(id), Some(path)) = (&settings.client_id, &settings.client_key) {
            let key = fs_err::read_to_string(path)
                .map_err(|error| IssuerError::Credential(error.to_string()))?;
            return Ok(Some(Self::ClientKey {
                id: id.clone(),
                key,
            }));
        }
        if let (Some(id), Some(secret)) = (&settings.client_id, &settings.client_secret) {
            return Ok(Some(Self::Client {
                id: id.clone(),
                secret: secret.clone(),
            }));
        }
        if let Some(identity) = Self::of_ci_run(settings) {
            return Ok(Some(identity));
        }
        let kept = Credentials::load(config.credentials.as_deref())
            .map_err(|error| IssuerError::Credential(error.to_string()))?;
        kept.issuers
            .get(issuer)
            .map(|text| Self::of(text))
            .transpose()
    }

    /// Returns the identity of the CI run that this is, if it is one.
    pub(crate) fn of_ci_run(settings: &IssuerSettings) -> Option<Self> {
        if let Some(token) = &settings.id_token {
            return Some(Self::IdToken(token.clone()));
        }
        let (url, token) = (
            settings.actions_url.clone()?,
            settings.actions_token.clone()?,
        );
        Some(Self::Actions { url, token })
    }

    /// A credential as it is typed: a token, the pair of an OAuth client, or the ID token of a run.
    fn of(text: &str) -> Result<Self, IssuerError> {
        let text = text.trim();
        if Self::is_for_issuers(text) {
            return Ok(Self::Bearer(text.to_owned()));
        }
        if text.starts_with("ey") && text.split('.').count() == 3 {
            return Ok(Self::IdToken(text.to_owned()));
        }
        if let Some((id, secret)) = text
            .split_once(':')
            .filter(|(id, secret)| !id.is_empty() && !secret.is_empty())
        {
            return Ok(Self::Client {
                id: id.to_owned(),
                secret: secret.to_owned(),
            });
        }
        Err(IssuerError::Credential(
            "this is no credential of an issuer: it is a personal token (`evp_…`), a client with its secret (`id:secret`), or \
             the ID token of a run"
                .to_owned(),
        ))
    }

    /// Returns whether a text is a token that issuers take as it is.
    pub(crate) fn is_for_issuers(text: &str) -> bool {
        BEARERS.iter().any(|prefix| text.starts_with(prefix))
    }

    /// Returns the kind of credential, for people; never its content.
    pub(crate) fn words(&self) -> &'static str {
        match self {
            Self::Bearer(_) => "a personal token",
            Self::Client { .. } | Self::ClientKey { .. } => "an OAuth client",
            Self::IdToken(_) => "the ID token of the run",
            Self::Actions { .. } => "the identity of the GitHub Actions run",
        }
    }
}

impl std::fmt::Debug for Credential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.words())
    }
}

/// The first line of standard input.
fn standard_input() -> Result<String, IssuerError> {
    let mut text = String::new();
    std::io::stdin()
        .take(MAX_CREDENTIAL)
        .read_to_string(&mut text)
        .map_err(|error| {
            IssuerError::Credential(format!("standard input cannot be read: {error}"))
        })?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_is_told_by_how_it_looks() {
        let bearer = Credential::of(" evp_abc_def \n").unwrap();
        let client = Credential::of("ins-prod:evc_x:y").unwrap();
        let identity = Credential::of("eyJh.eyJp.c2ln").unwrap();

        assert_eq!(bearer, Credential::Bearer("evp_abc_def".to_owned()));
        assert_eq!(
            client,
            Credential::Client {
                id: "ins-prod".to_owned(),
                secret: "evc_x:y".to_owned()
            }
        );
        assert_eq!(identity, Credential::IdToken("eyJh.eyJp.c2ln".to_owned()));
        for text in ["", "hf_token", ":", "a:", ":b"] {
            assert!(Credential::of(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_credential_does_not_print() {
        let client = Credential::of("ins-prod:secret").unwrap();

        assert_eq!(format!("{client:?}"), "an OAuth client");
    }
}
