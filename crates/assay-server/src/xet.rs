//! Large files by the Xet protocol: a token for a repository, the content as xorbs, and the files
//! as a shard.

use axum::http::StatusCode;
use std::io;
use std::time::Duration;

use assay_app::{Error, Repo, Uploader};
use assay_hub_api::{XetConnection, XetShardAnswer, XetXorbAnswer};
use assay_model::{RepoId, RepoKind};
use axum::body::Body;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use bytes::Bytes;
use futures_util::{TryStreamExt as _, stream};
use hyper::ext::ReasonPhrase;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::AsyncRead;
use tokio::task::JoinHandle;
use tokio_util::io::StreamReader;

use crate::answer::log_chain;
use crate::base_url::BaseUrl;
use crate::describe::{Access, Refusal, Subject, says};
use crate::error::{ERROR_MESSAGE, Failure};
use crate::extract::PathParams;
use crate::observe::RequestId;
use crate::routes::{Routes, post};
use crate::state::AppState;

/// The lifetime of a token, in seconds.
const TOKEN_SECONDS: i64 = 3600;
/// The seconds of a day.
const DAY_SECONDS: i64 = 86_400;
/// The first part of a token.
const TOKEN_KIND: &str = "xet";
/// The divider of the parts of a token. No name has it.
const DIVIDER: char = '~';
/// The interval of signs of life to a client that waits for its files to be assembled. It gives up
/// after two minutes.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// The permission to send the content of large files to one repository for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct XetToken {
    kind: RepoKind,
    id: RepoId,
    /// The uploader.
    pub(crate) uploader: Uploader,
    until: i64,
}

/// The repository in an address of Xet. The last part is the account and the day, for which the
/// client remembers what it has sent.
#[derive(Deserialize)]
struct XetPlace {
    kind: String,
    namespace: String,
    name: String,
}

#[derive(Deserialize)]
struct XorbName {
    hash: String,
}

/// The routes below `/xet`. Others of the protocol are 404, which its clients take for "not
/// offered".
pub(crate) fn routes() -> Routes {
    Routes::about(Subject::LargeFiles)
        .route(
            "/xet/{kind}/{namespace}/{name}/{day}/v1/xorbs/{prefix}/{hash}",
            post(
                send_xorb,
                says("Takes chunks of large files, as Xet packs them.")
                    .more("They are kept for two days, for this account and repository.")
                    .asks(Access::Link)
                    .takes_bytes(
                        "application/octet-stream",
                        "A xorb of 64 MiB of content at most, which must have the hash.",
                        None,
                    )
                    .answers::<XetXorbAnswer>("Whether it is new.")
                    .refuses(&[Refusal::Unknown, Refusal::Forbidden, Refusal::Missing]),
            ),
        )
        .route(
            "/xet/{kind}/{namespace}/{name}/{day}/v1/shards",
            post(
                send_shard,
                says("Assembles large files out of chunks that were sent before.")
                    .asks(Access::Link)
                    .takes_bytes(
                        "application/octet-stream",
                        "A shard, with the SHA-256 of each file.",
                        None,
                    )
                    .answers::<XetShardAnswer>("The files wait for a commit that names them.")
                    .refuses(&[Refusal::Unknown, Refusal::Forbidden, Refusal::Missing]),
            ),
        )
        .route(
            "/xet/{kind}/{namespace}/{name}/{day}/v2/shards",
            post(
                send_shard_and_follow,
                says("Assembles large files as the older route does, and tells meanwhile that it works.")
                    .asks(Access::Link)
                    .takes_bytes(
                        "application/octet-stream",
                        "A shard, with the SHA-256 of each file.",
                        None,
                    )
                    .answers_bytes(
                        "application/x-ndjson",
                        "Lines of JSON; the last one has the `type` `result`, or `error` with a `message`.",
                    )
                    .refuses(&[Refusal::Unknown, Refusal::Forbidden, Refusal::Missing]),
            ),
        )
}

impl XetToken {
    /// Makes a token for an uploader.
    pub(crate) fn new(state: &AppState, repo: &Repo, uploader: Uploader) -> Self {
        Self {
            kind: repo.kind(),
            id: repo.id().clone(),
            uploader,
            until: state.web.clock.now().seconds() + TOKEN_SECONDS,
        }
    }

    /// Reads a token that a client shows. One that is not ours or has ended is refused.
    pub(crate) fn read(state: &AppState, secret: &str) -> Result<Self, Error> {
        let (text, signature) = secret.rsplit_once(DIVIDER).ok_or(Error::BadCredentials)?;
        if !state.hub.verifies(text, signature) {
            return Err(Error::BadCredentials);
        }
        let token = Self::parse(text).ok_or(Error::BadCredentials)?;
        if token.until < state.web.clock.now().seconds() {
            return Err(Error::BadCredentials);
        }
        Ok(token)
    }

    /// Returns what a client needs to begin.
    pub(crate) fn connection(&self, state: &AppState, base: &BaseUrl) -> XetConnection {
        let Self { kind, id, .. } = self;
        let day = state.web.clock.now().seconds().div_euclid(DAY_SECONDS);
        let account = self.uploader.account();
        let text = self.text();
        let signature = state.hub.sign(&text);
        XetConnection {
            cas_url: format!("{base}/xet/{kind}/{id}/{account}-{day}"),
            exp: u64::try_from(self.until).unwrap_or_default(),
            access_token: format!("{text}{DIVIDER}{signature}"),
        }
    }

    /// The part of the token that is signed.
    fn text(&self) -> String {
        let (namespace, name) = (self.id.namespace().unwrap_or_default(), self.id.name());
        let parts = [
            TOKEN_KIND.to_owned(),
            self.kind.to_string(),
            namespace.to_owned(),
            name.to_owned(),
            self.uploader.account().to_string(),
            self.uploader.may_write().to_string(),
            self.uploader.token().unwrap_or_default().to_string(),
            self.until.to_string(),
        ];
        parts.join(&DIVIDER.to_string())
    }

    fn parse(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.split(DIVIDER).collect();
        let [
            kind_of_token,
            kind,
            namespace,
            name,
            account,
            writer,
            token,
            until,
        ] = parts[..]
        else {
            return None;
        };
        if kind_of_token != TOKEN_KIND {
            return None;
        }
        let token: i64 = token.parse().ok()?;
        let uploader = Uploader::from_link(account.parse().ok()?, writer.parse().ok()?);
        Some(Self {
            kind: kind.parse().ok()?,
            id: format!("{namespace}/{name}").parse().ok()?,
            uploader: uploader.with_token((token != 0).then_some(token)),
            until: until.parse().ok()?,
        })
    }

    /// Opens the repository of an address, if the token is for it.
    async fn open(&self, state: &AppState, place: &XetPlace) -> Result<Repo, Failure> {
        let kind: RepoKind = place.kind.parse().map_err(|_| Failure::no_route())?;
        let id: RepoId = format!("{}/{}", place.namespace, place.name)
            .parse()
            .map_err(|_| Failure::no_route())?;
        if (kind, &id) != (self.kind, &self.id) {
            let text = "this token is for another repository".to_owned();
            return Err(Failure::new(StatusCode::FORBIDDEN, text));
        }
        // Whoever was given the token was let in when it was made, and is looked up again before
        // anything is kept.
        let shell = state.hub.shell();
        Ok(state.hub.repo(&shell, kind, &id).await?)
    }
}

impl FromRequestParts<AppState> for XetToken {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, Failure> {
        let token = parts.extensions.get::<Self>().cloned();
        token.ok_or_else(|| Error::BadCredentials.into())
    }
}

/// Takes a xorb.
async fn send_xorb(
    State(state): State<AppState>,
    token: XetToken,
    PathParams(place): PathParams<XetPlace>,
    PathParams(XorbName { hash }): PathParams<XorbName>,
    request: Request,
) -> Result<Json<XetXorbAnswer>, Failure> {
    let repo = token.open(&state, &place).await?;
    let hash = hash
        .parse()
        .map_err(|error: assay_xet::ParseHashError| Failure::invalid(error.to_string()))?;
    let content = content_of(request);
    let hub = &state.hub;
    let was_inserted = hub
        .repositories()
        .stage_xorb(&repo, token.uploader, hash, content)
        .await?;
    Ok(Json(XetXorbAnswer { was_inserted }))
}

/// Assembles the files of a shard.
async fn send_shard(
    State(state): State<AppState>,
    token: XetToken,
    PathParams(place): PathParams<XetPlace>,
    request: Request,
) -> Result<Json<XetShardAnswer>, Failure> {
    let repo = token.open(&state, &place).await?;
    let content = content_of(request);
    let hub = &state.hub;
    hub.repositories()
        .register_shard(&repo, token.uploader, content)
        .await?;
    Ok(Json(XetShardAnswer { result: 1 }))
}

/// Assembles the files of a shard while the client is told that it goes on. The client shows the
/// message of a failure.
async fn send_shard_and_follow(
    State(state): State<AppState>,
    token: XetToken,
    PathParams(place): PathParams<XetPlace>,
    request_id: Option<Extension<RequestId>>,
    request: Request,
) -> Result<Response, Failure> {
    let repo = token.open(&state, &place).await?;
    let content = content_of(request);
    let work = tokio::spawn(async move {
        let hub = &state.hub;
        hub.repositories()
            .register_shard(&repo, token.uploader, content)
            .await
    });
    let id = request_id.map(|Extension(id)| id.0).unwrap_or_default();
    let lines = stream::unfold(Some(Work(work)), move |work| {
        let id = id.clone();
        async move {
            let mut work = work?;
            let done = tokio::time::timeout(HEARTBEAT, &mut work.0).await;
            let (line, next) = match done {
                Err(_) => (
                    json!({ "type": "validating", "verified": 0, "total": 1 }),
                    Some(work),
                ),
                Ok(Ok(Ok(()))) => (json!({ "type": "result" }), None),
                Ok(Ok(Err(error))) => (failure_line(&error, &id), None),
                Ok(Err(error)) => (failure_line(&Error::internal(error), &id), None),
            };
            Some((Ok::<_, io::Error>(Bytes::from(format!("{line}\n"))), next))
        }
    });
    let kind = HeaderValue::from_static("application/x-ndjson");
    Ok(([(CONTENT_TYPE, kind)], Body::from_stream(lines)).into_response())
}

/// Work for a client, which ends when the client leaves.
struct Work(JoinHandle<Result<(), Error>>);

impl Drop for Work {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The line that ends an answer with a failure.
fn failure_line(error: &Error, request_id: &str) -> Value {
    let message = match error.hidden_cause() {
        Some(cause) => {
            log_chain(cause, request_id);
            format!("internal error; request id {request_id}")
        }
        None => crate::error::wording(error),
    };
    let is_passing = matches!(error, Error::Busy(_) | Error::RateLimited { .. });
    json!({ "type": "error", "message": message, "retryable": is_passing })
}

/// Gives a refusal its message as the reason phrase, which is all that clients of Xet show of it.
pub(crate) fn with_reason(mut response: Response) -> Response {
    let message = response.headers().get(ERROR_MESSAGE);
    let reason = message.and_then(|message| ReasonPhrase::try_from(message.as_bytes()).ok());
    if let Some(reason) = reason {
        response.extensions_mut().insert(reason);
    }
    response
}

fn content_of(request: Request) -> Box<dyn AsyncRead + Send + Unpin> {
    let pieces = request.into_body().into_data_stream();
    Box::new(StreamReader::new(pieces.map_err(io::Error::other)))
}
