use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use super::assertion::{Assertion, AssertionError};
use super::provider::{Provider, ProviderClass};
use crate::{Assurance, IntegrationId};

/// A machine that can prove who it is, and the one integration that it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The name of the identity.
    pub key: IdentityKey,
    /// The way it proves its identity.
    pub kind: IdentityKind,
    /// The most that its runs are worth.
    pub assurance: Assurance,
}

/// The name of an identity: its integration, a slash, and its own name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IdentityKey {
    integration: IntegrationId,
    name: String,
}

/// The way an identity is proved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IdentityKind {
    /// By an ID token of a provider.
    Oidc {
        /// The provider.
        issuer: String,
        /// The exact values of required claims.
        require: BTreeMap<String, String>,
        /// The events that may have started the run.
        events: Vec<String>,
    },
    /// As an OAuth client.
    Client {
        /// The client id.
        client_id: String,
        /// The authentication of the client.
        auth: ClientAuth,
    },
    /// By a personal token.
    Token,
}

/// The authentication of an OAuth client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientAuth {
    /// By a signature of its own key.
    PrivateKeyJwt,
    /// By a secret.
    ClientSecret,
}

/// The facts of an assertion about the identity that it describes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// The most that this run is worth.
    pub assurance: Assurance,
    /// The owner whose runs are counted together.
    pub owner: String,
    /// The facts of the run for its token.
    pub run: BTreeMap<String, String>,
}

/// The longest name of an identity, in bytes.
const MAX_NAME: usize = 80;
/// The longest fact of a run that is told in a token, in characters.
const MAX_FACT: usize = 200;

impl IdentityKey {
    /// The identity of a name.
    pub fn new(integration: &IntegrationId, name: &str) -> Result<Self, &'static str> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
        if (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(is_plain) {
            Ok(Self {
                integration: integration.clone(),
                name: name.to_owned(),
            })
        } else {
            Err("the name of an identity has letters, digits, `-`, `_`, `.` and `:` of ASCII")
        }
    }

    /// Its integration.
    pub fn integration(&self) -> &IntegrationId {
        &self.integration
    }

    /// Its own name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Identity {
    /// Returns whether an assertion of a provider describes this identity, and what it says of the
    /// run. An assertion of one provider never describes an identity of another, whatever it
    /// claims.
    pub fn matched(
        &self,
        provider: &Provider,
        assertion: &Assertion,
    ) -> Result<Match, AssertionError> {
        let IdentityKind::Oidc {
            issuer,
            require,
            events,
        } = &self.kind
        else {
            return Err(AssertionError::Nobody);
        };
        if *issuer != assertion.issuer() || *issuer != provider.issuer {
            return Err(AssertionError::Nobody);
        }
        for (name, expected) in require {
            if assertion.claim(name) != Some(expected) {
                return Err(AssertionError::Claim(name.clone()));
            }
        }
        check_event(provider.class, events, assertion)?;
        Ok(Match {
            assurance: self.assurance.min(assurance_of(provider.class, assertion)),
            owner: owner_of(provider, assertion),
            run: run_of(provider.class, assertion),
        })
    }
}

impl fmt::Display for IdentityKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.integration, self.name)
    }
}

impl FromStr for IdentityKey {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let wrong = "an identity is named `integration/name`";
        let (integration, name) = text.split_once('/').ok_or(wrong)?;
        let integration = integration.parse().map_err(|_| wrong)?;
        Self::new(&integration, name)
    }
}

impl ClientAuth {
    /// Both ways.
    pub const ALL: [Self; 2] = [Self::PrivateKeyJwt, Self::ClientSecret];

    /// Its word in a policy.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PrivateKeyJwt => "private_key_jwt",
            Self::ClientSecret => "client_secret",
        }
    }
}

impl FromStr for ClientAuth {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        Self::ALL
            .into_iter()
            .find(|auth| auth.as_str() == text)
            .ok_or("a client proves who it is by `private_key_jwt` or `client_secret`")
    }
}

fn check_event(
    class: ProviderClass,
    events: &[String],
    assertion: &Assertion,
) -> Result<(), AssertionError> {
    let Some(name) = class.event() else {
        return Ok(());
    };
    let event = assertion
        .claim(name)
        .ok_or_else(|| AssertionError::Claim(name.to_owned()))?;
    let is_listed = events.iter().any(|listed| listed == event);
    if is_listed && class.allowed_events().contains(&event) {
        Ok(())
    } else {
        Err(AssertionError::Event(event.chars().take(64).collect()))
    }
}

/// A run on a machine of somebody else is worth no more than their word.
fn assurance_of(class: ProviderClass, assertion: &Assertion) -> Assurance {
    let runner = assertion.claim("runner_environment");
    if class.hosted().is_some() && runner == class.hosted() {
        Assurance::Hosted
    } else {
        Assurance::Attributed
    }
}

fn owner_of(provider: &Provider, assertion: &Assertion) -> String {
    let owner = assertion.claim(provider.class.owner()).unwrap_or_default();
    format!("{} {owner}", provider.issuer)
}

fn run_of(class: ProviderClass, assertion: &Assertion) -> BTreeMap<String, String> {
    let told = class.told().iter().filter_map(|name| {
        let value = assertion.claim(name)?;
        let value: String = value.chars().take(MAX_FACT).collect();
        Some(((*name).to_owned(), value))
    });
    let kind = ("kind".to_owned(), class.as_str().to_owned());
    told.chain([kind]).collect()
}
