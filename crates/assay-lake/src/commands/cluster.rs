use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use assay_cli::{Exit, Printer};
use assay_lake::Error;
use assay_lake::cluster::{ExecutorOptions, SchedulerOptions, execute, schedule};

use crate::args::{ExecutorArgs, SchedulerArgs};
use crate::config::Config;

/// Runs the scheduler of a cluster.
pub(super) fn scheduler(
    command: &SchedulerArgs,
    config: &Config,
    printer: &mut Printer,
) -> Result<Exit, Error> {
    let options = SchedulerOptions {
        listen: command.listen,
        advertise: command.advertise.clone(),
        executor_timeout: Duration::from_secs(command.executor_timeout),
    };
    let ready = |address: SocketAddr| {
        printer.line(&format!("the scheduler listens on http://{address}"));
        printer.flush();
    };
    super::block_on(config.cores, schedule(options, ready))?;
    Ok(Exit::Clean)
}

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
    // Removed with everything in it when the process ends as it should.
    let temporary = tempfile::tempdir().map_err(failed(std::env::temp_dir()))?;
    let work = match &command.work {
        Some(work) => std::path::absolute(work).map_err(failed(work.clone()))?,
        None => temporary.path().to_owned(),
    };
    std::fs::create_dir_all(&work).map_err(failed(work.clone()))?;
    let options = ExecutorOptions {
        scheduler: command.scheduler.clone(),
        listen: command.listen,
        advertise: command.advertise.clone(),
        threads: command.jobs.map_or(config.cores, usize::from),
        memory: command.memory.saturating_mul(1 << 20),
        work,
        storage: config.storage.clone(),
    };
    let ready = |address: SocketAddr| {
        printer.line(&format!("the executor works at {address}"));
        printer.flush();
    };
    super::block_on(config.cores, execute(options, ready))?;
    Ok(Exit::Clean)
}
