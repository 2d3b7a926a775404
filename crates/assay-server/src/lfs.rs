use std::collections::BTreeMap;
use std::io;

use assay_app::{Error, Repo, Uploader};
use assay_hub_api::{
    Action, Actions, BatchAnswer, BatchObject, BatchRequest, ObjectAnswer, ObjectError, Verify,
};
use assay_model::{RepoId, RepoKind};
use axum::Json;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use futures_util::TryStreamExt as _;
use serde::Deserialize;
use tokio_util::io::StreamReader;
use utoipa::IntoParams;

use crate::base_url::BaseUrl;
use crate::describe::{Access, Refusal, Subject, says};
use crate::error::Failure;
use crate::extract::{Base, CallerExt, JsonBody, PathParams, Query, RepoName};
use crate::routes::{Routes, post, put};
use crate::state::AppState;

/// The content type of git-lfs.
const LFS_JSON: HeaderValue = HeaderValue::from_static("application/vnd.git-lfs+json");
/// The lifetime of the permission of a link, in seconds.
const LINK_SECONDS: i64 = 3600;
/// The most objects of one question.
const MAX_OBJECTS: usize = 1000;

/// The questions of git-lfs, below `/{namespace}/{name}.git/info/lfs`.
pub(crate) fn routes() -> Routes {
    Routes::about(Subject::LargeFiles)
        .route(
            "/{namespace}/{name}/info/lfs/objects/batch",
            post(
                batch,
                says("Says how large files are to be sent or fetched.")
                    .more("At most 1000 at once. The links in the answer carry their own permission for an hour. To send, a token is needed.")
                    .takes::<BatchRequest>()
                    .answers::<BatchAnswer>("A link for each, or why there is none.")
                    .refuses(&[Refusal::Forbidden, Refusal::Unprocessable]),
            ),
        )
        .route(
            "/{namespace}/{name}/info/lfs/objects/verify",
            post(
                verify,
                says("Tells whether a large file has arrived.")
                    .asks(Access::SignedIn)
                    .takes::<Verify>()
                    .answers_bytes("application/vnd.git-lfs+json", "It has: `{}`.")
                    .refuses(&[Refusal::Unprocessable]),
            ),
        )
}

/// Links that carry their own permission until they expire. No user can be called `uploads`, so
/// they hide nobody's files.
pub(crate) fn links() -> Routes {
    Routes::about(Subject::LargeFiles).route(
        "/uploads/lfs/{kind}/{namespace}/{name}/{oid}",
        put(
            upload,
            says("Takes the bytes of a large file.")
                .asks(Access::Link)
                .query::<Permission>()
                .takes_bytes(
                    "application/octet-stream",
                    "The bytes, which must have the digest and the size.",
                    None,
                )
                .answers_nothing(200, "They are kept.")
                .refuses(&[Refusal::Unprocessable]),
        )
        .get(
            download,
            says("Gives the bytes of a large file.")
                .asks(Access::Link)
                .query::<Permission>()
                .answers_bytes("application/octet-stream", "The bytes."),
        ),
    )
}

#[derive(Deserialize)]
struct Linked {
    kind: String,
    namespace: String,
    name: String,
    oid: String,
}

/// The permission of a link: one direction, one object, one size, for a while.
#[derive(Debug, Deserialize, IntoParams)]
struct Permission {
    /// The size in bytes.
    size: u64,
    /// The time at which the link expires, in seconds since 1970.
    until: i64,
    /// The account that uploads; 0 for a download.
    #[serde(default)]
    account: i64,
    /// True if that account may write to the repository.
    #[serde(default)]
    writer: bool,
    /// The token that an upload is for: the link ends with it. 0 for a download.
    #[serde(default)]
    token: i64,
    /// That the hub made the link.
    signature: String,
}

/// The direction of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TransferDirection {
    Upload,
    Download,
}

/// Says how objects are to be sent or fetched.
async fn batch(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    Base(base): Base,
    name: RepoName,
    JsonBody(request): JsonBody<BatchRequest>,
) -> Result<Response, Failure> {
    let (way, repo) = match request.operation.as_str() {
        "upload" => {
            let reference = request.reference.as_ref().map(|own| own.name.as_str());
            let repo = name.open_for_upload(&state, &caller, reference).await?;
            (TransferDirection::Upload, repo)
        }
        "download" => {
            let repo = name.open(&state, &caller).await?;
            (TransferDirection::Download, repo)
        }
        _ => return Err(Failure::invalid("`operation` is `upload` or `download`")),
    };
    if !request.is_sha256() || !request.takes_basic() {
        let text = "this hub knows objects by SHA-256 and takes them by the `basic` transfer";
        return Err(Failure::new(StatusCode::UNPROCESSABLE_ENTITY, text));
    }
    if request.objects.len() > MAX_OBJECTS {
        let text = format!("a batch has {MAX_OBJECTS} objects at most");
        return Err(Failure::too_large(text));
    }
    let uploader = match way {
        TransferDirection::Upload => Some(state.hub.repositories().uploader(&caller, &repo).await?),
        TransferDirection::Download => None,
    };
    let mut objects = Vec::with_capacity(request.objects.len());
    for object in &request.objects {
        objects.push(tell(&state, &base, &repo, object, uploader).await?);
    }
    Ok(lfs_json(&BatchAnswer::basic(objects)))
}

/// Returns the actions for one object.
async fn tell(
    state: &AppState,
    base: &BaseUrl,
    repo: &Repo,
    object: &BatchObject,
    uploader: Option<Uploader>,
) -> Result<ObjectAnswer, Failure> {
    let mut answer = ObjectAnswer {
        oid: object.oid.clone(),
        size: object.size,
        actions: None,
        error: None,
    };
    let held = if uploader.is_some() {
        state.hub.repositories().uploaded(repo, &object.oid).await
    } else {
        // An upload that no commit names is given to nobody.
        let held = state.hub.repositories().large(repo, &object.oid).await;
        held.map(|held| held.map(|held| held.size))
    };
    let held = match held {
        Ok(held) => held,
        Err(Error::Invalid(message)) => {
            answer.error = Some(ObjectError { code: 422, message });
            return Ok(answer);
        }
        Err(error) => return Err(error.into()),
    };
    match (uploader, held) {
        (Some(_), Some(_)) => {}
        (Some(uploader), None) => {
            let checked = state
                .hub
                .repositories()
                .check_upload_size(repo, uploader, object.size);
            match checked.await {
                Ok(()) => {}
                Err(Error::TooLarge(limit)) => {
                    let message = limit.to_string();
                    answer.error = Some(ObjectError { code: 413, message });
                    return Ok(answer);
                }
                Err(Error::OverQuota(quota)) => {
                    let message = quota.to_string();
                    answer.error = Some(ObjectError { code: 413, message });
                    return Ok(answer);
                }
                Err(error) => return Err(error.into()),
            }
            answer.actions = Some(Actions {
                upload: Some(link(state, base, repo, object, Some(uploader))),
                verify: Some(Action {
                    href: format!(
                        "{}.git/info/lfs/objects/verify",
                        crate::links::repo(base, repo.kind(), repo.id())
                    ),
                    header: BTreeMap::new(),
                    expires_in: None,
                }),
                download: None,
            });
        }
        (None, Some(_)) => {
            answer.actions = Some(Actions {
                download: Some(link(state, base, repo, object, None)),
                ..Actions::default()
            });
        }
        (None, None) => {
            let message = "there is no such object here".to_owned();
            answer.error = Some(ObjectError { code: 404, message });
        }
    }
    Ok(answer)
}

/// A link that permits one thing. Clients send no credentials along with it.
fn link(
    state: &AppState,
    base: &BaseUrl,
    repo: &Repo,
    object: &BatchObject,
    uploader: Option<Uploader>,
) -> Action {
    let until = state.web.clock.now().seconds() + LINK_SECONDS;
    let (kind, id) = (repo.kind(), repo.id());
    let text = permitted(uploader, kind, id, &object.oid, object.size, until);
    let signature = state.hub.sign(&text);
    let by = uploader.map_or_else(String::new, |uploader| {
        let (account, writer) = (uploader.account(), uploader.may_write());
        let token = uploader.token().unwrap_or_default();
        format!("&account={account}&writer={writer}&token={token}")
    });
    Action {
        href: format!(
            "{base}/uploads/lfs/{kind}/{id}/{}?size={}&until={until}{by}&signature={signature}",
            object.oid, object.size
        ),
        header: BTreeMap::new(),
        expires_in: u64::try_from(LINK_SECONDS).ok(),
    }
}

/// Returns the text under a signature. Every part has one spelling, and none can hold the line end
/// that divides them.
fn permitted(
    uploader: Option<Uploader>,
    kind: RepoKind,
    id: &RepoId,
    oid: &str,
    size: u64,
    until: i64,
) -> String {
    let way = match uploader {
        Some(uploader) => {
            let (account, writer) = (uploader.account(), uploader.may_write());
            let token = uploader.token().unwrap_or_default();
            format!("upload\n{account}\n{writer}\n{token}")
        }
        None => "download".to_owned(),
    };
    format!("lfs\n{way}\n{kind}\n{id}\n{oid}\n{size}\n{until}")
}

/// Takes the bytes of an object.
async fn upload(
    State(state): State<AppState>,
    PathParams(linked): PathParams<Linked>,
    Query(permission): Query<Permission>,
    request: Request,
) -> Result<StatusCode, Failure> {
    let token = (permission.token != 0).then_some(permission.token);
    let uploader = Uploader::from_link(permission.account, permission.writer).with_token(token);
    let repo = admit(&state, &linked, &permission, Some(uploader)).await?;
    let pieces = request.into_body().into_data_stream();
    let content = StreamReader::new(pieces.map_err(io::Error::other));
    let hub = &state.hub;
    hub.repositories()
        .store_large(
            &repo,
            uploader,
            &linked.oid,
            permission.size,
            Box::new(content),
        )
        .await?;
    Ok(StatusCode::OK)
}

/// Gives the bytes of an object.
async fn download(
    State(state): State<AppState>,
    PathParams(linked): PathParams<Linked>,
    Query(permission): Query<Permission>,
) -> Result<Response, Failure> {
    let repo = admit(&state, &linked, &permission, None).await?;
    let held = state.hub.repositories().large(&repo, &linked.oid).await?;
    let held = held.ok_or_else(Failure::no_route)?;
    let content = held.content.read(0, held.size).await?;
    let headers = [
        (
            CONTENT_TYPE,
            HeaderValue::from_static("application/octet-stream"),
        ),
        (CONTENT_LENGTH, held.size.into()),
    ];
    Ok((headers, Body::from_stream(content)).into_response())
}

/// Returns whether a link permits this, and the repository it is for.
async fn admit(
    state: &AppState,
    linked: &Linked,
    permission: &Permission,
    uploader: Option<Uploader>,
) -> Result<Repo, Failure> {
    let kind: RepoKind = linked.kind.parse().map_err(|_| Failure::no_route())?;
    let id: RepoId = format!("{}/{}", linked.namespace, linked.name)
        .parse()
        .map_err(|_| Failure::no_route())?;
    let Permission {
        size,
        until,
        signature,
        ..
    } = permission;
    let text = permitted(uploader, kind, &id, &linked.oid, *size, *until);
    let is_ours = state.hub.verifies(&text, signature);
    if !is_ours || *until < state.web.clock.now().seconds() {
        let text = "this link is not ours, or has expired".to_owned();
        return Err(Failure::new(StatusCode::FORBIDDEN, text));
    }
    // Whoever was given the link was let in when it was made.
    let shell = state.hub.shell();
    Ok(state.hub.repo(&shell, kind, &id).await?)
}

/// Returns whether an object has arrived, as the client believes.
async fn verify(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    name: RepoName,
    JsonBody(request): JsonBody<Verify>,
) -> Result<Response, Failure> {
    let repo = name.open_for_upload(&state, &caller, None).await?;
    match state
        .hub
        .repositories()
        .uploaded(&repo, &request.oid)
        .await?
    {
        Some(size) if size == request.size => Ok(lfs_json(&serde_json::json!({}))),
        Some(_) | None => Err(Failure::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "the object has not arrived as it was announced",
        )),
    }
}

fn lfs_json(body: &impl serde::Serialize) -> Response {
    let mut response = Json(body).into_response();
    response.headers_mut().insert(CONTENT_TYPE, LFS_JSON);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_signed_tells_ways_objects_and_times_apart() {
        let id: RepoId = "a/b".parse().unwrap();
        let uploader = Some(Uploader::from_link(7, false));
        let text = |who, oid, size, until| permitted(who, RepoKind::Model, &id, oid, size, until);

        let own = text(uploader, "aa", 1, 2);

        for other in [
            text(None, "aa", 1, 2),
            text(Some(Uploader::from_link(8, false)), "aa", 1, 2),
            text(Some(Uploader::from_link(7, true)), "aa", 1, 2),
            text(uploader.map(|own| own.with_token(Some(3))), "aa", 1, 2),
            text(uploader, "ab", 1, 2),
            text(uploader, "aa", 2, 2),
            text(uploader, "aa", 1, 3),
            permitted(uploader, RepoKind::Dataset, &id, "aa", 1, 2),
        ] {
            assert_ne!(own, other);
        }
    }
}
