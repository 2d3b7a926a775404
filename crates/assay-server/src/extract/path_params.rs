use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::error::Failure;
use crate::state::AppState;

/// Named parts of the path, percent-decoded. What is not text names nothing.
#[derive(Debug, Clone)]
pub(crate) struct PathParams<T>(pub(crate) T);

impl<T: DeserializeOwned + Send> FromRequestParts<AppState> for PathParams<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Failure> {
        let path = Path::<T>::from_request_parts(parts, state).await;
        path.map(|Path(path_params)| Self(path_params))
            .map_err(|_| Failure::no_route())
    }
}
