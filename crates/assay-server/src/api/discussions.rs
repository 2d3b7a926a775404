use axum::Router;

use crate::state::AppState;

/// Discussions and pull requests, below `/api/{models,datasets}`.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
}
