use axum::extract::FromRequestParts;
use axum::http::header::{HOST, HeaderName};
use axum::http::request::Parts;
use axum::http::uri::Authority;

use crate::base_url::BaseUrl;
use crate::error::Failure;
use crate::state::AppState;

const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The address of this hub as the client used it. Clients refuse an answer whose addresses have
/// another host name.
#[derive(Debug, Clone)]
pub(crate) struct Base(pub(crate) BaseUrl);

impl Base {
    /// Returns the address of the hub for the client of this request.
    pub(crate) fn of(parts: &Parts, state: &AppState) -> Result<Self, Failure> {
        if let Some(url) = &state.web.public_url {
            return Ok(Self(url.clone()));
        }
        // HTTP/2 has no `Host` header: the host is part of the address.
        let host = parts
            .headers
            .get(HOST)
            .and_then(|host| host.to_str().ok())
            .or_else(|| parts.uri.authority().map(Authority::as_str))
            .ok_or_else(no_host)?;
        let scheme = forwarded_scheme(parts, state).unwrap_or(state.web.scheme);
        BaseUrl::of_host(scheme, host)
            .map(Self)
            .map_err(|_| no_host())
    }
}

impl FromRequestParts<AppState> for Base {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Failure> {
        Self::of(parts, state)
    }
}

fn forwarded_scheme(parts: &Parts, state: &AppState) -> Option<&'static str> {
    if !state.web.trust_proxy {
        return None;
    }
    match parts.headers.get(FORWARDED_PROTO)?.as_bytes() {
        b"https" => Some("https"),
        b"http" => Some("http"),
        _ => None,
    }
}

fn no_host() -> Failure {
    Failure::invalid("the `Host` header does not name this hub")
}
