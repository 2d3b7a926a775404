use assay_cli::complain;
use assay_formats::lake_api::{Refusal, RefusalKind};
use assay_lake::Error;
use assay_model::chain;
use assay_render::visible;
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use datafusion::arrow::error::ArrowError;
use datafusion::error::DataFusionError;

/// What the engine says when a question writes more to the disk than it may.
const SPILL_LIMIT: &str = "the spilling process has exceeded the allowable limit";
/// The message of a function that could not allocate its result.
const NO_MEMORY: &str = "memory allocation failed";
/// The message of an operator whose regular expression does not compile.
const BAD_REGEX: &str = "Regular expression did not compile";

/// Why a question is not answered.
#[derive(Debug)]
pub(crate) struct Refused(Refusal);

impl Refused {
    /// Too many others are asking.
    pub(crate) fn busy() -> Self {
        Self::because(
            RefusalKind::Busy,
            "too many questions are being answered; ask again in a moment",
        )
    }

    /// It took too long.
    pub(crate) fn time(seconds: u64) -> Self {
        Self::because(
            RefusalKind::Time,
            format!("the question was stopped after {seconds} seconds"),
        )
    }

    /// The answer is too large.
    pub(crate) fn size(bytes: u64) -> Self {
        Self::because(
            RefusalKind::Size,
            format!("the answer has more than {bytes} bytes; ask for fewer columns or rows"),
        )
    }

    /// It needs more than its budget.
    fn resources() -> Self {
        Self::because(
            RefusalKind::Size,
            "the question needs more memory or room on the disk than it may use",
        )
    }

    /// The question has ended the process that worked on it.
    pub(crate) fn fatal() -> Self {
        Self::because(
            RefusalKind::Fatal,
            "the question needs more memory than it may use; ask for fewer rows or columns, or in smaller steps",
        )
    }

    /// The request is no question.
    pub(crate) fn unreadable(error: &serde_json::Error) -> Self {
        Self::because(
            RefusalKind::Question,
            format!("this is no question: {error}"),
        )
    }

    /// It is the fault of the lake. What it is stays on this machine.
    pub(crate) fn ours(error: &dyn std::error::Error) -> Self {
        complain(&visible(&chain(error)));
        Self::because(RefusalKind::Ours, "the lake could not be read")
    }

    fn because(kind: RefusalKind, error: impl Into<String>) -> Self {
        Self(Refusal {
            kind,
            error: error.into(),
        })
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        match &error {
            Error::Query(cause) => of_engine(cause, &error),
            Error::NotAQuestion(_)
            | Error::NotForStrangers
            | Error::Settings
            | Error::TooDeep(_)
            | Error::TooLong(_)
            | Error::Compare(_) => Self::because(RefusalKind::Question, error.to_string()),
            Error::Timeout(seconds) => Self::time(*seconds),
            // Which machine it was stays here.
            Error::ExecutorLost(_) => Self::because(RefusalKind::Ours, error.to_string()),
            Error::NoLake(_) => Self::because(RefusalKind::Empty, "there is nothing to ask yet"),
            Error::NotALake(_)
            | Error::Version { .. }
            | Error::OldVersion { .. }
            | Error::Contended
            | Error::Io { .. }
            | Error::Manifest { .. }
            | Error::Parquet { .. }
            | Error::BrokenOff(_)
            | Error::Interrupted
            | Error::NoAddress(_)
            | Error::Delta { .. }
            | Error::Bucket { .. }
            | Error::Cluster { .. }
            | Error::Arrow(ArrowError::IoError(..)) => Self::ours(&error),
            Error::Arrow(cause) => Self::because(
                RefusalKind::Question,
                format!("the answer cannot be written in this format: {cause}"),
            ),
        }
    }
}

/// What the engine says of a question is for whoever asked; what it says of files is not.
fn of_engine(cause: &DataFusionError, error: &Error) -> Refused {
    if mentions(cause, SPILL_LIMIT) || mentions(cause, NO_MEMORY) {
        return Refused::resources();
    }
    match cause.find_root() {
        DataFusionError::ResourcesExhausted(_) => Refused::resources(),
        DataFusionError::SQL(..)
        | DataFusionError::Plan(_)
        | DataFusionError::SchemaError(..)
        | DataFusionError::NotImplemented(_)
        | DataFusionError::Configuration(_)
        | DataFusionError::Execution(_)
        | DataFusionError::ArrowError(..) => {
            Refused::because(RefusalKind::Question, error.to_string())
        }
        DataFusionError::External(own) if own.is::<regex::Error>() => Refused::because(
            RefusalKind::Question,
            format!("the regular expression cannot be used: {own}"),
        ),
        DataFusionError::Internal(text) if text.contains(BAD_REGEX) => Refused::because(
            RefusalKind::Question,
            "the regular expression cannot be used: it is malformed or too large",
        ),
        _ => Refused::ours(error),
    }
}

/// Whether an error of the engine, or one that caused it, contains a text. The engine has no variants for these errors.
fn mentions(cause: &DataFusionError, text: &str) -> bool {
    let mut next: Option<&dyn std::error::Error> = Some(cause);
    while let Some(error) = next {
        if error.to_string().contains(text) {
            return true;
        }
        next = error.source();
    }
    false
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let status =
            StatusCode::from_u16(self.0.kind.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        (status, Json(self.0)).into_response()
    }
}
