use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use ballista_core::RuntimeProducer;
use ballista_core::registry::BallistaFunctionRegistry;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_executor::health::ExecutorHealth;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::SessionContext;
use futures_util::future::{Either, select};

use super::codec::StageCodec;
use super::{Cluster, MAX_MESSAGE, host_of};
use crate::bucket::{Storage, Stores};
use crate::error::{Error, Result};
use crate::functions::register_functions;

/// How often an executor tells the scheduler that it is alive, in seconds.
const HEARTBEAT: u64 = 2;
/// How often an executor looks whether the scheduler has heard of it.
const LOOK: Duration = Duration::from_millis(50);
/// How long the parts of an answer are kept for somebody who never fetches them, in seconds.
const KEEP: u64 = 24 * 60 * 60;
/// How often parts of answers that nobody wants any more are looked for, in seconds.
const CLEAN: u64 = 30 * 60;

/// What an executor gives to a cluster.
#[derive(Debug, Clone)]
pub struct ExecutorOptions {
    /// The scheduler that it works for.
    pub scheduler: Cluster,
    /// Where it hands out parts of answers; it is given work at the next port. Port 0 is any two that are free.
    pub listen: SocketAddr,
    /// The name of this machine among the others, when it is not the address from which it calls the scheduler.
    pub advertise: Option<String>,
    /// How many tasks it does at once.
    pub threads: usize,
    /// How many bytes of memory all its tasks may use before they write to the disk or give up.
    pub memory: usize,
    /// The directory of parts of answers that wait to be fetched.
    pub work: PathBuf,
    /// How lakes in object storage are reached.
    pub storage: Storage,
}

/// Works for a scheduler until the process is told to end. `ready` is called when the scheduler gives it work.
pub async fn execute(options: ExecutorOptions, ready: impl FnOnce(SocketAddr)) -> Result<()> {
    options.scheduler.reach().await?;
    let listen = options.listen;
    let failed = |why: String| Error::Cluster {
        doing: "start an executor at",
        at: listen.to_string(),
        why,
    };
    let config = config(&options).map_err(|error| failed(error.to_string()))?;
    let address = SocketAddr::new(listen.ip(), config.port);
    let health = config.health.clone();
    let work = pin!(start_executor_process(Arc::new(config)));
    let outcome = match select(work, pin!(known(&health))).await {
        Either::Left((outcome, _)) => outcome,
        Either::Right(((), work)) => {
            ready(address);
            work.await
        }
    };
    outcome.map_err(|error| failed(error.to_string()))
}

/// Waits until the scheduler has heard of this executor.
async fn known(health: &ExecutorHealth) {
    while !health.is_ready() {
        tokio::time::sleep(LOOK).await;
    }
}

fn config(options: &ExecutorOptions) -> std::io::Result<ExecutorProcessConfig> {
    let (port, grpc_port) = ports(options.listen)?;
    let work = options.work.to_str().ok_or_else(|| {
        std::io::Error::other(format!(
            "the name of `{}` is not UTF-8",
            options.work.display()
        ))
    })?;
    let mut functions = BallistaFunctionRegistry::default();
    let mut known = SessionContext::new();
    register_functions(&mut known).map_err(std::io::Error::other)?;
    functions
        .aggregate_functions
        .extend(known.state().aggregate_functions().clone());
    functions
        .scalar_functions
        .extend(known.state().scalar_functions().clone());
    Ok(ExecutorProcessConfig {
        bind_host: host_of(options.listen.ip()),
        external_host: options.advertise.clone(),
        port,
        grpc_port,
        scheduler_host: options.scheduler.host.clone(),
        scheduler_port: options.scheduler.port,
        vcores: options.threads.max(1),
        work_dir: Some(work.to_owned()),
        job_data_ttl_seconds: KEEP,
        job_data_clean_up_interval_seconds: CLEAN,
        executor_heartbeat_interval_seconds: HEARTBEAT,
        override_function_registry: Some(Arc::new(functions)),
        override_runtime_producer: Some(runtimes(options)),
        override_physical_codec: Some(Arc::new(StageCodec::default())),
        memory_pool_size: Some(options.memory as u64),
        grpc_max_decoding_message_size: MAX_MESSAGE,
        grpc_max_encoding_message_size: MAX_MESSAGE,
        ..ExecutorProcessConfig::default()
    })
}

/// What the tasks of a session share. Their memory is divided among them by the executor.
fn runtimes(options: &ExecutorOptions) -> RuntimeProducer {
    let (work, storage) = (options.work.clone(), options.storage.clone());
    Arc::new(move |_| {
        RuntimeEnvBuilder::new()
            .with_temp_file_path(work.clone())
            .with_object_store_registry(Arc::new(Stores::new(storage.clone())))
            .build_arc()
    })
}

/// The port at which parts of answers are fetched, and that at which work arrives.
fn ports(listen: SocketAddr) -> std::io::Result<(u16, u16)> {
    if listen.port() != 0 {
        let next = listen.port().checked_add(1);
        let next = next.ok_or_else(|| std::io::Error::other("there is no port after this one"))?;
        return Ok((listen.port(), next));
    }
    // Both are held until both are known, so that they differ.
    let data = std::net::TcpListener::bind(listen)?;
    let work = std::net::TcpListener::bind(listen)?;
    Ok((data.local_addr()?.port(), work.local_addr()?.port()))
}
