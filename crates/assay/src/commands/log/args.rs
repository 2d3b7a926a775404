use std::path::PathBuf;

use assay_trust::log::VerifierKey;
use clap::{Args, Subcommand, ValueEnum};

use crate::commands::hub::ShowFormat;

/// The transparency logs of a hub
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay log audit https://hub.example                       check both logs of a hub from outside
  assay log audit https://hub.example --save audit.json     and keep what it signed for
  assay log audit https://hub.example --since audit.json    check that nothing changed since then")]
pub(crate) struct LogArgs {
    #[command(subcommand)]
    pub(crate) action: LogAction,
}

/// What to do with a log.
#[derive(Debug, Subcommand)]
pub(crate) enum LogAction {
    Audit(AuditArgs),
}

/// Check a log from outside: nothing rewritten, nothing dropped, no second history
#[derive(Debug, Args)]
#[command(
    long_about = "\
Check the logs of a hub from outside: nothing was rewritten, nothing was dropped, and there is one history.

Every entry is fetched and hashed, and the hashes must lead to the checkpoint that the log signed. Against a checkpoint that was kept \
from an earlier audit it is also proved that the log only grew. The hub is not believed in anything; its keys are those of \
`--key`, else those that the earlier audit kept, else those that the hub announces at its first audit.",
    after_help = "\
Examples:
  assay log audit https://hub.example --save audit.json
  assay log audit https://hub.example --since audit.json --save audit.json    every night
  assay log audit https://hub.example --since audit.json --quick              only what is new
  assay log audit https://hub.example/v1/log/results --key VKEY         one log
  assay log audit mirror/results --key VKEY --format json                     a copy on disk

Exit codes:
  0  nothing is wrong
  1  an entry was rewritten or dropped, the history was forked, or a signature is wrong
  3  wrong usage, or something could not be read or reached"
)]
pub(crate) struct AuditArgs {
    /// The address of a hub; with `--key`, the address of one log, or a directory with its files
    pub(crate) address: String,

    /// The public key of the log, `name+hash+base64`
    #[arg(long, value_name = "VKEY", conflicts_with = "log")]
    pub(crate) key: Option<VerifierKey>,

    /// Which log of the hub [default: both]
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) log: Option<LogName>,

    /// What an earlier audit kept with `--save`
    ///
    /// The file may be missing if `--save` names the same one: then this is the first audit.
    #[arg(long, value_name = "FILE")]
    pub(crate) since: Option<PathBuf>,

    /// Keep the checkpoints and keys for the next audit
    ///
    /// A log with which something is wrong keeps the checkpoint it had.
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,

    /// Read only the entries since the earlier audit, and prove by hashes that the log goes on from there
    #[arg(long)]
    pub(crate) quick: bool,

    /// How the outcome is printed
    #[arg(long, value_enum, default_value_t = ShowFormat::Text)]
    pub(crate) format: ShowFormat,

    /// Show no progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,
}

/// A log of a hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogName {
    /// Tokens that were issued, and what was decided about them
    Results,
    /// Keys, policies and revocations
    Control,
}

impl LogName {
    /// All logs of a hub.
    pub(crate) const ALL: [Self; 2] = [Self::Results, Self::Control];

    /// Its name in addresses.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Results => "results",
            Self::Control => "control",
        }
    }
}
