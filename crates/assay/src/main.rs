//! The command line.

mod commands;

use std::io;
use std::process::ExitCode;

use clap::Parser;

use crate::commands::upgrade::{self, UpgradeArgs};

/// The registry for AI evaluation results.
#[derive(Debug, Parser)]
#[command(name = "assay", version)]
enum Args {
    /// Rewrite older Every Eval Ever records as 0.3.0, and tell every change
    Upgrade(UpgradeArgs),
}

fn main() -> ExitCode {
    let Args::Upgrade(args) = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // Nothing can be done about a terminal that takes no text.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 3 } else { 0 });
        }
    };
    upgrade::run(&args, &mut io::stdout().lock(), &mut io::stderr().lock()).into()
}
