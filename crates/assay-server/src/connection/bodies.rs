use std::future::Future as _;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::BoxError;
use axum::body::{Body, HttpBody};
use bytes::Bytes;
use hyper::body::{Frame, Incoming, SizeHint};
use tokio::time::{Instant, Sleep};

use super::meter::InFlight;
use super::pace::{Pace, PaceRule};

/// The body of a request, which ends with an error when it comes too slowly.
#[derive(Debug)]
pub(super) struct PacedBody {
    body: Incoming,
    pace: Pace,
    /// The wait for the next piece that is under way.
    timer: Option<Pin<Box<Sleep>>>,
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
    pub(super) fn new(body: Incoming, rule: PaceRule) -> Self {
        Self {
            body,
            pace: Pace::new(rule),
            timer: None,
        }
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
        if let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(context) {
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
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
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
