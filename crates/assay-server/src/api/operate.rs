//! What only operators do over HTTP, below `/api/assay`: it is no part of what other hubs offer.

use assay_formats::hub_api;
use assay_model::RepoId;
use axum::extract::State;
use axum::routing::{post, put};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::Failure;
use crate::extract::{Asker, JsonBody, Segments};
use crate::state::AppState;
use crate::wire;

pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/assay/organizations", post(create_organisation))
        .route(
            "/api/assay/benchmarks/{namespace}/{name}/official",
            put(set_official),
        )
}

#[derive(Debug, Deserialize)]
struct NewOrganisation {
    name: String,
    #[serde(default)]
    fullname: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Official {
    official: bool,
}

#[derive(Deserialize)]
struct Named {
    namespace: String,
    name: String,
}

/// Makes an organisation.
async fn create_organisation(
    State(state): State<AppState>,
    Asker(caller): Asker,
    JsonBody(request): JsonBody<NewOrganisation>,
) -> Result<Json<hub_api::Account>, Failure> {
    let full_name = request.fullname.as_deref().unwrap_or(&request.name);
    let account = state
        .hub
        .create_organisation(&caller, &request.name, full_name)
        .await?;
    Ok(Json(wire::account(
        &account.name,
        &account.full_name,
        account.kind,
    )))
}

/// Marks a benchmark as official, or takes the mark away.
async fn set_official(
    State(state): State<AppState>,
    Asker(caller): Asker,
    Segments(Named { namespace, name }): Segments<Named>,
    JsonBody(request): JsonBody<Official>,
) -> Result<Json<Value>, Failure> {
    let id: RepoId = format!("{namespace}/{name}")
        .parse()
        .map_err(|_| Failure::no_repo())?;
    state
        .hub
        .set_official(&caller, &id, request.official)
        .await?;
    Ok(Json(json!({ "id": id, "official": request.official })))
}
