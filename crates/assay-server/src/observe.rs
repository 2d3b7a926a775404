//! The outermost layer: an id for every request, a line in the log, a count.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Instant;

use assay_model::RepoId;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use percent_encoding::percent_decode_str;

use crate::answer;
use crate::log::REQUESTS;
use crate::metrics::{RefusedInBody, WriteKind, WriteOutcome};
use crate::state::AppState;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The route under which requests that match none are counted.
const NO_ROUTE: &str = "(none)";

/// The id of a request, in its answer and in the log.
#[derive(Debug, Clone)]
pub(crate) struct RequestId(pub(crate) String);

/// The facts of a request that inner layers note for its line in the log. Only the first of each
/// counts.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestNotes(Arc<Notes>);

#[derive(Debug, Default)]
struct Notes {
    route: OnceLock<MatchedPath>,
    account: OnceLock<String>,
}

impl RequestNotes {
    /// Notes the route that matched.
    pub(crate) fn route(&self, route: MatchedPath) {
        let _ = self.0.route.set(route);
    }

    /// Notes the account that acts.
    pub(crate) fn account(&self, name: &str) {
        let _ = self.0.account.set(name.to_owned());
    }
}

/// Gives the request an id, and logs it when it is answered: the route, the account and the
/// repository. The rest of the address is not logged, since it may carry the signature of a link.
pub(crate) async fn observe(
    State(state): State<AppState>,
    mut request: Request,
    next: Next,
) -> Response {
    let started = Instant::now();
    let id = next_id();
    request.extensions_mut().insert(RequestId(id.clone()));
    let notes = RequestNotes::default();
    request.extensions_mut().insert(notes.clone());
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let (parts, body) = request.into_parts();
    let address = state
        .web
        .logs_addresses
        .then(|| answer::address(&parts, state.web.trust_proxy));
    let request = Request::from_parts(parts, body);

    let mut response = next.run(request).await;

    let route = notes.0.route.get().map_or(NO_ROUTE, MatchedPath::as_str);
    let repo = repo_of(route, &path);
    let account = notes.0.account.get();
    let took = started.elapsed();
    let status = response.status();
    state.web.metrics.answered(route, &method, status, took);
    if let Some(kind) = WriteKind::of(&method, route) {
        let refused = response.extensions().get::<RefusedInBody>().copied();
        let outcome = WriteOutcome::of(status, refused);
        state.web.metrics.written(kind, outcome);
    }
    tracing::info!(
        target: REQUESTS,
        request_id = %id,
        %method,
        route,
        status = status.as_u16(),
        micros = took.as_micros(),
        account,
        repo,
        address = address.map(tracing::field::display),
        "{method} {route} was answered with {status}",
        status = status.as_u16(),
    );
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    response
}

/// The repository that an address names where its route has `{namespace}/{name}`; datasets begin
/// with `datasets/`. What no repository can be called is left out, so nobody writes their own words
/// into the log.
fn repo_of(route: &str, path: &str) -> Option<String> {
    let mut parts = route.split('/').zip(path.split('/'));
    let (_, namespace) = parts.find(|(part, _)| *part == "{namespace}")?;
    let (_, name) = parts.next().filter(|(part, _)| *part == "{name}")?;
    let decoded = |text: &str| {
        let text = percent_decode_str(text).decode_utf8().ok()?;
        Some(text.into_owned())
    };
    let (namespace, name) = (decoded(namespace)?, decoded(name)?);
    let name = name.strip_suffix(".git").unwrap_or(&name);
    let id: RepoId = format!("{namespace}/{name}").parse().ok()?;
    let is_dataset = route.starts_with("/datasets/") || route.starts_with("/api/datasets/");
    Some(if is_dataset {
        format!("datasets/{id}")
    } else {
        id.to_string()
    })
}

/// An id that no other request of this or an earlier process has. It is no secret.
fn next_id() -> String {
    static PROCESS: LazyLock<u64> = LazyLock::new(|| RandomState::new().build_hasher().finish());
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{:016x}-{count:x}", *PROCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_named_where_the_route_has_one() {
        let cases = [
            (
                "/api/models/{namespace}/{name}",
                "/api/models/ada/m",
                Some("ada/m"),
            ),
            (
                "/datasets/{namespace}/{name}/resolve/{revision}/{*path}",
                "/datasets/ada/d/resolve/main/x",
                Some("datasets/ada/d"),
            ),
            (
                "/{namespace}/{name}/info/refs",
                "/ada/m%2Da.git/info/refs",
                Some("ada/m-a"),
            ),
            (
                "/api/models/{namespace}/{name}",
                "/api/models/ada/a%0Ab",
                None,
            ),
            ("/api/whoami-v2", "/api/whoami-v2", None),
            ("(none)", "/ada/m", None),
        ];
        for (route, path, named) in cases {
            assert_eq!(repo_of(route, path).as_deref(), named, "{path}");
        }
    }
}
