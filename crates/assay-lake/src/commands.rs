//! The commands, one file each.

mod cluster;
mod compare;
mod ingest;
mod lake;
mod query;
mod serve;

use std::path::PathBuf;

use assay_cli::{Exit, Printer};
use assay_lake::{Error, Lake, Snapshot};
use assay_model::chain;
use assay_render::visible;

use crate::args::{Args, Command, Place};
use crate::config::Config;

/// How large the stacks of all threads are that read a question, in bytes: a long one is a deep tree, which the engine follows
/// by calling itself. Only what is used of them takes memory.
pub(crate) const STACK: usize = 256 << 20;

/// Runs what was asked for.
pub(crate) fn run(args: &Args, config: &Config, printer: &mut Printer) -> Exit {
    let outcome = match &args.command {
        Command::Ingest(command) => ingest::run(command, config, printer),
        Command::Query(command) => query::run(command, config, printer),
        Command::Compare(command) => compare::run(command, config, printer),
        Command::Lake(command) => lake::run(command, config, printer),
    };
    match outcome {
        Ok(exit) => exit,
        Err(error) => {
            printer.error(&visible(&chain(&error)));
            Exit::Failed
        }
    }
}

/// Says why the command line cannot be followed, or prints the help or version that it asked for.
pub(crate) fn refuse(error: &clap::Error, printer: &mut Printer) -> Exit {
    let text = error.render().to_string();
    if error.use_stderr() {
        printer.aside(text.trim_end());
        return Exit::Failed;
    }
    printer.line(text.trim_end());
    Exit::Clean
}

/// The lake that is meant.
fn lake(place: &Place, config: &Config) -> Result<Lake, Error> {
    Lake::named(place.lake.as_ref().unwrap_or(&config.lake), &config.storage)
}

/// What the lake that is meant holds now.
fn read(place: &Place, config: &Config) -> Result<Snapshot, Error> {
    lake(place, config)?.read()
}

/// Runs the engine on threads of its own.
fn block_on<T>(threads: usize, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads.max(1))
        .thread_stack_size(STACK)
        .enable_all()
        .build()
        .map_err(|source| Error::Io {
            doing: "start threads for",
            path: PathBuf::from("the query"),
            source,
        })?;
    let outcome = runtime.block_on(work);
    // A query that was stopped may still be deep in its work, and nobody waits for it.
    runtime.shutdown_background();
    outcome
}
