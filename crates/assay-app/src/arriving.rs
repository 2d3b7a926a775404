use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::task::{Context, Poll, ready};

use assay_model::{Clock, Timestamp};
use tokio::io::{AsyncRead, ReadBuf};

/// The body of a request that remembers when the last of it came.
pub(crate) struct Arriving<R> {
    body: R,
    clock: Arc<dyn Clock>,
    last: Arc<AtomicI64>,
}

/// The time at which the last part of a body came, as far as it has been read.
pub(crate) struct Arrival(Arc<AtomicI64>);

impl<R> Arriving<R> {
    pub(crate) fn new(body: R, clock: Arc<dyn Clock>) -> (Self, Arrival) {
        let last = Arc::new(AtomicI64::new(clock.now().millis()));
        let arrival = Arrival(Arc::clone(&last));
        (Self { body, clock, last }, arrival)
    }
}

impl Arrival {
    pub(crate) fn last(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::Acquire))
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Arriving<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.body).poll_read(context, buffer))?;
        // The end counts as well: a request whose end is held back is not complete.
        let now = self.clock.now().millis();
        self.last.store(now, Ordering::Release);
        Poll::Ready(Ok(()))
    }
}
