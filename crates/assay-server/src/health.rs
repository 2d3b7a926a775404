use assay_hub_api as hub_api;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};

use crate::describe::{Access, Refusal, Subject, says};
use crate::error::Failure;
use crate::routes::{Routes, get};
use crate::state::AppState;

/// The content type that Prometheus expects.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The routes for health, readiness and metrics. None of them asks for credentials.
pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Operation)
        .route(
            "/healthz",
            get(
                health,
                says("Tells whether the hub can answer.")
                    .asks(Access::Open)
                    .answers_bytes(
                        "text/plain",
                        "It can: `ok`. A second line says when repositories are known to be damaged.",
                    )
                    .or_answers(503, "text/plain", "It cannot; the log says why."),
            ),
        )
        .route(
            "/readyz",
            get(
                readiness,
                says("Tells whether the hub can make changes.")
                    .more("Looks at the database, the disk and the logs by writing to them, and counts repositories that are damaged or set aside. An answer is given again for two seconds. It names neither repositories nor files.")
                    .asks(Access::Open)
                    .answers::<hub_api::Readiness>("It can.")
                    .or_answers_json::<hub_api::Readiness>(503, "It cannot; the checks say why. Reading may go on."),
            ),
        )
        .route(
            "/metrics",
            get(
                show_metrics,
                says("Tells what was counted, for Prometheus.")
                    .more("Answered with 404 when it is switched off.")
                    .asks(Access::Open)
                    .answers_bytes("text/plain", "The counters.")
                    .refuses(&[Refusal::Missing]),
            ),
        )
}

async fn health(State(state): State<AppState>) -> Response {
    match state.hub.healthy().await {
        Ok(()) => {
            let note = match state.hub.operations().damaged_count() {
                0 => String::new(),
                count => format!("{count} damaged; see /readyz\n"),
            };
            (StatusCode::OK, format!("ok\n{note}")).into_response()
        }
        Err(error) => {
            let source = std::error::Error::source(&error).map(ToString::to_string);
            tracing::error!(source, "the hub cannot answer: {error}");
            (StatusCode::SERVICE_UNAVAILABLE, "the hub cannot answer\n").into_response()
        }
    }
}

async fn readiness(State(state): State<AppState>) -> Response {
    let found = state.hub.operations().readiness().await;
    let status = if found.is_ready() {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    let checks = found.checks.iter().map(|check| hub_api::ReadinessCheck {
        name: check.name.to_owned(),
        status: check.status.as_str().to_owned(),
        detail: check.detail.clone(),
    });
    let body = hub_api::Readiness {
        ready: found.is_ready(),
        checks: checks.collect(),
    };
    (status, [(CACHE_CONTROL, "no-store")], Json(body)).into_response()
}

async fn show_metrics(State(state): State<AppState>) -> Result<Response, Failure> {
    if !state.web.shows_metrics {
        return Err(Failure::no_route());
    }
    let text = state.web.metrics.scrape(&state).await?;
    Ok(([(CONTENT_TYPE, TEXT)], text).into_response())
}
