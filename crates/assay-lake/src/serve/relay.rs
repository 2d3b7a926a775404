//! A question on its way to a process that works on it, and the answer on its way back.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use assay_cli::complain;
use assay_formats::lake_api::{
    CallerClass, Delivery, ENGINE_MILLIS_HEADER, ROWS_HEADER, Refusal, RefusalKind,
    TRUNCATED_HEADER,
};
use assay_render::visible;
use axum::body::Body;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use axum::response::IntoResponse as _;
use bytes::Bytes;
use futures_util::stream;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncSeekExt as _, AsyncWriteExt as _};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::io::ReaderStream;

use super::pool::{Lease, Pool};
use super::refuse::Refused;
use super::turns::{QueryQueue, Turn};

/// The time beyond its budget after which the process of a question is ended without a word from
/// it.
const GRACE: Duration = Duration::from_secs(2);
/// The time in which a reader has to take the next piece of a download.
const READ_WITHIN: Duration = Duration::from_secs(30);
/// The largest piece of a download, in bytes. A reader who takes less than this in [`READ_WITHIN`]
/// is too slow.
const PIECE: usize = 64 << 10;
/// The pieces of a download that wait for a reader.
const PIECES_AHEAD: usize = 4;
/// The largest answer that waits for a reader in memory; larger ones wait on the disk.
const IN_MEMORY: u64 = 1 << 20;

/// Answers questions by asking other processes.
#[derive(Debug)]
pub(super) struct Relay {
    pool: Arc<Pool>,
    turns: Arc<QueryQueue>,
}

/// The part of a question that decides how it is treated.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    /// The kind of caller.
    pub(super) class: CallerClass,
    /// Maximum number of seconds that it may take.
    pub(super) seconds: u64,
    /// Time at which the answer is sent.
    pub(super) delivery: Delivery,
}

impl Relay {
    pub(super) fn new(pool: Arc<Pool>, turns: Arc<QueryQueue>) -> Self {
        tokio::spawn(Arc::clone(&pool).end_idle());
        Self { pool, turns }
    }

    /// Answers a question. Whatever becomes of it, a header says how long it took.
    pub(super) async fn answer<T: DeserializeOwned>(
        &self,
        path: &'static str,
        body: Bytes,
        terms: impl FnOnce(&T) -> Terms,
    ) -> Response<Body> {
        let terms = match serde_json::from_slice::<T>(&body) {
            Ok(ask) => terms(&ask),
            Err(error) => {
                return Refused::unreadable(&error).into_response();
            }
        };
        let Some(turn) = self.turns.take(terms.class).await else {
            return Refused::busy().into_response();
        };
        let begun = Instant::now();
        let answered = self.relay(path, body, terms, turn).await;
        let mut response = answered.unwrap_or_else(Refused::into_response);
        let millis = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        response
            .headers_mut()
            .insert(ENGINE_MILLIS_HEADER, HeaderValue::from(millis));
        response
    }

    async fn relay(
        &self,
        path: &'static str,
        body: Bytes,
        terms: Terms,
        turn: Turn,
    ) -> Result<Response<Body>, Refused> {
        let leased = self.pool.lease().await;
        let mut lease = leased.map_err(|error| Refused::ours(&error))?;
        let most = Duration::from_secs(terms.seconds).saturating_add(GRACE);
        let until = Instant::now() + most;
        let response = match timeout(most, lease.post(path, body)).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(died(&error)),
            Err(_) => return Err(Refused::time(terms.seconds)),
        };
        if !response.status().is_success() {
            return refused(response, lease).await;
        }
        match terms.delivery {
            Delivery::Whole => {
                let rest = until.saturating_duration_since(Instant::now());
                let kept = timeout(rest, keep(response)).await;
                let kept = kept.map_err(|_| Refused::time(terms.seconds))?;
                let kept = kept.map_err(|error| died(&error))?;
                lease.give_back();
                drop(turn);
                Ok(kept)
            }
            Delivery::Stream => Ok(pass_on(response, lease, turn, most)),
        }
    }
}

/// The refusal of a process. One that ran out of time may still be deep in its work, so it is not
/// used again.
async fn refused(response: Response<Incoming>, lease: Lease) -> Result<Response<Body>, Refused> {
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.map_err(|error| died(&error))?;
    let bytes = bytes.to_bytes();
    let read = serde_json::from_slice::<Refusal>(&bytes);
    if read.is_ok_and(|refusal| refusal.kind != RefusalKind::Time) {
        lease.give_back();
    }
    Ok(with_headers(
        parts.status,
        &parts.headers,
        Body::from(bytes),
    ))
}

/// A whole answer, which needs its process no more.
async fn keep(response: Response<Incoming>) -> io::Result<Response<Body>> {
    let (parts, mut body) = response.into_parts();
    let length = parts.headers.get(CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length <= IN_MEMORY) {
        let bytes = body.collect().await.map_err(io::Error::other)?.to_bytes();
        return Ok(with_headers(
            parts.status,
            &parts.headers,
            Body::from(bytes),
        ));
    }
    let mut file = tokio::fs::File::from_std(tempfile::tempfile()?);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(io::Error::other)?;
        if let Ok(bytes) = frame.into_data() {
            file.write_all(&bytes).await?;
        }
    }
    file.flush().await?;
    file.rewind().await?;
    let body = Body::from_stream(ReaderStream::new(file));
    Ok(with_headers(parts.status, &parts.headers, body))
}

/// An answer that is sent as it is made. The process and the turn are free when it is complete,
/// when its reader is gone, or when they read too slowly.
fn pass_on(
    response: Response<Incoming>,
    lease: Lease,
    turn: Turn,
    most: Duration,
) -> Response<Body> {
    let (parts, body) = response.into_parts();
    let (sender, receiver) = mpsc::channel::<io::Result<Bytes>>(PIECES_AHEAD);
    tokio::spawn(async move {
        let poured = timeout(most, pour(body, &sender, READ_WITHIN)).await;
        match poured {
            Ok(Ok(())) => lease.give_back(),
            Ok(Err(error)) => {
                let error = error.to_string();
                complain(&format!("a download was broken off: {}", visible(&error)));
                let _ = sender.try_send(Err(io::Error::other("broken off")));
            }
            Err(_) => {
                let _ = sender.try_send(Err(io::Error::other("broken off")));
            }
        }
        drop(turn);
    });
    let pieces = stream::unfold(receiver, async |mut receiver| {
        let piece = receiver.recv().await?;
        Some((piece, receiver))
    });
    with_headers(parts.status, &parts.headers, Body::from_stream(pieces))
}

async fn pour<B>(
    mut body: B,
    sender: &mpsc::Sender<io::Result<Bytes>>,
    read_within: Duration,
) -> io::Result<()>
where
    B: hyper::body::Body<Data = Bytes> + Unpin,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(io::Error::other)?;
        let Ok(mut bytes) = frame.into_data() else {
            continue;
        };
        while !bytes.is_empty() {
            let piece = bytes.split_to(PIECE.min(bytes.len()));
            let sent = timeout(read_within, sender.send(Ok(piece))).await;
            let sent = sent.map_err(|_| io::Error::other("nobody reads it"))?;
            sent.map_err(|_| io::Error::other("its reader is gone"))?;
        }
    }
    Ok(())
}

/// The process is gone: the question has ended it, or somebody else did.
fn died(error: &dyn std::error::Error) -> Refused {
    complain(&format!(
        "a process that worked on a question has ended: {}",
        visible(&error.to_string())
    ));
    Refused::fatal()
}

fn with_headers(status: StatusCode, from: &HeaderMap, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    for name in [
        CONTENT_TYPE,
        CONTENT_LENGTH,
        HeaderName::from_static(ROWS_HEADER),
        HeaderName::from_static(TRUNCATED_HEADER),
    ] {
        if let Some(value) = from.get(&name) {
            response.headers_mut().insert(name, value.clone());
        }
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_download_that_nobody_reads_is_broken_off() {
        let (sender, receiver) = mpsc::channel(PIECES_AHEAD);
        let body = Body::from(vec![0; 100 * PIECE]);

        let unread = pour(body, &sender, Duration::from_millis(20)).await;

        assert!(unread.unwrap_err().to_string().contains("nobody reads"));
        assert_eq!(receiver.len(), PIECES_AHEAD, "no more than that waits");
    }

    #[tokio::test]
    async fn a_download_that_is_read_is_sent_to_its_end() {
        let (sender, mut receiver) = mpsc::channel::<io::Result<Bytes>>(PIECES_AHEAD);
        let body = Body::from(vec![0; 20 * PIECE + 1]);
        let reading = async {
            let mut bytes = 0;
            while let Some(piece) = receiver.recv().await {
                bytes += piece.unwrap().len();
            }
            bytes
        };
        let pouring = async {
            let poured = pour(body, &sender, READ_WITHIN).await;
            drop(sender);
            poured
        };

        let (poured, bytes) = tokio::join!(pouring, reading);

        poured.unwrap();
        assert_eq!(bytes, 20 * PIECE + 1);
    }
}
