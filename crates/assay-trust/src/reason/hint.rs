use assay_model::NumberError;

use super::{Field, Reason};

/// Says the code and the hint of every reason that stands alone, once, so that none can be
/// forgotten in one of the places.
macro_rules! reasons {
    ($($name:ident, $code:literal, $hint:literal;)*) => {
        const PLAIN: &[Reason] = &[$(Reason::$name),*];

        impl Reason {
            /// The code without the field, what the author of the entry can do, and the field.
            pub(super) fn words(self) -> (&'static str, &'static str, Option<Field>) {
                match self {
                    $(Self::$name => ($code, $hint, None),)*
                    Self::Number(error) => (
                        error.reason(),
                        "write a number of at most 17 digits that a double can hold",
                        None,
                    ),
                    Self::Missing(field) => (
                        "missing",
                        "add the field, and request a token for the entry with it",
                        Some(field),
                    ),
                    Self::Type(field) => (
                        "type",
                        "give the field the kind of value that it has in the documentation",
                        Some(field),
                    ),
                    Self::RevisionNotFull(field) => (
                        "revision_not_full",
                        "write the full commit hash, 40 or 64 lower-case hexadecimal digits",
                        Some(field),
                    ),
                    Self::ClaimMismatch(field) => (
                        "claim_mismatch",
                        "put the field back as it was signed, or request a new token",
                        Some(field),
                    ),
                }
            }
        }
    };
}

reasons! {
    NoToken, "no_token", "ask the framework's issuer for a token and put it behind `verify_token`";
    TokenAmbiguous, "token_ambiguous", "keep one of `verify_token` and `verifyToken`";
    TokenMalformed, "token_malformed", "copy the token again, whole and on one line, as the issuer gave it";
    TokenHeader, "token_header", "use a token that an issuer of evaluation tokens made; other kinds of tokens do not serve";
    UnknownKey, "unknown_key", "ask the issuer for a token by a key that this hub has published in its control log";
    BadSignature, "bad_signature", "copy the token again as the issuer gave it, or request a new one";
    ClaimsNotCanonical, "claims_not_canonical", "request the token from an issuer that writes its claims by RFC 8785";
    ClaimsMalformed, "claims_malformed", "request the token from an issuer that keeps to the published claims";
    IssuerUntrusted, "issuer_untrusted", "use an issuer that this hub trusts; its trust note names them";
    FrameworkNotAllowed, "framework_not_allowed", "use the issuer that answers for this framework";
    AudienceMismatch, "audience_mismatch", "request a token for this hub; the audience is in its trust note";
    LifetimeInvalid, "lifetime_invalid", "request a token that holds for an hour at most";
    YamlSyntax, "yaml_syntax", "run `assay validate` on the file and repair what it finds";
    YamlAmbiguousScalar, "yaml_ambiguous_scalar", "put text in quotes, and write numbers like `20.9` or `1.0e+3`";
    YamlAnchor, "yaml_anchor", "write the value out instead of using `&` and `*`";
    YamlTag, "yaml_tag", "leave out the tag";
    YamlDirective, "yaml_directive", "leave out the lines that begin with `%`";
    YamlDocuments, "yaml_documents", "keep one document in the file";
    YamlByteOrderMark, "yaml_byte_order_mark", "save the file as UTF-8 without a byte order mark";
    YamlKey, "yaml_key", "use keys of letters, digits, `_`, `.` and `-`, in quotes if tools could take them for numbers";
    YamlDuplicateKey, "yaml_duplicate_key", "keep each key once";
    YamlTooLarge, "yaml_too_large", "split the file or shorten the value";
    YamlForbiddenCharacter, "yaml_forbidden_character", "remove the character that cannot be seen";
    DuplicateMetric, "duplicate_metric", "list each metric once for each slice";
    ModelRepoMismatch, "model_repo_mismatch", "request a token for this repository; a token is for one model";
    MetricsOrderMismatch, "metrics_order_mismatch", "list the metrics in the order in which they were signed";
    SubjectDigestMismatch, "subject_digest_mismatch", "request a new token; the issuer computed another digest of the claims";
    EntryDigestMismatch, "entry_digest_mismatch", "put the entry back as it was signed, notes and source included, or request a new token";
    PathMismatch, "path_mismatch", "move the entry to the file that is named after its benchmark";
    BenchmarkRevisionUnknown, "benchmark_revision_unknown", "use a commit of the benchmark that this hub has, with an `eval.yaml` in it";
    TaskUnknown, "task_unknown", "use a task that the benchmark defines at the signed commit";
    MetricUnknown, "metric_unknown", "use metrics that the benchmark defines at the signed commit";
    ModelRevisionUnknown, "model_revision_unknown", "push the commit of the model before its results";
    NotAdmitted, "not_admitted", "push the entry; a token is decided on when it first reaches the hub";
    NotInIssuanceLog, "not_in_issuance_log", "request the token from the issuer, which logs it before it hands it out";
    IssuanceRecordMismatch, "issuance_record_mismatch", "request a new token; the log knows another one of this identity";
    NotYetValid, "not_yet_valid", "set the clock right and request a new token";
    ExpiredAtFirstSeen, "expired_at_first_seen", "request a new token and push it before it expires";
    BoundToOtherRepo, "bound_to_other_repo", "link to the original; a token is bound to the repository that it was first admitted in";
    DuplicateTokenInTree, "duplicate_token_in_tree", "keep the entry once";
    ReceiptInvalid, "receipt_invalid", "fetch the proof again from the hub";
    ReceiptMismatch, "receipt_mismatch", "fetch the proof of this very row";
    KeyRetired, "key_retired", "request a new token; the key that signed this one had retired";
    KeyRevoked, "key_revoked", "request a new token; the key that signed this one is revoked";
    IssuerRevoked, "issuer_revoked", "request a token from another issuer";
    IntegrationRevoked, "integration_revoked", "ask whoever runs the integration; its tokens are revoked";
    IdentityRevoked, "identity_revoked", "request a new token with another identity of the integration";
    TokenRevoked, "token_revoked", "request a new token; this one is revoked";
    FrameworkRevoked, "framework_revoked", "run the evaluation again with a version that is not affected";
    Withdrawn, "withdrawn", "run the evaluation again on a commit of the benchmark that stands";
}

/// The ways in which a number cannot be compared exactly; that tools disagree on it has a reason of
/// its own.
const NUMBERS: [NumberError; 5] = [
    NumberError::TooLong,
    NumberError::ExcessPrecision,
    NumberError::UnsafeInteger,
    NumberError::OutOfRange,
    NumberError::Underflow,
];

impl Reason {
    /// Every reason, with every field that it can name.
    pub fn all() -> Vec<Self> {
        let numbers = NUMBERS.into_iter().map(Self::Number);
        let fields = Field::ALL.into_iter().flat_map(|field| {
            [
                Self::Missing(field),
                Self::Type(field),
                Self::RevisionNotFull(field),
                Self::ClaimMismatch(field),
            ]
        });
        PLAIN.iter().copied().chain(numbers).chain(fields).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_reason_has_a_code_of_its_own_that_leads_back_to_it_and_a_hint() {
        let all = Reason::all();

        let codes: HashSet<String> = all.iter().map(|reason| reason.code()).collect();

        assert_eq!(codes.len(), all.len());
        for reason in all {
            assert_eq!(Reason::from_code(&reason.code()), Some(reason));
            assert!(reason.hint().len() > 10, "{reason}");
            assert!(!reason.hint().ends_with('.'), "{reason}");
        }
    }

    #[test]
    fn the_documentation_has_every_code_and_its_hint() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/verification.md");
        let page = fs_err::read_to_string(path).unwrap();

        for reason in PLAIN {
            let row = format!("| `{}` | {} |", reason.code(), reason.hint());
            assert!(page.contains(&row), "{row}");
        }
        for error in NUMBERS {
            assert!(page.contains(&format!("`{}`", error.reason())), "{error}");
        }
        for reason in [
            Reason::Missing(Field::Entry),
            Reason::Type(Field::Entry),
            Reason::RevisionNotFull(Field::Entry),
            Reason::ClaimMismatch(Field::Entry),
        ] {
            let row = format!("| `{}:FIELD` | {} |", reason.words().0, reason.hint());
            assert!(page.contains(&row), "{row}");
        }
    }
}
