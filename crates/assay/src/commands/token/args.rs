use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::args::ShowFormat;
use crate::commands::submit::{RunArgs, SigningArgs};

/// Have entries signed, and look at tokens
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay token request .eval_results/sums.yaml --model acme/model-x --write
  assay token inspect eyJhbGciOi…")]
pub(crate) struct TokenArgs {
    #[command(subcommand)]
    pub(crate) action: Action,
}

/// A command on tokens.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    Request(Box<Request>),
    Inspect(Inspect),
}

/// Have the entries of a result file, or of a run, signed
#[derive(Debug, Args)]
#[command(
    long_about = "\
Have the entries of a result file signed by an issuer, or the entry that a record or log gives.

Entries that have a token already are left out, unless `--entry` names one. What is signed is the whole entry: whatever is \
changed afterwards makes the token worthless. A token has to reach the hub before it ends, usually within 15 minutes.",
    after_help = "\
Examples:
  assay token request .eval_results/sums.yaml --model acme/model-x           print the signed entries
  assay token request .eval_results/sums.yaml --model acme/model-x --write   write the tokens into the file
  assay token request record.json --benchmark acme/sums --task words --model acme/model-x > signed.yaml
  assay token request results.yaml --model acme/model-x --to https://issuer.example

Exit codes:
  0  signed, or nothing to sign
  1  refused: an entry can never be verified, or the issuer said no
  3  wrong usage, or something could not be read or reached"
)]
pub(crate) struct Request {
    /// A result file, an Every Eval Ever record, or a harness log
    pub(crate) file: PathBuf,

    /// Only this entry of the result file, from 1, even if it has a token
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) entry: Option<u16>,

    /// Write the tokens, and the commits that were filled in, into the result file
    #[arg(long)]
    pub(crate) write: bool,

    /// Print what the issuer would be asked, and ask nothing
    #[arg(long, conflicts_with = "write")]
    pub(crate) dry_run: bool,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    #[command(flatten)]
    pub(crate) signing: SigningArgs,

    /// Format of the answer
    #[arg(long, value_enum, default_value_t = ShowFormat::Text)]
    pub(crate) format: ShowFormat,
}

/// Show what a token says, without believing it
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay token inspect eyJhbGciOi…
  assay token inspect - --file .eval_results/sums.yaml < token.txt
  assay token inspect .eval_results/sums.yaml --entry 2

Exit codes:
  0  it can be read, and matches the entry it was compared with
  1  it cannot be read as a token, or an entry differs from what it says
  3  wrong usage, or something could not be read")]
pub(crate) struct Inspect {
    /// The token, `-` for standard input, or a file with a token or with entries that have one
    #[arg(value_name = "TOKEN")]
    pub(crate) token: String,

    /// A result file to compare it with
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,

    /// Only this entry of the result file, from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) entry: Option<u16>,

    /// Format of the output
    #[arg(long, value_enum, default_value_t = ShowFormat::Text)]
    pub(crate) format: ShowFormat,
}
