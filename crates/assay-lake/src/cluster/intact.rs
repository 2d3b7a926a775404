//! Streams of rows that end early are errors, and never short answers.
//!
//! The protocol ends a stream of rows in the same way when all were sent and when the task that
//! makes them is gone, because it panicked or because the process is about to end. Rows would be
//! missing and nobody would know.

use std::future::{Ready, ready};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use http_body_util::BodyExt as _;
use hyper::body::Frame;
use tonic::Code;

/// Number of threads or tasks of this process that have panicked.
static PANICS: AtomicUsize = AtomicUsize::new(0);
/// Set when this process begins to end.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Counts panics from now on, before what they leave behind is dropped.
pub(super) fn count_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            PANICS.fetch_add(1, Ordering::SeqCst);
            report(panic);
        }));
    });
}

/// Returns how many panics were counted.
pub(crate) fn panics() -> usize {
    PANICS.load(Ordering::SeqCst)
}

/// Makes every stream that ends from now on an error.
pub(super) fn begin_to_end() {
    ENDING.store(true, Ordering::SeqCst);
}

/// Replaces the end of a response by an error if something broke down since it began. What broke
/// down may have been another query; it fails as well, since nothing tells them apart.
pub(super) fn fail_cut_streams(response: Response) -> Ready<Response> {
    let before = panics();
    ready(response.map(|body| Body::new(body.map_frame(move |frame| checked(frame, before)))))
}

fn checked<D>(frame: Frame<D>, panics_before: usize) -> Frame<D> {
    if !frame.is_trailers() {
        return frame;
    }
    if ENDING.load(Ordering::SeqCst) {
        return error(Code::Unavailable, "the executor was told to end");
    }
    if panics() != panics_before {
        return error(
            Code::Internal,
            "the executor broke down while it worked on the query",
        );
    }
    frame
}

/// Returns the end of a stream that says what went wrong.
fn error<D>(code: Code, message: &'static str) -> Frame<D> {
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", HeaderValue::from(code as i32));
    trailers.insert("grpc-message", HeaderValue::from_static(message));
    Frame::trailers(trailers)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use futures_util::stream;
    use http_body_util::StreamBody;

    use super::*;

    /// A stream of rows that ends as one with all of its rows does.
    fn response() -> Response {
        let mut trailers = HeaderMap::new();
        trailers.insert("grpc-status", HeaderValue::from_static("0"));
        let frames = [
            Frame::data(Bytes::from_static(b"rows")),
            Frame::trailers(trailers),
        ];
        let frames = frames.map(Ok::<_, std::convert::Infallible>);
        Response::new(Body::new(StreamBody::new(stream::iter(frames))))
    }

    #[tokio::test]
    async fn a_stream_during_which_a_task_panicked_ends_with_an_error() {
        count_panics();
        let response = fail_cut_streams(response()).await;

        let task = tokio::spawn(async { panic!("planted") });
        assert!(task.await.is_err());
        let collected = response.into_body().collect().await.unwrap();

        let trailers = collected.trailers().unwrap();
        assert_eq!(trailers["grpc-status"], "13");
        assert_eq!(collected.to_bytes(), "rows");
    }
}
