//! The outermost layer: an id for every request, a line in the log, a count.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
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

/// The route of a request, told from inside the router: the layers round it do not see which one matched.
#[derive(Debug, Clone, Default)]
pub(crate) struct Matched(Arc<OnceLock<MatchedPath>>);

impl Matched {
    /// Tells the route. Only the first time counts.
    pub(crate) fn tell(&self, route: MatchedPath) {
        let _ = self.0.set(route);
    }
}

/// Tells the layers round the router which route matched.
pub(crate) async fn tell_route(request: Request) -> Request {
    let extensions = request.extensions();
    let told = (extensions.get::<Matched>(), extensions.get::<MatchedPath>());
    if let (Some(matched), Some(route)) = told {
        matched.tell(route.clone());
    }
    request
}

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
    let matched = Matched::default();
    request.extensions_mut().insert(matched.clone());
    let method = request.method().clone();

    let mut response = next.run(request).await;

    let route = matched.0.get().map_or(NO_ROUTE, MatchedPath::as_str);
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
