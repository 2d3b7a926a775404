use assay_hub_api::PathsInfo;
use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use bytes::Bytes;
use serde::de::DeserializeOwned;

use crate::error::Failure;
use crate::state::AppState;

/// A body in JSON, whatever its content type says: old clients say all sorts of things.
#[derive(Debug, Clone)]
pub(crate) struct JsonBody<T>(pub(crate) T);

/// A body in JSON, or none.
#[derive(Debug, Clone)]
pub(crate) struct OptionalJson<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<AppState> for JsonBody<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Failure> {
        parse(&read(request, state).await?).map(Self)
    }
}

impl<T: DeserializeOwned + Default> FromRequest<AppState> for OptionalJson<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Failure> {
        let bytes = read(request, state).await?;
        if bytes.trim_ascii().is_empty() {
            return Ok(Self(T::default()));
        }
        parse(&bytes).map(Self)
    }
}

/// The question about paths, which Python sends as a form and JavaScript as JSON.
pub(crate) async fn paths_info(request: Request, state: &AppState) -> Result<PathsInfo, Failure> {
    let content_type = request.headers().get(CONTENT_TYPE);
    let is_json =
        content_type.is_some_and(|value| value.as_bytes().starts_with(b"application/json"));
    let bytes = read(request, state).await?;
    if is_json {
        return parse(&bytes);
    }
    let pairs: Vec<(String, String)> = serde_html_form::from_bytes(&bytes)
        .map_err(|error| Failure::invalid(format!("the form cannot be read: {error}")))?;
    Ok(PathsInfo::of_form(pairs))
}

/// Reads an object. A list would do for one as well, key by key, and is what nobody means.
fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Failure> {
    if bytes.trim_ascii_start().starts_with(b"[") {
        return Err(Failure::invalid("the body is an object and not a list"));
    }
    serde_json::from_slice(bytes)
        .map_err(|error| Failure::invalid(format!("the body cannot be read: {error}")))
}

/// The whole body, within the limit of ordinary requests.
async fn read(request: Request, state: &AppState) -> Result<Bytes, Failure> {
    let limit = state.web.body_bytes;
    axum::body::to_bytes(request.into_body(), limit)
        .await
        .map_err(|error| {
            Failure::too_slow(&error).unwrap_or_else(|| {
                Failure::too_large(format!(
                    "the body of this request may have {limit} bytes at most"
                ))
            })
        })
}
