//! Redirects of forms that have done their work.

use axum::http::header::{LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

/// The way to another page, to be fetched by `GET`.
#[derive(Debug)]
pub(crate) struct Go {
    headers: HeaderMap,
}

impl Go {
    /// To an address of this hub.
    pub(crate) fn to(place: &str) -> Self {
        let mut headers = HeaderMap::new();
        let place = HeaderValue::from_str(place);
        headers.insert(LOCATION, place.unwrap_or(HeaderValue::from_static("/")));
        Self { headers }
    }

    /// With a cookie.
    #[must_use]
    pub(crate) fn with(mut self, cookie: HeaderValue) -> Self {
        self.headers.append(SET_COOKIE, cookie);
        self
    }
}

impl IntoResponse for Go {
    fn into_response(self) -> Response {
        (StatusCode::SEE_OTHER, self.headers).into_response()
    }
}
