use assay_app::{Error, NewRepository, Visibility};
use assay_hub_api as hub_api;
use assay_model::{RepoId, RepoKind};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde_json::json;

use crate::describe::{Access, Refusal, Subject, says};
use crate::error::{self, Failure};
use crate::extract::{Base, CallerExt, JsonBody};
use crate::routes::{Routes, delete, post};
use crate::state::AppState;
use crate::{links, wire};

pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Repositories)
        .route(
            "/api/repos/create",
            post(
                create,
                says("Makes a repository.")
                    .more("A name that is taken is a 409 whose body says where, so that clients can go on.")
                    .asks(Access::SignedIn)
                    .takes::<hub_api::CreateRepo>()
                    .answers::<hub_api::CreatedRepo>("The repository.")
                    .refuses(&[Refusal::Taken]),
            ),
        )
        .route(
            "/api/repos/delete",
            delete(
                remove,
                says("Deletes a repository.")
                    .asks(Access::SignedIn)
                    .takes::<hub_api::DeleteRepo>()
                    .answers_ok()
                    .refuses(&[Refusal::Missing]),
            ),
        )
        .route(
            "/api/repos/move",
            post(
                rename,
                says("Gives a repository another name; the old one leads there.")
                    .asks(Access::SignedIn)
                    .takes::<hub_api::MoveRepo>()
                    .answers_ok()
                    .refuses(&[Refusal::Missing, Refusal::Taken]),
            ),
        )
}

/// Makes a repository. When the name is taken, the refusal says where: clients read it and go on.
async fn create(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    Base(base): Base,
    JsonBody(request): JsonBody<hub_api::CreateRepo>,
) -> Result<Response, Failure> {
    let own = signed_in(&caller, "to create a repository")?;
    let kind = request.kind().map_err(invalid)?;
    let id = request.id(own).map_err(invalid)?;
    let visibility = match request.visibility().map_err(invalid)? {
        Some(hub_api::Visibility::Private) => Visibility::Private,
        Some(hub_api::Visibility::Public) | None => Visibility::Public,
    };
    let new = NewRepository {
        kind,
        namespace: id.namespace().map(str::to_owned),
        name: id.name().to_owned(),
        visibility,
        description: None,
    };
    let created = state
        .hub
        .repositories()
        .create_repository(&caller, new)
        .await;
    let url = |id: &RepoId| links::repo(&base, kind, id);
    match created {
        Ok(info) => Ok(Json(hub_api::CreatedRepo {
            url: url(&info.id),
            name: info.id,
            id: info.stable_id,
        })
        .into_response()),
        Err(Error::Exists(existing)) => {
            let body = json!({ "url": url(&id) });
            Ok(error::refuse(
                StatusCode::CONFLICT,
                &existing.to_string(),
                body,
            ))
        }
        Err(error) => Err(error.into()),
    }
}

/// Deletes a repository, which is named in the body.
async fn remove(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    JsonBody(request): JsonBody<hub_api::DeleteRepo>,
) -> Result<&'static str, Failure> {
    let own = signed_in(&caller, "to delete a repository")?;
    let kind = request.kind().map_err(invalid)?;
    let id = request.id(own).map_err(|_| Failure::no_repo())?;
    state
        .hub
        .repositories()
        .delete_repository(&caller, kind, &id)
        .await?;
    Ok(wire::OK)
}

/// Gives a repository another name; the old one leads there.
async fn rename(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    JsonBody(request): JsonBody<hub_api::MoveRepo>,
) -> Result<&'static str, Failure> {
    signed_in(&caller, "to rename a repository")?;
    let kind: RepoKind = request.kind().map_err(invalid)?;
    let from: RepoId = request.from_repo.parse().map_err(|_| Failure::no_repo())?;
    let to: RepoId = request.to_repo.parse().map_err(invalid)?;
    state
        .hub
        .repositories()
        .move_repository(&caller, kind, &from, &to)
        .await?;
    Ok(wire::OK)
}

/// The caller's name: a short name of a repository is in their namespace.
fn signed_in<'a>(caller: &'a assay_app::Caller, why: &str) -> Result<&'a str, Failure> {
    caller.name().ok_or_else(|| Failure::sign_in(why))
}

fn invalid(error: impl std::fmt::Display) -> Failure {
    Failure::invalid(error.to_string())
}
