//! The outermost layer: an id for every request, a line in the log, a count.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;

use crate::state::AppState;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// What requests that no route matched are counted under.
const NO_ROUTE: &str = "(none)";

/// What a request is called in its answer and in the log.
#[derive(Debug, Clone)]
pub(crate) struct RequestId(pub(crate) String);

/// Gives the request an id, and tells of it when it is answered. The log has the route and not the address: addresses
/// carry names of private repositories and the signatures of links.
pub(crate) async fn observe(
    State(state): State<AppState>,
    mut request: Request,
    next: Next,
) -> Response {
    let started = Instant::now();
    let id = next_id();
    request.extensions_mut().insert(RequestId(id.clone()));
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or(NO_ROUTE, MatchedPath::as_str);

    let mut response = next.run(request).await;

    let took = started.elapsed();
    let status = response.status();
    state.web.metrics.answered(route, &method, status, took);
    tracing::info!(
        request_id = %id,
        %method,
        route,
        status = status.as_u16(),
        micros = took.as_micros(),
        "{method} {route} was answered with {status}",
        status = status.as_u16(),
    );
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    response
}

/// An id that no other request of this or an earlier process has. It is no secret.
fn next_id() -> String {
    static PROCESS: LazyLock<u64> = LazyLock::new(|| RandomState::new().build_hasher().finish());
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{:016x}-{count:x}", *PROCESS)
}
