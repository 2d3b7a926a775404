//! The process that works on questions, one at a time, for the one that takes them.

use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use assay_formats::lake_api::{Ask, AskCompare, Budget, Delivery, SourceFilter};
use assay_lake::cluster::Cluster;
use assay_lake::compare::{Comparison, Question, compare};
use assay_lake::{Engine, Lake, Limits};
use axum::extract::{DefaultBodyLimit, State};
use axum::response::Response;
use axum::routing::post;
use axum::{Json, Router};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::io::AsyncWriteExt as _;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use super::refuse::Refused;
use super::{MAX_REQUEST, answer};

/// The part of the memory of a process that the engine counts: so many eighths. What it does not count needs the rest.
const COUNTED_EIGHTHS: usize = 5;

/// What the handlers share.
#[derive(Debug)]
pub(crate) struct Work {
    /// The lake.
    pub(crate) lake: Lake,
    /// Who does the work, when it is not this process.
    pub(crate) cluster: Option<Cluster>,
    /// Where the engine works. It has threads of its own, so that however hard they work, somebody looks at the clock.
    pub(crate) workers: Handle,
    /// How many threads work on a question.
    pub(crate) threads: usize,
    /// How many bytes this process may take.
    pub(crate) memory: usize,
}

impl Work {
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
    async fn engine(&self, budget: Budget, filter: &SourceFilter) -> Result<Engine, Refused> {
        let snapshot = self.lake.fetch().await?;
        let limits = Limits {
            memory: budget.memory.min(self.memory / 8 * COUNTED_EIGHTHS),
            timeout: Some(Duration::from_secs(budget.seconds)),
            threads: self.threads,
        };
        Ok(match &self.cluster {
            Some(cluster) => Engine::for_strangers_on(cluster, snapshot, limits, filter).await?,
            None => Engine::for_strangers(snapshot, limits, filter).await?,
        })
    }
}

/// Work that ends when nobody waits for it any more.
struct Abandoned(AbortHandle);

impl Drop for Abandoned {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Answers on the socket that is the standard input, until that ends.
pub(crate) async fn work(work: Work) -> io::Result<()> {
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    socket.set_nonblocking(true)?;
    let mut socket = tokio::net::UnixStream::from_std(socket)?;
    socket.write_u8(b'\n').await?;
    let router = Router::new()
        .route("/query", post(query))
        .route("/compare", post(run_compare))
        .layer(DefaultBodyLimit::max(MAX_REQUEST))
        .with_state(Arc::new(work));
    let served = hyper::server::conn::http1::Builder::new()
        .serve_connection(TokioIo::new(socket), TowerToHyperService::new(router))
        .await;
    served.map_err(io::Error::other)
}

/// Answers a question.
async fn query(State(work): State<Arc<Work>>, Json(ask): Json<Ask>) -> Result<Response, Refused> {
    let seconds = ask.budget.seconds;
    let own = Arc::clone(&work);
    let answered = async move {
        let engine = own.engine(ask.budget, &ask.sources).await?;
        let sql = ask.sql.trim().trim_end_matches(';');
        let rows = engine.ask(sql).await?;
        match ask.delivery {
            Delivery::Whole => answer::whole(engine, rows, &ask).await,
            Delivery::Stream => Ok(answer::stream(engine, rows, &ask)),
        }
    };
    work.within(seconds, answered).await
}

/// Compares two models.
async fn run_compare(
    State(work): State<Arc<Work>>,
    Json(ask): Json<AskCompare>,
) -> Result<Json<Comparison>, Refused> {
    let seconds = ask.budget.seconds;
    let own = Arc::clone(&work);
    let compared = async move {
        let engine = own.engine(ask.budget, &ask.sources).await?;
        let question = Question {
            model_a: ask.model_a,
            model_b: ask.model_b,
            task: ask.task,
            benchmark: ask.benchmark,
            metric: ask.metric,
            flips: ask.flips,
        };
        Ok(Json(compare(&engine, &question).await?))
    };
    work.within(seconds, compared).await
}
