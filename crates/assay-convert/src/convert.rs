//! Harness logs in, Every Eval Ever records and samples out, streaming.
//!
//! A converter reads a log through [`Logs`] and writes through [`Datastore`]; it knows no file system, no clock and no
//! network. What it makes follows from the log alone, so converting twice gives the same bytes.

mod alpaca_eval;
mod detect;
mod helm;
mod identity;
mod inspect;
mod lighteval;
mod lm_eval;
mod metric;
mod options;
mod output;
mod reader;
mod refusal;

pub use detect::{candidates, detect, is_helm_run};
pub use identity::{Identity, file_safe};
pub use metric::{KnownMetric, known_metric};
pub use options::{Options, Relationship};
pub use output::{Converted, Datastore, Pair, RecordWriter};
pub use refusal::{Refusal, Warning};

use std::io::{self, Read, Seek};

/// The logs at hand. Paths use `/`.
pub trait Logs: Sync {
    /// Opens a file.
    fn open(&self, path: &str) -> io::Result<Box<dyn LogFile + '_>>;

    /// The names of the files and directories in a directory, sorted.
    fn list(&self, directory: &str) -> io::Result<Vec<String>>;
}

/// A file that can be read from any place, as archives ask for.
pub trait LogFile: Read + Seek + Send {}

impl<T: Read + Seek + Send> LogFile for T {}

/// The harnesses whose logs can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Harness {
    /// Inspect AI: `.eval` and `.json`.
    Inspect,
    /// HELM: a run directory.
    Helm,
    /// lm-evaluation-harness: `results_*.json` with `samples_*.jsonl`.
    LmEval,
    /// lighteval: `results_*.json` with `details_*.parquet`.
    Lighteval,
    /// AlpacaEval: a leaderboard as CSV.
    AlpacaEval,
}

impl Harness {
    /// All harnesses.
    pub const ALL: [Self; 5] = [
        Self::Inspect,
        Self::Helm,
        Self::LmEval,
        Self::Lighteval,
        Self::AlpacaEval,
    ];

    /// The name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Inspect => "inspect",
            Self::Helm => "helm",
            Self::LmEval => "lm-eval",
            Self::Lighteval => "lighteval",
            Self::AlpacaEval => "alpaca-eval",
        }
    }
}

/// One log: what it is, where it lies, and where its records go.
#[derive(Clone, Copy)]
pub struct Log<'a> {
    /// The files.
    pub logs: &'a dyn Logs,
    /// The log: a file, or the run directory of HELM.
    pub path: &'a str,
    /// What a person says.
    pub options: &'a Options,
    /// Where records go.
    pub datastore: &'a dyn Datastore,
    /// Told of every stretch of bytes that has been read.
    pub progress: &'a (dyn Fn(u64) + Sync),
}

/// Converts one log of a known harness into its records.
pub fn convert(harness: Harness, log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
    match harness {
        Harness::Inspect => inspect::convert(log),
        Harness::Helm => helm::convert(log),
        Harness::LmEval => lm_eval::convert(log),
        Harness::Lighteval => lighteval::convert(log),
        Harness::AlpacaEval => alpaca_eval::convert(log),
    }
}
