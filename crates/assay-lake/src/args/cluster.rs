//! The machines of a cluster.

use std::net::SocketAddr;
use std::path::PathBuf;

use assay_lake::cluster::Cluster;
use clap::Args as ClapArgs;

use super::DEFAULT_MEMORY;

/// Cut the questions of a cluster into tasks and hand them to executors
#[derive(Debug, ClapArgs)]
#[command(
    long_about = "\
Cut questions into tasks and hand them to executors, until the process is told to end. `assay query --cluster URL` asks.

Whoever reaches the scheduler can read what its executors can read. It asks for no password, so let it listen where only the \
machines of the cluster and those who ask can reach it.",
    after_help = "\
Examples:
  assay lake scheduler                                                  on this machine alone
  assay lake scheduler --listen 0.0.0.0:50050 --advertise 10.0.0.1      for others too

Exit codes:
  3  it cannot listen"
)]
pub(crate) struct SchedulerArgs {
    /// Where to listen; port 0 is any free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:50050")]
    pub(crate) listen: SocketAddr,

    /// The name under which executors reach this machine [default: the address that it listens on]
    #[arg(long, value_name = "HOST")]
    pub(crate) advertise: Option<String>,

    /// After how many seconds without a word an executor counts as lost, and the queries under way fail
    #[arg(long, value_name = "SECONDS", default_value_t = 8, value_parser = clap::value_parser!(u64).range(5..))]
    pub(crate) executor_timeout: u64,
}

/// Do tasks for the scheduler of a cluster
#[derive(Debug, ClapArgs)]
#[command(
    long_about = "\
Do tasks for a scheduler until the process is told to end. The files of the lake have to be where the one who asks has them: on a \
shared directory under the same path.",
    after_help = "\
Examples:
  assay lake executor --scheduler http://127.0.0.1:50050
  assay lake executor --scheduler http://10.0.0.1:50050 --listen 0.0.0.0:50051 --memory 16384

Exit codes:
  0  it was told to end
  3  the scheduler cannot be reached, or it cannot listen"
)]
pub(crate) struct ExecutorArgs {
    /// The scheduler to work for
    #[arg(long, value_name = "URL")]
    pub(crate) scheduler: Cluster,

    /// Where parts of answers are fetched; work arrives at the next port. Port 0 is any two that are free
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:50051")]
    pub(crate) listen: SocketAddr,

    /// The name under which others reach this machine [default: the address from which it calls the scheduler]
    #[arg(long, value_name = "HOST")]
    pub(crate) advertise: Option<String>,

    /// How much memory all tasks may use before they write to the disk or give up, in megabytes
    #[arg(long, value_name = "MB", default_value_t = DEFAULT_MEMORY)]
    pub(crate) memory: usize,

    /// How many tasks to do at once [default: one for each core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,

    /// The directory of parts of answers that wait to be fetched [default: a temporary one]
    #[arg(long, value_name = "DIR")]
    pub(crate) work: Option<PathBuf>,
}
