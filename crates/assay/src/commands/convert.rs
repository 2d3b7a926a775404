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

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use assay_cli::{Exit, Printer};
use assay_convert::convert::{Harness, MetricSaid, Options, Supplement, SupplementError};
use assay_formats::eee::record::Bound;
use assay_model::{Direction, Relationship};
use assay_render::visible;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use self::discover::discover;
use self::logs::DiskLogs;
use self::report::Account;
use self::results::ResultsArgs;
#[cfg(feature = "client")]
pub(crate) use self::results::{
    About, Derived, EntryRequest, MetricPair, Problem, derive, validate_result_file,
};
use self::work::Worker;
#[cfg(feature = "client")]
pub(crate) use self::{
    report::Fault,
    store::{DiskStore, Settled},
};
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

A log that cannot be converted is reported with the reason and does not stop the others. Every record is validated by the \
rules of `assay validate` before it appears; one with errors never does. The same log always gives the same bytes under \
the same name, so converting again changes nothing. An existing file with other content is kept, unless the log is of the \
same run and went further, or `--overwrite` is given.

A run that was cancelled, failed or lost samples is converted with its status and counts. It becomes a result entry only \
with `--allow-incomplete`.",
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
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag that can be typed"
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
    said: LogOptions,

    #[command(flatten)]
    results: ResultsArgs,

    /// Write records without their samples
    #[arg(long)]
    no_samples: bool,

    /// Replace records that are there already and say something else
    #[arg(long)]
    overwrite: bool,

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
struct LogOptions {
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

    /// The version of the harness, whatever the log says
    #[arg(long, value_name = "VERSION")]
    eval_library_version: Option<String>,

    /// The maker of the model
    #[arg(long, value_name = "NAME")]
    developer: Option<String>,

    /// How the model was deployed, such as `api` or `local`
    #[arg(long, value_name = "HOW")]
    deployment: Option<String>,

    /// How the model can be had, such as `open_weights` or `proprietary`
    #[arg(long, value_name = "HOW")]
    availability: Option<String>,

    /// Which way a metric improves: `loss=lower`
    #[arg(long, value_name = "METRIC=higher|lower", value_parser = metric_direction)]
    metric_direction: Vec<MetricSaid>,

    /// The lowest and highest possible score of a metric, `inf` for none: `loss=0..inf`
    #[arg(long, value_name = "METRIC=MIN..MAX", value_parser = metric_bounds)]
    metric_bounds: Vec<MetricSaid>,

    /// The unit of a metric, such as `proportion` or `percentage`: `acc=proportion`
    #[arg(long, value_name = "METRIC=UNIT", value_parser = metric_unit)]
    metric_unit: Vec<MetricSaid>,

    /// A JSON file with details that the logs do not have, for models, data, metrics and results
    #[arg(long, value_name = "FILE", value_parser = supplement)]
    supplement: Option<Supplement>,

    /// The software that ran the model, such as `vllm`, whatever the log says
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
    if let Some(without_effect) = args.without_effect() {
        printer.error(&without_effect);
        return Exit::Failed;
    }
    #[cfg(unix)]
    if let Err(error) = crate::replace::remove_scratch_on_signals() {
        printer.error(&format!("failed to watch for signals: {error}"));
        return Exit::Failed;
    }
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
        overwrite: args.overwrite,
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
            let mut missing = found.missing;
            missing.extend(unused_names(&options, &outcomes));
            let account = Account::new(outcomes, found.passed_over, missing);
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
            // Of a result entry it says whose it is, and the log shall be held against that.
            model: match self.to {
                Target::Eee => self.results.model.as_ref().map(ToString::to_string),
                Target::EvalResults => None,
            },
            developer: said.developer.clone(),
            deployment: said.deployment.clone(),
            availability: said.availability.clone(),
            metrics: [
                &said.metric_direction,
                &said.metric_bounds,
                &said.metric_unit,
            ]
            .into_iter()
            .flatten()
            .cloned()
            .collect(),
            supplement: said.supplement.clone(),
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

/// Says which metrics and results that a person describes no record has.
fn unused_names(options: &Options, outcomes: &[report::Outcome]) -> Vec<String> {
    let records: Vec<_> = outcomes.iter().flat_map(report::Outcome::records).collect();
    if records.is_empty() {
        return Vec::new();
    }
    let metrics = options
        .metrics
        .iter()
        .map(|said| ("metric", said.name.as_str()));
    let selectors = options.supplement.iter().flat_map(Supplement::selectors);
    let results = selectors.map(|name| ("result or evaluation", name));
    let is_used = |name: &str| {
        records
            .iter()
            .any(|own| own.names_said.iter().any(|own| own == name))
    };
    let unused: BTreeSet<(&str, &str)> = metrics
        .chain(results)
        .filter(|(_, name)| !is_used(name))
        .collect();
    let sentence = |(what, name)| {
        format!("no record has the {what} `{name}`, so what you say of it has no effect")
    };
    unused.into_iter().map(sentence).collect()
}

/// Reads a supplement.
fn supplement(path: &str) -> Result<Supplement, String> {
    let text = fs_err::read_to_string(path).map_err(|error| error.to_string())?;
    text.parse().map_err(
        |error: SupplementError| match std::error::Error::source(&error) {
            Some(cause) => format!("{error}: {cause}"),
            None => error.to_string(),
        },
    )
}

impl ConvertArgs {
    /// Says which option would do nothing: it is better to hear so than to believe that it did something.
    fn without_effect(&self) -> Option<String> {
        let results = &self.results;
        let said = &self.said;
        let of_entries = [
            ("--benchmark", results.benchmark.is_some()),
            ("--task", results.task.is_some()),
            ("--benchmarks", !results.benchmarks.is_empty()),
            ("--hub", results.hub.is_some()),
            ("--metric", !results.metric.is_empty()),
            ("--evaluation", results.evaluation.is_some()),
            ("--source-url", results.source_url.is_some()),
            ("--notes", results.notes.is_some()),
            ("--allow-incomplete", results.allow_incomplete),
            ("--model-revision", results.model_revision.is_some()),
            ("--dataset-revision", results.dataset_revision.is_some()),
            ("--command", results.command.is_some()),
        ];
        let of_records = [
            (
                "--source-organization-url",
                said.source_organization_url.is_some(),
            ),
            (
                "--source-organization-logo-url",
                said.source_organization_logo_url.is_some(),
            ),
            ("--inference-engine", said.inference_engine.is_some()),
            ("--retrieved-at", said.retrieved_at.is_some()),
            ("--developer", said.developer.is_some()),
            ("--deployment", said.deployment.is_some()),
            ("--availability", said.availability.is_some()),
            ("--metric-direction", !said.metric_direction.is_empty()),
            ("--metric-bounds", !said.metric_bounds.is_empty()),
            ("--supplement", said.supplement.is_some()),
            ("--no-samples", self.no_samples),
            ("--overwrite", self.overwrite),
        ];
        let (given, needed) = match self.to {
            Target::Eee => (of_entries.as_slice(), "with `--to eval-results`"),
            Target::EvalResults => (of_records.as_slice(), "for records, not for a result entry"),
        };
        let (option, _) = given.iter().find(|(_, is_given)| *is_given)?;
        Some(format!("`{option}` has an effect only {needed}"))
    }
}

/// The name of a metric, and what is said of it.
fn of_metric(text: &str) -> Result<(String, &str), String> {
    // The name may hold the sign itself; what is said of it does not.
    let (name, said) = text
        .rsplit_once('=')
        .filter(|(name, said)| !name.is_empty() && !said.is_empty())
        .ok_or("write the metric, `=` and what it is")?;
    Ok((name.to_owned(), said))
}

fn metric_direction(text: &str) -> Result<MetricSaid, String> {
    let (name, said) = of_metric(text)?;
    let direction = match said {
        "higher" => Direction::HigherIsBetter,
        "lower" => Direction::LowerIsBetter,
        _ => return Err("a metric is better `higher` or `lower`".to_owned()),
    };
    Ok(MetricSaid {
        name,
        direction: Some(direction),
        ..MetricSaid::default()
    })
}

fn metric_bounds(text: &str) -> Result<MetricSaid, String> {
    let (name, said) = of_metric(text)?;
    let number = |text: &str| text.parse().ok().filter(|own: &f64| !own.is_nan());
    let bounds = said
        .split_once("..")
        .and_then(|(min, max)| Some((number(min)?, number(max)?)))
        .filter(|(min, max)| min < max)
        .ok_or("bounds are two numbers, the lower one first: `0..1`, `0..inf`")?;
    let bound = |number: f64| {
        if number.is_finite() {
            Bound::At(number)
        } else if number > 0.0 {
            Bound::Infinity
        } else {
            Bound::NegativeInfinity
        }
    };
    Ok(MetricSaid {
        name,
        bounds: Some((bound(bounds.0), bound(bounds.1))),
        ..MetricSaid::default()
    })
}

fn metric_unit(text: &str) -> Result<MetricSaid, String> {
    let (name, said) = of_metric(text)?;
    Ok(MetricSaid {
        name,
        unit: Some(said.to_owned()),
        ..MetricSaid::default()
    })
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
        let info = harness.info();
        PossibleValue::new(info.word).help(format!("{}: {}", info.title, info.log))
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
