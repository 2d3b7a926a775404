use crate::error::Failure;
use axum::http::StatusCode;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use axum::response::Response;
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A smaller answer is not counted: as many as there may be connections take little memory.
const UNCOUNTED: u64 = 64 << 10;
/// The unit in which bytes are counted.
const UNIT: u64 = 1 << 10;

/// A limit on the bytes of answers that are in memory because their clients have not taken them
/// yet.
///
/// Files are streamed and hold a piece at a time. What is made in memory, such as a page or a
/// table, is counted from the moment it is answered until the last byte of it is written to the
/// connection.
#[derive(Debug)]
pub(crate) struct ByteBudget {
    units: Arc<Semaphore>,
    total: u32,
}

/// A body that is counted until the last piece of it is gone.
struct HeldBody {
    body: Body,
    permit: Arc<OwnedSemaphorePermit>,
}

/// A piece of such a body.
struct HeldBytes {
    bytes: Bytes,
    _permit: Arc<OwnedSemaphorePermit>,
}

impl ByteBudget {
    pub(crate) fn new(bytes: u64) -> Self {
        let most = u32::try_from(Semaphore::MAX_PERMITS).unwrap_or(u32::MAX);
        let total = u32::try_from(bytes / UNIT).unwrap_or(most).clamp(1, most);
        Self {
            units: Arc::new(Semaphore::new(total as usize)),
            total,
        }
    }

    /// Counts an answer until it is gone, or refuses it. One that is larger than the whole budget
    /// may go alone.
    pub(crate) fn hold(&self, response: Response) -> Result<Response, Failure> {
        let size = response.body().size_hint().lower();
        if size <= UNCOUNTED {
            return Ok(response);
        }
        let units = u32::try_from(size.div_ceil(UNIT)).unwrap_or(self.total);
        let permit = Arc::clone(&self.units).try_acquire_many_owned(units.min(self.total));
        let Ok(permit) = permit else {
            let text = "too many large answers are on their way; try again in a few seconds";
            return Err(Failure::new(StatusCode::SERVICE_UNAVAILABLE, text));
        };
        let permit = Arc::new(permit);
        Ok(response.map(|body| Body::new(HeldBody { body, permit })))
    }

    /// Returns how many bytes are counted.
    pub(crate) fn in_use(&self) -> u64 {
        let free = self.units.available_permits() as u64;
        u64::from(self.total).saturating_sub(free) * UNIT
    }
}

impl HttpBody for HeldBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let permit = Arc::clone(&self.permit);
        let frame = Pin::new(&mut self.body).poll_frame(context);
        let held = |bytes| {
            Bytes::from_owner(HeldBytes {
                bytes,
                _permit: permit,
            })
        };
        frame.map(|frame| frame.map(|frame| frame.map(|frame| frame.map_data(held))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl AsRef<[u8]> for HeldBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;

    fn answer(bytes: usize) -> Response {
        Response::new(Body::from(vec![b'x'; bytes]))
    }

    #[tokio::test]
    async fn an_answer_counts_until_its_last_byte_is_gone() {
        let budget = ByteBudget::new(1 << 20);
        let mut body = budget.hold(answer(1 << 20)).unwrap().into_body();

        let refused = budget.hold(answer(100 << 10)).is_err();
        let small = budget.hold(answer(1 << 10)).is_ok();
        let piece = body.frame().await.unwrap().unwrap().into_data().unwrap();
        drop(body);
        let held = budget.in_use();
        drop(piece);

        assert!(refused && small);
        assert_eq!((held, budget.in_use()), (1 << 20, 0));
        assert!(budget.hold(answer(100 << 10)).is_ok());
    }

    #[test]
    fn an_answer_that_is_larger_than_the_budget_goes_alone() {
        let budget = ByteBudget::new(100 << 10);

        let first = budget.hold(answer(1 << 20));
        let second = budget.hold(answer(1 << 20));

        assert!(first.is_ok() && second.is_err());
    }

    #[test]
    fn what_is_streamed_is_not_counted() {
        let budget = ByteBudget::new(100 << 10);
        let pieces =
            futures_util::stream::repeat_with(|| Ok::<_, std::io::Error>(Bytes::from("x")));
        let endless = Response::new(Body::from_stream(pieces));

        let held = budget.hold(endless);

        assert!(held.is_ok());
        assert_eq!(budget.in_use(), 0);
    }
}
