use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::args::ShowFormat;

/// Keep results until a hub has them, and send them later
#[derive(Debug, Args)]
#[command(
    long_about = "\
Keep results until a hub has them, and send them later.

A submission in the outbox has copies of its logs and the arguments of `assay submit`. It leaves the outbox when the hub has \
its results. A hub that is away, slow or restarted costs nothing but time: `assay outbox send` tries again, and what the hub has \
already is not sent twice. No token or credential is kept; they are read when something is sent.

The outbox is the directory in ASSAY_OUTBOX, else `assay/outbox` below XDG_STATE_HOME or ~/.local/state.",
    after_help = "\
Examples:
  assay outbox add logs/run.eval -- --benchmark acme/sums --task words --model acme/model-x
  assay outbox send
  assay outbox list
  assay outbox delete 20261118T093000Z-4f2a

Exit codes:
  0  nothing is left to do
  1  a submission was refused: by the rules, by the issuer or by the hub
  2  something was sent with a token, and the hub does not call it verified
  3  wrong usage, or something is still waiting"
)]
pub(crate) struct OutboxArgs {
    #[command(subcommand)]
    pub(crate) action: OutboxAction,

    /// Format of the account
    #[arg(long, value_enum, default_value_t = ShowFormat::Text, global = true)]
    pub(crate) format: ShowFormat,
}

/// An action on the outbox.
#[derive(Debug, Subcommand)]
pub(crate) enum OutboxAction {
    /// Put logs, records or result files into the outbox
    #[command(after_help = "\
Examples:
  assay outbox add logs/run.eval -- --benchmark acme/sums --task words --model acme/model-x")]
    Add {
        /// Result files, Every Eval Ever records, or harness logs
        #[arg(required = true)]
        paths: Vec<PathBuf>,

        /// The arguments of `assay submit`, without paths and credential
        #[arg(last = true, required = true, value_name = "SUBMIT-ARGS")]
        arguments: Vec<String>,
    },
    /// Show what waits, and why
    #[command(after_help = "\
Examples:
  assay outbox list
  assay outbox list --format json")]
    List,
    /// Send what waits, oldest first
    #[command(after_help = "\
Examples:
  assay outbox send
  assay outbox send --refused")]
    Send {
        /// Send these alone [default: everything that waits]
        #[arg(value_name = "ID")]
        ids: Vec<String>,

        /// Send again what was refused
        #[arg(long)]
        refused: bool,
    },
    /// Remove submissions without sending them
    #[command(after_help = "\
Examples:
  assay outbox delete 20261118T093000Z-4f2a")]
    #[command(name = "delete", alias = "remove")]
    Remove {
        /// The submissions
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
}
