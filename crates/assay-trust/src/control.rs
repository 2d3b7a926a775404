//! The control log: everything that trust depends on is a leaf of it, and it is always read whole.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use assay_formats::{Kind, Value};
use assay_model::Revision;
use semver::VersionReq;

use crate::leaf::{VERSION, members_of, read_leaf};
use crate::members::Members;
use crate::{Digest, IntegrationId, Json, Jti, Kid, LeafError, Malformed, PublicKey};

/// A leaf of the control log.
#[derive(Debug, Clone, PartialEq)]
pub enum ControlLeaf {
    /// A key is now in this state.
    Key {
        /// The owner of the key: the issuer for a token key, the origin of the log for a log key.
        issuer: String,
        /// The key.
        key: PublicKey,
        /// The purpose of the key.
        purpose: KeyPurpose,
        /// The state that it enters.
        state: KeyState,
    },
    /// An issuer is trusted from now on in this way, or no longer.
    Issuer(IssuerTrust),
    /// This policy is in force at our own issuer.
    Policy {
        /// The digest of the policy file.
        sha256: Digest,
    },
    /// Everything under the scope stands no longer.
    Revoke {
        /// The scope of the revocation.
        scope: Scope,
        /// Only what the results log has from this index on; 0 for everything.
        from_index: u64,
        /// The reason in words.
        reason: String,
        /// The person who decided it.
        actor: String,
    },
    /// A revocation is taken back.
    Unrevoke {
        /// The index of its leaf in this log.
        revocation: u64,
        /// The reason in words.
        reason: String,
        /// The person who decided it.
        actor: String,
    },
}

/// The terms on which an issuer is trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuerTrust {
    /// Its name, as tokens have it.
    pub issuer: String,
    /// The audience that its tokens for this hub name. An audience that was ours once stays ours:
    /// results live longer than addresses.
    pub audience: String,
    /// The frameworks that it may sign for; none for all.
    pub frameworks: Option<Vec<String>>,
    /// True if its tokens count only when the results log of this hub has their issuance. Always so
    /// for our own issuer.
    pub must_be_logged: bool,
    /// True if it is trusted at all.
    pub is_trusted: bool,
}

/// The purpose of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyPurpose {
    /// Tokens.
    Token,
    /// Checkpoints of the results log.
    ResultsLog,
    /// Checkpoints of the control log.
    ControlLog,
}

/// The state of a key in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyState {
    /// Published, and not to be used yet.
    Pending,
    /// The one that signs.
    Active,
    /// Signs no more; what it signed is still fresh.
    Retiring,
    /// Signs no more; what it signed stands.
    Retired,
}

/// The scope of a revocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Everything that a key signed.
    Kid(Kid),
    /// Everything that an issuer issued.
    Issuer(String),
    /// Everything that an integration was given.
    Integration(IntegrationId),
    /// Everything that a machine identity was given; it is `act.identity` of the claims.
    Identity(String),
    /// One token.
    Jti(Jti),
    /// Everything that these versions of a framework produced.
    Framework {
        /// The name, exactly.
        name: String,
        /// The versions, such as `>=0.4.0, <0.4.3`.
        versions: VersionReq,
    },
    /// Everything that was measured on this commit of a benchmark; it is withdrawn, and nobody did
    /// wrong.
    BenchmarkRevision(Revision),
}

/// A word is none of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not {0}")]
pub struct WordError(&'static str);

impl ControlLeaf {
    /// Reads a leaf: canonical bytes, every member known, and no key that is weak.
    pub fn read(bytes: &[u8]) -> Result<Self, LeafError> {
        let exact = read_leaf(bytes)?;
        let mut members = members_of(&exact)?;
        let kind = members.text("t").map_err(LeafError::Shape)?;
        if kind == "key" {
            return Self::take_key(members);
        }
        match kind.as_str() {
            "issuer" => IssuerTrust::take(members).map(Self::Issuer),
            "policy" => Self::take_policy(members),
            "revoke" => Self::take_revoke(members),
            "unrevoke" => Self::take_unrevoke(members),
            _ => Err(Malformed::Wrong("t")),
        }
        .map_err(LeafError::Shape)
    }

    /// The bytes of the leaf.
    pub fn to_json(&self) -> String {
        let (kind, mut json) = match self {
            Self::Key {
                issuer,
                key,
                purpose,
                state,
            } => ("key", key_json(issuer, key, *purpose, *state)),
            Self::Issuer(trust) => ("issuer", trust.to_json()),
            Self::Policy { sha256 } => ("policy", Json::map([("sha256", Json::shown(sha256))])),
            Self::Revoke {
                scope,
                from_index,
                reason,
                actor,
            } => (
                "revoke",
                Json::map([
                    ("scope", scope.to_json()),
                    ("from_index", Json::index(*from_index)),
                    ("reason", Json::shown(reason)),
                    ("actor", Json::shown(actor)),
                ]),
            ),
            Self::Unrevoke {
                revocation,
                reason,
                actor,
            } => (
                "unrevoke",
                Json::map([
                    ("revocation", Json::index(*revocation)),
                    ("reason", Json::shown(reason)),
                    ("actor", Json::shown(actor)),
                ]),
            ),
        };
        json.set("t", Some(Json::Text(kind.to_owned())));
        json.set("v", Some(Json::integer(VERSION)));
        json.to_jcs()
    }

    fn take_key(mut members: Members<'_>) -> Result<Self, LeafError> {
        let jwk = members.required("jwk").map_err(LeafError::Shape)?;
        let key = PublicKey::of_jwk(jwk).map_err(LeafError::Key)?;
        let read = |mut members: Members<'_>| {
            members.constant("alg", "EdDSA")?;
            members.constant("kid", &key.kid().to_string())?;
            let leaf = Self::Key {
                issuer: members.text("iss")?,
                key: key.clone(),
                purpose: members.parsed("use")?,
                state: members.parsed("state")?,
            };
            members.finish().map(|()| leaf)
        };
        read(members).map_err(LeafError::Shape)
    }

    fn take_policy(mut members: Members<'_>) -> Result<Self, Malformed> {
        let sha256 = members.parsed("sha256")?;
        members.finish().map(|()| Self::Policy { sha256 })
    }

    fn take_revoke(mut members: Members<'_>) -> Result<Self, Malformed> {
        let leaf = Self::Revoke {
            scope: Scope::take(members.members("scope")?)?,
            from_index: members.index("from_index")?,
            reason: members.text("reason")?,
            actor: members.text("actor")?,
        };
        members.finish().map(|()| leaf)
    }

    fn take_unrevoke(mut members: Members<'_>) -> Result<Self, Malformed> {
        let leaf = Self::Unrevoke {
            revocation: members.index("revocation")?,
            reason: members.text("reason")?,
            actor: members.text("actor")?,
        };
        members.finish().map(|()| leaf)
    }
}

fn key_json(issuer: &String, key: &PublicKey, purpose: KeyPurpose, state: KeyState) -> Json {
    Json::map([
        ("iss", Json::shown(issuer)),
        ("kid", Json::shown(&key.kid())),
        ("alg", Json::Text("EdDSA".to_owned())),
        ("jwk", key.to_jwk()),
        ("use", Json::shown(&purpose)),
        ("state", Json::shown(&state)),
    ])
}

impl IssuerTrust {
    fn to_json(&self) -> Json {
        let mut json = Json::map([
            ("iss", Json::shown(&self.issuer)),
            ("aud", Json::shown(&self.audience)),
            ("logged", Json::Bool(self.must_be_logged)),
            ("trusted", Json::Bool(self.is_trusted)),
        ]);
        let names = |names: &Vec<String>| Json::List(names.iter().map(Json::shown).collect());
        json.set("frameworks", self.frameworks.as_ref().map(names));
        json
    }

    fn take(mut members: Members<'_>) -> Result<Self, Malformed> {
        let name = |name: Value<'_>| name.text().map(Cow::into_owned);
        let names = |list: Value<'_>| match list.kind() {
            Kind::List => list.items().map(name).collect(),
            Kind::Null | Kind::Bool | Kind::Number | Kind::String | Kind::Map => None,
        };
        let frameworks = match members.take("frameworks") {
            None => None,
            Some(list) => Some(names(list).ok_or(Malformed::Wrong("frameworks"))?),
        };
        let trust = Self {
            issuer: members.text("iss")?,
            audience: members.text("aud")?,
            frameworks,
            must_be_logged: members.truth("logged")?,
            is_trusted: members.truth("trusted")?,
        };
        members.finish().map(|()| trust)
    }
}

impl Scope {
    fn to_json(&self) -> Json {
        match self {
            Self::Kid(kid) => Json::map([("kid", Json::shown(kid))]),
            Self::Issuer(issuer) => Json::map([("issuer", Json::shown(issuer))]),
            Self::Integration(id) => Json::map([("integration", Json::shown(id))]),
            Self::Identity(identity) => Json::map([("identity", Json::shown(identity))]),
            Self::Jti(jti) => Json::map([("jti", Json::shown(jti))]),
            Self::Framework { name, versions } => Json::map([
                ("framework", Json::shown(name)),
                ("versions", Json::shown(versions)),
            ]),
            Self::BenchmarkRevision(revision) => {
                Json::map([("benchmark_revision", Json::shown(revision))])
            }
        }
    }

    fn take(mut members: Members<'_>) -> Result<Self, Malformed> {
        let scope = if let Some(kid) = members.optional_parsed("kid")? {
            Self::Kid(kid)
        } else if let Some(issuer) = members.optional_text("issuer")? {
            Self::Issuer(issuer)
        } else if let Some(id) = members.optional_parsed("integration")? {
            Self::Integration(id)
        } else if let Some(identity) = members.optional_text("identity")? {
            Self::Identity(identity)
        } else if let Some(jti) = members.optional_parsed("jti")? {
            Self::Jti(jti)
        } else if let Some(name) = members.optional_text("framework")? {
            let text = members.text("versions")?;
            Self::Framework {
                name,
                versions: versions(&text).ok_or(Malformed::Wrong("versions"))?,
            }
        } else {
            Self::BenchmarkRevision(members.parsed("benchmark_revision")?)
        };
        // Two scopes in one leaf would leave one of them unread.
        members.finish().map(|()| scope)
    }
}

/// Versions in the one spelling that they are written in: `80.4.3` means `^80.4.3`, and only the
/// latter is a leaf's.
fn versions(text: &str) -> Option<VersionReq> {
    let versions: VersionReq = text.parse().ok()?;
    (versions.to_string() == text).then_some(versions)
}

impl KeyPurpose {
    const ALL: [Self; 3] = [Self::Token, Self::ResultsLog, Self::ControlLog];

    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::ResultsLog => "results-log",
            Self::ControlLog => "control-log",
        }
    }
}

impl KeyState {
    const ALL: [Self; 4] = [Self::Pending, Self::Active, Self::Retiring, Self::Retired];

    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Active => "active",
            Self::Retiring => "retiring",
            Self::Retired => "retired",
        }
    }
}

macro_rules! words {
    ($name:ident, $words:literal) => {
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = WordError;

            fn from_str(text: &str) -> Result<Self, WordError> {
                let named = |one: &Self| one.as_str() == text;
                Self::ALL.into_iter().find(named).ok_or(WordError($words))
            }
        }
    };
}

words!(KeyPurpose, "what a key is for");
words!(KeyState, "the state of a key");
