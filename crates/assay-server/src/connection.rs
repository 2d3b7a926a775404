//! Connections: how many there are, how long each may take, and what HTTP is spoken on them.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::header::{CONNECTION, EXPECT};
use axum::http::{HeaderValue, Request, Version};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tower::Service as _;

mod bodies;
mod count;
mod limits;
mod meter;
mod metered_io;
mod pace;

pub(crate) use bodies::BodyTooSlow;
pub(crate) use count::ConnectionCounts;
pub use limits::ConnectionLimits;

use bodies::{AfterRequest, MeteredBody, PacedBody, UnreadBody};
use count::Counted;
use meter::{Meter, Overdue};
use metered_io::MeteredIo;

/// The largest head of a request, in bytes. HTTP/1 also buffers so much of an answer.
const HEAD_BYTES: usize = 64 << 10;
/// Requests at once on one connection of HTTP/2.
const STREAMS: u32 = 64;
/// Bytes of an answer that HTTP/2 buffers for each request.
const STREAM_BYTES: usize = 64 << 10;
/// The interval at which a quiet client of HTTP/2 is pinged, and the time in which it must answer.
const PING: Duration = Duration::from_secs(20);
/// The wait after a failure to accept, such as a lack of descriptors.
const PAUSE: Duration = Duration::from_millis(100);
/// The time in which a connection that is closed may finish what it began.
const PARTING: Duration = Duration::from_secs(1);
/// Refused connections that are waited for while they are told why; further ones are closed at
/// once.
const REFUSALS: usize = 64;
/// The answer to a connection beyond the limit.
const REFUSAL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\n\
    Content-Type: text/plain; charset=utf-8\r\nContent-Length: 48\r\nRetry-After: 5\r\nConnection: close\r\n\r\n\
    too many connections; try again in a few seconds";

/// A listener, and all that its connections are answered with.
pub(crate) struct Listener {
    /// The bound socket.
    pub(crate) socket: std::net::TcpListener,
    /// The TLS configuration, when there is one.
    pub(crate) tls: Option<Arc<rustls::ServerConfig>>,
    /// The router of requests.
    pub(crate) router: Router,
    /// The limits of a client.
    pub(crate) limits: ConnectionLimits,
    /// The open connections.
    pub(crate) counts: Arc<ConnectionCounts>,
}

/// The terms on which every connection is served.
struct Terms {
    tls: Option<TlsAcceptor>,
    http: Builder<TokioExecutor>,
    router: Router,
    limits: ConnectionLimits,
    stopping: watch::Receiver<()>,
    refusals: Arc<Semaphore>,
}

impl Listener {
    /// Answers until `stop` is done, then finishes the requests in flight for at most `patience`.
    pub(crate) async fn serve(
        self,
        stop: impl Future<Output = ()>,
        patience: Duration,
    ) -> io::Result<()> {
        let Self {
            socket,
            tls,
            router,
            limits,
            counts,
        } = self;
        let socket = TcpListener::from_std(socket)?;
        let (stopper, stopping) = watch::channel(());
        let terms = Arc::new(Terms {
            tls: tls.map(TlsAcceptor::from),
            http: http(),
            router,
            limits,
            stopping,
            refusals: Arc::new(Semaphore::new(REFUSALS)),
        });
        let mut connections = JoinSet::new();
        let mut stop = pin!(stop);
        loop {
            tokio::select! {
                biased;
                () = &mut stop => break,
                Some(_) = connections.join_next() => {}
                accepted = socket.accept() => match accepted {
                    Ok((stream, address)) => {
                        let ip = address.ip();
                        let terms = Arc::clone(&terms);
                        match counts.admit(ip, limits.total, limits.per_address) {
                            Some(counted) => {
                                connections.spawn(serve_one(terms, stream, address, counted));
                            }
                            None => refuse(&terms, stream),
                        }
                    }
                    Err(error) => wait_after(&error).await,
                },
            }
        }
        drop(socket);
        drop(stopper);
        let finished = async { while connections.join_next().await.is_some() {} };
        if tokio::time::timeout(patience, finished).await.is_err() {
            tracing::warn!("requests in flight were broken off");
        }
        Ok(())
    }
}

/// Returns the builder of HTTP connections. Its own timer of headers is off: the meter of the
/// connection has one for every phase.
fn http() -> Builder<TokioExecutor> {
    let mut http = Builder::new(TokioExecutor::new());
    http.http1()
        .max_buf_size(HEAD_BYTES)
        .header_read_timeout(None);
    http.http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(PING)
        .keep_alive_timeout(PING)
        .max_concurrent_streams(STREAMS)
        .max_send_buf_size(STREAM_BYTES)
        .max_header_list_size(u32::try_from(HEAD_BYTES).unwrap_or(u32::MAX));
    http
}

async fn serve_one(terms: Arc<Terms>, stream: TcpStream, address: SocketAddr, counted: Counted) {
    let meter = Meter::new(terms.limits);
    // Answers are written in whole pieces already.
    let _ = stream.set_nodelay(true);
    let stream = MeteredIo::new(stream, Arc::clone(&meter));
    match &terms.tls {
        None => converse(&terms, stream, address, &meter).await,
        Some(tls) => {
            let shaken = tokio::select! {
                shaken = tls.accept(stream) => shaken.ok(),
                _ = meter.overdue() => None,
            };
            if let Some(stream) = shaken {
                converse(&terms, stream, address, &meter).await;
            }
        }
    }
    drop(counted);
}

/// Answers requests until the connection ends, the client is overdue, or the server stops.
async fn converse<S>(terms: &Terms, stream: S, address: SocketAddr, meter: &Arc<Meter>)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let pace = terms.limits.pace();
    let service = service_fn(|mut request: Request<Incoming>| {
        let in_flight = meter.begin(request.version());
        request.extensions_mut().insert(ConnectInfo(address));
        let unread = UnreadBody::default();
        let rest = unread.clone();
        let waits_for_continue = request.headers().contains_key(EXPECT);
        let is_reused = request.version() == Version::HTTP_11;
        let request = request.map(|body| PacedBody::new(body, pace, rest));
        let answer = terms.router.clone().call(request);
        async move {
            let mut answer = answer.await?;
            // On HTTP/2 a body that is not read concerns nobody else.
            if is_reused && unread.drain(waits_for_continue).await == AfterRequest::Closing {
                let headers = answer.headers_mut();
                headers.insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Ok::<_, Infallible>(answer.map(|body| MeteredBody::new(body, in_flight)))
        }
    });
    let mut stopping = terms.stopping.clone();
    let mut connection = pin!(terms.http.serve_connection(TokioIo::new(stream), service));
    let mut is_stopping = false;
    let overdue = loop {
        tokio::select! {
            // What goes wrong on a connection is the client's affair.
            _ = connection.as_mut() => return,
            overdue = meter.overdue() => break overdue,
            _ = stopping.changed(), if !is_stopping => {
                is_stopping = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    };
    tracing::debug!(
        ?overdue,
        "a connection was closed because its client is too slow"
    );
    match overdue {
        Overdue::Unread => meter.break_off(),
        Overdue::Head | Overdue::Idle => {
            connection.as_mut().graceful_shutdown();
            let _ = tokio::time::timeout(PARTING, connection).await;
        }
    }
}

/// Tells a client that there are too many connections.
fn refuse(terms: &Terms, mut stream: TcpStream) {
    // What a client of TLS would understand costs more than a connection.
    if terms.tls.is_some() {
        return;
    }
    let Ok(turn) = Arc::clone(&terms.refusals).try_acquire_owned() else {
        // It may hear it all the same.
        let _ = stream.try_write(REFUSAL);
        return;
    };
    tokio::spawn(async move {
        let tell = async {
            stream.write_all(REFUSAL).await?;
            stream.shutdown().await?;
            // An answer is lost when a connection is closed before what the client said is read.
            let mut rest = stream.take(HEAD_BYTES as u64);
            tokio::io::copy(&mut rest, &mut tokio::io::sink()).await
        };
        let _ = tokio::time::timeout(PARTING, tell).await;
        drop(turn);
    });
}

/// A connection that broke before it was accepted is no matter. Without descriptors there is
/// nothing to do but wait.
async fn wait_after(error: &io::Error) {
    let is_of_connection = matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
    );
    if !is_of_connection {
        tracing::warn!(%error, "failed to accept a connection; trying again");
        tokio::time::sleep(PAUSE).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_refusal_has_the_length_that_it_says() {
        let text = String::from_utf8(REFUSAL.to_vec()).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();

        assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())));
    }
}
