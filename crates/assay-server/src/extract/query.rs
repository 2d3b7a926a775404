use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::error::Failure;
use crate::state::AppState;

/// The query, with repeated keys as lists.
#[derive(Debug, Clone)]
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<AppState> for Query<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, Failure> {
        let text = parts.uri.query().unwrap_or_default();
        serde_html_form::from_str(text)
            .map(Self)
            .map_err(|error| Failure::invalid(format!("the query cannot be read: {error}")))
    }
}
