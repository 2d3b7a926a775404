//! The headers of pages.

use axum::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, VARY,
    X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue};

/// Nothing from elsewhere, nothing inline, in nobody's frame.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
     connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);
/// The same with WebAssembly.
const COMPILING_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; \
     font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);
/// The same without script and forms, in anybody's frame.
const EMBED_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; form-action 'none'; \
     base-uri 'none'; frame-ancestors *",
);
/// The content security policy of answers that are no pages: nothing may run.
const INERT_POLICY: HeaderValue = HeaderValue::from_static("default-src 'none'; sandbox");

/// The headers of a page.
pub(crate) fn headers() -> HeaderMap {
    let mut headers = headers_of("text/html; charset=utf-8");
    headers.insert(CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(
        "cross-origin-opener-policy",
        HeaderValue::from_static("same-origin"),
    );
    headers
}

/// Lets the scripts of a page compile WebAssembly. It comes from the hub like every script.
pub(crate) fn let_compile(headers: &mut HeaderMap) {
    headers.insert(CONTENT_SECURITY_POLICY, COMPILING_POLICY);
}

/// Lets a page be shown in the pages of others.
pub(crate) fn let_embed(headers: &mut HeaderMap) {
    headers.insert(CONTENT_SECURITY_POLICY, EMBED_POLICY);
    headers.remove(X_FRAME_OPTIONS);
}

/// The headers of a feed or a picture.
pub(crate) fn headers_of(kind: &'static str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CONTENT_SECURITY_POLICY, INERT_POLICY);
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(
        VARY,
        HeaderValue::from_static("accept-encoding, authorization, cookie"),
    );
    headers
}

/// Says that the body is packed.
pub(crate) fn say_packed(headers: &mut HeaderMap) {
    headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
}
