use axum::Router;

use crate::state::AppState;

/// Leaderboards, at their full addresses: only datasets have one.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
}
