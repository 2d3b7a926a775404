//! The machines of a cluster.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::DEFAULT_MEMORY;

/// Work on parts of queries for a cluster
#[derive(Debug, ClapArgs)]
#[command(
    long_about = "\
Work on parts of queries until the process is told to end. `assay query --cluster URL,URL` names the executors and divides a query \
among those that answer. The files of the lake have to be where the one who asks has them: on a shared directory under the same path, \
or in object storage.

Every request needs the token of the cluster, which is the same everywhere: the environment variable ASSAY_CLUSTER_TOKEN. Whoever has \
it can read what this process can read. Connections are not encrypted.",
    after_help = "\
Examples:
  export ASSAY_CLUSTER_TOKEN=$(openssl rand -hex 32)
  assay lake executor                                               on this machine alone
  assay lake executor --listen 0.0.0.0:50051 --memory 16384         for others too

Exit codes:
  0  it was told to end
  3  it cannot listen, or there is no token"
)]
pub(crate) struct ExecutorArgs {
    /// Where it listens for others; port 0 is any free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:50051")]
    pub(crate) listen: SocketAddr,

    /// How much memory all tasks may use before they write to the disk or give up, in megabytes
    #[arg(long, value_name = "MB", default_value_t = DEFAULT_MEMORY)]
    pub(crate) memory: usize,

    /// Number of threads that work on a part of a query [default: one for each core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,

    /// The directory of what tasks write to the disk [default: a temporary one]
    #[arg(long, value_name = "DIR")]
    pub(crate) work: Option<PathBuf>,
}
