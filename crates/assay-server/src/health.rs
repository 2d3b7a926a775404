use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;

use crate::error::Failure;
use crate::state::AppState;

/// What Prometheus expects.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Whether the hub can answer, and what it has counted. Neither asks who is there.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .route("/healthz", get(health))
        .route("/metrics", get(metrics))
}

async fn health(State(state): State<AppState>) -> Response {
    match state.hub.healthy().await {
        Ok(()) => (StatusCode::OK, "ok\n").into_response(),
        Err(error) => {
            let source = std::error::Error::source(&error).map(ToString::to_string);
            tracing::error!(source, "the hub cannot answer: {error}");
            (StatusCode::SERVICE_UNAVAILABLE, "the hub cannot answer\n").into_response()
        }
    }
}

async fn metrics(State(state): State<AppState>) -> Response {
    if !state.web.shows_metrics {
        return Failure::no_route().into_response();
    }
    ([(CONTENT_TYPE, TEXT)], state.web.metrics.text()).into_response()
}
