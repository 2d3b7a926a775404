use assay_app::Caller;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::answer::address;
use crate::error::Failure;
use crate::rate::RateKey;
use crate::state::AppState;

/// The key under which this request is counted: its token, else its address.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RateLimitKey(pub(crate) RateKey);

impl FromRequestParts<AppState> for RateLimitKey {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Failure> {
        let token = parts.extensions.get::<Caller>().and_then(Caller::token);
        let key = match token {
            Some(token) => RateKey::Token(token),
            None => RateKey::address(address(parts, state.web.trust_proxy)),
        };
        Ok(Self(key))
    }
}
