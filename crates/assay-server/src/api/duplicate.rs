use assay_app::{Error, Visibility};
use assay_hub_api as hub_api;
use assay_model::RepoId;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde_json::json;

use crate::describe::{Access, Refusal, Subject, says};
use crate::error::{self, Failure};
use crate::extract::{Base, CallerExt, JsonBody, RepoName};
use crate::links;
use crate::routes::{Routes, post};
use crate::state::AppState;

pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Repositories).route(
        "/{namespace}/{name}/duplicate",
        post(
            duplicate,
            says("Makes a repository with the branches, tags and large files of this one.")
                .more("What is in it is validated. Discussions and pull requests are not copied.")
                .asks(Access::SignedIn)
                .takes::<hub_api::DuplicateRepo>()
                .answers::<hub_api::DuplicatedRepo>("The copy.")
                .refuses(&[Refusal::Invalid, Refusal::Taken]),
        ),
    )
}

/// Copies a repository. When the name is taken, the refusal says where: clients read it and go on.
async fn duplicate(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    Base(base): Base,
    name: RepoName,
    JsonBody(request): JsonBody<hub_api::DuplicateRepo>,
) -> Result<Response, Failure> {
    let repo = name.open(&state, &caller).await?;
    let to: RepoId = request
        .repository
        .parse()
        .map_err(|error: assay_model::RepoIdError| Failure::invalid(error.to_string()))?;
    let visibility = request.visibility();
    let visibility = visibility.map_err(|error| Failure::invalid(error.to_string()))?;
    let visibility = visibility.map(|visibility| match visibility {
        hub_api::Visibility::Private => Visibility::Private,
        hub_api::Visibility::Public => Visibility::Public,
    });
    let kind = repo.kind();
    let copied = state
        .hub
        .repositories()
        .duplicate_repository(&caller, &repo, &to, visibility)
        .await;
    match copied {
        Ok(info) => Ok(Json(hub_api::DuplicatedRepo {
            url: links::repo(&base, kind, &info.id),
            files_copy_pending: false,
        })
        .into_response()),
        Err(Error::Exists(existing)) => {
            let body = json!({ "url": links::repo(&base, kind, &to) });
            Ok(error::refuse(
                StatusCode::CONFLICT,
                &existing.to_string(),
                body,
            ))
        }
        Err(error) => Err(error.into()),
    }
}
