use std::collections::VecDeque;

use parking_lot::{Condvar, Mutex};
use tokio::sync::oneshot;

use crate::error::LogError;

/// Maximum number of queued leaves. Further ones are refused with [`LogError::Busy`].
const MAX_WAITING: usize = 65_536;
/// Maximum size of the queued leaves in bytes.
const MAX_WAITING_BYTES: usize = 256 << 20;
/// Maximum number of leaves in a batch.
const MAX_BATCH: usize = 8_192;
/// Maximum size of a batch in bytes.
const MAX_BATCH_BYTES: usize = 16 << 20;

/// A leaf and who waits for it.
pub(crate) struct Request {
    pub(crate) leaf: Vec<u8>,
    pub(crate) sender: oneshot::Sender<Result<u64, LogError>>,
}

impl Request {
    /// Tells the one who waits.
    pub(crate) fn answer(self, outcome: Result<u64, LogError>) {
        // Whoever does not wait any more does not want to know.
        let _ = self.sender.send(outcome);
    }
}

/// The leaves that wait for the writer.
#[derive(Default)]
pub(crate) struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    requests: VecDeque<Request>,
    bytes: usize,
    closed: Option<LogError>,
}

impl Queue {
    /// Adds a leaf, or answers at once why it cannot be logged.
    pub(crate) fn push(&self, request: Request) {
        let mut waiting = self.waiting.lock();
        let refusal = if let Some(error) = &waiting.closed {
            Some(error.clone())
        } else if waiting.requests.len() >= MAX_WAITING
            || waiting.bytes + request.leaf.len() > MAX_WAITING_BYTES
        {
            Some(LogError::Busy)
        } else {
            None
        };
        if let Some(error) = refusal {
            drop(waiting);
            return request.answer(Err(error));
        }
        waiting.bytes += request.leaf.len();
        waiting.requests.push_back(request);
        drop(waiting);
        self.changed.notify_one();
    }

    /// Waits for leaves and takes those that there are, up to a batch; none when the queue is
    /// closed and empty.
    pub(crate) fn take(&self) -> Option<Vec<Request>> {
        let mut waiting = self.waiting.lock();
        while waiting.requests.is_empty() {
            if waiting.closed.is_some() {
                return None;
            }
            self.changed.wait(&mut waiting);
        }
        let mut bytes = 0;
        let fits = |request: &&Request| {
            bytes += request.leaf.len();
            bytes <= MAX_BATCH_BYTES
        };
        let count = waiting
            .requests
            .iter()
            .take(MAX_BATCH)
            .take_while(fits)
            .count();
        let batch: Vec<Request> = waiting.requests.drain(..count.max(1)).collect();
        waiting.bytes -= batch.iter().map(|own| own.leaf.len()).sum::<usize>();
        Some(batch)
    }

    /// Lets no more leaves in, and returns why: the first reason stays. Those that wait are still
    /// taken.
    pub(crate) fn close(&self, error: LogError) -> LogError {
        let reason = self.waiting.lock().closed.get_or_insert(error).clone();
        self.changed.notify_all();
        reason
    }

    /// Returns the reason why no more leaves are let in, if there is one.
    pub(crate) fn closed_for(&self) -> Option<LogError> {
        self.waiting.lock().closed.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::super::pending::Pending;
    use super::*;

    fn request(length: usize) -> (Request, Pending) {
        let (sender, pending) = Pending::new();
        let leaf = vec![0; length];
        (Request { leaf, sender }, pending)
    }

    #[test]
    fn a_batch_has_what_waits_up_to_its_bounds() {
        let queue = Queue::default();
        let mut pending = Vec::new();
        for length in [10, MAX_BATCH_BYTES - 10, 1, MAX_BATCH_BYTES + 1, 5] {
            let (request, own) = request(length);
            queue.push(request);
            pending.push(own);
        }
        queue.close(LogError::Stopped);

        let batches: Vec<usize> = std::iter::from_fn(|| queue.take())
            .map(|batch| batch.len())
            .collect();

        assert_eq!(batches, [2, 1, 1, 1]);
    }

    #[test]
    fn who_comes_when_too_many_wait_is_told_so_at_once() {
        let queue = Queue::default();
        let pending: Vec<_> = (0..=MAX_WAITING)
            .map(|_| {
                let (request, pending) = request(1);
                queue.push(request);
                pending
            })
            .collect();

        let last = pending.into_iter().next_back().map(Pending::wait);

        assert!(matches!(last, Some(Err(LogError::Busy))));
    }

    #[test]
    fn a_closed_queue_gives_the_first_reason() {
        let queue = Queue::default();
        queue.close(LogError::ReadOnly);
        queue.close(LogError::Stopped);
        let (request, pending) = request(1);

        queue.push(request);

        assert!(matches!(pending.wait(), Err(LogError::ReadOnly)));
        assert!(queue.take().is_none());
    }
}
