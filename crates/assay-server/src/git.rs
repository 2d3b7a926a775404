//! Git's smart protocol. Packets and packs are none of our business here: bytes in, bytes out.

use std::io;

use assay_app::Need;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName};
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use futures_util::TryStreamExt as _;
use serde::Deserialize;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio_util::io::{ReaderStream, StreamReader};
use tower::ServiceBuilder;
use tower::util::MapRequestLayer;
use tower_http::decompression::{DecompressionBody, RequestDecompressionLayer};

use crate::endpoints::{Endpoints, Param, ParamKind, param, told};
use crate::error::Failure;
use crate::extract::{Asker, Query, RepoName};
use crate::state::AppState;

const GIT_PROTOCOL: HeaderName = HeaderName::from_static("git-protocol");
/// Refs move, so what is said of them is never kept.
const NO_CACHE: HeaderValue = HeaderValue::from_static("no-cache, max-age=0, must-revalidate");
/// How much of a pack is sent at once, in bytes.
const PIECE: usize = 64 << 10;
/// The most that a fetch may ask, in bytes once it is inflated: some hundred thousand commits.
const MAX_FETCH: u64 = 32 << 20;
/// The longest `Git-Protocol` header that is passed on, in bytes.
const MAX_PROTOCOL: usize = 256;

const QUERY: &[Param] = &[param(
    "service",
    ParamKind::Text,
    "`git-upload-pack` or `git-receive-pack`",
)];

/// Git's smart protocol, below `/{namespace}/{name}` and `/{namespace}/{name}.git`.
pub(crate) fn routes() -> Endpoints {
    // Git compresses what it asks for when that is long.
    let inflate = ServiceBuilder::new()
        .layer(RequestDecompressionLayer::new())
        .layer(MapRequestLayer::new(
            |request: Request<DecompressionBody<Body>>| request.map(Body::new),
        ));
    Endpoints::new()
        .route(
            "/{namespace}/{name}/info/refs",
            get(advertise),
            [told(
                Method::GET,
                "advertise",
                "Tells git what there is; the name may end in `.git` here and below.",
            )
            .query(QUERY)
            .answers_as(
                "application/x-git-upload-pack-advertisement",
                "packets of git",
            )],
        )
        .route(
            "/{namespace}/{name}/git-upload-pack",
            post(fetch),
            [told(Method::POST, "fetch", "Answers a fetch or a clone.")
                .takes_as("application/x-git-upload-pack-request", "packets of git")
                .answers_as("application/x-git-upload-pack-result", "packets of git")],
        )
        .route(
            "/{namespace}/{name}/git-receive-pack",
            post(push),
            [told(
                Method::POST,
                "push",
                "Takes a push, which is judged before any ref moves.",
            )
            .takes_as("application/x-git-receive-pack-request", "packets of git")
            .answers_as("application/x-git-receive-pack-result", "packets of git")],
        )
        .map(|router| router.layer(inflate))
        .under("Git")
}

#[derive(Debug, Deserialize)]
struct Service {
    service: Option<String>,
}

/// What git is told first: the refs, or what the server can do.
async fn advertise(
    State(state): State<AppState>,
    Asker(caller): Asker,
    name: RepoName,
    Query(Service { service }): Query<Service>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let service = service.unwrap_or_default();
    let need = match service.as_str() {
        "git-upload-pack" => Need::Read,
        "git-receive-pack" => Need::Discuss,
        _ => {
            let text = "this hub speaks the smart protocol of git only: `git-upload-pack` and `git-receive-pack`";
            return Err(Failure::invalid(text));
        }
    };
    let repo = name.open(&state, &caller, need).await?;
    let protocol = protocol(&headers);
    let bytes = state.hub.advertise(&repo, &service, protocol).await?;
    let kind = format!("application/x-{service}-advertisement");
    Ok(([(CONTENT_TYPE, kind)], [(CACHE_CONTROL, NO_CACHE)], bytes).into_response())
}

/// Answers a fetch as a stream, so that a clone takes no more memory than its pieces.
async fn fetch(
    State(state): State<AppState>,
    Asker(caller): Asker,
    name: RepoName,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, Failure> {
    let repo = name.open(&state, &caller, Need::Read).await?;
    let asked = Box::new(reader(request.into_body()).take(MAX_FETCH));
    let answer = state.hub.fetch(&repo, protocol(&headers), asked).await?;
    let body = Body::from_stream(ReaderStream::with_capacity(answer, PIECE));
    let kind = "application/x-git-upload-pack-result";
    Ok(([(CONTENT_TYPE, kind)], [(CACHE_CONTROL, NO_CACHE)], body).into_response())
}

/// Takes a push. What the judge says goes to the person through git.
async fn push(
    State(state): State<AppState>,
    Asker(caller): Asker,
    name: RepoName,
    request: Request,
) -> Result<Response, Failure> {
    let repo = name.open(&state, &caller, Need::Discuss).await?;
    let pushed = reader(request.into_body());
    let reply = state.hub.push(&caller, &repo, pushed).await?;
    state.web.metrics.pushes.add();
    let kind = "application/x-git-receive-pack-result";
    Ok(([(CONTENT_TYPE, kind)], [(CACHE_CONTROL, NO_CACHE)], reply.0).into_response())
}

/// The version of the protocol that git asks for.
fn protocol(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(GIT_PROTOCOL)?.to_str().ok()?;
    (value.len() <= MAX_PROTOCOL).then_some(value)
}

pub(crate) fn reader(body: Body) -> Box<dyn AsyncRead + Send + Unpin> {
    let pieces = body.into_data_stream().map_err(io::Error::other);
    Box::new(StreamReader::new(pieces))
}
