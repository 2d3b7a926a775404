use axum::Router;

use crate::state::AppState;

/// The description of the API, for machines and for people.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
}
