use assay_app::{Settings, Visibility};
use assay_hub_api::{self as hub_api, Gated};
use axum::Json;
use axum::extract::State;

use crate::describe::{Access, Subject, says};
use crate::error::Failure;
use crate::extract::{CallerExt, JsonBody, RepoName};
use crate::routes::{Routes, get, put};
use crate::state::AppState;
use crate::wire;

pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Repositories)
        .route(
            "/{namespace}/{name}/settings",
            put(
                change,
                says("Changes who may see a repository, or what is said of it.")
                    .asks(Access::SignedIn)
                    .takes::<hub_api::RepoSettings>()
                    .answers::<hub_api::SettingsAnswer>("The settings as they are now."),
            ),
        )
        .route(
            "/{namespace}/{name}/auth-check",
            get(
                may_read,
                says("Tells whether the caller may read.").answers_ok(),
            ),
        )
        .route(
            "/{namespace}/{name}/auth-check/write",
            get(
                may_write,
                says("Tells whether the caller may write.")
                    .asks(Access::SignedIn)
                    .answers_ok(),
            ),
        )
}

/// Changes who may see a repository, or what is said of it.
async fn change(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
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
        .repositories()
        .change_settings(&caller, repo.kind, &repo.id, settings)
        .await?;
    Ok(Json(hub_api::SettingsAnswer {
        private: info.private,
        gated: Gated::Open,
    }))
}

async fn may_read(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    repo: RepoName,
) -> Result<&'static str, Failure> {
    repo.open(&state, &caller).await?;
    Ok(wire::OK)
}

async fn may_write(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    repo: RepoName,
) -> Result<&'static str, Failure> {
    let repositories = state.hub.repositories();
    repositories
        .open_to_write(&caller, repo.kind, &repo.id)
        .await?;
    Ok(wire::OK)
}
