//! `assay`: the command line of the registry for AI evaluation results.

mod args;
mod benchmarks;
mod commands;
mod config;
mod credentials;
mod discover;
mod disk;
mod entries;
mod fix;
mod hub_benchmarks;
mod issuer;
mod listing;
mod plural;
mod progress;
mod render;
mod replace;
mod witnesses;

use std::process::ExitCode;

use assay_cli::Printer;
use clap::Parser as _;

use crate::args::Args;
use crate::config::Config;

fn main() -> ExitCode {
    let config = Config::from_environment();
    let mut printer = Printer::new();
    let exit = match Args::try_parse() {
        Ok(args) => commands::run(&args, &config, &mut printer),
        Err(error) => commands::refuse(&error, &config, &mut printer),
    };
    printer.finish(exit).into()
}
