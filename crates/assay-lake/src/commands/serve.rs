#[cfg(unix)]
use std::io::Write as _;

use assay_lake::Error;

use crate::args::LakeServe;
use crate::config::Config;
use crate::printer::{Exit, Printer};

/// How many threads read questions, write answers and look at the clock.
#[cfg(unix)]
const ANSWERING: usize = 2;

/// Answers questions until it is told to stop.
#[cfg(unix)]
pub(super) fn run(
    command: &LakeServe,
    config: &Config,
    printer: &mut Printer,
) -> Result<Exit, Error> {
    use crate::serve::{Ends, Served, serve};

    let failed = |source| Error::Io {
        doing: "answer on",
        path: command.socket.clone(),
        source,
    };
    let threads = command.jobs.map_or(config.cores, usize::from).max(1);
    let workers = runtime(threads).map_err(failed)?;
    let answering = runtime(ANSWERING).map_err(failed)?;
    let lake = super::lake(&command.place, config)?;
    let ends = if command.until_stdin_ends {
        Ends::WithStdin
    } else {
        Ends::WhenTold
    };
    let handles = [workers.handle().clone(), answering.handle().clone()];
    let cluster = command.cluster.clone();
    let served = Served::new(lake, cluster, handles, threads, command.at_once.into());
    let listener = {
        let _context = answering.enter();
        crate::serve::listen(&command.socket).map_err(failed)?
    };
    printer.line(&format!("answering on {}", command.socket.display()));
    let _ = printer.flush();
    let outcome = answering.block_on(serve(listener, served, ends));
    let _ = std::fs::remove_file(&command.socket);
    // A question that was stopped may still be deep in its work, and nobody waits for it.
    workers.shutdown_background();
    answering.shutdown_background();
    outcome.map_err(failed)?;
    Ok(Exit::Clean)
}

#[cfg(unix)]
fn runtime(threads: usize) -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .thread_stack_size(super::STACK)
        .enable_all()
        .build()
}

/// There are no such sockets here.
#[cfg(not(unix))]
pub(super) fn run(command: &LakeServe, _: &Config, _: &mut Printer) -> Result<Exit, Error> {
    Err(Error::Io {
        doing: "answer on",
        path: command.socket.clone(),
        source: std::io::Error::new(
            std::io::ErrorKind::Unsupported,
            "this system has no such sockets",
        ),
    })
}
