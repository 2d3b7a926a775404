//! `assay-lake`: what `assay query`, `ingest`, `compare` and `lake` start.

mod args;
mod commands;
mod config;
mod output;
mod printer;
mod prompt;
#[cfg(unix)]
mod serve;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::Args;
use crate::config::Config;
use crate::printer::Printer;

fn main() -> ExitCode {
    let config = Config::from_environment();
    let mut printer = Printer::new();
    let exit = match Args::try_parse() {
        Ok(args) => commands::run(&args, &config, &mut printer),
        Err(error) => commands::refuse(&error, &mut printer),
    };
    printer.finish(exit).into()
}
