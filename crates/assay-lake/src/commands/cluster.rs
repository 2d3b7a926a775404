use std::net::SocketAddr;
use std::path::PathBuf;

use assay_cli::{Exit, Printer};
use assay_lake::Error;
use assay_lake::cluster::{Cluster, ClusterToken, ExecutorOptions, execute};

use crate::args::ExecutorArgs;
use crate::config::Config;

/// Runs an executor of a cluster.
pub(super) fn executor(
    command: &ExecutorArgs,
    config: &Config,
    printer: &mut Printer,
) -> Result<Exit, Error> {
    let failed = |path: PathBuf| {
        move |source| Error::Io {
            doing: "make",
            path,
            source,
        }
    };
    let token = config.cluster_token()?;
    // Removed with everything in it when the process ends as it should.
    let temporary = tempfile::tempdir().map_err(failed(std::env::temp_dir()))?;
    let work = match &command.work {
        Some(work) => std::path::absolute(work).map_err(failed(work.clone()))?,
        None => temporary.path().to_owned(),
    };
    std::fs::create_dir_all(&work).map_err(failed(work.clone()))?;
    let threads = command.jobs.map_or(config.cores, usize::from);
    let options = ExecutorOptions {
        listen: command.listen,
        token,
        threads,
        memory: command.memory.saturating_mul(1 << 20),
        work,
        storage: config.storage.clone(),
    };
    let ready = |address: SocketAddr| {
        printer.line(&format!("the executor listens on http://{address}"));
        printer.flush();
    };
    super::block_on(threads, execute(options, ready))?;
    Ok(Exit::Clean)
}

/// Returns the cluster that is asked, with its token.
pub(super) fn with_token(
    cluster: Option<&Cluster>,
    config: &Config,
) -> Result<Option<(Cluster, ClusterToken)>, Error> {
    let Some(cluster) = cluster else {
        return Ok(None);
    };
    Ok(Some((cluster.clone(), config.cluster_token()?)))
}
