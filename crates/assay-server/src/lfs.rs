//! Large files as git-lfs and older clients send them. Links carry their own permission: the client of the hub sends no
//! credentials with the bytes.

use std::collections::BTreeMap;

use assay_app::{Error, Missing, Need, Repo};
use assay_formats::hub_api::{
    Action, Actions, BatchAnswer, BatchObject, BatchRequest, ObjectAnswer, ObjectError, Verify,
};
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{post, put};
use serde::Serialize;

use crate::base_url::BaseUrl;
use crate::endpoints::{Endpoints, Param, ParamKind, param, told};
use crate::error::Failure;
use crate::extract::{Asker, Base, JsonBody, RepoName};
use crate::links;
use crate::state::AppState;

mod link;

use link::{Link, Purpose};

const CONTENT: &str = "application/vnd.git-lfs+json";
const LINK: &[Param] = &[
    param("size", ParamKind::Number, "how large the file is"),
    param(
        "expires",
        ParamKind::Number,
        "until when the address is good",
    ),
    param("signature", ParamKind::Text, "what only the hub can make"),
];
/// The most files that can be asked about at once.
const MAX_OBJECTS: usize = 1000;

/// The questions of git-lfs, below `/{namespace}/{name}.git/info/lfs`.
pub(crate) fn routes() -> Endpoints {
    Endpoints::new()
        .route(
            "/{namespace}/{name}/info/lfs/objects/batch",
            post(batch),
            [told(
                Method::POST,
                "lfs_batch",
                "Tells where to put or get large files.",
            )
            .takes_as(CONTENT, "`operation`, `transfers` and `objects`")
            .answers_as(CONTENT, "`objects`, each with its `actions`")],
        )
        .route(
            "/{namespace}/{name}/info/lfs/objects/verify",
            post(verify),
            [told(
                Method::POST,
                "lfs_verify",
                "Tells whether a large file has arrived.",
            )
            .takes_as(CONTENT, "`oid` and `size`")
            .answers_as(CONTENT, "nothing")],
        )
        .under("Large files")
}

/// Links that carry their own permission until they expire.
pub(crate) fn links() -> Endpoints {
    Endpoints::new()
        .route(
            "/uploads/lfs/{kind}/{namespace}/{name}/{oid}",
            put(link::upload).get(link::download),
            [
                told(
                    Method::PUT,
                    "lfs_upload",
                    "Takes a large file. The address carries its own permission.",
                )
                .query(LINK)
                .takes_as("application/octet-stream", "the file"),
                told(
                    Method::GET,
                    "lfs_download",
                    "Sends a large file. The address carries its own permission.",
                )
                .query(LINK)
                .answers_as("application/octet-stream", "the file"),
            ],
        )
        .under("Large files")
}

/// Where to put or get each of some files.
async fn batch(
    State(state): State<AppState>,
    Asker(caller): Asker,
    Base(base): Base,
    name: RepoName,
    JsonBody(request): JsonBody<BatchRequest>,
) -> Result<Response, Failure> {
    let (purpose, need) = match request.operation.as_str() {
        "upload" => (Purpose::Upload, Need::Discuss),
        "download" => (Purpose::Download, Need::Read),
        _ => return Err(Failure::invalid("the operation is `upload` or `download`")),
    };
    let mut repo = name.open(&state, &caller, need).await?;
    // A pull request is open to everyone who is signed in; a branch is not.
    let is_for_branch = |name: &str| !name.starts_with("refs/pr/");
    if purpose == Purpose::Upload
        && request
            .reference
            .as_ref()
            .is_some_and(|own| is_for_branch(&own.name))
    {
        repo = name.open(&state, &caller, Need::Write).await?;
    }
    if !request.is_sha256() || !request.takes_basic() {
        let text = "files are named by `sha256` and transferred by `basic` here";
        return Err(Error::Unprocessable(text.to_owned()).into());
    }
    if request.objects.len() > MAX_OBJECTS {
        let text = format!("at most {MAX_OBJECTS} files can be asked about at once");
        return Err(Failure::too_large(text));
    }
    let mut objects = Vec::with_capacity(request.objects.len());
    for object in &request.objects {
        objects.push(answer(&state, &base, &repo, object, purpose).await?);
    }
    Ok(lfs(&BatchAnswer {
        transfer: "basic",
        objects,
        hash_algo: "sha256",
    }))
}

/// Whether a file has arrived.
async fn verify(
    State(state): State<AppState>,
    Asker(caller): Asker,
    name: RepoName,
    JsonBody(request): JsonBody<Verify>,
) -> Result<Response, Failure> {
    let repo = name.open(&state, &caller, Need::Read).await?;
    let held = state.hub.large(&repo, &request.oid).await?;
    match held {
        Some(held) if held.size == request.size => Ok(lfs(&serde_json::json!({}))),
        Some(_) => {
            let text = "the file that arrived has another size";
            Err(Error::Unprocessable(text.to_owned()).into())
        }
        None => Err(missing()),
    }
}

async fn answer(
    state: &AppState,
    base: &BaseUrl,
    repo: &Repo,
    object: &BatchObject,
    purpose: Purpose,
) -> Result<ObjectAnswer, Failure> {
    let answer = |actions, error| ObjectAnswer {
        oid: object.oid.clone(),
        size: object.size,
        actions,
        error,
    };
    let refuse = |code: StatusCode, message: &str| {
        let message = message.to_owned();
        let code = code.as_u16();
        Ok(answer(None, Some(ObjectError { code, message })))
    };
    let held = match state.hub.large(repo, &object.oid).await {
        Ok(held) => held,
        Err(Error::Invalid(text)) => return refuse(StatusCode::UNPROCESSABLE_ENTITY, &text),
        Err(error) => return Err(error.into()),
    };
    let link = Link::new(state, repo, purpose, &object.oid, object.size);
    match (purpose, held) {
        (Purpose::Download, None) => refuse(StatusCode::NOT_FOUND, "the file is not here"),
        (Purpose::Download, Some(_)) => {
            let download = Some(action(link.address(state, base)));
            let actions = Actions {
                download,
                ..Actions::default()
            };
            Ok(answer(Some(actions), None))
        }
        (Purpose::Upload, Some(_)) => Ok(answer(None, None)),
        (Purpose::Upload, None) => {
            let most = state.web.limits.large_file_bytes;
            if object.size > most {
                let text = format!("a file has at most {most} bytes");
                return refuse(StatusCode::PAYLOAD_TOO_LARGE, &text);
            }
            let page = links::repo(base, repo.kind(), repo.id());
            let verify = format!("{page}.git/info/lfs/objects/verify");
            let actions = Actions {
                upload: Some(action(link.address(state, base))),
                verify: Some(action(verify)),
                download: None,
            };
            Ok(answer(Some(actions), None))
        }
    }
}

fn action(href: String) -> Action {
    Action {
        href,
        header: BTreeMap::new(),
        expires_in: Some(link::LIFETIME_SECONDS),
    }
}

fn lfs(body: &impl Serialize) -> Response {
    match serde_json::to_vec(body) {
        Ok(bytes) => ([(CONTENT_TYPE, CONTENT)], bytes).into_response(),
        Err(error) => Failure::internal(error).into_response(),
    }
}

fn missing() -> Failure {
    Error::NotFound(Missing::Other("the file is not here".to_owned())).into()
}
