use assay_app::Caller;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::error::Failure;
use crate::state::AppState;

/// The caller, as `answer.rs` authenticated it.
#[derive(Debug, Clone)]
pub(crate) struct CallerExt(pub(crate) Caller);

impl FromRequestParts<AppState> for CallerExt {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, Failure> {
        // A route without the layer knows nobody, and is given nobody's rights.
        let caller = parts.extensions.get::<Caller>().cloned();
        Ok(Self(caller.unwrap_or_else(Caller::anonymous)))
    }
}
