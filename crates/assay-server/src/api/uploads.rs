use assay_app::Preupload;
use assay_hub_api::{self as hub_api, UploadMode};
use axum::Json;
use axum::extract::State;
use axum::http::HeaderName;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::describe::{Access, Refusal, Subject, says};
use crate::error::{Failure, one_line};
use crate::extract::{Base, CallerExt, JsonBody, LenientBool, PathParams, Query, RepoName};
use crate::routes::{Routes, get, post};
use crate::state::AppState;
use crate::xet::XetToken;

const CAS_URL: HeaderName = HeaderName::from_static("x-xet-cas-url");
const ACCESS_TOKEN: HeaderName = HeaderName::from_static("x-xet-access-token");
const TOKEN_EXPIRATION: HeaderName = HeaderName::from_static("x-xet-token-expiration");
/// The most files that can be asked about at once. Clients send 256.
const MAX_FILES: usize = 1000;

pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Commits)
        .route(
            "/{namespace}/{name}/xet-write-token/{revision}",
            get(
                xet_write_token,
                says("Says where and with which token large files are sent by Xet.")
                    .more("The token is good for an hour, for this repository. Those who may not write to it need `create_pr`, or name a pull request.")
                    .asks(Access::SignedIn)
                    .query::<XetQuery>()
                    .answers::<hub_api::XetConnection>("The address and the token, which are in the headers too.")
                    .header(CAS_URL.as_str(), "The address.")
                    .header(ACCESS_TOKEN.as_str(), "The token.")
                    .header(TOKEN_EXPIRATION.as_str(), "When the token ends, in seconds since 1970.")
                    .refuses(&[Refusal::Forbidden]),
            ),
        )
        .route(
        "/{namespace}/{name}/preupload/{revision}",
        post(
            preupload,
            says("Says how each file of a coming commit is to be sent.")
                .more("At most 1000 files at once.")
                .asks(Access::SignedIn)
                .query::<PreuploadQuery>()
                .takes::<hub_api::Preupload>()
                .answers::<hub_api::PreuploadAnswer>(
                    "Each file: in the commit, or before it as a large file.",
                )
                .refuses(&[Refusal::Unprocessable]),
        ),
    )
}

#[derive(Deserialize)]
struct At {
    revision: String,
}

#[derive(Debug, Deserialize, IntoParams)]
struct XetQuery {
    /// True if the commit will open a pull request.
    #[serde(default)]
    #[param(value_type = bool)]
    create_pr: LenientBool,
}

#[derive(Debug, Deserialize, IntoParams)]
struct PreuploadQuery {
    /// True if the commit will open a pull request.
    #[serde(default)]
    #[param(value_type = bool)]
    create_pr: LenientBool,
}

/// Says where large files are sent by Xet.
async fn xet_write_token(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    Base(base): Base,
    name: RepoName,
    PathParams(At { revision }): PathParams<At>,
    Query(query): Query<XetQuery>,
) -> Result<Response, Failure> {
    // Python names no revision when it is going to open a pull request, and spells that `None`.
    let is_for_pull = query.create_pr.0 || revision == "None";
    let branch = (!is_for_pull).then_some(revision.as_str());
    let repo = name.open_for_upload(&state, &caller, branch).await?;
    let uploader = state.hub.repositories().uploader(&caller, &repo).await?;
    let token = XetToken::new(&state, &repo, uploader);
    let connection = token.connection(&state, &base);
    let headers = [
        (CAS_URL, one_line(&connection.cas_url)),
        (ACCESS_TOKEN, one_line(&connection.access_token)),
        (TOKEN_EXPIRATION, connection.exp.into()),
    ];
    Ok((headers, Json(connection)).into_response())
}

/// Returns the way to upload each file of a coming commit.
async fn preupload(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    name: RepoName,
    PathParams(At { revision }): PathParams<At>,
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
        .repositories()
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
