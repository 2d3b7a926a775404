//! The arguments of `assay convert`.

use std::ffi::OsStr;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use assay_convert::convert::{Harness, MetricSaid, Options, Supplement};
use assay_model::Relationship;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::results::ResultsArgs;
use super::said::{metric_bounds, metric_direction, metric_unit, supplement, unix_seconds};

/// The word for a harness that is told from the log.
pub(crate) const AUTO: &str = "auto";

/// Turns harness logs into Every Eval Ever records.
#[derive(Debug, clap::Args)]
#[command(
    long_about = "\
Turn logs of Inspect AI, HELM, lm-evaluation-harness, lighteval, Harbor and others into Every Eval Ever 0.3.0 records and \
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
    /// The first may be the name of a harness instead, as for `--from`; where a file or directory
    /// of that name exists, it is that file or directory.
    #[arg(required_unless_present = "log_path", value_name = "[HARNESS] PATHS")]
    pub(super) paths: Vec<PathBuf>,

    /// The harness that wrote the logs; `auto` tells it from each log
    ///
    /// In directories, logs of other harnesses are then passed over.
    #[arg(long, value_name = "HARNESS", default_value = AUTO, value_parser = harnesses())]
    pub(super) from: Source,

    /// The directory to write into
    ///
    /// Records go to `data/{benchmark}/{developer}/{model}/{uuid}.json` below it, result entries to
    /// `.eval_results/`; `-` prints the entry.
    #[arg(long, value_name = "DIR", required_unless_present_any = ["dry_run", "log_path"])]
    pub(super) out: Option<PathBuf>,

    /// Output to make of the logs
    #[arg(long, value_enum, default_value_t = Target::Eee, value_name = "WHAT")]
    pub(super) to: Target,

    #[command(flatten)]
    pub(super) said: LogOptions,

    #[command(flatten)]
    pub(super) results: ResultsArgs,

    /// Write records without their samples
    #[arg(long)]
    pub(super) no_samples: bool,

    /// A log, as the converters of Every Eval Ever name it; the same as a path
    #[arg(long = "log_path", value_name = "PATH", hide = true)]
    pub(super) log_path: Option<PathBuf>,

    /// With samples, as the converters of Every Eval Ever ask for them; they are written anyway
    #[arg(long = "include_samples", hide = true, conflicts_with = "no_samples")]
    pub(super) include_samples: bool,

    /// Replace records that are there already and say something else
    #[arg(long)]
    pub(super) overwrite: bool,

    /// Tell what would be done and write nothing to the output directory
    #[arg(long)]
    pub(super) dry_run: bool,

    /// Print the summary alone, and what failed
    #[arg(long, short)]
    pub(super) quiet: bool,

    /// Format of the account
    #[arg(long, value_enum, default_value_t = Format::Rich)]
    pub(super) format: Format,

    /// Number of threads to that use [default: one for each core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) jobs: Option<u16>,

    /// Show no progress bar
    #[arg(long)]
    pub(super) no_progress: bool,
}

/// Facts that a log cannot have and a person can.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "What the logs do not say")]
pub(super) struct LogOptions {
    /// The organisation that reports the scores
    #[arg(long, value_name = "NAME", default_value = "unknown")]
    pub(super) source_organization: String,

    /// The address of the organisation
    #[arg(long, value_name = "URL")]
    pub(super) source_organization_url: Option<String>,

    /// The logo of the organisation
    #[arg(long, value_name = "URL")]
    pub(super) source_organization_logo_url: Option<String>,

    /// Relation of the evaluators to the developer of the model
    #[arg(long, value_enum, value_name = "WHO", default_value_t = Evaluator::ThirdParty)]
    pub(super) evaluator_relationship: Evaluator,

    /// Source of the scores [default: the harness]
    #[arg(long, value_name = "NAME")]
    pub(super) source_name: Option<String>,

    /// The name of the harness in the record [default: its own]
    #[arg(long, value_name = "NAME")]
    pub(super) eval_library_name: Option<String>,

    /// The version of the harness, whatever the log says
    #[arg(long, value_name = "VERSION")]
    pub(super) eval_library_version: Option<String>,

    /// The maker of the model
    #[arg(long, value_name = "NAME")]
    pub(super) developer: Option<String>,

    /// Deployment of the model, such as `api` or `local`
    #[arg(long, value_name = "HOW")]
    pub(super) deployment: Option<String>,

    /// Availability of the model, such as `open_weights` or `proprietary`
    #[arg(long, value_name = "HOW")]
    pub(super) availability: Option<String>,

    /// Direction of a metric: `loss=lower`
    #[arg(long, value_name = "METRIC=higher|lower", value_parser = metric_direction)]
    pub(super) metric_direction: Vec<MetricSaid>,

    /// The lowest and highest possible score of a metric, `inf` for none: `loss=0..inf`
    #[arg(long, value_name = "METRIC=MIN..MAX", value_parser = metric_bounds)]
    pub(super) metric_bounds: Vec<MetricSaid>,

    /// The unit of a metric, such as `proportion` or `percentage`: `acc=proportion`
    #[arg(long, value_name = "METRIC=UNIT", value_parser = metric_unit)]
    pub(super) metric_unit: Vec<MetricSaid>,

    /// A JSON file with details that the logs do not have, for models, data, metrics and results
    #[arg(long, value_name = "FILE", value_parser = supplement)]
    pub(super) supplement: Option<Supplement>,

    /// The software that ran the model, such as `vllm`, whatever the log says
    #[arg(long, value_name = "NAME")]
    pub(super) inference_engine: Option<String>,

    /// The version of that software
    #[arg(long, value_name = "VERSION", requires = "inference_engine")]
    pub(super) inference_engine_version: Option<String>,

    /// Time at which the records were made, as Unix seconds [default: when the evaluation ended]
    #[arg(long, value_name = "SECONDS", value_parser = unix_seconds)]
    pub(super) retrieved_at: Option<String>,
}

/// The harness that wrote the logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// Each log tells.
    Auto,
    /// All are of this one.
    Known(Harness),
}

/// The output to make of the logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Target {
    /// Every Eval Ever records and samples
    Eee,
    /// An entry of a result file, for `--benchmark`, `--task` and `--model`
    EvalResults,
}

/// The format of the account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// For people
    #[value(name = "text", alias = "rich")]
    Rich,
    /// One JSON document: every log, record and warning
    Json,
}

/// The relation of the evaluators to the developer of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
pub(super) enum Evaluator {
    /// The same people
    FirstParty,
    /// Other people
    ThirdParty,
    /// Both together
    Collaborative,
    /// None of these
    Other,
}

impl ConvertArgs {
    /// The harness and the paths: a first argument that names a harness, and nothing that exists,
    /// is no path.
    pub(super) fn source(&self) -> (Source, Vec<PathBuf>) {
        let mut paths = self.paths.clone();
        paths.extend(self.log_path.clone());
        if let (Source::Auto, [first, rest @ ..]) = (self.from, paths.as_slice())
            && !rest.is_empty()
            && let Some(source) = Source::of(first.as_os_str())
            && !first.exists()
        {
            return (source, rest.to_vec());
        }
        (self.from, paths)
    }

    /// The directory to write into. The converters of Every Eval Ever write below `data` of the
    /// current one.
    pub(super) fn out(&self) -> Option<&Path> {
        let here = self.log_path.is_some() && !self.dry_run;
        let here = here.then_some(Path::new("."));
        self.out.as_deref().or(here)
    }

    pub(super) fn options(&self) -> Options {
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
            ..Options::default()
        }
    }

    /// Says which option would do nothing: it is better to hear so than to believe that it did
    /// something.
    pub(super) fn without_effect(&self) -> Option<String> {
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

impl Source {
    /// The source of this name.
    fn of(name: &OsStr) -> Option<Self> {
        if name == AUTO {
            return Some(Self::Auto);
        }
        // Python names its modules with `_`.
        let name = name.to_str()?.replace('_', "-");
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

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}
