use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::AUTHORIZATION;
use axum::middleware::{Next, from_fn_with_state, map_response};
use axum::response::Response;
use datafusion::common::Result as EngineResult;
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::{FunctionRegistry as _, SessionState};
use datafusion_distributed::{DistributedExt as _, Worker, WorkerQueryContext};
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tonic::Status;
use tonic::service::Routes;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

use super::ClusterToken;
use super::channels::{Channels, PING_EVERY, PONG_WITHIN};
use super::codec::StageCodec;
use super::intact::{begin_to_end, count_panics, fail_cut_streams};
use super::roster::ExecutorInfo;
use super::wire::wire;
use crate::board_rows::BoardRows;
use crate::bucket::{Storage, Stores};
use crate::error::{Error, Result};
use crate::percentile::ExactPercentile;

/// The last part of the path of the request that asks whether an executor is there.
const WHO_IS_THERE: &str = "/GetWorkerInfo";

/// What an executor gives to a cluster.
#[derive(Debug, Clone)]
pub struct ExecutorOptions {
    /// Where it listens. Port 0 is any free one.
    pub listen: SocketAddr,
    /// The secret of the cluster.
    pub token: ClusterToken,
    /// Number of threads that work on a part of a query.
    pub threads: usize,
    /// How many bytes of memory all its tasks may use before they write to the disk or give up.
    pub memory: usize,
    /// The directory of what tasks write to the disk.
    pub work: PathBuf,
    /// How lakes in object storage are reached.
    pub storage: Storage,
}

/// Works on parts of queries until the process is told to end. `ready` is called when it listens.
pub async fn execute(options: ExecutorOptions, ready: impl FnOnce(SocketAddr)) -> Result<()> {
    let listen = options.listen;
    let failed = |why: String| Error::Cluster {
        doing: "start an executor at",
        at: listen.to_string(),
        why,
    };
    count_panics();
    let runtime = RuntimeEnvBuilder::new()
        .with_memory_pool(Arc::new(FairSpillPool::new(options.memory)))
        .with_temp_file_path(options.work.clone())
        .with_object_store_registry(Arc::new(Stores::new(options.storage.clone())))
        .build_arc()?;
    let info = ExecutorInfo::new(options.threads).map_err(|error| failed(error.to_string()))?;
    let wire = wire().map_err(|error| failed(error.to_string()))?;
    let channels = Channels::new(options.token.clone(), wire);
    let session = move |context: WorkerQueryContext| {
        std::future::ready(task_session(context, channels.clone()))
    };
    let worker = Worker::from_session_builder(session)
        .with_runtime_env(runtime)
        .with_version(info.encode());
    let routes = Routes::new(worker.into_worker_server())
        .into_axum_router()
        .layer(from_fn_with_state(Handle::current(), work_elsewhere))
        .layer(map_response(fail_cut_streams))
        .layer(from_fn_with_state(options.token, authenticate));

    let (listener, address) = listen_on(listen, wire).map_err(|error| failed(error.to_string()))?;
    let ended = until_told_to_end().map_err(|error| failed(error.to_string()))?;
    ready(address);
    let served = Server::builder()
        .http2_keepalive_interval(Some(PING_EVERY))
        .http2_keepalive_timeout(Some(PONG_WITHIN))
        .add_routes(Routes::from(routes))
        .serve_with_incoming(TcpIncoming::from(listener).with_nodelay(Some(true)));
    tokio::select! {
        served = wire.spawn(served) => match served {
            Ok(served) => served.map_err(|error| failed(error.to_string())),
            Err(error) => Err(failed(error.to_string())),
        },
        () = ended => {
            begin_to_end();
            Ok(())
        }
    }
}

/// Listens on the threads of connections.
fn listen_on(address: SocketAddr, wire: &Handle) -> std::io::Result<(TcpListener, SocketAddr)> {
    let listener = std::net::TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let _on_wire = wire.enter();
    Ok((TcpListener::from_std(listener)?, address))
}

/// Returns the session in which a task runs: it knows our functions and our operator, and reaches
/// other executors.
fn task_session(context: WorkerQueryContext, channels: Channels) -> EngineResult<SessionState> {
    let builder = context
        .builder
        .with_distributed_user_codec(StageCodec)
        .with_distributed_channel_resolver(channels);
    let mut state = builder.build();
    state.register_udaf(Arc::new(ExactPercentile::udaf()))?;
    state.register_udaf(Arc::new(BoardRows::udaf()))?;
    Ok(state)
}

/// Refuses a request without the token of the cluster before its body is read.
async fn authenticate(State(token): State<ClusterToken>, request: Request, next: Next) -> Response {
    if token.matches(request.headers().get(AUTHORIZATION)) {
        return next.run(request).await;
    }
    Status::unauthenticated("the token of the cluster is missing or another").into_http()
}

/// Runs a request on the threads that work on queries, and not on those of its connection. The
/// question whether this executor is there is answered at once.
async fn work_elsewhere(State(workers): State<Handle>, request: Request, next: Next) -> Response {
    if request.uri().path().ends_with(WHO_IS_THERE) {
        return next.run(request).await;
    }
    match workers.spawn(next.run(request)).await {
        Ok(response) => response,
        Err(_) => Status::internal("the executor broke down before it began").into_http(),
    }
}

/// Waits for SIGTERM or SIGINT.
#[cfg(unix)]
fn until_told_to_end() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
fn until_told_to_end() -> std::io::Result<impl Future<Output = ()>> {
    Ok(async {
        // Without a handler, the system ends the process.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
