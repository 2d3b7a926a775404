//! The mapping from a refusal of the issuer to an answer: RFC 9457 bodies, made here and nowhere
//! else, and the bodies of RFC 6749 where OAuth clients require them.

use std::sync::Arc;

use assay_app::Error;
use assay_app::issuer::{Refusal, RefusalCode};
use assay_hub_api::{OauthError, Problem};
use axum::Json;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use crate::error::{Cause, RETRY_SECONDS, wording};

/// The prefix of every type. It names a kind of failure and is no address where anything is served.
const TYPES: &str = "urn:assay:problem:";
/// The type of an RFC 9457 body.
const PROBLEM: HeaderValue = HeaderValue::from_static("application/problem+json");
/// The challenge for a bearer token.
const CHALLENGE: HeaderValue =
    HeaderValue::from_static(r#"Bearer realm="issuer", scope="eval:issue""#);
/// The text for an internal failure.
const HIDDEN: &str = "the log has the rest";
/// The challenge for an OAuth client.
const CLIENT_CHALLENGE: HeaderValue = HeaderValue::from_static(r#"Basic realm="issuer""#);

/// A refusal on its way out of a handler. It becomes an answer where the id of the request is
/// known.
#[derive(Debug, Clone)]
pub(crate) struct Refused(Arc<Refusal>);

/// A refusal of an OAuth endpoint.
#[derive(Debug, Clone)]
pub(crate) struct OauthRefused {
    /// The status.
    pub(crate) status: StatusCode,
    /// The code of RFC 6749.
    pub(crate) error: &'static str,
    /// The error in words.
    pub(crate) description: String,
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self(Arc::new(refusal))
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let mut response = StatusCode::INTERNAL_SERVER_ERROR.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl IntoResponse for OauthRefused {
    fn into_response(self) -> Response {
        let body = OauthError {
            error: self.error,
            error_description: self.description,
        };
        let mut response = (self.status, Json(body)).into_response();
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, CLIENT_CHALLENGE);
        }
        response
    }
}

/// The answer to a refusal that a handler left, if it left one.
pub(crate) fn finish(response: &mut Response, request_id: &str) -> Option<Response> {
    let Refused(refusal) = response.extensions_mut().remove::<Refused>()?;
    if let Some(source) = &refusal.source {
        tracing::error!(request_id, "the issuer failed: {source}");
    }
    Some(render(&refusal, request_id))
}

/// Renders a failure of the hub itself as a problem of the issuer.
pub(crate) fn of_error(error: &Cause, request_id: &str) -> Response {
    render(&refusal(error), request_id)
}

/// Renders a failure of the hub itself as RFC 6749 has it.
pub(crate) fn of_oauth_error(error: &Cause) -> Response {
    let refusal = refusal(error);
    let error = match refusal.code {
        RefusalCode::RateLimited => "temporarily_unavailable",
        RefusalCode::Internal => "server_error",
        _ => "invalid_request",
    };
    let refused = OauthRefused {
        status: status(refusal.code),
        error,
        description: refusal.detail.clone(),
    };
    let mut response = refused.into_response();
    if let Some(seconds) = refusal.retry_after {
        let headers = response.headers_mut();
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

fn refusal(cause: &Cause) -> Refusal {
    let (error, detail) = match cause {
        Cause::Hub(error) => (error, wording(error)),
        Cause::Server { status, message } => {
            return match *status {
                StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY => {
                    Refusal::new(RefusalCode::Malformed, message)
                }
                StatusCode::PAYLOAD_TOO_LARGE => Refusal::new(RefusalCode::TooLarge, message),
                StatusCode::UNAUTHORIZED => Refusal::new(RefusalCode::Unauthenticated, message),
                _ => Refusal::new(RefusalCode::Internal, HIDDEN),
            };
        }
    };
    let (code, retry_after) = match error {
        Error::RateLimited { after_seconds } => (RefusalCode::RateLimited, Some(*after_seconds)),
        Error::NoSpace(_) | Error::ReadOnly(_) => {
            (RefusalCode::LogUnavailable, Some(RETRY_SECONDS))
        }
        Error::TooLarge(_) | Error::OverQuota(_) => (RefusalCode::TooLarge, None),
        Error::Invalid(_) | Error::UnusablePath(_) => (RefusalCode::Malformed, None),
        Error::NotFound(_) => (RefusalCode::NotFound, None),
        Error::BadCredentials | Error::TokenEnded(_) | Error::NotSignedIn => {
            (RefusalCode::Unauthenticated, None)
        }
        Error::Moved { .. }
        | Error::Denied(_)
        | Error::Exists(_)
        | Error::Conflict(_)
        | Error::Operator(_)
        | Error::Stale
        | Error::Refused(_)
        | Error::OutOfTime { .. }
        | Error::Busy(_)
        | Error::Damaged(_)
        | Error::Internal(_) => (RefusalCode::Internal, None),
    };
    let detail = match code {
        RefusalCode::Internal => HIDDEN.to_owned(),
        _ => detail,
    };
    let mut refusal = Refusal::new(code, detail);
    refusal.retry_after = retry_after;
    refusal
}

fn render(refusal: &Refusal, request_id: &str) -> Response {
    let status = status(refusal.code);
    let code = refusal.told_code();
    let body = Problem {
        kind: format!("{TYPES}{}", code.replace('_', "-")),
        title: refusal.code.title().to_owned(),
        status: status.as_u16(),
        code,
        detail: refusal.detail.clone(),
        pointer: refusal.pointer.clone(),
        request_id: request_id.to_owned(),
        retry_after: refusal.retry_after,
        diagnostics: refusal.diagnostics.to_vec(),
    };
    let mut response = (status, Json(body)).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, PROBLEM);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(seconds) = refusal.retry_after {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(WWW_AUTHENTICATE, CHALLENGE);
    }
    response
}

fn status(code: RefusalCode) -> StatusCode {
    match code {
        RefusalCode::Malformed | RefusalCode::Number | RefusalCode::UnknownMember => {
            StatusCode::BAD_REQUEST
        }
        RefusalCode::Unauthenticated => StatusCode::UNAUTHORIZED,
        RefusalCode::FrameworkNotAllowed
        | RefusalCode::TargetNotAllowed
        | RefusalCode::IdentitySuspended
        | RefusalCode::AssuranceNotAllowed
        | RefusalCode::NotYours => StatusCode::FORBIDDEN,
        RefusalCode::NotFound => StatusCode::NOT_FOUND,
        RefusalCode::IdempotencyConflict => StatusCode::CONFLICT,
        RefusalCode::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        RefusalCode::ContentEncodingRefused => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        RefusalCode::EntryInvalid
        | RefusalCode::RevisionNotFull
        | RefusalCode::BenchmarkRevisionUnknown
        | RefusalCode::TaskUnknown
        | RefusalCode::MetricUnknown
        | RefusalCode::DuplicateMetric
        | RefusalCode::DigestDisagreement
        | RefusalCode::SecretDetected => StatusCode::UNPROCESSABLE_ENTITY,
        RefusalCode::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        RefusalCode::LogUnavailable | RefusalCode::NoSigningKey => StatusCode::SERVICE_UNAVAILABLE,
        RefusalCode::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_type_of_its_own_and_its_status_is_a_failure() {
        let mut codes: Vec<&str> = RefusalCode::ALL.iter().map(|code| code.as_str()).collect();
        codes.sort_unstable();
        let count = codes.len();
        codes.dedup();

        assert_eq!(codes.len(), count);
        for code in RefusalCode::ALL {
            assert!(status(code).as_u16() >= 400, "{code:?}");
            assert!(!code.title().ends_with('.'), "{code:?}");
        }
    }

    #[test]
    fn a_refusal_says_when_to_come_again_and_how_to_prove_who_one_is() {
        let limited = Refusal {
            retry_after: Some(7),
            ..Refusal::new(RefusalCode::RateLimited, "slowly")
        };

        let (limited, unknown) = (
            render(&limited, "r1"),
            render(&Refusal::unauthenticated(), "r2"),
        );

        assert_eq!(limited.status(), 429);
        assert_eq!(limited.headers()[RETRY_AFTER], "7");
        assert_eq!(limited.headers()[CONTENT_TYPE], "application/problem+json");
        assert_eq!(unknown.status(), 401);
        assert!(unknown.headers().contains_key(WWW_AUTHENTICATE));
    }
}
