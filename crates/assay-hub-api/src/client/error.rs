use std::io;
use std::path::PathBuf;

use assay_model::Diagnostic;
use serde::Deserialize as _;
use serde_json::Value as Json;
use ureq::http::HeaderMap;

use super::{AddressError, MAX_REDIRECTS, header};

/// The reason why a hub did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The address makes no sense.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The request failed on the way.
    #[error("the hub cannot be reached at `{url}`: {source}")]
    Transport {
        /// The address of the request.
        url: String,
        /// The failure.
        source: Box<ureq::Error>,
    },
    /// The answer broke off.
    #[error("the answer from `{url}` broke off: {source}")]
    Body {
        /// The address of the request.
        url: String,
        /// The failure.
        source: io::Error,
    },
    /// The answer is longer than the limit of the client.
    #[error("the answer from `{url}` is larger than {limit} bytes")]
    TooLarge {
        /// The address of the request.
        url: String,
        /// The limit, in bytes.
        limit: u64,
    },
    /// The answer is no JSON, or not of the shape that the request is answered with.
    #[error("the answer from `{url}` cannot be read: {source}")]
    Shape {
        /// The address of the request.
        url: String,
        /// The fault.
        source: serde_json::Error,
    },
    /// A redirect or link to another scheme, host or port, which the token must not follow.
    #[error("`{url}` leads to another server, `{target}`, which is not followed")]
    Elsewhere {
        /// The address of the request.
        url: String,
        /// The address that it leads to.
        target: String,
    },
    /// Redirects without end.
    #[error("`{url}` redirects more than {MAX_REDIRECTS} times")]
    Redirects {
        /// The last address.
        url: String,
    },
    /// A file that was to be sent cannot be read.
    #[error("`{}` cannot be read: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The failure.
        source: io::Error,
    },
    /// The hub refused, with its reason.
    #[error("{message}")]
    Refused {
        /// The status of the answer.
        status: u16,
        /// The `X-Error-Code` header, such as `RepoNotFound`.
        code: Option<String>,
        /// The reason, for people.
        message: String,
        /// The faults in the files that were sent.
        diagnostics: Vec<Diagnostic>,
    },
}

impl ClientError {
    /// Reads why a hub refused. A fault that this version cannot read is left out: the reason counts.
    pub(super) fn from_refusal(url: &str, status: u16, headers: &HeaderMap, body: &[u8]) -> Self {
        let body: Json = serde_json::from_slice(body).unwrap_or_default();
        let message = reason(&body)
            .or_else(|| header(headers, "x-error-message").map(str::to_owned))
            .unwrap_or_else(|| format!("the hub answered {status} at `{url}`"));
        let request = header(headers, "x-request-id");
        let message = match (status, request) {
            (500.., Some(id)) => format!("{message} (request {id})"),
            _ => message,
        };
        let diagnostics = body["diagnostics"].as_array().into_iter().flatten();
        Self::Refused {
            status,
            code: header(headers, "x-error-code").map(str::to_owned),
            message,
            diagnostics: diagnostics
                .filter_map(|found| Diagnostic::deserialize(found).ok())
                .collect(),
        }
    }
}

/// The reason in a body: as hubs give it, as OAuth does (RFC 6749), or as a problem of RFC 9457.
fn reason(body: &Json) -> Option<String> {
    let text = |key: &str| body[key].as_str().filter(|text| !text.is_empty());
    if let Some(error) = text("error") {
        return Some(match text("error_description") {
            Some(description) => format!("{description} ({error})"),
            None => error.to_owned(),
        });
    }
    let said = text("detail").or_else(|| text("title"))?;
    let place = text("pointer").map(|pointer| format!(" at `{pointer}`"));
    let code = text("code").map(|code| format!(" ({code})"));
    Some(format!(
        "{said}{}{}",
        place.unwrap_or_default(),
        code.unwrap_or_default()
    ))
}
