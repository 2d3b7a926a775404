use std::io;

use assay_app::{PushOutcome, PushReply};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use futures_util::TryStreamExt as _;
use serde::Deserialize;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio_util::io::{ReaderStream, StreamReader};
use tower_http::decompression::RequestDecompressionLayer;
use utoipa::IntoParams;

use crate::describe::{Access, Refusal, Subject, says};
use crate::error::Failure;
use crate::extract::{Base, CallerExt, Query, RepoName};
use crate::links;
use crate::metrics::RefusedInBody;
use crate::routes::{Routes, get, post};
use crate::state::AppState;

const GIT_PROTOCOL: HeaderName = HeaderName::from_static("git-protocol");
const UPLOAD_PACK: &str = "git-upload-pack";
const RECEIVE_PACK: &str = "git-receive-pack";
/// The largest question of a fetch, unpacked, in bytes: a client names what it has and wants, no
/// more.
const MAX_QUESTION: u64 = 64 << 20;
/// The number of bytes of an answer that are sent at once.
const PIECE: usize = 64 << 10;

/// Git's smart protocol, below `/{namespace}/{name}` and `/{namespace}/{name}.git`.
pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Git)
        .route(
            "/{namespace}/{name}/info/refs",
            get(
                advertise,
                says("Tells git what refs there are.")
                    .more("The name of the repository may end in `.git`, here and below. To push, a token is asked for already here.")
                    .query::<ServiceQuery>()
                    .answers_bytes("application/x-git-upload-pack-advertisement", "The refs, in packet lines.")
                    .or_bytes("application/x-git-receive-pack-advertisement"),
            ),
        )
        .route(
            "/{namespace}/{name}/git-upload-pack",
            post(
                fetch,
                says("Answers a fetch.")
                    .takes_bytes("application/x-git-upload-pack-request", "What the client has and wants.", None)
                    .answers_bytes("application/x-git-upload-pack-result", "A pack, as it is being made."),
            ),
        )
        .route(
            "/{namespace}/{name}/git-receive-pack",
            post(
                push,
                says("Takes a push.")
                    .more(
                        "What it holds is validated before any ref moves; refusals and warnings are told in git's own answer. \
                         `refs/pr/new` opens a pull request.",
                    )
                    .asks(Access::SignedIn)
                    .takes_bytes("application/x-git-receive-pack-request", "Commands and a pack.", None)
                    .answers_bytes("application/x-git-receive-pack-result", "What became of each ref."),
            ),
        )
        // Git packs its questions when they are long. What they unpack to is counted like anything
        // else.
        .map_router(|router| router.layer(RequestDecompressionLayer::new()))
}

/// The mirror of the logs, which anyone clones and nobody pushes to.
pub(crate) fn of_logs() -> Routes {
    Routes::about(Subject::Evidence)
        .route(
            "/v1/log.git/info/refs",
            get(
                advertise_logs,
                says("Tells git what refs the mirror of the logs has.")
                    .more("`git clone HUB/v1/log.git` gives the files of both logs, under the names of C2SP tlog-tiles.")
                    .asks(Access::Open)
                    .query::<ServiceQuery>()
                    .answers_bytes("application/x-git-upload-pack-advertisement", "The refs, in packet lines.")
                    .refuses(&[Refusal::Invalid]),
            ),
        )
        .route(
            "/v1/log.git/git-upload-pack",
            post(
                fetch_logs,
                says("Answers a fetch from the mirror of the logs.")
                    .asks(Access::Open)
                    .takes_bytes("application/x-git-upload-pack-request", "What the client has and wants.", None)
                    .answers_bytes("application/x-git-upload-pack-result", "A pack, as it is being made."),
            ),
        )
        .map_router(|router| router.layer(RequestDecompressionLayer::new()))
}

#[derive(Debug, Deserialize, IntoParams)]
struct ServiceQuery {
    /// `git-upload-pack` or `git-receive-pack`.
    #[serde(default)]
    service: String,
}

/// Tells what refs there are. A push asks for credentials already here, so that git can give them.
async fn advertise(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    name: RepoName,
    Query(query): Query<ServiceQuery>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let (repo, kind) = match query.service.as_str() {
        UPLOAD_PACK => (
            name.open(&state, &caller).await?,
            "application/x-git-upload-pack-advertisement",
        ),
        RECEIVE_PACK => (
            name.open_for_upload(&state, &caller, None).await?,
            "application/x-git-receive-pack-advertisement",
        ),
        _ => {
            return Err(Failure::invalid(
                "this hub speaks git's smart protocol only",
            ));
        }
    };
    let hub = &state.hub;
    let text = hub
        .repositories()
        .advertise(&repo, &query.service, protocol(&headers))
        .await?;
    Ok(answer(kind, Body::from(text)))
}

/// Answers a fetch as it is being packed.
async fn fetch(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    name: RepoName,
    request: Request,
) -> Result<Response, Failure> {
    let repo = name.open(&state, &caller).await?;
    let headers = request.headers().clone();
    let question = Box::new(reader(request).take(MAX_QUESTION));
    let hub = &state.hub;
    let pack = hub
        .repositories()
        .fetch(&repo, protocol(&headers), question)
        .await?;
    let body = Body::from_stream(ReaderStream::with_capacity(pack, PIECE));
    Ok(answer("application/x-git-upload-pack-result", body))
}

/// Tells what refs the mirror of the logs has.
async fn advertise_logs(
    State(state): State<AppState>,
    Query(query): Query<ServiceQuery>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    if query.service != UPLOAD_PACK {
        return Err(Failure::invalid("the logs can be cloned and not pushed to"));
    }
    let text = state
        .hub
        .evidence()
        .advertise_logs(protocol(&headers))
        .await?;
    let kind = "application/x-git-upload-pack-advertisement";
    Ok(answer(kind, Body::from(text)))
}

/// Answers a fetch from the mirror of the logs.
async fn fetch_logs(State(state): State<AppState>, request: Request) -> Result<Response, Failure> {
    let headers = request.headers().clone();
    let question = Box::new(reader(request).take(MAX_QUESTION));
    let pack = state
        .hub
        .evidence()
        .fetch_logs(protocol(&headers), question)
        .await?;
    let body = Body::from_stream(ReaderStream::with_capacity(pack, PIECE));
    Ok(answer("application/x-git-upload-pack-result", body))
}

/// Takes a push. What it holds is validated before any ref moves.
async fn push(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    Base(base): Base,
    name: RepoName,
    request: Request,
) -> Result<Response, Failure> {
    let repo = name.open(&state, &caller).await?;
    let page = links::repo(&base, repo.kind(), repo.id());
    let reply = state
        .hub
        .repositories()
        .push(&caller, &repo, &page, Box::new(reader(request)))
        .await?;
    let PushReply(text, outcome) = reply;
    state.web.metrics.pushed(outcome);
    let kind = "application/x-git-receive-pack-result";
    let mut response = answer(kind, Body::from(text));
    if outcome != PushOutcome::Accepted {
        response.extensions_mut().insert(RefusedInBody);
    }
    Ok(response)
}

fn reader(request: Request) -> impl AsyncRead + Send + Unpin {
    let pieces = request.into_body().into_data_stream();
    StreamReader::new(pieces.map_err(io::Error::other))
}

/// The version of the protocol that the client asks for.
fn protocol(headers: &HeaderMap) -> Option<&str> {
    headers.get(GIT_PROTOCOL)?.to_str().ok()
}

fn answer(kind: &'static str, body: Body) -> Response {
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static(kind)),
        (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    (headers, body).into_response()
}
