use assay_app::Preupload;
use assay_formats::hub_api::{self, UploadMode};
use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use serde::Deserialize;

use crate::error::Failure;
use crate::extract::{Asker, Flag, JsonBody, Query, RepoName, Segments};
use crate::state::AppState;

/// The most files that can be asked about at once. Clients send 256.
const MAX_FILES: usize = 1000;

pub(crate) fn routes() -> Router<AppState> {
    Router::new().route("/{namespace}/{name}/preupload/{revision}", post(preupload))
}

#[derive(Deserialize)]
struct At {
    revision: String,
}

#[derive(Debug, Deserialize)]
struct PreuploadQuery {
    #[serde(default)]
    create_pr: Flag,
}

/// How each file of a coming commit is to be sent.
async fn preupload(
    State(state): State<AppState>,
    Asker(caller): Asker,
    name: RepoName,
    Segments(At { revision }): Segments<At>,
    Query(query): Query<PreuploadQuery>,
    JsonBody(request): JsonBody<hub_api::Preupload>,
) -> Result<Json<hub_api::PreuploadAnswer>, Failure> {
    if request.files.len() > MAX_FILES {
        let text = format!("at most {MAX_FILES} files can be asked about at once");
        return Err(Failure::too_large(text));
    }
    let files = request.files.into_iter();
    let question = Preupload {
        revision,
        create_pull: query.create_pr.0,
        files: files.map(|file| (file.path, file.size)).collect(),
        git_ignore: request.git_ignore,
    };
    let hub = &state.hub;
    let plan = hub
        .preupload(&caller, name.kind, &name.id, question)
        .await?;
    let files = plan.files.into_iter().map(|file| hub_api::PreuploadedFile {
        path: file.path,
        upload_mode: if file.large {
            UploadMode::Lfs
        } else {
            UploadMode::Regular
        },
        should_ignore: file.ignore,
        oid: file.oid,
    });
    Ok(Json(hub_api::PreuploadAnswer {
        files: files.collect(),
        commit_oid: Some(plan.head),
    }))
}
