//! `assay convert`: harness logs in, Every Eval Ever records or a result entry out.

mod detect;
mod discover;
mod json;
mod logs;
mod report;
mod results;
mod show;
mod store;
#[cfg(test)]
mod tests;
mod work;

use std::ffi::OsStr;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use assay_cli::{Exit, Printer};
use assay_convert::convert::{Harness, Options, Relationship};
use assay_render::visible;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use self::discover::discover;
use self::logs::DiskLogs;
use self::report::Account;
use self::results::ResultsArgs;
#[cfg(feature = "client")]
pub(crate) use self::results::{About, Asked, Derived, MetricPair, Problem, derive, judge};
use self::work::Worker;
use crate::config::Config;
use crate::progress::Progress;

/// The word for a harness that is told from the log.
pub(crate) const AUTO: &str = "auto";

/// Turns harness logs into Every Eval Ever records.
#[derive(Debug, clap::Args)]
#[command(
    long_about = "\
Turn logs of Inspect AI, HELM, lm-evaluation-harness, lighteval and AlpacaEval into Every Eval Ever 0.3.0 records and \
samples, or into an entry of a result file.

A log that cannot be converted is reported with the reason and does not stop the others. Every record is judged by the \
rules of `assay validate` before it appears; one with errors never does. The same log always gives the same bytes under \
the same name, so converting again changes nothing, and an existing file with other content is never overwritten.",
    after_help = "\
Examples:
  assay convert logs/ --out datastore                       every log below a directory
  assay convert inspect logs/run.eval --out datastore       one log of a known harness
  assay convert 'runs/**/results_*.json' --out datastore --source-organization Acme
  assay convert helm benchmark_output/runs/v1 --out datastore --no-samples
  assay convert logs/ --out datastore --dry-run             only tell what would be done
  assay convert run.eval --to eval-results --benchmark acme/sums --task words \\
      --model acme/model-x --benchmarks ../benchmarks --out -

Exit codes:
  0  every log was converted; warnings do not count
  1  some logs or records were refused
  3  wrong usage, or something could not be read or written"
)]
pub(crate) struct ConvertArgs {
    /// Logs, run directories, directories to look for logs in, or quoted patterns
    ///
    /// The first may be the name of a harness instead, as for `--from`; where a file or directory of that name exists, it
    /// is that file or directory.
    #[arg(required = true, value_name = "[HARNESS] PATHS")]
    paths: Vec<PathBuf>,

    /// The harness that wrote the logs; `auto` tells it from each log
    ///
    /// In directories, logs of other harnesses are then passed over.
    #[arg(long, value_name = "HARNESS", default_value = AUTO, value_parser = harnesses())]
    from: Source,

    /// The directory to write into
    ///
    /// Records go to `data/{benchmark}/{developer}/{model}/{uuid}.json` below it, result entries to `.eval_results/`; `-`
    /// prints the entry.
    #[arg(long, value_name = "DIR", required_unless_present = "dry_run")]
    out: Option<PathBuf>,

    /// What to make of the logs
    #[arg(long, value_enum, default_value_t = Target::Eee, value_name = "WHAT")]
    to: Target,

    #[command(flatten)]
    said: Said,

    #[command(flatten)]
    results: ResultsArgs,

    /// Write records without their samples
    #[arg(long)]
    no_samples: bool,

    /// Tell what would be done and write nothing to the output directory
    #[arg(long)]
    dry_run: bool,

    /// How the account is told
    #[arg(long, value_enum, default_value_t = Format::Rich)]
    format: Format,

    /// How many threads to use [default: one for each core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,

    /// Show no progress bar
    #[arg(long)]
    no_progress: bool,
}

/// What a log cannot say and a person can.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "What the logs do not say")]
struct Said {
    /// The organisation that reports the scores
    #[arg(long, value_name = "NAME", default_value = "unknown")]
    source_organization: String,

    /// The address of the organisation
    #[arg(long, value_name = "URL")]
    source_organization_url: Option<String>,

    /// The logo of the organisation
    #[arg(long, value_name = "URL")]
    source_organization_logo_url: Option<String>,

    /// How those who evaluated relate to those who made the model
    #[arg(long, value_enum, value_name = "WHO", default_value_t = Evaluator::ThirdParty)]
    evaluator_relationship: Evaluator,

    /// What the scores were taken from [default: the harness]
    #[arg(long, value_name = "NAME")]
    source_name: Option<String>,

    /// The name of the harness in the record [default: its own]
    #[arg(long, value_name = "NAME")]
    eval_library_name: Option<String>,

    /// The version of the harness, when the log does not say
    #[arg(long, value_name = "VERSION")]
    eval_library_version: Option<String>,

    /// The software that ran the model, such as `vllm`, when the log does not say
    #[arg(long, value_name = "NAME")]
    inference_engine: Option<String>,

    /// The version of that software
    #[arg(long, value_name = "VERSION", requires = "inference_engine")]
    inference_engine_version: Option<String>,

    /// When the records were made, as Unix seconds [default: when the evaluation ended]
    #[arg(long, value_name = "SECONDS", value_parser = unix_seconds)]
    retrieved_at: Option<String>,
}

/// Which harness wrote the logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// Each log tells.
    Auto,
    /// All are of this one.
    Known(Harness),
}

/// What to make of the logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Target {
    /// Every Eval Ever records and samples
    Eee,
    /// An entry of a result file, for `--benchmark`, `--task` and `--model`
    EvalResults,
}

/// How the account is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people
    Rich,
    /// One JSON document: every log, record and warning
    Json,
}

/// How those who evaluated relate to those who made the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
enum Evaluator {
    /// The same people
    FirstParty,
    /// Other people
    ThirdParty,
    /// Both together
    Collaborative,
    /// None of these
    Other,
}

/// Returns the logs below these directories, as files and run directories.
#[cfg(feature = "client")]
pub(crate) fn logs_below(directories: &[PathBuf]) -> Vec<PathBuf> {
    let found = discover(&DiskLogs, directories, Source::Auto);
    let logs = found.logs.into_iter();
    logs.map(|log| PathBuf::from(log.path)).collect()
}

/// Converts what the arguments name.
pub(crate) fn run(args: &ConvertArgs, config: &Config, printer: &mut Printer) -> Exit {
    let (source, paths) = args.source();
    let options = args.options();
    let found = discover(&DiskLogs, paths, source);
    let shows_progress = config.stderr_is_terminal && !args.no_progress;
    let total = found.logs.iter().map(|log| log.bytes).sum();
    let progress = Progress::new(shows_progress, total);
    let worker = Worker {
        logs: &DiskLogs,
        options: &options,
        out: args.out.as_deref(),
        dry_run: args.dry_run,
        progress: &|bytes| progress.advance(bytes),
    };
    match args.to {
        Target::Eee if args.out.as_deref() == Some(Path::new("-")) => {
            printer.error("`--out -` prints a result entry; records need a directory");
            Exit::Failed
        }
        Target::Eee => {
            let outcomes = worker.convert_all(&found.logs);
            drop(progress);
            let account = Account::new(outcomes, found.passed_over, found.missing);
            present(args, &account, printer)
        }
        Target::EvalResults => {
            let outcome = results::make(&args.results, &args.said, &worker, &found, config);
            drop(progress);
            results::present(outcome, args, printer)
        }
    }
}

fn present(args: &ConvertArgs, account: &Account, printer: &mut Printer) -> Exit {
    match args.format {
        Format::Rich => show::print(account, args.out.as_deref(), args.dry_run, printer),
        Format::Json => json::print(account, printer),
    }
    for failure in account.failures() {
        printer.error(&visible(&failure));
    }
    account.exit()
}

impl ConvertArgs {
    /// The harness and the paths: a first argument that names a harness, and nothing that exists, is no path.
    fn source(&self) -> (Source, &[PathBuf]) {
        if let (Source::Auto, [first, rest @ ..]) = (self.from, self.paths.as_slice())
            && !rest.is_empty()
            && let Some(source) = Source::of(first.as_os_str())
            && !first.exists()
        {
            return (source, rest);
        }
        (self.from, &self.paths)
    }

    fn options(&self) -> Options {
        let said = &self.said;
        Options {
            organization: said.source_organization.clone(),
            organization_url: said.source_organization_url.clone(),
            organization_logo_url: said.source_organization_logo_url.clone(),
            relationship: match said.evaluator_relationship {
                Evaluator::FirstParty => Relationship::FirstParty,
                Evaluator::ThirdParty => Relationship::ThirdParty,
                Evaluator::Collaborative => Relationship::Collaborative,
                Evaluator::Other => Relationship::Other,
            },
            source_name: said.source_name.clone(),
            library_name: said.eval_library_name.clone(),
            library_version: said.eval_library_version.clone(),
            inference_engine: said.inference_engine.clone(),
            inference_engine_version: said.inference_engine_version.clone(),
            retrieved_timestamp: said.retrieved_at.clone(),
            samples: !self.no_samples,
            jobs: self.jobs.map_or_else(cores, usize::from),
        }
    }
}

impl Source {
    /// The source of this name.
    fn of(name: &OsStr) -> Option<Self> {
        if name == AUTO {
            return Some(Self::Auto);
        }
        Harness::ALL
            .into_iter()
            .find(|harness| name == harness.as_str())
            .map(Self::Known)
    }

    /// Returns the name as it is typed.
    #[cfg(feature = "client")]
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Auto => AUTO,
            Self::Known(harness) => harness.as_str(),
        }
    }
}

pub(crate) fn harnesses() -> impl TypedValueParser<Value = Source> {
    let values = Harness::ALL.into_iter().map(|harness| {
        PossibleValue::new(harness.as_str()).help(match harness {
            Harness::Inspect => "Inspect AI: *.eval, and *.json",
            Harness::Helm => "HELM: a run directory with run_spec.json",
            Harness::LmEval => "lm-evaluation-harness: results_*.json with samples_*.jsonl",
            Harness::Lighteval => "lighteval: results_*.json with details_*.parquet",
            Harness::AlpacaEval => "AlpacaEval: leaderboard.csv",
        })
    });
    let auto = PossibleValue::new(AUTO).help("Each log tells");
    PossibleValuesParser::new(std::iter::once(auto).chain(values))
        .map(|name| Source::of(OsStr::new(&name)).unwrap_or(Source::Auto))
}

/// Seconds since 1970 as a record has them: digits, and perhaps a fraction.
fn unix_seconds(text: &str) -> Result<String, String> {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    if digits(whole) && digits(fraction) {
        Ok(text.to_owned())
    } else {
        Err("it must be seconds since 1970, such as `1767225600`".to_owned())
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}
