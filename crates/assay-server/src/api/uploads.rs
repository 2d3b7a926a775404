use assay_app::{Need, Preupload};
use assay_hub_api::{self as hub_api, UploadMode};
use axum::Json;
use axum::extract::State;
use axum::response::Redirect;
use percent_encoding::utf8_percent_encode;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::describe::{Door, Subject, says};
use crate::error::Failure;
use crate::extract::{Asker, Flag, JsonBody, Query, RepoName, Segments};
use crate::routes::{Routes, get, post};
use crate::state::AppState;
use crate::wire;

/// What whoever has a client with Xet reads in the address that failed.
const XET_HINT: &str = "set-HF_HUB_DISABLE_XET=1-and-try-again-or-push-with-git-lfs";
/// The most files that can be asked about at once. Clients send 256.
const MAX_FILES: usize = 1000;

pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Commits)
        .route(
            "/{namespace}/{name}/xet-write-token/{revision}",
            get(
                xet_write_token,
                says("Is asked by clients that would send a large file by Xet, and is answered with 400.")
                    .more("Files up to `limits.file_bytes` go in the commit itself. The message says what to do with larger ones.")
                    .asks(Door::SignedIn)
                    .query::<XetQuery>(),
            ),
        )
        .route(
        "/{namespace}/{name}/preupload/{revision}",
        post(
            preupload,
            says("Says how each file of a coming commit is to be sent.")
                .more("At most 1000 files at once.")
                .asks(Door::SignedIn)
                .query::<PreuploadQuery>()
                .takes::<hub_api::Preupload>()
                .answers::<hub_api::PreuploadAnswer>(
                    "Each file: in the commit, or before it as a large file.",
                ),
        ),
    )
}

#[derive(Deserialize)]
struct At {
    revision: String,
}

#[derive(Debug, Deserialize, IntoParams)]
struct XetQuery {
    /// What to do instead; without it the answer leads to the same address with it.
    hint: Option<String>,
}

#[derive(Debug, Deserialize, IntoParams)]
struct PreuploadQuery {
    /// Whether the commit will open a pull request.
    #[serde(default)]
    #[param(value_type = bool)]
    create_pr: Flag,
}

/// Clients with Xet ask for this without asking what the hub can do, and go no further. All that they show is a status and
/// the address that they came to last, so the address says what to do.
async fn xet_write_token(
    State(state): State<AppState>,
    Asker(caller): Asker,
    name: RepoName,
    Segments(At { revision }): Segments<At>,
    Query(query): Query<XetQuery>,
) -> Result<Redirect, Failure> {
    let repo = name.open(&state, &caller, Need::Discuss).await?;
    if query.hint.is_none() {
        let revision = utf8_percent_encode(&revision, wire::SEGMENT);
        let (kind, id) = (repo.kind().plural(), repo.id());
        return Ok(Redirect::temporary(&format!(
            "/api/{kind}/{id}/xet-write-token/{revision}?hint={XET_HINT}"
        )));
    }
    let limit = state.hub.limits().file_bytes;
    Err(Failure::invalid(format!(
        "this hub keeps files of more than {limit} bytes by git-lfs and not by Xet: set HF_HUB_DISABLE_XET=1 and try again, or push with git-lfs"
    )))
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
