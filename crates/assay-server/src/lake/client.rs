//! HTTP over a socket of this machine.

use std::path::PathBuf;

use assay_app::Error;
use assay_formats::lake_api::{Refusal, RefusalKind};
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
/// What is said while the process is not there: it was just started, or is started again.
const NOT_THERE: &str = "the lake does not answer at the moment; ask again in a few seconds";

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
    ) -> Result<Response<Incoming>, Failure> {
        let body = serde_json::to_vec(body).map_err(Failure::internal)?;
        let request = Request::post(path)
            .header(HOST, "lake")
            .header(CONTENT_TYPE, "application/json")
            .body(Full::new(Bytes::from(body)))
            .map_err(Failure::internal)?;
        let response = self.send(request).await?;
        if response.status().is_success() {
            return Ok(response);
        }
        Err(refusal(read(response).await?))
    }

    #[cfg(unix)]
    async fn send(&self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, Failure> {
        let stream = tokio::net::UnixStream::connect(&self.socket)
            .await
            .map_err(|error| not_there(&error))?;
        let stream = hyper_util::rt::TokioIo::new(stream);
        let (mut sender, connection) = hyper::client::conn::http1::handshake(stream)
            .await
            .map_err(|error| not_there(&error))?;
        // It ends with the answer, or when nobody reads it any more.
        tokio::spawn(connection);
        let response = sender.send_request(request).await;
        response.map_err(|error| not_there(&error))
    }

    #[cfg(not(unix))]
    async fn send(&self, _: Request<Full<Bytes>>) -> Result<Response<Incoming>, Failure> {
        let text = format!(
            "`{}`: this system has no such sockets",
            self.socket.display()
        );
        Err(Error::NotOffered(text).into())
    }
}

/// A whole answer.
pub(super) async fn read<T: DeserializeOwned>(response: Response<Incoming>) -> Result<T, Failure> {
    let body = Limited::new(response.into_body(), MAX_ANSWER);
    let bytes = body.collect().await.map_err(Failure::internal)?.to_bytes();
    serde_json::from_slice(&bytes).map_err(Failure::internal)
}

fn not_there(error: &(dyn std::error::Error + 'static)) -> Failure {
    tracing::warn!("the lake does not answer: {error}");
    Error::Unavailable(NOT_THERE.to_owned()).into()
}

fn refusal(Refusal { kind, error }: Refusal) -> Failure {
    match kind {
        RefusalKind::Question => Error::Invalid(error).into(),
        RefusalKind::Time => Error::TimedOut(error).into(),
        RefusalKind::Size => Error::TooLarge(error).into(),
        RefusalKind::Busy | RefusalKind::Empty => Error::Unavailable(error).into(),
        // Its own log says what it is.
        RefusalKind::Ours => Failure::internal(error),
    }
}
