//! Leaves of the results log: a token was issued, and the hub's decision when it first saw one.

use assay_model::Timestamp;

use crate::exact::Exact;
use crate::members::Members;
use crate::{
    Claims, Digest, IntegrationId, Json, JsonError, Jti, KeyError, Kid, Malformed, Reason, RepoUid,
};

/// A token was issued. It is in the log before anyone gets the token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// The issuer of the token.
    pub issuer: String,
    /// With which key.
    pub kid: Kid,
    /// The token's identity.
    pub jti: Jti,
    /// From when on, in seconds since 1970.
    pub iat: i64,
    /// Until when, in seconds since 1970.
    pub exp: i64,
    /// The digest of the token.
    pub token: Digest,
    /// For whom.
    pub integration: IntegrationId,
    /// The digest of its subject, when the policy discloses that.
    pub target: Option<Digest>,
}

/// The decision when a token was first seen with an entry in a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decide {
    /// The token's identity.
    pub jti: Jti,
    /// The digest of the token.
    pub token: Digest,
    /// The repository.
    pub repo: RepoUid,
    /// The digest of the entry.
    pub entry: Digest,
    /// The time of the push; whole seconds are logged.
    pub received_at: Timestamp,
    /// The outcome of the decision.
    pub outcome: Outcome,
}

/// The outcome of a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is bound to this entry in this repository, for ever.
    Admitted {
        /// The index of the issuance in the results log; none for a trusted issuer that keeps its
        /// own log.
        issue_index: Option<u64>,
    },
    /// It is refused, for ever, for this entry in this repository.
    Refused {
        /// The code of the reason, such as `expired_at_first_seen`.
        reason: String,
    },
}

/// A leaf of the results log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResultsLeaf {
    /// A token was issued.
    Issue(Issue),
    /// A token was seen, and this was decided.
    Decide(Decide),
}

/// The error of bytes that are no leaf of a log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LeafError {
    /// They are not JSON in its canonical spelling.
    #[error("the leaf cannot be read: {0}")]
    Json(JsonError),
    /// They do not have the shape of a leaf.
    #[error("the leaf does not have its shape: {0}")]
    Shape(Malformed),
    /// They name a key that may not be trusted.
    #[error("the leaf names a key that may not be trusted: {0}")]
    Key(KeyError),
}

/// The version of every leaf.
pub(crate) const VERSION: i64 = 1;

impl ResultsLeaf {
    /// Reads a leaf: canonical bytes, every member known.
    pub fn read(bytes: &[u8]) -> Result<Self, LeafError> {
        let exact = read_leaf(bytes)?;
        let mut members = members_of(&exact)?;
        let kind = members.text("t").map_err(LeafError::Shape)?;
        match kind.as_str() {
            "issue" => Issue::take(members).map(Self::Issue),
            "decide" => Decide::take(members).map(Self::Decide),
            _ => Err(Malformed::Wrong("t")),
        }
        .map_err(LeafError::Shape)
    }

    /// The bytes of the leaf.
    pub fn to_json(&self) -> String {
        match self {
            Self::Issue(issue) => issue.to_json(),
            Self::Decide(decide) => decide.to_json(),
        }
    }
}

impl Issue {
    /// The bytes of the leaf.
    pub fn to_json(&self) -> String {
        let mut json = Json::map([
            ("t", Json::Text("issue".to_owned())),
            ("v", Json::integer(VERSION)),
            ("iss", Json::shown(&self.issuer)),
            ("kid", Json::shown(&self.kid)),
            ("jti", Json::shown(&self.jti)),
            ("iat", Json::integer(self.iat)),
            ("exp", Json::integer(self.exp)),
            ("token", Json::shown(&self.token)),
            ("integration", Json::shown(&self.integration)),
        ]);
        json.set("target", self.target.as_ref().map(Json::shown));
        json.to_jcs()
    }

    /// The leaf for a token that a key signs.
    pub fn of(claims: &Claims, kid: Kid, token: &str) -> Self {
        Self {
            issuer: claims.iss.clone(),
            kid,
            jti: claims.jti,
            iat: claims.iat,
            exp: claims.exp,
            token: Digest::of(token.as_bytes()),
            integration: claims.sub.clone(),
            target: None,
        }
    }

    fn take(mut members: Members<'_>) -> Result<Self, Malformed> {
        let issue = Self {
            issuer: members.text("iss")?,
            kid: members.parsed("kid")?,
            jti: members.parsed("jti")?,
            iat: members.integer("iat")?,
            exp: members.integer("exp")?,
            token: members.parsed("token")?,
            integration: members.parsed("integration")?,
            target: members.optional_parsed("target")?,
        };
        members.finish().map(|()| issue)
    }
}

impl Decide {
    /// The bytes of the leaf.
    pub fn to_json(&self) -> String {
        let mut json = Json::map([
            ("t", Json::Text("decide".to_owned())),
            ("v", Json::integer(VERSION)),
            ("jti", Json::shown(&self.jti)),
            ("token", Json::shown(&self.token)),
            ("repo_id", Json::shown(&self.repo)),
            ("entry", Json::shown(&self.entry)),
            ("received_at", Json::integer(self.received_at.seconds())),
        ]);
        match &self.outcome {
            Outcome::Admitted { issue_index } => {
                json.set("outcome", Some(Json::Text("admitted".to_owned())));
                json.set("issue_index", issue_index.map(Json::index));
            }
            Outcome::Refused { reason } => {
                json.set("outcome", Some(Json::Text("refused".to_owned())));
                json.set("reason", Some(Json::shown(reason)));
            }
        }
        json.to_jcs()
    }

    /// Returns whether it takes the place of an earlier decision on the same token, entry and
    /// repository. The first one counts; only a token that the log did not know yet may be admitted
    /// later, because a log can lag behind.
    pub fn supersedes(&self, earlier: &Self) -> bool {
        let was_lag = matches!(&earlier.outcome, Outcome::Refused { reason } if *reason == Reason::NotInIssuanceLog.code());
        was_lag && matches!(self.outcome, Outcome::Admitted { .. })
    }

    fn take(mut members: Members<'_>) -> Result<Self, Malformed> {
        let outcome = match members.text("outcome")?.as_str() {
            "admitted" => Outcome::Admitted {
                issue_index: members.optional_index("issue_index")?,
            },
            "refused" => Outcome::Refused {
                reason: members.text("reason")?,
            },
            _ => return Err(Malformed::Wrong("outcome")),
        };
        let decide = Self {
            jti: members.parsed("jti")?,
            token: members.parsed("token")?,
            repo: members.parsed("repo_id")?,
            entry: members.parsed("entry")?,
            received_at: Timestamp::from_seconds(members.integer("received_at")?),
            outcome,
        };
        members.finish().map(|()| decide)
    }
}

/// The bytes of a leaf, in their one spelling.
pub(crate) fn read_leaf(bytes: &[u8]) -> Result<Exact<'_>, LeafError> {
    let text = std::str::from_utf8(bytes).map_err(|_| LeafError::Json(JsonError::Syntax))?;
    Exact::read(text).map_err(LeafError::Json)
}

/// The members of a leaf of this version.
pub(crate) fn members_of<'d>(leaf: &'d Exact<'_>) -> Result<Members<'d>, LeafError> {
    let mut members = Members::of(leaf.root()).map_err(LeafError::Shape)?;
    members.version("v", VERSION).map_err(LeafError::Shape)?;
    Ok(members)
}
