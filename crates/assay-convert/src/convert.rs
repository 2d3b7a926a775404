//! Harness logs in, Every Eval Ever records and samples out, streaming.
//!
//! A converter reads a log through [`Logs`] and writes through [`Datastore`]; it knows no file
//! system, no clock and no network. What it makes follows from the log alone, so converting twice
//! gives the same bytes.

mod alpaca_eval;
mod bigcode;
mod deepeval;
mod detect;
mod document;
mod evalplus;
mod harbor;
mod helm;
mod identity;
mod inspect;
mod judging;
mod lighteval;
mod lm_eval;
mod metric;
mod model_name;
mod mteb;
mod opencompass;
mod options;
mod output;
mod promptfoo;
mod question;
mod reader;
mod refusal;
mod run;
mod secrets;
mod served_model;
mod simple_evals;
mod supplement;
mod swe_bench;
pub mod table;
mod task_writer;
mod time;
mod turns;
mod verifiers;

use detect::Evidence;
pub use detect::{
    belongs_to_another, detect, detect_directory, harness_of, looks_like, may_be_log,
};
pub use identity::{Identity, file_safe};
pub use metric::{KNOWN_METRICS, KnownMetric, known_metric, metric_id};
pub use options::{MetricSaid, Options};
pub use output::{Converted, Datastore, Pair, RecordWriter};
pub use refusal::{Refusal, Warning};
pub use run::{RUN_STATUS, SETUP_KEYS};
pub use supplement::{Supplement, SupplementError};

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

/// The harnesses whose logs can be read. A new one is a variant here with its converter; see
/// CONTRIBUTING.md.
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
    /// Harbor and Terminal-Bench: a job directory.
    Harbor,
    /// MTEB: a result file for each task.
    Mteb,
    /// SWE-bench: the report of a run.
    SweBench,
    /// promptfoo: the results of an evaluation.
    Promptfoo,
    /// EvalPlus: `*_eval_results.json`.
    EvalPlus,
    /// BigCode evaluation harness: `evaluation_results.json`.
    BigCode,
    /// DeepEval: a test run.
    DeepEval,
    /// verifiers: a run directory.
    Verifiers,
    /// OpenCompass: a run directory.
    OpenCompass,
    /// simple-evals: `BENCHMARK_MODEL.json`.
    SimpleEvals,
}

impl Harness {
    /// All harnesses.
    pub const ALL: [Self; 15] = [
        Self::Inspect,
        Self::Helm,
        Self::LmEval,
        Self::Lighteval,
        Self::AlpacaEval,
        Self::Harbor,
        Self::Mteb,
        Self::SweBench,
        Self::Promptfoo,
        Self::EvalPlus,
        Self::BigCode,
        Self::DeepEval,
        Self::Verifiers,
        Self::OpenCompass,
        Self::SimpleEvals,
    ];

    /// The name on the command line.
    pub fn as_str(self) -> &'static str {
        self.info().word
    }

    /// Returns the facts of the harness.
    pub fn info(self) -> &'static HarnessInfo {
        self.converter().info()
    }

    fn converter(self) -> &'static dyn Converter {
        match self {
            Self::Inspect => &inspect::Inspect,
            Self::Helm => &helm::Helm,
            Self::LmEval => &lm_eval::LmEval,
            Self::Lighteval => &lighteval::Lighteval,
            Self::AlpacaEval => &alpaca_eval::AlpacaEval,
            Self::Harbor => &harbor::Harbor,
            Self::Mteb => &mteb::Mteb,
            Self::SweBench => &swe_bench::SweBench,
            Self::Promptfoo => &promptfoo::Promptfoo,
            Self::EvalPlus => &evalplus::EvalPlus,
            Self::BigCode => &bigcode::BigCode,
            Self::DeepEval => &deepeval::DeepEval,
            Self::Verifiers => &verifiers::Verifiers,
            Self::OpenCompass => &opencompass::OpenCompass,
            Self::SimpleEvals => &simple_evals::SimpleEvals,
        }
    }
}

/// The facts of a harness.
#[derive(Debug, Clone, Copy)]
pub struct HarnessInfo {
    /// The name on the command line.
    pub word: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// The name in result files: one of [`assay_model::KnownFramework`].
    pub framework: &'static str,
    /// The name in records: that of the package.
    pub library: &'static str,
    /// The source of the scores in records.
    pub source_name: &'static str,
    /// The files that are a log.
    pub log: &'static str,
}

/// The code that turns the logs of one harness into records.
trait Converter: Sync {
    /// Returns the facts of the harness.
    fn info(&self) -> &'static HarnessInfo;

    /// Returns whether the harness wrote a file or directory, by what was seen of it so far.
    fn detect(&self, evidence: &Evidence) -> bool;

    /// Converts one log.
    fn convert(&self, log: &Log<'_>) -> Result<Vec<Converted>, Refusal>;
}

/// One log: what it is, where it lies, and where its records go.
#[derive(Clone, Copy)]
pub struct Log<'a> {
    /// The files.
    pub logs: &'a dyn Logs,
    /// The log: a file, or the run directory of HELM.
    pub path: &'a str,
    /// The options of the person.
    pub options: &'a Options,
    /// The store of the records.
    pub datastore: &'a dyn Datastore,
    /// Told of every stretch of bytes that has been read.
    pub progress: &'a (dyn Fn(u64) + Sync),
}

/// Converts one log of a known harness into its records.
pub fn convert(harness: Harness, log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
    harness.converter().convert(log)
}
