use std::future::Future as _;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::BoxError;
use axum::body::{Body, HttpBody};
use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::{Frame, Incoming, SizeHint};
use tokio::time::{Instant, Sleep};

use super::meter::InFlight;
use super::pace::{Pace, PaceRule};

/// The most of an unread body that is read for the sake of the next request, in bytes.
const DRAIN_BYTES: u64 = 16 << 20;
/// The longest time that an unread body is read for, before its request is answered.
const DRAIN_TIME: Duration = Duration::from_secs(5);

/// The body of a request, which ends with an error when it comes too slowly.
#[derive(Debug)]
pub(super) struct PacedBody {
    /// None when it has been given back.
    body: Option<Incoming>,
    pace: Pace,
    /// The wait for the next piece that is under way.
    timer: Option<Pin<Box<Sleep>>>,
    /// True if any of it was asked for.
    is_begun: bool,
    rest: UnreadBody,
}

/// The place to which a body is given back that nobody reads to its end.
#[derive(Debug, Clone, Default)]
pub(super) struct UnreadBody(Arc<Mutex<Option<Unread>>>);

#[derive(Debug)]
struct Unread {
    body: Incoming,
    is_begun: bool,
}

/// The state of a connection after a request was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AfterRequest {
    /// The next request can follow.
    Open,
    /// There is more of the body than is read for nothing, so the connection has to end.
    Closing,
}

/// The body of an answer, which tells the meter of its connection how it is taken.
#[derive(Debug)]
pub(super) struct MeteredBody {
    body: Body,
    in_flight: InFlight,
    /// The size of the piece that was handed over last.
    last: u64,
}

/// A body came more slowly than a client may send.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the body of this request came too slowly; send it again over a faster connection")]
pub(crate) struct BodyTooSlow;

impl PacedBody {
    pub(super) fn new(body: Incoming, rule: PaceRule, rest: UnreadBody) -> Self {
        Self {
            body: Some(body),
            pace: Pace::new(rule),
            timer: None,
            is_begun: false,
            rest,
        }
    }
}

impl Drop for PacedBody {
    fn drop(&mut self) {
        let is_begun = self.is_begun;
        let unread = self.body.take().filter(|body| !body.is_end_stream());
        if let Some(body) = unread {
            let mut place = self.rest.0.lock().unwrap_or_else(PoisonError::into_inner);
            *place = Some(Unread { body, is_begun });
        }
    }
}

impl UnreadBody {
    /// Reads what is left of a body whose request is answered without it. A client sends the whole
    /// body before it reads the answer, and its next request comes behind. A client that waits for
    /// `100 Continue` has not begun and will not.
    pub(super) async fn drain(self, waits_for_continue: bool) -> AfterRequest {
        let unread = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Unread { mut body, is_begun }) = unread else {
            return AfterRequest::Open;
        };
        if waits_for_continue && !is_begun {
            return AfterRequest::Closing;
        }
        let read = async {
            let mut bytes = 0;
            while let Some(frame) = body.frame().await {
                bytes += size_of(Some(&frame));
                if frame.is_err() || bytes > DRAIN_BYTES {
                    return AfterRequest::Closing;
                }
            }
            AfterRequest::Open
        };
        let read = tokio::time::timeout(DRAIN_TIME, read).await;
        read.unwrap_or(AfterRequest::Closing)
    }
}

impl HttpBody for PacedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = &mut *self;
        let now = Instant::now();
        this.is_begun = true;
        let Some(body) = &mut this.body else {
            return Poll::Ready(None);
        };
        if let Poll::Ready(frame) = Pin::new(body).poll_frame(context) {
            this.timer = None;
            this.pace.moved(now, size_of(frame.as_ref()));
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        this.pace.wait(now);
        let left = this.pace.left(now).unwrap_or_default();
        let timer = this
            .timer
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(left)));
        ready!(timer.as_mut().poll(context));
        Poll::Ready(Some(Err(BodyTooSlow.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let body = self.body.as_ref();
        body.map_or_else(SizeHint::default, HttpBody::size_hint)
    }
}

impl MeteredBody {
    pub(super) fn new(body: Body, in_flight: InFlight) -> Self {
        Self {
            body,
            in_flight,
            last: 0,
        }
    }
}

impl HttpBody for MeteredBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        this.in_flight.asked_for(std::mem::take(&mut this.last));
        let frame = ready!(Pin::new(&mut this.body).poll_frame(context));
        this.last = size_of(frame.as_ref());
        if frame.is_some() {
            this.in_flight.handed_over();
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        HttpBody::size_hint(&self.body)
    }
}

fn size_of<E>(frame: Option<&Result<Frame<Bytes>, E>>) -> u64 {
    let data = frame.and_then(|frame| frame.as_ref().ok()?.data_ref());
    data.map_or(0, |data| data.len() as u64)
}
