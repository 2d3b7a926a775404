//! Questions over a socket of this machine: what a hub asks on behalf of its visitors.
//!
//! Whoever can open the socket is believed: it says what a question may cost and what it must not see. Each question has an
//! engine of its own upon the newest snapshot, so none sees what is hidden from it and none pays for another.

mod answer;
mod refuse;

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use assay_formats::lake_api::{Ask, AskCompare, AskIngest, Budget, Delivery, Hidden, Ingested};
use assay_lake::cluster::Cluster;
use assay_lake::compare::{Comparison, Question, compare};
use assay_lake::ingest::{Options, ingest_of_many};
use assay_lake::{Engine, Lake, Limits, Trace, forget_missing};
use axum::extract::{DefaultBodyLimit, State};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::UnixListener;
use tokio::runtime::Handle;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout};

use self::refuse::Refused;
use crate::printer::complain;

/// The longest request, in bytes: a question, and the names of everything that is hidden.
const MAX_REQUEST: usize = 32 << 20;
/// How long a question waits for its turn.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a question that was stopped may take to end.
const GRACE: Duration = Duration::from_secs(5);
/// How often it is looked whether a question has ended.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// The exit code of a process that a question does not let go of.
const STUCK: i32 = 70;
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
    /// Who does the work, when it is not this process.
    cluster: Option<Cluster>,
    /// Where the engine works. It has threads of its own, so that however hard they work, somebody looks at the clock.
    workers: Handle,
    /// Where questions are read and the clock is looked at.
    answering: Handle,
    threads: usize,
    turns: Arc<Semaphore>,
    /// Held by the one that takes files in.
    writing: Mutex<()>,
}

impl Served {
    /// A lake that answers so many questions at once.
    pub(crate) fn new(
        lake: Lake,
        cluster: Option<Cluster>,
        [workers, answering]: [Handle; 2],
        threads: usize,
        at_once: usize,
    ) -> Self {
        Self {
            lake,
            cluster,
            workers,
            answering,
            threads,
            turns: Arc::new(Semaphore::new(at_once)),
            writing: Mutex::new(()),
        }
    }

    /// Waits for the turn of a question.
    async fn turn(&self) -> Result<OwnedSemaphorePermit, Refused> {
        let turn = Arc::clone(&self.turns).acquire_owned();
        match timeout(PATIENCE, turn).await {
            Ok(Ok(turn)) => Ok(turn),
            Ok(Err(_)) | Err(_) => Err(Refused::busy()),
        }
    }

    /// Lets the engine work for so many seconds, and no longer than somebody waits for it.
    async fn within<T: Send + 'static>(
        &self,
        seconds: u64,
        work: impl Future<Output = Result<T, Refused>> + Send + 'static,
    ) -> Result<T, Refused> {
        let task = self.workers.spawn(work);
        let _abandoned = Abandoned(task.abort_handle());
        match timeout(Duration::from_secs(seconds), task).await {
            Ok(Ok(done)) => done,
            Ok(Err(error)) => Err(Refused::ours(&error)),
            Err(_) => Err(Refused::time(seconds)),
        }
    }

    /// An engine over what the lake holds now, without what is hidden.
    async fn engine(&self, budget: Budget, hidden: &Hidden) -> Result<Engine, Refused> {
        let lake = self.lake.clone();
        let snapshot = tokio::task::spawn_blocking(move || lake.read())
            .await
            .map_err(|error| Refused::ours(&error))??;
        let limits = Limits {
            memory: budget.memory,
            timeout: Some(Duration::from_secs(budget.seconds)),
            threads: self.threads,
        };
        let engine = match &self.cluster {
            Some(cluster) => Engine::for_strangers_on(cluster, snapshot, limits, hidden).await?,
            None => Engine::for_strangers(snapshot, limits, hidden).await?,
        };
        self.answering
            .spawn(end_with(engine.trace(), budget.seconds));
        Ok(engine)
    }
}

/// Work that ends when nobody waits for it any more.
struct Abandoned(AbortHandle);

impl Drop for Abandoned {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Ends the process when a question is still worked on long after it was stopped. Nothing else ends it: the engine looks up
/// only between pieces of work, and a join can make one piece of it that lasts for years. Whoever started the process starts
/// it again.
#[expect(
    clippy::exit,
    reason = "threads that are deep in their work cannot be told to end"
)]
async fn end_with(trace: Trace, seconds: u64) {
    let until = Instant::now() + Duration::from_secs(seconds) + GRACE;
    while Instant::now() < until {
        if trace.is_over() {
            return;
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    if !trace.is_over() {
        complain("a question does not end, so this process does");
        std::process::exit(STUCK);
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
    let lake = served.lake.clone();
    let snapshot = tokio::task::spawn_blocking(move || lake.read())
        .await
        .map_err(|error| Refused::ours(&error))??;
    Ok(Json(json!({ "snapshot": snapshot.manifest.snapshot })))
}

/// Answers a question.
async fn query(
    State(served): State<Arc<Served>>,
    Json(ask): Json<Ask>,
) -> Result<Response, Refused> {
    let turn = served.turn().await?;
    let seconds = ask.budget.seconds;
    let own = Arc::clone(&served);
    let work = async move {
        let engine = own.engine(ask.budget, &ask.hidden).await?;
        let sql = ask.sql.trim().trim_end_matches(';');
        let rows = engine.ask(sql).await?;
        match ask.delivery {
            Delivery::Whole => answer::whole(engine, rows, &ask, turn).await,
            Delivery::Stream => Ok(answer::stream(engine, rows, &ask, turn)),
        }
    };
    served.within(seconds, work).await
}

/// Compares two models.
async fn run_compare(
    State(served): State<Arc<Served>>,
    Json(ask): Json<AskCompare>,
) -> Result<Json<Comparison>, Refused> {
    let turn = served.turn().await?;
    let seconds = ask.budget.seconds;
    let own = Arc::clone(&served);
    let work = async move {
        let engine = own.engine(ask.budget, &ask.hidden).await?;
        let question = Question {
            model_a: ask.model_a,
            model_b: ask.model_b,
            task: ask.task,
            benchmark: ask.benchmark,
            metric: ask.metric,
            flips: ask.flips,
        };
        let comparison = compare(&engine, &question).await?;
        drop(turn);
        Ok(Json(comparison))
    };
    served.within(seconds, work).await
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
