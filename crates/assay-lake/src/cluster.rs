//! The same questions on many machines: a scheduler that cuts them into tasks, and executors that do these.
//!
//! The machines speak the protocol of Ballista. A client sends a plan whose tables name their files, so a scheduler needs no
//! catalogue, and an executor sees plain Parquet files; all of them have to find the lake at the same place.

mod codec;
mod executor;
mod losses;
mod planner;
mod scheduler;
mod windows;

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use ballista_core::execution_plans::DistributedQueryExec;
use ballista_core::extension::SessionConfigExt as _;
use ballista_core::optimizer::ballista_default_optimizer_rules;
use ballista_core::serde::protobuf::CancelJobParams;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::utils::create_grpc_client_endpoint;
use datafusion::error::DataFusionError;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::SessionConfig;
use datafusion_proto::protobuf::LogicalPlanNode;
use tokio::net::TcpStream;

pub use self::executor::{ExecutorOptions, execute};
use self::planner::ClusterPlanner;
pub use self::scheduler::{SchedulerOptions, schedule};
use crate::error::{Error, Result};

/// How long a scheduler may take to answer a knock, and to hear that a job is called off.
const PATIENCE: Duration = Duration::from_secs(10);
/// Into how many parts the data of a question is cut at most, and so how many cores of a cluster can work on it at once.
const PARTITIONS: usize = 64;
/// The largest message between the machines, in bytes. A plan names the files of its tables, and a large lake has many.
const MAX_MESSAGE: u32 = 256 << 20;

/// The scheduler of a cluster: `http://HOST:PORT`.
///
/// ```
/// # use assay_lake::cluster::Cluster;
/// assert!("http://127.0.0.1:50050".parse::<Cluster>().is_ok());
/// assert!("127.0.0.1".parse::<Cluster>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    host: String,
    port: u16,
}

/// A text that names no scheduler.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the scheduler of a cluster is written `http://HOST:PORT`")]
pub struct NoCluster;

impl fmt::Display for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url())
    }
}

impl FromStr for Cluster {
    type Err = NoCluster;

    fn from_str(text: &str) -> std::result::Result<Self, NoCluster> {
        let authority = text.strip_prefix("http://").ok_or(NoCluster)?;
        let authority = authority.strip_suffix('/').unwrap_or(authority);
        let (host, port) = authority.rsplit_once(':').ok_or(NoCluster)?;
        let is_plain = |character: char| {
            character.is_ascii_alphanumeric() || ['-', '.', '_'].contains(&character)
        };
        let is_name = !host.is_empty() && host.chars().all(is_plain);
        let is_number = host
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
            .is_some_and(|number| number.parse::<std::net::Ipv6Addr>().is_ok());
        if !is_name && !is_number {
            return Err(NoCluster);
        }
        Ok(Self {
            host: host.to_owned(),
            port: port.parse().map_err(|_| NoCluster)?,
        })
    }
}

impl Cluster {
    fn url(&self) -> String {
        format!("http://{}:{}", self.host, self.port)
    }

    /// Whether somebody listens there. The engine would find out as well, but could not say so in plain words.
    pub(crate) async fn reach(&self) -> Result<()> {
        let address = format!("{}:{}", self.host, self.port);
        let failed = |why: String| Error::Cluster {
            doing: "reach the scheduler at",
            at: self.url(),
            why,
        };
        match tokio::time::timeout(PATIENCE, TcpStream::connect(address)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(failed(error.to_string())),
            Err(_) => Err(failed(format!(
                "no answer within {} seconds",
                PATIENCE.as_secs()
            ))),
        }
    }

    /// A session whose questions about tables of a lake are answered by the cluster.
    pub(crate) fn session(&self, runtime: Arc<RuntimeEnv>) -> SessionState {
        let message = usize::try_from(MAX_MESSAGE).unwrap_or(usize::MAX);
        let config = SessionConfig::new_with_ballista()
            .with_target_partitions(PARTITIONS)
            .with_information_schema(true)
            // The plan is made once, by rules that include ours; one that changes while it runs would lose their work.
            .with_ballista_adaptive_query_planner(false)
            .with_ballista_grpc_client_max_message_size(message);
        let planner = ClusterPlanner::new(self.url(), config.ballista_config());
        SessionStateBuilder::new()
            .with_default_features()
            .with_config(config)
            .with_runtime_env(runtime)
            .with_optimizer_rules(ballista_default_optimizer_rules())
            .with_query_planner(Arc::new(planner))
            .build()
    }
}

/// Returns the error of a cluster in plain words. A machine that is gone shows in many ways: the scheduler cancels the queries
/// that it worked on, and whoever fetches parts of an answer from it finds nobody.
pub(crate) fn explain(error: DataFusionError) -> Error {
    const SIGNS_OF_A_LOSS: [&str; 9] = [
        "failed: Cancelled",
        "executors were lost",
        "has failed 1 times",
        "FetchFailed",
        "transport error",
        "h2 protocol error",
        "Connection refused",
        "ConnectionReset",
        "BrokenPipe",
    ];
    let text = error.to_string();
    if SIGNS_OF_A_LOSS.iter().any(|sign| text.contains(sign)) {
        return Error::ExecutorLost(Box::new(error));
    }
    Error::Query(error)
}

/// An address as it stands before a colon and a port.
fn host_of(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

/// A question that a cluster works on.
pub(crate) struct Job {
    cluster: Cluster,
    plan: Arc<dyn ExecutionPlan>,
}

impl Job {
    /// The job that a plan becomes when it runs.
    pub(crate) fn new(cluster: Cluster, plan: Arc<dyn ExecutionPlan>) -> Self {
        Self { cluster, plan }
    }

    /// Calls the work off, because nobody waits for its answer any more. A scheduler that cannot be told is busy with worse.
    pub(crate) async fn cancel(&self) {
        let query = self
            .plan
            .downcast_ref::<DistributedQueryExec<LogicalPlanNode>>();
        let Some(id) = query.and_then(DistributedQueryExec::job_id) else {
            return;
        };
        let call = async {
            let endpoint = create_grpc_client_endpoint(self.cluster.url(), None).ok()?;
            let channel = endpoint.connect().await.ok()?;
            let mut scheduler = SchedulerGrpcClient::new(channel);
            let job_id = id.into();
            scheduler.cancel_job(CancelJobParams { job_id }).await.ok()
        };
        let _ = tokio::time::timeout(PATIENCE, call).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_address_of_a_scheduler_is_taken_for_one() {
        for good in [
            "http://127.0.0.1:50050",
            "http://scheduler.lab.example:1/",
            "http://[::1]:50050",
        ] {
            let cluster: Cluster = good.parse().unwrap();

            assert_eq!(cluster.url(), good.trim_end_matches('/'));
        }
        for bad in [
            "",
            "http://",
            "http://:1",
            "http://host",
            "http://host:99999",
            "http://user@host:1",
            "http://host/path:1",
            "https://host:1",
            "host:1",
            "http://[host]:1",
        ] {
            assert_eq!(bad.parse::<Cluster>(), Err(NoCluster), "{bad}");
        }
    }
}
