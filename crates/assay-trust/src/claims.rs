use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use assay_formats::Value;

use crate::exact::Exact;
use crate::members::Members;
use crate::{Digest, IntegrationId, Json, JsonError, Jti, Malformed, Subject};

/// The claims of a token.
#[derive(Debug, Clone, PartialEq)]
pub struct Claims {
    /// The issuer of the token.
    pub iss: String,
    /// The one hub that it is for.
    pub aud: String,
    /// The integration that it was issued to.
    pub sub: IntegrationId,
    /// Its identity.
    pub jti: Jti,
    /// The time of issuance, in seconds since 1970.
    pub iat: i64,
    /// From when on it holds.
    pub nbf: i64,
    /// Until when it holds, which is until when it must reach the hub for the first time.
    pub exp: i64,
    /// The subject of the claims.
    pub subject: Subject,
    /// The digests of the claim and of the entry that it was made for.
    pub digests: Digests,
    /// The degree of control over the run.
    pub assurance: Assurance,
    /// The policy that allowed it.
    pub policy: Option<Digest>,
    /// The machine identity that ran it, as flat facts. `identity` is the one that a revocation can
    /// name.
    pub act: Option<BTreeMap<String, String>>,
    /// The artefacts of the run, by their digests.
    pub evidence: Vec<Evidence>,
}

/// The digests that a token carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digests {
    /// Of the claim.
    pub subject: Digest,
    /// Of the whole entry without its token.
    pub entry: Digest,
}

/// The degree of control over a run. It says nothing of who signed, and nothing of whether the
/// numbers are right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Assurance {
    /// A known integration answers for the numbers.
    Attributed,
    /// They come from a hosted runner that the integration does not own.
    Hosted,
    /// They come from a run without access to the outside.
    Isolated,
    /// Somebody else ran it again and got the same.
    Reproduced,
}

/// An artefact of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The name of the artefact, such as `logs`.
    pub name: String,
    /// The digest of its bytes; in the claims it is written without `sha256:`.
    pub sha256: Digest,
    /// Its size in bytes.
    pub size: u64,
}

/// A word is no assurance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an assurance is `attributed`, `hosted`, `isolated` or `reproduced`")]
pub struct AssuranceError;

/// The error of a text that is not claims.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClaimsError {
    /// It is not JSON, or not in its canonical spelling.
    #[error("the claims cannot be read: {0}")]
    Json(JsonError),
    /// It does not have the shape.
    #[error("the claims do not have their shape: {0}")]
    Shape(Malformed),
}

impl Claims {
    /// The longest that a token may hold, in seconds.
    pub const MAX_LIFETIME: i64 = 3600;
    /// The most artefacts that a token may name.
    pub const MAX_EVIDENCE: usize = 32;
    /// The most facts that `act` may hold.
    pub const MAX_FACTS: usize = 16;
    const VERSION: i64 = 1;
    const SUBJECT_PREFIX: &str = "integration:";

    /// The claims in their canonical spelling, which is the payload of the token.
    pub fn to_jcs(&self) -> String {
        let mut json = Json::map(self.subject.members());
        let own = [
            ("ver", Json::integer(Self::VERSION)),
            ("iss", Json::shown(&self.iss)),
            ("aud", Json::shown(&self.aud)),
            (
                "sub",
                Json::Text(format!("{}{}", Self::SUBJECT_PREFIX, self.sub)),
            ),
            ("jti", Json::shown(&self.jti)),
            ("iat", Json::integer(self.iat)),
            ("nbf", Json::integer(self.nbf)),
            ("exp", Json::integer(self.exp)),
            ("digests", self.digests.to_json()),
            ("assurance", Json::shown(&self.assurance)),
        ];
        for (key, value) in own {
            json.set(key, Some(value));
        }
        json.set("policy", self.policy.as_ref().map(Json::shown));
        json.set("act", self.act.as_ref().map(write_facts));
        let evidence = || Json::List(self.evidence.iter().map(Evidence::to_json).collect());
        json.set("evidence", (!self.evidence.is_empty()).then(evidence));
        json.to_jcs()
    }

    /// Reads claims: in their canonical spelling, with every member known.
    pub fn read(text: &str) -> Result<Self, ClaimsError> {
        let exact = Exact::read(text).map_err(ClaimsError::Json)?;
        Self::of(exact.root()).map_err(ClaimsError::Shape)
    }

    fn of(value: Value<'_>) -> Result<Self, Malformed> {
        let mut members = Members::of(value)?;
        let claims = Self {
            act: members.take("act").map(read_facts).transpose()?,
            assurance: members.parsed("assurance")?,
            aud: members.text("aud")?,
            subject: Subject::take(&mut members)?,
            digests: Digests::take(members.members("digests")?)?,
            evidence: read_evidence(members.take("evidence"))?,
            exp: members.integer("exp")?,
            iat: members.integer("iat")?,
            iss: members.text("iss")?,
            jti: members.parsed("jti")?,
            nbf: members.integer("nbf")?,
            policy: members.optional_parsed("policy")?,
            sub: read_integration(&members.text("sub")?)?,
        };
        members.version("ver", Self::VERSION)?;
        members.finish().map(|()| claims)
    }
}

impl Digests {
    fn to_json(self) -> Json {
        Json::map([
            ("subject", Json::shown(&self.subject)),
            ("entry", Json::shown(&self.entry)),
        ])
    }

    fn take(mut members: Members<'_>) -> Result<Self, Malformed> {
        let digests = Self {
            subject: members.parsed("subject")?,
            entry: members.parsed("entry")?,
        };
        members.finish().map(|()| digests)
    }
}

impl Evidence {
    /// The artefact as the claims and an issue request have it.
    pub fn to_json(&self) -> Json {
        let digest = self.sha256.to_string();
        let hex = digest.trim_start_matches("sha256:");
        let size = i64::try_from(self.size).unwrap_or(i64::MAX);
        Json::map([
            ("name", Json::shown(&self.name)),
            ("sha256", Json::Text(hex.to_owned())),
            ("size", Json::integer(size)),
        ])
    }

    /// Reads an artefact as the claims and an issue request have it.
    pub fn read(value: Value<'_>) -> Result<Self, Malformed> {
        let mut members = Members::of(value)?;
        let hex = members.text("sha256")?;
        let evidence = Self {
            name: members.text("name")?,
            sha256: format!("sha256:{hex}")
                .parse()
                .map_err(|_| Malformed::Wrong("sha256"))?,
            size: members.index("size")?,
        };
        members.finish().map(|()| evidence)
    }
}

impl Assurance {
    /// Every level, from the weakest up.
    pub const ALL: [Self; 4] = [
        Self::Attributed,
        Self::Hosted,
        Self::Isolated,
        Self::Reproduced,
    ];

    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Attributed => "attributed",
            Self::Hosted => "hosted",
            Self::Isolated => "isolated",
            Self::Reproduced => "reproduced",
        }
    }
}

impl fmt::Display for Assurance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Assurance {
    type Err = AssuranceError;

    fn from_str(text: &str) -> Result<Self, AssuranceError> {
        let named = |level: &Self| level.as_str() == text;
        Self::ALL.into_iter().find(named).ok_or(AssuranceError)
    }
}

fn read_integration(text: &str) -> Result<IntegrationId, Malformed> {
    text.strip_prefix(Claims::SUBJECT_PREFIX)
        .and_then(|name| name.parse().ok())
        .ok_or(Malformed::Wrong("sub"))
}

fn write_facts(facts: &BTreeMap<String, String>) -> Json {
    let member = |(key, value): (&String, &String)| (key.clone(), Json::shown(value));
    Json::Map(facts.iter().map(member).collect())
}

fn read_facts(act: Value<'_>) -> Result<BTreeMap<String, String>, Malformed> {
    let fact = |(key, value): (Value<'_>, Value<'_>)| {
        Some((key.text()?.into_owned(), value.text()?.into_owned()))
    };
    let facts: Option<BTreeMap<_, _>> = act.entries().map(fact).collect();
    facts
        .filter(|facts| (1..=Claims::MAX_FACTS).contains(&facts.len()))
        .ok_or(Malformed::Wrong("act"))
}

/// The artefacts; a list that is there is not empty, so that there is one way to name none.
fn read_evidence(list: Option<Value<'_>>) -> Result<Vec<Evidence>, Malformed> {
    let Some(list) = list else {
        return Ok(Vec::new());
    };
    let items = list.items().map(Evidence::read);
    let evidence: Vec<Evidence> = items.collect::<Result<_, _>>()?;
    if (1..=Claims::MAX_EVIDENCE).contains(&evidence.len()) {
        Ok(evidence)
    } else {
        Err(Malformed::Wrong("evidence"))
    }
}
