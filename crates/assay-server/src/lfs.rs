use axum::Router;

use crate::state::AppState;

/// The questions of git-lfs, below `/{namespace}/{name}.git/info/lfs`.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
}

/// Links that carry their own permission until they expire.
pub(crate) fn links() -> Router<AppState> {
    Router::new()
}
