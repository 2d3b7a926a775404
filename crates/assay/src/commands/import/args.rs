use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::table::TableArgs;
use crate::args::ShowFormat;

/// Bring results from elsewhere to a hub
#[derive(Debug, Args)]
#[command(
    long_about = "\
Bring results from elsewhere to a hub, as benchmarks, models and results.

What is there already and has not changed is left alone, so an import that was interrupted is simply run again.",
    after_help = "\
Examples:
  assay import eee datastore/ --hub http://127.0.0.1:8080
  assay import eee datastore/data/helm_lite --dry-run
  assay import table bfcl.toml data_overall.csv --out datastore --retrieved-at 2026-11-18

Exit codes:
  0  everything is on the hub, or in the datastore
  1  some records or rows were refused
  3  wrong usage, or the hub could not be reached"
)]
pub(crate) struct ImportArgs {
    #[command(subcommand)]
    pub(crate) source: Source,

    /// The address of the hub
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) hub: Option<String>,
}

/// The source of the results.
#[derive(Debug, Subcommand)]
pub(crate) enum Source {
    Eee(Eee),
    Table(TableArgs),
}

/// Import a datastore of Every Eval Ever records
#[derive(Debug, Args)]
#[command(
    long_about = "\
Import a datastore of Every Eval Ever records. Older records are upgraded on the way, unless they have samples.

Each benchmark becomes a dataset repository with an eval.yaml, whose tasks are the evaluations of its records, and keeps the \
records themselves. Records of one folder are of several benchmarks when their ids say so. Each model becomes a model \
repository with its results: setup, scale, uncertainty, cost, evaluator, dates and source as the records give them. A score that \
cannot be is left out and told; the rest of its record is imported. Developers become organisations. A directory with flat/latest_manifest.json is read as the flat layout \
of the published datastore: the list that the manifest names says where each object belongs. The token must be an \
operator's, because organisations are made.",
    after_help = "\
Examples:
  assay import eee datastore
  assay import eee datastore/flat/indexes/by_collection/helm_lite.jsonl
  assay import eee datastore --namespace eee --format json"
)]
pub(crate) struct Eee {
    /// Records, directories to look for records in, or quoted patterns
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,

    /// The organisation that benchmarks go to
    #[arg(long, default_value = "every-eval-ever", value_name = "NAME")]
    pub(crate) namespace: String,

    /// Tell what would be made and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Print the summary alone, and what failed
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Format of the account
    #[arg(long, value_enum, default_value_t = ShowFormat::Text)]
    pub(crate) format: ShowFormat,

    /// Number of threads to that use [default: one for each core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,

    /// Show no progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,
}
