//! The same questions on many machines: executors that work on parts of a plan, and whoever asks,
//! who divides it.
//!
//! The protocol is that of `datafusion-distributed`. Rows flow from executor to executor and to the
//! one who asks; nobody in between keeps a state. All of them have to find the lake at the same
//! place.

mod channels;
mod codec;
mod executor;
mod intact;
mod roster;
mod token;
mod windows;
mod wire;

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;
use std::sync::Arc;

use datafusion::error::DataFusionError;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::prelude::SessionConfig;
use datafusion_distributed::{DistributedExt as _, SessionStateBuilderExt as _, WorkerResolver};
use tokio::task::JoinHandle;

use self::channels::Channels;
use self::codec::StageCodec;
pub use self::executor::{ExecutorOptions, execute};
use self::intact::{count_panics, panics};
use self::roster::{Member, Roster};
pub use self::token::{ClusterToken, NoToken};
use self::windows::SortWindows;
use self::wire::wire;
use crate::error::{Error, Result};
use crate::turns::TakeTurns;

/// Maximum depth of a plan and the expressions in it nested. Executors refuse messages that are
/// nested more than 100 levels, and a level of a plan takes more than one.
pub(crate) const MAX_DEPTH: usize = 64;
/// The bytes of files from which on one more thread reads them. Every query is spread over all
/// executors.
const BYTES_OF_A_PART: usize = 1;

/// The addresses of the executors of a cluster: `http://HOST:PORT`, separated by commas. A name
/// with several addresses in the DNS stands for all of them.
///
/// ```
/// # use assay_lake::cluster::Cluster;
/// assert!("http://10.0.0.2:50051,http://10.0.0.3:50051".parse::<Cluster>().is_ok());
/// assert!("10.0.0.2".parse::<Cluster>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster(Vec<Address>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Address {
    host: String,
    port: u16,
}

/// A text that names no executors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the executors of a cluster are written `http://HOST:PORT`, separated by commas")]
pub struct NoCluster;

impl fmt::Display for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Address { host, port }) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}http://{host}:{port}")?;
        }
        Ok(())
    }
}

impl FromStr for Cluster {
    type Err = NoCluster;

    fn from_str(text: &str) -> std::result::Result<Self, NoCluster> {
        text.split(',')
            .map(str::parse)
            .collect::<std::result::Result<_, _>>()
            .map(Self)
    }
}

impl FromStr for Address {
    type Err = NoCluster;

    fn from_str(text: &str) -> std::result::Result<Self, NoCluster> {
        let authority = text.trim().strip_prefix("http://").ok_or(NoCluster)?;
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
    /// Returns the hosts and ports as a resolver reads them.
    fn addresses(&self) -> impl Iterator<Item = (&str, u16)> {
        let bare = |host| str::trim_end_matches(str::trim_start_matches(host, '['), ']');
        self.0
            .iter()
            .map(move |address| (bare(&address.host), address.port))
    }
}

/// The executors that answer the questions of an engine.
pub(crate) struct Executors {
    roster: Arc<Roster>,
    channels: Channels,
}

impl Executors {
    /// Asks who is there. Without anybody, or with another token, this fails.
    pub(crate) async fn find(cluster: &Cluster, token: &ClusterToken) -> Result<(Self, usize)> {
        count_panics();
        let wire = wire().map_err(|error| Error::Cluster {
            doing: "start threads to ask",
            at: cluster.to_string(),
            why: error.to_string(),
        })?;
        let channels = Channels::new(token.clone(), wire);
        let roster = Arc::new(Roster::new(cluster.clone(), channels.clone()));
        let threads = Roster::threads(&roster.refresh().await?);
        Ok((Self { roster, channels }, threads))
    }

    /// Returns a session whose questions are divided among the executors, each of which works with
    /// so many threads.
    pub(crate) fn session(&self, runtime: Arc<RuntimeEnv>, threads: usize) -> Result<SessionState> {
        let resolver: Arc<dyn WorkerResolver> = Arc::<Roster>::clone(&self.roster);
        let config = SessionConfig::new()
            .with_target_partitions(threads)
            .with_information_schema(true);
        let builder = SessionStateBuilder::new()
            .with_config(config)
            .with_runtime_env(runtime)
            .with_default_features()
            .with_physical_optimizer_rule(Arc::new(SortWindows))
            .with_physical_optimizer_rule(Arc::new(TakeTurns))
            .with_distributed_worker_resolver(resolver)
            .with_distributed_channel_resolver(self.channels.clone())
            .with_distributed_user_codec(StageCodec)
            .with_distributed_file_scan_config_bytes_per_partition(BYTES_OF_A_PART)?
            .with_distributed_metrics_collection(false)?
            .with_distributed_planner();
        Ok(builder.build())
    }

    /// Asks again who is there, and watches over them for one question.
    pub(crate) async fn begin(&self) -> Result<Watch> {
        let members = self.roster.refresh().await?;
        let watch = Arc::clone(&self.roster).watch(members.clone());
        Ok(Watch {
            roster: Arc::clone(&self.roster),
            members,
            loss: self.channels.wire().spawn(watch),
            panics_before: panics(),
        })
    }
}

/// Watches over the executors of a question while it is answered.
pub(crate) struct Watch {
    roster: Arc<Roster>,
    members: Vec<Member>,
    loss: JoinHandle<()>,
    panics_before: usize,
}

impl Watch {
    /// Waits until an executor is lost, however quiet the others are about it.
    pub(crate) async fn lost(&mut self) -> Error {
        // The task ends when one is lost, and only then.
        let _ = (&mut self.loss).await;
        Error::ExecutorLost(None)
    }

    /// Returns the error in plain words. One that is gone shows in many ways, so they are asked who
    /// is still there.
    pub(crate) async fn explain(&self, error: DataFusionError) -> Error {
        if self.roster.is_one_lost(&self.members).await {
            return Error::ExecutorLost(Some(Box::new(error)));
        }
        Error::Query(error)
    }

    /// Returns an error if this process broke down since the question began: some of the answer may
    /// be missing.
    pub(crate) fn verify_intact(&self) -> Result<()> {
        if panics() == self.panics_before {
            return Ok(());
        }
        Err(Error::BrokenOff("a task panicked".to_owned()))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.loss.abort();
    }
}

/// An address as it stands before a colon and a port.
fn host_of(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_addresses_of_executors_are_accepted() {
        for good in [
            "http://127.0.0.1:50050",
            "http://executor.lab.example:1/",
            "http://[::1]:50050",
            "http://10.0.0.2:1,http://10.0.0.3:1",
        ] {
            let cluster: Cluster = good.parse().unwrap();

            assert_eq!(cluster.to_string(), good.trim_end_matches('/'));
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
            "http://host:1,",
            "http://host:1,host:2",
        ] {
            assert_eq!(bad.parse::<Cluster>(), Err(NoCluster), "{bad}");
        }
    }
}
