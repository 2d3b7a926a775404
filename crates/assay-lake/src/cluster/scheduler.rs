use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use ballista_core::error::BallistaError;
use ballista_core::utils::default_session_builder;
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::{SchedulerConfig, TaskDistributionPolicy};
use ballista_scheduler::scheduler_process::{create_scheduler, start_grpc_service_with_listener};
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::prelude::SessionConfig;
use tokio::net::TcpListener;

use super::codec::{LakeCodec, StageCodec};
use super::losses::{CancelOnLoss, Scheduler};
use super::windows::SortWindows;
use super::{MAX_MESSAGE, host_of};
use crate::error::{Error, Result};
use crate::functions::register_functions;
use crate::turns::TakeTurns;

/// Into how many looks at the executors the time is divided after which a silent one counts as lost.
const LOOKS: u64 = 3;

/// How long the state of a finished query is kept, in seconds. It takes several megabytes.
const KEEP_FINISHED: u64 = 60;

/// How a scheduler is reached, and how patient it is.
#[derive(Debug, Clone)]
pub struct SchedulerOptions {
    /// Where it listens; port 0 is any free one.
    pub listen: SocketAddr,
    /// The name of this machine among the others, when it is not the address that it listens on.
    pub advertise: Option<String>,
    /// After how long without a word an executor counts as lost, and queries under way fail.
    pub executor_timeout: Duration,
}

/// Schedules until the process is told to end. `ready` hears the address as soon as questions can be asked.
pub async fn schedule(options: SchedulerOptions, ready: impl FnOnce(SocketAddr)) -> Result<()> {
    let failed = |at: SocketAddr, why: String| Error::Cluster {
        doing: "start a scheduler at",
        at: at.to_string(),
        why,
    };
    let listener = TcpListener::bind(options.listen).await;
    let listener = listener.map_err(|error| failed(options.listen, error.to_string()))?;
    let address = listener
        .local_addr()
        .map_err(|error| failed(options.listen, error.to_string()))?;
    let told = |error: BallistaError| failed(address, error.to_string());
    let config = config(&options, address)?;
    let cluster = BallistaCluster::new_from_config(&config)
        .await
        .map_err(told)?;
    let executors = Arc::new(CancelOnLoss::new(cluster.cluster_state()));
    let cluster = BallistaCluster::new(Arc::clone(&executors) as _, cluster.job_state());
    let scheduler: Scheduler = create_scheduler(cluster, Arc::new(config))
        .await
        .map_err(told)?;
    executors.set_scheduler(scheduler.clone());
    ready(address);
    start_grpc_service_with_listener(listener, scheduler)
        .await
        .map_err(told)
}

fn config(options: &SchedulerOptions, address: SocketAddr) -> Result<SchedulerConfig> {
    let timeout = options.executor_timeout.as_secs().max(1);
    Ok(SchedulerConfig {
        bind_host: host_of(address.ip()),
        bind_port: address.port(),
        external_host: external_host(options, address.ip())?,
        executor_timeout_seconds: timeout,
        expire_dead_executor_interval_seconds: (timeout / LOOKS).max(1),
        no_executors_grace_period_seconds: timeout,
        // Nothing is done twice: the parts of a stage that is run again are sometimes read beside those of the first attempt.
        stage_max_failures: 1,
        task_max_failures: 1,
        finished_job_state_clean_up_interval_seconds: KEEP_FINISHED,
        // Otherwise one machine is filled up before the next one has anything to do.
        task_distribution: TaskDistributionPolicy::RoundRobin,
        grpc_server_max_decoding_message_size: MAX_MESSAGE,
        grpc_server_max_encoding_message_size: MAX_MESSAGE,
        grpc_client_max_message_size: MAX_MESSAGE,
        override_logical_codec: Some(Arc::new(LakeCodec)),
        override_physical_codec: Some(Arc::new(StageCodec::default())),
        override_session_builder: Some(Arc::new(session)),
        ..SchedulerConfig::default()
    })
}

/// How questions are planned.
fn session(config: SessionConfig) -> datafusion::common::Result<SessionState> {
    let builder = SessionStateBuilder::new_from_existing(default_session_builder(config)?);
    let builder = builder
        .with_physical_optimizer_rule(Arc::new(SortWindows))
        .with_physical_optimizer_rule(Arc::new(TakeTurns));
    // Executors know it under the same name.
    let mut state = builder.build();
    register_functions(&mut state)?;
    Ok(state)
}

/// The name under which executors report what they have done.
fn external_host(options: &SchedulerOptions, listens_on: IpAddr) -> Result<String> {
    match &options.advertise {
        Some(name) => Ok(name.clone()),
        None if listens_on.is_unspecified() => Err(Error::Cluster {
            doing: "start a scheduler at",
            at: listens_on.to_string(),
            why: "executors report to it by name; `--advertise HOST` tells them which".to_owned(),
        }),
        None => Ok(host_of(listens_on)),
    }
}
