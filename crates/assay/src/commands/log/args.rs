#[cfg(feature = "hub")]
use std::net::SocketAddr;
use std::path::PathBuf;

use assay_tlog::VerifierKey;
use clap::{Args, Subcommand, ValueEnum};

use crate::args::ShowFormat;
use crate::commands::verify::Age;
use crate::witnesses::WitnessArgs;

/// The transparency logs of a hub
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay log audit https://hub.example                       check both logs of a hub from outside
  assay log audit https://hub.example --save audit.json     and keep what it signed for
  assay log audit https://hub.example --since audit.json    check that nothing changed since then
  assay log witness serve --name w1.example --trust hub.note    sign what others then rely upon")]
pub(crate) struct LogArgs {
    #[command(subcommand)]
    pub(crate) action: LogAction,
}

/// A command on a log.
#[derive(Debug, Subcommand)]
pub(crate) enum LogAction {
    Audit(Box<AuditArgs>),
    #[cfg(feature = "hub")]
    Witness(WitnessCommand),
}

/// Watch logs, and sign their checkpoints
#[cfg(feature = "hub")]
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  assay log witness serve --name w1.example --trust hub.note    both logs of a hub"
)]
pub(crate) struct WitnessCommand {
    #[command(subcommand)]
    pub(crate) action: WitnessAction,
}

/// A command of a witness.
#[cfg(feature = "hub")]
#[derive(Debug, Subcommand)]
pub(crate) enum WitnessAction {
    Serve(WitnessServeArgs),
}

/// Run a witness: it signs each checkpoint that goes on from the one before, and no other
#[cfg(feature = "hub")]
#[derive(Debug, Args)]
#[command(
    long_about = "\
Run a witness in the foreground until it is told to stop. It speaks C2SP tlog-witness: a log sends a checkpoint with the proof that \
it goes on from the one that the witness signed before, and gets a signature with the time.

It refuses a history that was forked or set back, also after a restart: what it signed is on the disk before anybody gets the \
signature. Its key and its memory are in `--data`. Keep that directory, and never restore an old copy of it: a witness that \
forgets can be led back.",
    after_help = "\
Examples:
  curl -s https://hub.example/.well-known/eval-trust > hub.note
  assay log witness serve --name w1.example --trust hub.note
  assay log witness serve --name w1.example --log VKEY --listen 10.0.0.5:8470 --allow-plain-http

Exit codes:
  0  it was told to stop
  3  it cannot start, or cannot go on"
)]
pub(crate) struct WitnessServeArgs {
    /// Name of the witness, such as the address that it will have, without `https://`; it stays so
    #[arg(long, value_name = "NAME")]
    pub(crate) name: String,

    /// The trust note of a hub, both of whose logs are watched; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) trust: Vec<PathBuf>,

    /// The public key of a log to watch, `name+hash+base64`; may be given several times
    #[arg(long, value_name = "VKEY")]
    pub(crate) log: Vec<VerifierKey>,

    /// Directory of the key and of the last checkpoints
    #[arg(long, value_name = "DIR", default_value = "assay-witness")]
    pub(crate) data: PathBuf,

    /// Address and port to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8470")]
    pub(crate) listen: SocketAddr,

    /// Answer other machines without TLS, as behind a proxy that has it
    #[arg(long)]
    pub(crate) allow_plain_http: bool,
}

/// Check a log from outside: nothing rewritten, nothing dropped, no second history
#[derive(Debug, Args)]
#[command(
    long_about = "\
Check the logs of a hub from outside: nothing was rewritten, nothing was dropped, and there is one history.

Every entry is fetched and hashed, and the hashes must lead to the checkpoint that the log signed. Against a checkpoint that was kept \
from an earlier audit it is also proved that the log only grew. The hub is not believed in anything; its keys are those of \
`--key`, else those that the earlier audit kept, else those that the hub announces at its first audit. With `--witness`, so many \
witnesses must have signed the newest checkpoint, or one that it goes on from, not longer ago than `--witness-age`.",
    after_help = "\
Examples:
  assay log audit https://hub.example --save audit.json
  assay log audit https://hub.example --since audit.json --save audit.json    every night
  assay log audit https://hub.example --since audit.json --quick              only what is new
  assay log audit https://hub.example/v1/log/results --key VKEY         one log
  assay log audit mirror/results --key VKEY --format json                     a copy on disk
  assay log audit https://hub.example --witness KEY --witness KEY --witness KEY --quorum 2

Exit codes:
  0  nothing is wrong
  1  an entry was rewritten or dropped, the history was forked, a signature is wrong, or too few witnesses signed
  3  wrong usage, or something could not be read or reached"
)]
pub(crate) struct AuditArgs {
    /// The address of a hub; with `--key`, the address of one log, or a directory with its files
    pub(crate) address: String,

    /// The public key of the log, `name+hash+base64`
    #[arg(long, value_name = "VKEY", conflicts_with = "log")]
    pub(crate) key: Option<VerifierKey>,

    /// Log of the hub [default: both]
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) log: Option<LogName>,

    /// File that an earlier audit kept with `--save`
    ///
    /// The file may be missing if `--save` names the same one: then this is the first audit.
    #[arg(long, value_name = "FILE")]
    pub(crate) since: Option<PathBuf>,

    /// Keep the checkpoints and keys for the next audit
    ///
    /// A log with which something is wrong keeps the checkpoint it had.
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,

    /// Read only the entries since the earlier audit, and prove by hashes that the log goes on from
    /// there
    #[arg(long)]
    pub(crate) quick: bool,

    #[command(flatten)]
    pub(crate) witnesses: WitnessArgs,

    /// Greatest age of the signatures of witnesses: `1h`, `30m`
    ///
    /// A log that shows you a history of your own has old signatures at best, from before it was
    /// forked.
    #[arg(long, value_name = "AGE", default_value = "1h", requires = "witness")]
    pub(crate) witness_age: Age,

    /// Format of the outcome
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
