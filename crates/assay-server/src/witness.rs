//! A witness that anyone can run: it answers `add-checkpoint` of C2SP tlog-witness, and says what
//! it has seen.

use std::fmt::Write as _;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use assay_model::Clock as _;
use assay_tlog::{AddCheckpoint, Witness, WitnessRefusal};
use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};

use crate::clock::SystemClock;
use crate::connection::{ConnectionLimits, Listener};
use crate::server::{PATIENCE, ServeError, bind, told_to_stop};

const TEXT: &str = "text/plain; charset=utf-8";
/// The content type of C2SP for the size of a known checkpoint.
const SIZE: &str = "text/x.tlog.size";

/// A witness that listens and does not answer yet.
pub struct WitnessServer {
    witness: Arc<Witness>,
    listener: TcpListener,
    address: SocketAddr,
}

impl WitnessServer {
    /// Binds the address of a witness.
    pub fn new(witness: Witness, listen: SocketAddr) -> Result<Self, ServeError> {
        let (listener, address) = bind(listen)?;
        Ok(Self {
            witness: Arc::new(witness),
            listener,
            address,
        })
    }

    /// Returns the address it listens on; the port is the actual one when 0 was asked for.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until the process is told to stop.
    pub async fn run(self) -> Result<(), ServeError> {
        let listener = Listener {
            socket: self.listener,
            tls: None,
            router: routes(self.witness),
            limits: ConnectionLimits::default(),
            counts: Arc::default(),
        };
        let served = listener.serve(told_to_stop(), PATIENCE).await;
        served.map_err(ServeError::Serve)
    }
}

fn routes(witness: Arc<Witness>) -> Router {
    Router::new()
        .route("/", get(about))
        .route("/add-checkpoint", post(add_checkpoint))
        .layer(DefaultBodyLimit::max(AddCheckpoint::MAX_LENGTH))
        .with_state(witness)
}

/// The key, and the size of what was signed last, a line a log.
async fn about(State(witness): State<Arc<Witness>>) -> Response {
    let mut text = format!("witness {}\n", witness.key());
    for (key, size) in witness.logs() {
        let _ = writeln!(text, "log {key} {size}");
    }
    answer(StatusCode::OK, TEXT, text)
}

async fn add_checkpoint(State(witness): State<Arc<Witness>>, body: String) -> Response {
    let seconds = u64::try_from(SystemClock.now().seconds()).unwrap_or(0);
    // What was seen is brought to the disk before the answer.
    let signed = tokio::task::spawn_blocking(move || witness.add_checkpoint(&body, seconds));
    match signed.await {
        Ok(Ok(line)) => answer(StatusCode::OK, TEXT, line),
        Ok(Err(refusal)) => refused(&refusal),
        Err(_) => answer(StatusCode::INTERNAL_SERVER_ERROR, TEXT, String::new()),
    }
}

fn refused(refusal: &WitnessRefusal) -> Response {
    tracing::warn!(why = %refusal, "a checkpoint was not signed");
    let status = match refusal {
        WitnessRefusal::NotNewest { known } | WitnessRefusal::Forked { known } => {
            return answer(StatusCode::CONFLICT, SIZE, format!("{known}\n"));
        }
        WitnessRefusal::Form | WitnessRefusal::Backwards { .. } => StatusCode::BAD_REQUEST,
        WitnessRefusal::UnknownLog(_) => StatusCode::NOT_FOUND,
        WitnessRefusal::NotSigned => StatusCode::FORBIDDEN,
        WitnessRefusal::Inconsistent { .. } => StatusCode::UNPROCESSABLE_ENTITY,
        WitnessRefusal::NotKept(_) => StatusCode::INTERNAL_SERVER_ERROR,
    };
    answer(status, TEXT, format!("{refusal}\n"))
}

fn answer(status: StatusCode, kind: &'static str, text: String) -> Response {
    (status, [(CONTENT_TYPE, kind)], text).into_response()
}
