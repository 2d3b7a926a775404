use assay_model::Diagnostic;
use assay_trust::{Reason, Unverified};

use crate::error::Error;
use crate::trust::NoTokenKey;

/// The reason of a refusal: for machines by its code, for people by its detail.
#[derive(Debug)]
pub struct Refusal {
    /// The code, which never gets another meaning.
    pub code: RefusalCode,
    /// The code of a number that cannot be signed, which is more exact.
    pub number: Option<Box<str>>,
    /// The fault in this very case.
    pub detail: String,
    /// The place in the request, as a JSON pointer.
    pub pointer: Option<String>,
    /// The time after which to try again, in seconds.
    pub retry_after: Option<u64>,
    /// Diagnostics of the files.
    pub diagnostics: Box<[Diagnostic]>,
    /// The cause for the log of the server.
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The codes of refusals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalCode {
    /// The request is no JSON of the right shape.
    Malformed,
    /// A number cannot be signed.
    Number,
    /// A member is not known.
    UnknownMember,
    /// Nobody knows who is asking.
    Unauthenticated,
    /// The integration does not speak for this framework.
    FrameworkNotAllowed,
    /// The integration may not speak of this benchmark or model.
    TargetNotAllowed,
    /// The identity or its integration is suspended.
    IdentitySuspended,
    /// More assurance is asked for than the identity can give.
    AssuranceNotAllowed,
    /// The token is somebody else's.
    NotYours,
    /// There is no such token.
    NotFound,
    /// The key of the request was used for another, or the same one is under way.
    IdempotencyConflict,
    /// The body is too large.
    TooLarge,
    /// The body is compressed.
    ContentEncodingRefused,
    /// The result file has errors.
    EntryInvalid,
    /// A revision is not a full hash.
    RevisionNotFull,
    /// There is no such benchmark, or no such commit of it.
    BenchmarkRevisionUnknown,
    /// The benchmark has no such task at that commit.
    TaskUnknown,
    /// The benchmark has no such metric at that commit.
    MetricUnknown,
    /// A metric is there twice.
    DuplicateMetric,
    /// The caller computed another digest.
    DigestDisagreement,
    /// Something in the entry looks like a credential.
    SecretDetected,
    /// Asked too often.
    RateLimited,
    /// The log cannot be written, so nothing is issued.
    LogUnavailable,
    /// There is no key to sign with.
    NoSigningKey,
    /// It is our fault.
    Internal,
}

impl RefusalCode {
    /// Every code.
    pub const ALL: [Self; 25] = [
        Self::Malformed,
        Self::Number,
        Self::UnknownMember,
        Self::Unauthenticated,
        Self::FrameworkNotAllowed,
        Self::TargetNotAllowed,
        Self::IdentitySuspended,
        Self::AssuranceNotAllowed,
        Self::NotYours,
        Self::NotFound,
        Self::IdempotencyConflict,
        Self::TooLarge,
        Self::ContentEncodingRefused,
        Self::EntryInvalid,
        Self::RevisionNotFull,
        Self::BenchmarkRevisionUnknown,
        Self::TaskUnknown,
        Self::MetricUnknown,
        Self::DuplicateMetric,
        Self::DigestDisagreement,
        Self::SecretDetected,
        Self::RateLimited,
        Self::LogUnavailable,
        Self::NoSigningKey,
        Self::Internal,
    ];

    /// The code as it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::Number => "number",
            Self::UnknownMember => "unknown_member",
            Self::Unauthenticated => "unauthenticated",
            Self::FrameworkNotAllowed => "framework_not_allowed",
            Self::TargetNotAllowed => "target_not_allowed",
            Self::IdentitySuspended => "identity_suspended",
            Self::AssuranceNotAllowed => "assurance_not_allowed",
            Self::NotYours => "not_yours",
            Self::NotFound => "not_found",
            Self::IdempotencyConflict => "idempotency_conflict",
            Self::TooLarge => "too_large",
            Self::ContentEncodingRefused => "content_encoding_refused",
            Self::EntryInvalid => "entry_invalid",
            Self::RevisionNotFull => "revision_not_full",
            Self::BenchmarkRevisionUnknown => "benchmark_revision_unknown",
            Self::TaskUnknown => "task_unknown",
            Self::MetricUnknown => "metric_unknown",
            Self::DuplicateMetric => "duplicate_metric",
            Self::DigestDisagreement => "digest_disagreement",
            Self::SecretDetected => "secret_detected",
            Self::RateLimited => "rate_limited",
            Self::LogUnavailable => "log_unavailable",
            Self::NoSigningKey => "no_signing_key",
            Self::Internal => "internal",
        }
    }

    /// One sentence that is the same for every refusal of this code.
    pub fn title(self) -> &'static str {
        match self {
            Self::Malformed => "The request cannot be read",
            Self::Number => "A number cannot be signed",
            Self::UnknownMember => "The request has a member that is not known",
            Self::Unauthenticated => "Prove who you are",
            Self::FrameworkNotAllowed => "This integration does not speak for this framework",
            Self::TargetNotAllowed => "The policy does not allow this benchmark or model",
            Self::IdentitySuspended => "This identity is suspended",
            Self::AssuranceNotAllowed => "This identity cannot give so much assurance",
            Self::NotYours => "The token belongs to another integration",
            Self::NotFound => "There is no such token",
            Self::IdempotencyConflict => "The idempotency key is in use",
            Self::TooLarge => "The request is too large",
            Self::ContentEncodingRefused => "Send the body as it is",
            Self::EntryInvalid => "The entry breaks the rules of result files",
            Self::RevisionNotFull => "A revision is not a full hash",
            Self::BenchmarkRevisionUnknown => "There is no such benchmark at this commit",
            Self::TaskUnknown => "The benchmark has no such task at this commit",
            Self::MetricUnknown => "The benchmark has no such metric at this commit",
            Self::DuplicateMetric => "A metric is there twice",
            Self::DigestDisagreement => "The digests disagree",
            Self::SecretDetected => "The entry contains what looks like a credential",
            Self::RateLimited => "Asked too often",
            Self::LogUnavailable => "The log cannot be written",
            Self::NoSigningKey => "The issuer has no key to sign with",
            Self::Internal => "A fault of the issuer",
        }
    }
}

impl Refusal {
    /// A refusal.
    pub fn new(code: RefusalCode, detail: impl Into<String>) -> Self {
        Self {
            code,
            number: None,
            detail: detail.into(),
            pointer: None,
            retry_after: None,
            diagnostics: Box::default(),
            source: None,
        }
    }

    /// With the place in the request.
    #[must_use]
    pub fn at(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }

    /// That somebody asks too often.
    pub(super) fn too_often(seconds: u64, detail: impl Into<String>) -> Self {
        Self {
            retry_after: Some(seconds.max(1)),
            ..Self::new(RefusalCode::RateLimited, detail)
        }
    }

    /// That nobody knows who is asking. Every cause is told alike.
    pub fn unauthenticated() -> Self {
        Self::new(
            RefusalCode::Unauthenticated,
            "give a personal token, or an access token from `/oauth/token`, that is valid",
        )
    }

    /// The code as it is told: that of a number says what is wrong with it.
    pub fn told_code(&self) -> String {
        let exact = self.number.as_deref();
        exact.unwrap_or(self.code.as_str()).to_owned()
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self {
            source: Some(Box::new(error)),
            ..Self::new(RefusalCode::Internal, "the log of the issuer has the rest")
        }
    }
}

/// The reason that keeps the issuer from signing is passed on as it is: the caller can report it to
/// an operator.
impl From<NoTokenKey> for Refusal {
    fn from(error: NoTokenKey) -> Self {
        match error {
            NoTokenKey::NoneSigns | NoTokenKey::IssuerRevoked(_) => {
                Self::new(RefusalCode::NoSigningKey, error.to_string())
            }
            NoTokenKey::Vault(error) => error.into(),
        }
    }
}

impl From<assay_store::Error> for Refusal {
    fn from(error: assay_store::Error) -> Self {
        Error::from(error).into()
    }
}

/// The refusal of an entry that cannot be signed.
impl From<Unverified> for Refusal {
    fn from(unverified: Unverified) -> Self {
        let code = match unverified.reason {
            Reason::RevisionNotFull(_) => RefusalCode::RevisionNotFull,
            Reason::DuplicateMetric => RefusalCode::DuplicateMetric,
            Reason::Number(_) => RefusalCode::Number,
            Reason::TaskUnknown => RefusalCode::TaskUnknown,
            Reason::MetricUnknown => RefusalCode::MetricUnknown,
            _ => RefusalCode::Malformed,
        };
        let number = (code == RefusalCode::Number).then(|| unverified.reason.code().into());
        let mut refusal = Self::new(code, unverified.detail).at("/entry");
        refusal.number = number;
        refusal
    }
}
