use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use crate::commands::submit::RunArgs;

/// Run an evaluation, and submit its results
#[derive(Debug, Args)]
#[command(
    long_about = "\
Run an evaluation, and submit its results.

The command is started as it is, with the same input, output and environment. When it succeeds, the harness logs that it wrote are \
put into the outbox and sent to the hub, with a description of the run whose digest is signed along: command line, exit code, \
times, and a digest of the installed Python packages. When the hub cannot be reached they stay in the outbox: `assay outbox \
send` sends them later. The exit code is that of the command, whatever becomes of its results.",
    after_help = "\
Examples:
  assay run --model acme/model-x --benchmark acme/sums --task words -- inspect eval sums.py --model openai/model-x
  assay run --logs out --model acme/model-x --benchmark acme/sums --task words -- lm_eval --tasks sums --output_path out

Exit codes:
  those of the command; 126 or 127 when it cannot be started, 128 and more when a signal ended it"
)]
pub(crate) struct RunCommandArgs {
    /// A directory that the command writes logs to; may be given several times
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) logs: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    /// The command
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) program: Vec<OsString>,
}
