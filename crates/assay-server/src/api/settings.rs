use assay_app::{Need, Settings, Visibility};
use assay_formats::hub_api::{self, Gated};
use axum::extract::State;
use axum::routing::{get, put};
use axum::{Json, Router};

use crate::error::Failure;
use crate::extract::{Asker, JsonBody, RepoName};
use crate::state::AppState;
use crate::wire;

pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .route("/{namespace}/{name}/settings", put(change))
        .route("/{namespace}/{name}/auth-check", get(may_read))
        .route("/{namespace}/{name}/auth-check/write", get(may_write))
}

/// Changes who may see a repository, or what is said of it.
async fn change(
    State(state): State<AppState>,
    Asker(caller): Asker,
    repo: RepoName,
    JsonBody(request): JsonBody<hub_api::RepoSettings>,
) -> Result<Json<hub_api::SettingsAnswer>, Failure> {
    if matches!(request.gated, Some(Gated::Auto | Gated::Manual)) {
        return Err(Failure::invalid("this hub has no gated repositories"));
    }
    let visibility = request
        .visibility()
        .map_err(|error| Failure::invalid(error.to_string()))?;
    let settings = Settings {
        visibility: visibility.map(|visibility| match visibility {
            hub_api::Visibility::Public => Visibility::Public,
            hub_api::Visibility::Private => Visibility::Private,
        }),
        description: request.description,
    };
    let hub = &state.hub;
    let info = hub
        .change_settings(&caller, repo.kind, &repo.id, settings)
        .await?;
    Ok(Json(hub_api::SettingsAnswer {
        private: info.private,
        gated: Gated::Open,
    }))
}

async fn may_read(
    State(state): State<AppState>,
    Asker(caller): Asker,
    repo: RepoName,
) -> Result<&'static str, Failure> {
    repo.open(&state, &caller, Need::Read).await?;
    Ok(wire::OK)
}

async fn may_write(
    State(state): State<AppState>,
    Asker(caller): Asker,
    repo: RepoName,
) -> Result<&'static str, Failure> {
    repo.open(&state, &caller, Need::Write).await?;
    Ok(wire::OK)
}
