//! `--to eval-results`: an entry of a result file out of the records that logs become.

#[cfg(feature = "client")]
mod derive;
mod file;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use assay_check::{Benchmarks as _, Lookup};
use assay_cli::{Exit, Printer};
use assay_convert::entry::{
    About, Candidate, Choice, KeepStore, MetricPair, NoEntry, Question, entry,
};
use assay_model::{RepoId, Revision, TaskId};
use assay_render::visible;
use serde::Serialize;

#[cfg(feature = "client")]
pub(crate) use self::derive::{Derived, EntryRequest, derive};
#[cfg(feature = "client")]
pub(crate) use self::file::validate_result_file;
use self::file::{Place, Written};
use super::discover::DiscoveredLogs;
use super::report::{End, Fault};
use super::work::Worker;
use super::{ConvertArgs, Format, LogOptions};
use crate::benchmarks::Lists;
use crate::config::Config;
use crate::hub_benchmarks::HubBenchmarks;

/// The version of the JSON document. It changes when a reader of the old one could be misled.
const VERSION: u32 = 1;

/// The target of an entry, and facts that the logs do not have.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Result entries (--to eval-results)")]
pub(super) struct ResultsArgs {
    /// The dataset id of the benchmark
    #[arg(long, value_name = "ID", required_if_eq("to", "eval-results"))]
    pub(super) benchmark: Option<RepoId>,

    /// The task, as the benchmark's eval.yaml names it
    #[arg(long, value_name = "ID", required_if_eq("to", "eval-results"))]
    pub(super) task: Option<TaskId>,

    /// The model whose results these are; in records, the model whatever the logs call it
    #[arg(long, value_name = "ID", required_if_eq("to", "eval-results"))]
    pub(super) model: Option<RepoId>,

    /// Make an entry of a run that was cancelled, failed or lost samples; it says so
    #[arg(long)]
    pub(super) allow_incomplete: bool,

    /// The commit of the model [default: what the log says]
    #[arg(long, value_name = "COMMIT")]
    pub(super) model_revision: Option<Revision>,

    /// The commit of the benchmark
    #[arg(long, value_name = "COMMIT")]
    pub(super) dataset_revision: Option<Revision>,

    /// The command line that ran the evaluation
    #[arg(long, value_name = "TEXT")]
    pub(super) command: Option<String>,

    /// A directory with checkouts of benchmarks; their eval.yaml names the metrics and units
    #[arg(long, value_name = "DIR")]
    pub(super) benchmarks: Vec<PathBuf>,

    /// A hub to ask for the benchmark
    #[arg(long, value_name = "URL")]
    pub(super) hub: Option<String>,

    /// A metric or result of the log, and the metric of the benchmark that it is
    #[arg(long, value_name = "FROM=TO")]
    pub(super) metric: Vec<MetricPair>,

    /// Name of the evaluation in the log, when a log has several
    #[arg(long, value_name = "NAME")]
    pub(super) evaluation: Option<String>,

    /// Address at which the scores or logs are published
    #[arg(long, value_name = "URL")]
    pub(super) source_url: Option<String>,

    /// The setup in words, such as `chain-of-thought`
    #[arg(long, value_name = "TEXT")]
    pub(super) notes: Option<String>,
}

/// The reason why there is no entry.
#[derive(Debug)]
pub(crate) enum Problem {
    /// The logs do not give one; each reason is a sentence.
    Refused(Vec<String>),
    /// Something could not be read, asked or written.
    Failed(Vec<String>),
}

impl From<NoEntry> for Problem {
    fn from(error: NoEntry) -> Self {
        Self::Refused(vec![with_option(error)])
    }
}

/// Returns the reason with the option of the command line that answers its question.
fn with_option(error: NoEntry) -> String {
    let NoEntry { reason, question } = error;
    match question {
        None => reason,
        Some(Question::Log) => format!("{reason}; name one log"),
        Some(Question::Evaluation) => format!("{reason}; say which with `--evaluation`"),
        Some(Question::Score(metric)) => {
            format!("{reason}; say which with `--metric RESULT={metric}`")
        }
        Some(Question::Scores) => format!("{reason}; say which is which with `--metric FROM=TO`"),
        Some(Question::Incomplete) => {
            format!("{reason}, or give `--allow-incomplete` for an entry that says so")
        }
        Some(Question::SourceUrl) => {
            format!("{reason}: give `--source-url` beside `--source-name`")
        }
    }
}

/// An entry, and where it went.
#[derive(Debug)]
pub(super) struct ConvertedEntry {
    text: String,
    /// The result file; none when the entry is only printed.
    file: Option<(String, Written)>,
    warnings: Vec<String>,
    changes: Vec<String>,
}

/// Converts the logs, takes the scores of one task out of them and writes the entry.
pub(super) fn make(
    args: &ResultsArgs,
    said: &LogOptions,
    worker: &Worker<'_>,
    found: &DiscoveredLogs,
    config: &Config,
) -> Result<ConvertedEntry, Problem> {
    let (Some(benchmark), Some(task), Some(model)) = (&args.benchmark, &args.task, &args.model)
    else {
        let usage = "`--to eval-results` needs `--benchmark`, `--task` and `--model`";
        return Err(Problem::Failed(vec![usage.to_owned()]));
    };
    if !found.missing.is_empty() {
        return Err(Problem::Failed(found.missing.clone()));
    }
    let lists = lists(args, worker.options.jobs, config)?;
    let lookup = lists.find(benchmark);
    let failures = lists.failures();
    if !failures.is_empty() {
        return Err(Problem::Failed(failures));
    }
    let definition = match &lookup {
        Lookup::Known(definition) => Some(&**definition),
        // Validation says of the others what is wrong, with names that come close.
        Lookup::Unknown { .. } | Lookup::Broken | Lookup::NoList => None,
    };
    let candidates = candidates(worker, found)?;
    let choice = Choice {
        benchmark,
        task,
        model,
        definition,
        pairs: &args.metric,
        evaluation: args.evaluation.as_deref(),
    };
    let chosen = choice.choose(&candidates)?;
    let (entry, remarks) = entry(&choice, &chosen, about(args, said))?;
    let place = match worker.out {
        None => Place::Nowhere,
        Some(out) if out == Path::new("-") => Place::Nowhere,
        Some(out) if worker.dry_run => Place::Tried(out),
        Some(out) => Place::Written(out),
    };
    let mut made = file::add(entry, place, &lists)?;
    let warnings = chosen.warnings.into_iter().chain(remarks.warnings);
    made.warnings.splice(0..0, warnings);
    made.changes = remarks.changes;
    Ok(made)
}

fn about<'a>(args: &'a ResultsArgs, said: &'a LogOptions) -> About<'a> {
    About {
        source_url: args.source_url.as_deref(),
        source_name: said.source_name.as_deref(),
        notes: args.notes.as_deref(),
        framework: said.eval_library_name.as_deref(),
        framework_version: said.eval_library_version.as_deref(),
        command: args.command.as_deref(),
        model_revision: args.model_revision.as_ref(),
        dataset_revision: args.dataset_revision.as_ref(),
        allow_incomplete: args.allow_incomplete,
    }
}

/// Prints the entry or the reasons why there is none.
pub(super) fn present(
    outcome: Result<ConvertedEntry, Problem>,
    args: &ConvertArgs,
    printer: &mut Printer,
) -> Exit {
    let made = match outcome {
        Ok(made) => made,
        Err(Problem::Refused(reasons)) => return fail(&reasons, Exit::Errors, printer),
        Err(Problem::Failed(reasons)) => return fail(&reasons, Exit::Failed, printer),
    };
    match args.format {
        Format::Json => printer.json(&Document::of(&made)),
        Format::Rich => {
            if made.file.is_none() || args.dry_run {
                printer.data(&made.text);
            }
            for change in &made.changes {
                printer.aside(&format!("note: {}", visible(change)));
            }
            for warning in &made.warnings {
                printer.aside(&format!("warning: {}", visible(warning)));
            }
            if let Some((path, written)) = &made.file {
                printer.aside(&format!(
                    "{} `{}`",
                    written.words(args.dry_run),
                    visible(path)
                ));
            }
        }
    }
    Exit::Clean
}

fn fail(reasons: &[String], exit: Exit, printer: &mut Printer) -> Exit {
    for reason in reasons {
        printer.error(&visible(reason));
    }
    exit
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    path: Option<&'a str>,
    status: Option<&'static str>,
    entry: &'a str,
    changes: &'a [String],
    warnings: &'a [String],
}

impl<'a> Document<'a> {
    fn of(made: &'a ConvertedEntry) -> Self {
        Self {
            version: VERSION,
            path: made.file.as_ref().map(|(path, _)| path.as_str()),
            status: made.file.as_ref().map(|(_, written)| written.as_str()),
            entry: &made.text,
            changes: &made.changes,
            warnings: &made.warnings,
        }
    }
}

fn lists(args: &ResultsArgs, jobs: usize, config: &Config) -> Result<Lists, Problem> {
    let failed = |message: String| Problem::Failed(vec![message]);
    let hub = args
        .hub
        .as_deref()
        .map(|address| HubBenchmarks::new(address, config))
        .transpose()
        .map_err(|error| failed(error.to_string()))?;
    Lists::open(&args.benchmarks, hub, jobs).map_err(|error| failed(error.to_string()))
}

/// The scores that the logs hold. A log that is refused may hold the one that is asked for, so it
/// refuses the whole.
fn candidates(worker: &Worker<'_>, found: &DiscoveredLogs) -> Result<Vec<Candidate>, Problem> {
    let mut candidates = Vec::new();
    let told = |path: &str, fault: Fault| vec![format!("{path}: {}", fault.message)];
    for log in &found.logs {
        let store = KeepStore::default();
        match worker.convert(log, &store, worker.options.jobs) {
            Ok(_) => {
                for record in store.into_records() {
                    let read = Candidate::read_all(&log.path, log.harness, &record);
                    candidates.extend(read.map_err(|error| {
                        Problem::Refused(vec![format!("{}: {error}", log.path)])
                    })?);
                }
            }
            Err(End::Refused(fault)) => return Err(Problem::Refused(told(&log.path, fault))),
            Err(End::Failed(fault)) => return Err(Problem::Failed(told(&log.path, fault))),
            Err(End::Made(_)) => {}
        }
    }
    Ok(candidates)
}
