use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use tokio::sync::oneshot;

use crate::error::LogError;

/// A leaf on its way into the log. It comes to its index only when the leaf is on disk *and* under
/// a signed checkpoint.
///
/// Await it, or [`wait`](Self::wait) for it on a thread. To drop it takes nothing back.
#[derive(Debug)]
#[must_use = "the leaf may still fail to be logged"]
pub struct Pending(oneshot::Receiver<Result<u64, LogError>>);

impl Pending {
    /// Creates a pending leaf and the channel that completes it.
    pub(crate) fn new() -> (oneshot::Sender<Result<u64, LogError>>, Self) {
        let (sender, receiver) = oneshot::channel();
        (sender, Self(receiver))
    }

    /// Blocks this thread until the leaf is durable, and returns its index.
    pub fn wait(self) -> Result<u64, LogError> {
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        let mut context = Context::from_waker(&waker);
        let mut pending = pin!(self);
        loop {
            match pending.as_mut().poll(&mut context) {
                Poll::Ready(outcome) => return outcome,
                Poll::Pending => std::thread::park(),
            }
        }
    }
}

impl Future for Pending {
    type Output = Result<u64, LogError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let outcome = Pin::new(&mut self.0).poll(context);
        outcome.map(|received| received.unwrap_or(Err(LogError::Stopped)))
    }
}

/// Wakes a thread that waits without a runtime.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
