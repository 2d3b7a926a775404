use axum::Router;

use crate::state::AppState;

/// Git's smart protocol, below `/{namespace}/{name}` and `/{namespace}/{name}.git`.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
}
