use assay_hub_api as hub_api;
use axum::Json;
use axum::extract::State;

use crate::describe::{Access, Refusal, Subject, says};
use crate::error::Failure;
use crate::extract::{CallerExt, JsonBody, RepoName};
use crate::routes::{Routes, get, post};
use crate::state::AppState;
use crate::wire;

pub(crate) fn routes() -> Routes {
    Routes::about(Subject::LargeFiles)
        .route(
            "/{namespace}/{name}/lfs-files",
            get(
                list,
                says("Lists the large files of a repository, for those who may write to it.")
                    .asks(Access::SignedIn)
                    .lists::<hub_api::LargeFileItem>("The files.")
                    .refuses(&[Refusal::Forbidden]),
            ),
        )
        .route(
            "/{namespace}/{name}/lfs-files/batch",
            post(
                remove,
                says("Deletes large files that no commit names.")
                    .more(
                        "A file that a commit names is a 409: the history of a repository is kept.",
                    )
                    .asks(Access::SignedIn)
                    .takes::<hub_api::DeleteLargeFiles>()
                    .answers_ok()
                    .refuses(&[Refusal::Forbidden, Refusal::Taken]),
            ),
        )
}

/// Lists the large files of a repository.
async fn list(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    name: RepoName,
) -> Result<Json<Vec<hub_api::LargeFileItem>>, Failure> {
    let repo = name.open(&state, &caller).await?;
    let files = state.hub.repositories().large_files(&caller, &repo).await?;
    let info = state.hub.repositories().repo_info(&repo, None).await?;
    let files = files.into_iter().map(|file| hub_api::LargeFileItem {
        file_oid: file.sha256.clone(),
        oid: file.sha256,
        filename: file.path.unwrap_or_default(),
        size: file.size,
        pushed_at: file.named.unwrap_or(info.updated),
    });
    Ok(Json(files.collect()))
}

/// Deletes large files that no commit names.
async fn remove(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    name: RepoName,
    JsonBody(request): JsonBody<hub_api::DeleteLargeFiles>,
) -> Result<&'static str, Failure> {
    let repo = name.open(&state, &caller).await?;
    let hub = &state.hub;
    hub.repositories()
        .delete_large_files(&caller, &repo, &request.deletions.sha)
        .await?;
    Ok(wire::OK)
}
