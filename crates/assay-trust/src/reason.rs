use std::fmt;

use assay_model::NumberError;

mod hint;

/// An entry is not verified, and why: for machines, and for its author.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct Unverified {
    /// The reason, which has a stable code.
    pub reason: Reason,
    /// The fault in this very case, in words: the field, both values, the times.
    pub detail: String,
}

/// A reason why an entry is not verified. The code of each is public and never gets another
/// meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The entry brings no token.
    NoToken,
    /// It brings two.
    TokenAmbiguous,
    /// The value is not a token.
    TokenMalformed,
    /// The header of the token is not one of the two that are allowed.
    TokenHeader,
    /// No key of that name is known, or it may not sign yet.
    UnknownKey,
    /// The signature does not fit.
    BadSignature,
    /// The claims are not spelled canonically.
    ClaimsNotCanonical,
    /// The claims do not have their shape.
    ClaimsMalformed,
    /// The issuer is not trusted, or the key is not its own.
    IssuerUntrusted,
    /// The issuer is not trusted for this framework.
    FrameworkNotAllowed,
    /// The token is for another hub.
    AudienceMismatch,
    /// The token holds too long, or ends before it begins.
    LifetimeInvalid,
    /// The file is not YAML that can be read.
    YamlSyntax,
    /// Tools disagree on a value.
    YamlAmbiguousScalar,
    /// An anchor or an alias.
    YamlAnchor,
    /// A tag.
    YamlTag,
    /// A directive.
    YamlDirective,
    /// More than one document.
    YamlDocuments,
    /// A byte order mark.
    YamlByteOrderMark,
    /// A key that is not plain.
    YamlKey,
    /// A key twice.
    YamlDuplicateKey,
    /// Too large, too deep, or too many.
    YamlTooLarge,
    /// A character that hides or misleads.
    YamlForbiddenCharacter,
    /// A number that cannot be compared exactly.
    Number(NumberError),
    /// A field is missing.
    Missing(Field),
    /// A field is not what it should be.
    Type(Field),
    /// A revision is not a full hash.
    RevisionNotFull(Field),
    /// A metric twice for one slice.
    DuplicateMetric,
    /// The token names another model.
    ModelRepoMismatch,
    /// A field differs from what was signed.
    ClaimMismatch(Field),
    /// The metrics are those that were signed, in another order.
    MetricsOrderMismatch,
    /// The digest of the subject differs from the signed one.
    SubjectDigestMismatch,
    /// Something else in the entry differs from what was signed.
    EntryDigestMismatch,
    /// The entry is in the wrong file.
    PathMismatch,
    /// The benchmark has no such commit, or no definition at it.
    BenchmarkRevisionUnknown,
    /// The benchmark has no such task at that commit.
    TaskUnknown,
    /// The benchmark has no such metric at that commit.
    MetricUnknown,
    /// The model has no such commit.
    ModelRevisionUnknown,
    /// Nothing has been decided yet.
    NotAdmitted,
    /// The log does not know that the token was issued.
    NotInIssuanceLog,
    /// The log knows another token of this identity.
    IssuanceRecordMismatch,
    /// It was first seen before it held.
    NotYetValid,
    /// It was first seen when it no longer held.
    ExpiredAtFirstSeen,
    /// It is bound to another repository.
    BoundToOtherRepo,
    /// It stands in this tree already.
    DuplicateTokenInTree,
    /// A receipt does not hold.
    ReceiptInvalid,
    /// A receipt is about something else.
    ReceiptMismatch,
    /// The key had retired before the token was first seen.
    KeyRetired,
    /// The key is revoked.
    KeyRevoked,
    /// The issuer is revoked.
    IssuerRevoked,
    /// The integration is revoked.
    IntegrationRevoked,
    /// The machine identity that asked for it is revoked.
    IdentityRevoked,
    /// The token itself is revoked.
    TokenRevoked,
    /// These versions of the framework are revoked.
    FrameworkRevoked,
    /// The benchmark at this commit is withdrawn: nobody did wrong, but the result says nothing any
    /// more.
    Withdrawn,
}

/// A field of an entry that reasons speak of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// The entry as a whole.
    Entry,
    /// `dataset`.
    Dataset,
    /// `dataset.id`.
    DatasetId,
    /// `dataset.task_id`.
    TaskId,
    /// `dataset.revision`.
    DatasetRevision,
    /// `model_revision`.
    ModelRevision,
    /// `framework`.
    Framework,
    /// `framework.name`.
    FrameworkName,
    /// `framework.version`.
    FrameworkVersion,
    /// `framework.command`.
    FrameworkCommand,
    /// `metrics`.
    Metrics,
    /// `metrics.metric_id`.
    MetricId,
    /// `metrics.value`.
    Value,
    /// `metrics.slice`.
    Slice,
    /// `verify_token`.
    Token,
}

impl Unverified {
    /// An entry is not verified for this reason.
    pub fn new(reason: Reason, detail: impl Into<String>) -> Self {
        Self {
            reason,
            detail: detail.into(),
        }
    }

    /// The sentence that tells its author what to do.
    pub fn hint(&self) -> &'static str {
        self.reason.hint()
    }
}

impl Field {
    /// Every field.
    pub const ALL: [Self; 15] = [
        Self::Entry,
        Self::Dataset,
        Self::DatasetId,
        Self::TaskId,
        Self::DatasetRevision,
        Self::ModelRevision,
        Self::Framework,
        Self::FrameworkName,
        Self::FrameworkVersion,
        Self::FrameworkCommand,
        Self::Metrics,
        Self::MetricId,
        Self::Value,
        Self::Slice,
        Self::Token,
    ];

    /// The field as a path in the entry.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Entry => "entry",
            Self::Dataset => "dataset",
            Self::DatasetId => "dataset.id",
            Self::TaskId => "dataset.task_id",
            Self::DatasetRevision => "dataset.revision",
            Self::ModelRevision => "model_revision",
            Self::Framework => "framework",
            Self::FrameworkName => "framework.name",
            Self::FrameworkVersion => "framework.version",
            Self::FrameworkCommand => "framework.command",
            Self::Metrics => "metrics",
            Self::MetricId => "metrics.metric_id",
            Self::Value => "metrics.value",
            Self::Slice => "metrics.slice",
            Self::Token => "verify_token",
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Reason {
    /// The code, such as `expired_at_first_seen` or `claim_mismatch:metrics`.
    ///
    /// ```
    /// # use assay_trust::{Field, Reason};
    /// assert_eq!(Reason::ClaimMismatch(Field::Metrics).code(), "claim_mismatch:metrics");
    /// assert_eq!(Reason::from_code("no_token"), Some(Reason::NoToken));
    /// ```
    pub fn code(self) -> String {
        match self.words() {
            (word, _, Some(field)) => format!("{word}:{field}"),
            (word, _, None) => word.to_owned(),
        }
    }

    /// The reason of a code, as the log has it.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::all().into_iter().find(|reason| reason.code() == code)
    }

    /// The field that it is about, where the code names one.
    pub fn field(self) -> Option<Field> {
        self.words().2
    }

    /// Returns the next step for the author of the entry, in one sentence.
    pub fn hint(self) -> &'static str {
        self.words().1
    }
}

impl From<NumberError> for Reason {
    fn from(error: NumberError) -> Self {
        match error {
            NumberError::Ambiguous => Self::YamlAmbiguousScalar,
            NumberError::TooLong
            | NumberError::ExcessPrecision
            | NumberError::UnsafeInteger
            | NumberError::OutOfRange
            | NumberError::Underflow => Self::Number(error),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.code())
    }
}
