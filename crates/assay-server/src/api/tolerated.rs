use axum::Json;
use serde_json::{Value, json};

use crate::describe::{Refusal, RouteDoc, Subject, says};
use crate::error::Failure;
use crate::routes::{Routes, get};

/// Returns the routes that clients call by the way. They cost clients nothing and must not cost us
/// more.
pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Courtesy)
        .route(
            "/api/telemetry/{*topic}",
            get(telemetry, counts_nothing())
                .head(telemetry, counts_nothing())
                .post(telemetry, counts_nothing()),
        )
        .route(
            "/api/models-tags-by-type",
            get(
                model_tags,
                says("Lists tags of models by type: none.")
                    .answers_bytes("application/json", "`{}`."),
            ),
        )
        .route(
            "/api/datasets-tags-by-type",
            get(
                dataset_tags,
                says("Lists tags of datasets by type: none.")
                    .answers_bytes("application/json", "`{}`."),
            ),
        )
        .route(
            "/api/agent-harnesses",
            get(
                harnesses,
                says("Is the first question of every client, and is answered with 404.")
                    .refuses(&[Refusal::Missing]),
            ),
        )
}

fn counts_nothing() -> RouteDoc {
    says("Takes what clients count about themselves, and keeps nothing of it.")
        .answers_nothing(200, "Always.")
}

async fn telemetry() {}

async fn model_tags() -> Json<Value> {
    Json(json!({}))
}

async fn dataset_tags() -> Json<Value> {
    Json(json!({}))
}

/// The first request of every client. An answer would be kept for a day and hide that of other
/// hubs, so there is none.
async fn harnesses() -> Failure {
    Failure::no_route()
}
