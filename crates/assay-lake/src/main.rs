//! `assay-lake`: what `assay query`, `ingest`, `compare` and `lake` start.

mod args;
mod commands;
mod config;
mod output;
mod prompt;
#[cfg(unix)]
mod serve;

use std::process::ExitCode;

use assay_cli::Printer;
use clap::Parser as _;

use crate::args::Args;
use crate::config::Config;

/// What a program of this language ends with after a panic.
const PANICKED: u8 = 101;

fn main() -> ExitCode {
    // The first thread has the stack that the system gives it, which is too small for a long
    // question.
    let work = std::thread::Builder::new().stack_size(commands::STACK);
    match work.spawn(run).map(std::thread::JoinHandle::join) {
        Ok(Ok(exit)) => exit,
        Ok(Err(_)) | Err(_) => ExitCode::from(PANICKED),
    }
}

fn run() -> ExitCode {
    let config = Config::from_environment();
    let mut printer = Printer::new();
    let exit = match Args::try_parse() {
        Ok(args) => commands::run(&args, &config, &mut printer),
        Err(error) => commands::refuse(&error, &mut printer),
    };
    printer.finish(exit).into()
}
