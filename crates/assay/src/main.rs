//! `assay`: the command line of the registry for AI evaluation results.
//!
//! Features: `convert` has `assay convert`; `client` the commands that talk to a hub; `hub` those
//! that run one. Without them it is a small program that validates, upgrades, explains and
//! verifies.

mod alike;
mod args;
mod benchmarks;
mod clock;
mod commands;
mod config;
#[cfg(feature = "client")]
mod credentials;
mod discover;
mod disk;
mod fix;
#[cfg_attr(not(feature = "client"), path = "no_hub_benchmarks.rs")]
mod hub_benchmarks;
#[cfg(feature = "client")]
mod issuer;
mod left_out;
mod listing;
mod plural;
mod progress;
mod render;
mod replace;
#[cfg(feature = "client")]
mod table;
mod witnesses;

use std::process::ExitCode;

use assay_cli::Printer;
use clap::Parser as _;

use crate::args::Args;
use crate::config::Config;

fn main() -> ExitCode {
    let config = Config::from_environment();
    let mut printer = Printer::new().with_json_failures(args::asks_for_json(std::env::args_os()));
    let exit = match Args::try_parse() {
        Ok(args) => commands::run(&args, &config, &mut printer),
        Err(error) => commands::refuse(&error, &config, &mut printer),
    };
    printer.finish(exit).into()
}
