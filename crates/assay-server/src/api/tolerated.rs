use axum::routing::{get, head};
use axum::{Json, Router};
use serde_json::{Value, json};

use assay_app::Error;

use crate::error::Failure;
use crate::extract::Asker;
use crate::state::AppState;

/// What clients ask by the way. It costs them nothing and must not cost us more.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .route(
            "/api/telemetry/{*topic}",
            head(telemetry).get(telemetry).post(telemetry),
        )
        .route("/api/settings/webhooks", get(webhooks))
        .route("/api/models-tags-by-type", get(no_tags))
        .route("/api/datasets-tags-by-type", get(no_tags))
        .route("/api/agent-harnesses", get(harnesses))
}

async fn telemetry() {}

/// There are no webhooks yet, so a caller has none.
async fn webhooks(Asker(caller): Asker) -> Result<Json<Value>, Failure> {
    match caller.name() {
        Some(_) => Ok(Json(json!([]))),
        None => Err(Error::NeedsLogin("webhooks belong to an account".to_owned()).into()),
    }
}

async fn no_tags() -> Json<Value> {
    Json(json!({}))
}

/// The first request of every client. An answer would be kept for a day and hide that of other hubs, so there is none.
async fn harnesses() -> Failure {
    Failure::no_route()
}
