use assay_hub_api::ErrorBody;
use utoipa::ToSchema as _;
use utoipa::openapi::schema::{ObjectBuilder, Ref, Type};
use utoipa::openapi::{Content, Header, Response, ResponseBuilder};

/// A way to refuse, as `error.rs` answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Refusal {
    Moved,
    Invalid,
    Unknown,
    Forbidden,
    Missing,
    Taken,
    Stale,
    TooLarge,
    Unprocessable,
    TooOften,
    Ours,
    TimedOut,
    NotOffered,
    Unavailable,
}

impl Refusal {
    /// Every way.
    pub(crate) const ALL: [Self; 14] = [
        Self::Moved,
        Self::Invalid,
        Self::Unknown,
        Self::Forbidden,
        Self::Missing,
        Self::Taken,
        Self::Stale,
        Self::TooLarge,
        Self::Unprocessable,
        Self::TooOften,
        Self::Ours,
        Self::TimedOut,
        Self::NotOffered,
        Self::Unavailable,
    ];

    /// The status.
    pub(crate) fn status(self) -> u16 {
        match self {
            Self::Moved => 307,
            Self::Invalid => 400,
            Self::Unknown => 401,
            Self::Forbidden => 403,
            Self::Missing => 404,
            Self::Taken => 409,
            Self::Stale => 412,
            Self::TooLarge => 413,
            Self::Unprocessable => 422,
            Self::TooOften => 429,
            Self::Ours => 500,
            Self::TimedOut => 408,
            Self::NotOffered => 501,
            Self::Unavailable => 503,
        }
    }

    /// Returns its name in the document.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Moved => "Moved",
            Self::Invalid => "Invalid",
            Self::Unknown => "Unknown",
            Self::Forbidden => "Forbidden",
            Self::Missing => "Missing",
            Self::Taken => "Taken",
            Self::Stale => "Stale",
            Self::TooLarge => "TooLarge",
            Self::Unprocessable => "Unprocessable",
            Self::TooOften => "TooOften",
            Self::Ours => "Ours",
            Self::TimedOut => "TimedOut",
            Self::NotOffered => "NotOffered",
            Self::Unavailable => "Unavailable",
        }
    }

    /// Returns its description.
    pub(crate) fn description(self) -> &'static str {
        match self {
            Self::Moved => "The repository has another name now: the same question, there.",
            Self::Invalid => {
                "The question cannot be understood; or files that were sent break the rules, and `diagnostics` says where."
            }
            Self::Unknown => {
                "A token is needed or the one given is not good; or nobody in particular asked for a repository that is not there or not public."
            }
            Self::Forbidden => "The caller is known and may not do this.",
            Self::Missing => {
                "There is no such thing, or the caller may not know of it. `X-Error-Code` is `RepoNotFound`, `RevisionNotFound` or `EntryNotFound` when it is one of these."
            }
            Self::Taken => "The name is taken, or the change conflicts with what is there.",
            Self::Stale => "The branch has moved on since the `parentCommit`.",
            Self::TooLarge => "A limit of this hub was reached; the message says which.",
            Self::Unprocessable => {
                "The question is well-formed, but cannot be carried out as it stands."
            }
            Self::TooOften => "Asked too often; `Retry-After` says when to come again.",
            Self::Ours => {
                "A fault of the hub. The message has the id of the request, and the log the rest."
            }
            Self::TimedOut => "It took longer than it may; the message says how long that is.",
            Self::NotOffered => "This hub does not do this; the message says what it lacks.",
            Self::Unavailable => {
                "It cannot be done at the moment; `Retry-After` says when to come again."
            }
        }
    }

    /// The answer, as the document has it.
    pub(crate) fn response(self) -> Response {
        let response = ResponseBuilder::new()
            .description(self.description())
            .content(
                "application/json",
                Content::new(Some(Ref::from_schema_name(ErrorBody::name()))),
            )
            .header(
                "X-Error-Message",
                header("The message for people, on one line of ASCII."),
            );
        let response = match self {
            Self::Moved => response.header("Location", header("Where to ask.")),
            Self::Missing | Self::Unknown => response.header(
                "X-Error-Code",
                header("Which thing is missing, for machines."),
            ),
            Self::TooOften | Self::Unavailable => {
                response.header("Retry-After", header("Seconds to wait."))
            }
            Self::Invalid
            | Self::Forbidden
            | Self::Taken
            | Self::Stale
            | Self::TooLarge
            | Self::Unprocessable
            | Self::Ours
            | Self::TimedOut
            | Self::NotOffered => response,
        };
        response.build()
    }
}

fn header(description: &str) -> Header {
    let mut header = Header::new(ObjectBuilder::new().schema_type(Type::String));
    header.description = Some(description.to_owned());
    header
}
