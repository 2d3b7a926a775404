//! Questions over a socket of this machine: what a hub asks on behalf of its visitors.
//!
//! Whoever can open the socket is believed: it says what a question may cost and what it must not see. This process takes the questions,
//! gives each its turn and a process to work on it (`pool.rs`, `worker.rs`), and takes files in. A question that needs too much ends the
//! process that works on it, and nothing else.

mod answer;
mod pool;
mod refuse;
mod relay;
mod turns;
mod worker;

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assay_formats::lake_api::{Ask, AskCompare, AskIngest, CallerClass, Delivery, Ingested};
use assay_lake::ingest::{Options, ingest_of_many};
use assay_lake::{Lake, forget_missing};
use axum::extract::{DefaultBodyLimit, State};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use bytes::Bytes;
use serde_json::{Value, json};
use tokio::net::UnixListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Mutex, oneshot};

pub(crate) use self::pool::{Pool, Recipe};
use self::refuse::Refused;
use self::relay::Relay;
pub(crate) use self::turns::DOWNLOADS;
use self::turns::QueryQueue;
pub(crate) use self::worker::{Work, work};

/// The longest request, in bytes: a question, and the names of everything that may be seen.
const MAX_REQUEST: usize = 64 << 20;
/// Who may open the socket: the owner of this process.
const OWNER_ALONE: u32 = 0o600;

/// When the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    /// When it gets a signal.
    WhenTold,
    /// Also when standard input ends.
    WithStdin,
}

/// What the handlers share.
#[derive(Debug)]
pub(crate) struct Served {
    lake: Lake,
    /// How many threads take files in.
    threads: usize,
    relay: Relay,
    /// Held by the one that takes files in.
    writing: Mutex<()>,
}

impl Served {
    /// A lake that answers so many questions at once.
    pub(crate) fn new(lake: Lake, threads: usize, pool: Arc<Pool>, at_once: usize) -> Self {
        Self {
            lake,
            threads,
            relay: Relay::new(pool, QueryQueue::new(at_once)),
            writing: Mutex::new(()),
        }
    }
}

/// Binds the socket. One that nobody answers on any more is replaced.
pub(crate) fn listen(socket: &Path) -> io::Result<UnixListener> {
    if std::os::unix::net::UnixStream::connect(socket).is_ok() {
        return Err(io::Error::new(
            io::ErrorKind::AddrInUse,
            "another process answers there",
        ));
    }
    match std::fs::remove_file(socket) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let listener = UnixListener::bind(socket)?;
    std::fs::set_permissions(socket, std::fs::Permissions::from_mode(OWNER_ALONE))?;
    Ok(listener)
}

/// Answers until it is told to stop.
pub(crate) async fn serve(listener: UnixListener, served: Served, ends: Ends) -> io::Result<()> {
    let router = Router::new()
        .route("/health", get(health))
        .route("/query", post(query))
        .route("/compare", post(run_compare))
        .route("/ingest", post(run_ingest))
        .layer(DefaultBodyLimit::max(MAX_REQUEST))
        .with_state(Arc::new(served));
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        served = axum::serve(listener, router) => served,
        _ = terminate.recv() => Ok(()),
        _ = tokio::signal::ctrl_c() => Ok(()),
        () = stdin_ended(ends) => Ok(()),
    }
}

async fn stdin_ended(ends: Ends) {
    if ends == Ends::WhenTold {
        return std::future::pending().await;
    }
    let (sender, ended) = oneshot::channel::<()>();
    std::thread::spawn(move || {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        drop(sender);
    });
    let _ = ended.await;
}

/// Whether there is something to ask.
async fn health(State(served): State<Arc<Served>>) -> Result<Json<Value>, Refused> {
    let snapshot = served.lake.fetch().await?;
    Ok(Json(json!({ "snapshot": snapshot.manifest.snapshot })))
}

/// Answers a question.
async fn query(State(served): State<Arc<Served>>, body: Bytes) -> Response {
    served
        .relay
        .answer("/query", body, |ask: &Ask| relay::Terms {
            class: ask.class,
            seconds: ask.budget.seconds,
            delivery: ask.delivery,
        })
        .await
}

/// Compares two models.
async fn run_compare(State(served): State<Arc<Served>>, body: Bytes) -> Response {
    served
        .relay
        .answer("/compare", body, |ask: &AskCompare| relay::Terms {
            class: CallerClass::Page,
            seconds: ask.budget.seconds,
            delivery: Delivery::Whole,
        })
        .await
}

/// Takes directories in, and forgets what is there no more.
async fn run_ingest(
    State(served): State<Arc<Served>>,
    Json(ask): Json<AskIngest>,
) -> Result<Json<Ingested>, Refused> {
    let _alone = served.writing.lock().await;
    let (lake, jobs) = (served.lake.clone(), served.threads);
    let work = move || take_in(&lake, &ask.directories, jobs);
    let ingested = tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| Refused::ours(&error))?;
    Ok(Json(ingested?))
}

/// What is gone goes first: a record that has moved is then new where it lies now.
fn take_in(
    lake: &Lake,
    directories: &[PathBuf],
    jobs: usize,
) -> Result<Ingested, assay_lake::Error> {
    let removed = forget_missing(lake, directories)?;
    let there: Vec<PathBuf> = directories
        .iter()
        .filter(|directory| directory.is_dir())
        .cloned()
        .collect();
    let options = Options {
        jobs,
        progress: &|_, _| {},
    };
    let report = ingest_of_many(lake, &there, &options)?;
    let refused = report.refused.into_iter();
    Ok(Ingested {
        added: report.added,
        replaced: report.replaced,
        unchanged: report.unchanged,
        removed,
        refused: refused
            .map(|refused| (refused.path, refused.reason))
            .collect(),
    })
}
