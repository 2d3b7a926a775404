use axum::Json;
use axum::http::Method;
use axum::routing::get;
use serde_json::{Value, json};

use assay_app::Error;

use crate::endpoints::{Endpoints, told};
use crate::error::Failure;
use crate::extract::Asker;

/// What clients ask by the way. It costs them nothing and must not cost us more.
pub(crate) fn routes() -> Endpoints {
    Endpoints::new()
        .route(
            "/api/telemetry/{*topic}",
            get(telemetry).post(telemetry),
            [
                told(Method::GET, "telemetry", "Takes note of nothing."),
                told(Method::POST, "send_telemetry", "Takes note of nothing."),
            ],
        )
        .route(
            "/api/settings/webhooks",
            get(webhooks),
            [told(
                Method::GET,
                "webhooks",
                "Lists the webhooks of the caller, of which there are none.",
            )],
        )
        .route(
            "/api/models-tags-by-type",
            get(no_tags),
            [told(
                Method::GET,
                "model_tags",
                "Lists tags by type, of which there are none.",
            )],
        )
        .route(
            "/api/datasets-tags-by-type",
            get(no_tags),
            [told(
                Method::GET,
                "dataset_tags",
                "Lists tags by type, of which there are none.",
            )],
        )
        .route(
            "/api/agent-harnesses",
            get(harnesses),
            [told(Method::GET, "agent_harnesses", "Is always not found.")],
        )
        .under("Asked by the way")
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
