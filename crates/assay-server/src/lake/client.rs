//! HTTP over a socket of this machine.

use axum::http::StatusCode;
use std::path::PathBuf;
use std::time::Duration;

use assay_app::Error;
use assay_formats::lake_api::{ENGINE_MILLIS_HEADER, Refusal, RefusalKind};
use assay_model::chain;
use axum::http::header::{CONTENT_TYPE, HOST};
use axum::http::{Request, Response};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Failure;

/// The largest answer that is read as a whole, in bytes.
const MAX_ANSWER: usize = 64 << 20;
/// The message while the process is not there: it was just started, or is started again.
const NOT_THERE: &str = "the lake does not answer at the moment; ask again in a few seconds";

/// The reason why the process gave no answer.
#[derive(Debug)]
pub(super) enum Unanswered {
    /// No process takes questions: it was just started, or is started again.
    Absent,
    /// The process ended before it answered.
    Ended,
    /// The process answered that it does not do that.
    Refused {
        /// The kind of refusal.
        kind: RefusalKind,
        /// The time that it worked before it refused.
        engine: Duration,
        /// The same for the caller.
        failure: Failure,
    },
    /// A request or an answer that cannot be written or read.
    Broken(Failure),
}

impl From<Unanswered> for Failure {
    fn from(unanswered: Unanswered) -> Self {
        match unanswered {
            Unanswered::Absent | Unanswered::Ended => {
                Failure::new(StatusCode::SERVICE_UNAVAILABLE, NOT_THERE)
            }
            Unanswered::Refused { failure, .. } | Unanswered::Broken(failure) => failure,
        }
    }
}

/// Asks at a socket.
#[derive(Debug, Clone)]
pub(super) struct Client {
    socket: PathBuf,
}

impl Client {
    pub(super) fn new(socket: PathBuf) -> Self {
        Self { socket }
    }

    /// Sends a question and waits until the answer begins. A refusal is a failure.
    pub(super) async fn post(
        &self,
        path: &'static str,
        body: &impl Serialize,
    ) -> Result<Response<Incoming>, Unanswered> {
        let ours = Unanswered::Broken;
        let body = serde_json::to_vec(body).map_err(|error| ours(Failure::internal(error)))?;
        let request = Request::post(path)
            .header(HOST, "lake")
            .header(CONTENT_TYPE, "application/json")
            .body(Full::new(Bytes::from(body)))
            .map_err(|error| ours(Failure::internal(error)))?;
        let response = self.send(request).await?;
        if response.status().is_success() {
            return Ok(response);
        }
        let engine = engine_time(&response);
        let refused: Refusal = read(response).await.map_err(ours)?;
        Err(Unanswered::Refused {
            kind: refused.kind,
            engine,
            failure: refusal(refused),
        })
    }

    #[cfg(unix)]
    async fn send(&self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, Unanswered> {
        let stream = tokio::net::UnixStream::connect(&self.socket)
            .await
            .map_err(|error| not_there(&error, Unanswered::Absent))?;
        let stream = hyper_util::rt::TokioIo::new(stream);
        let (mut sender, connection) = hyper::client::conn::http1::handshake(stream)
            .await
            .map_err(|error| not_there(&error, Unanswered::Absent))?;
        // It ends with the answer, or when nobody reads it any more.
        tokio::spawn(connection);
        let response = sender.send_request(request).await;
        response.map_err(|error| not_there(&error, Unanswered::Ended))
    }

    #[cfg(not(unix))]
    async fn send(&self, _: Request<Full<Bytes>>) -> Result<Response<Incoming>, Unanswered> {
        let text = format!(
            "`{}`: this system has no such sockets",
            self.socket.display()
        );
        Err(Unanswered::Broken(Failure::new(
            StatusCode::NOT_IMPLEMENTED,
            text,
        )))
    }
}

/// Returns the time that the engine worked until an answer began.
pub(super) fn engine_time(response: &Response<Incoming>) -> Duration {
    let millis = response.headers().get(ENGINE_MILLIS_HEADER);
    let millis = millis.and_then(|millis| millis.to_str().ok()?.parse().ok());
    Duration::from_millis(millis.unwrap_or_default())
}

/// A whole answer.
pub(super) async fn read<T: DeserializeOwned>(response: Response<Incoming>) -> Result<T, Failure> {
    let body = Limited::new(response.into_body(), MAX_ANSWER);
    let bytes = body.collect().await.map_err(Failure::internal)?.to_bytes();
    serde_json::from_slice(&bytes).map_err(Failure::internal)
}

fn not_there(error: &(dyn std::error::Error + 'static), why: Unanswered) -> Unanswered {
    tracing::warn!("the lake does not answer: {}", chain(error));
    why
}

fn refusal(Refusal { kind, error }: Refusal) -> Failure {
    match kind {
        RefusalKind::Question => Error::Invalid(error).into(),
        RefusalKind::Time => Failure::new(StatusCode::REQUEST_TIMEOUT, error),
        RefusalKind::Size | RefusalKind::Fatal => Failure::too_large(error),
        RefusalKind::Busy | RefusalKind::Empty => {
            Failure::new(StatusCode::SERVICE_UNAVAILABLE, error)
        }
        // Its own log says what it is.
        RefusalKind::Ours => Failure::internal(error),
    }
}
