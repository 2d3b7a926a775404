//! `assay convert`: harness logs in, Every Eval Ever records or a result entry out.

mod args;
mod discover;
mod json;
mod logs;
mod report;
mod results;
mod said;
mod show;
mod store;
#[cfg(test)]
mod tests;
mod work;

use std::collections::BTreeSet;
use std::path::Path;
#[cfg(feature = "client")]
use std::path::PathBuf;

use assay_cli::{Exit, Printer};
use assay_convert::convert::{Options, Supplement};

#[cfg(feature = "client")]
pub(crate) use self::args::{AUTO, harnesses};
pub(crate) use self::args::{ConvertArgs, Source};
use self::args::{Format, LogOptions, Target};
use self::discover::discover;
use self::logs::DiskLogs;
use self::report::Account;
#[cfg(feature = "client")]
pub(crate) use self::results::{Derived, EntryRequest, Problem, derive, validate_result_file};
use self::work::Worker;
#[cfg(feature = "client")]
pub(crate) use self::{
    report::Fault,
    store::{DiskStore, Settled},
};
use crate::alike::report_failures;
use crate::config::Config;
use crate::progress::Progress;

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
    let found = discover(&DiskLogs, &paths, source);
    let shows_progress = config.stderr_is_terminal && !args.no_progress;
    let total = found.logs.iter().map(|log| log.bytes).sum();
    let progress = Progress::new(shows_progress, total);
    let worker = Worker {
        logs: &DiskLogs,
        options: &options,
        out: args.out(),
        dry_run: args.dry_run,
        overwrite: args.overwrite,
        progress: &|bytes| progress.advance(bytes),
    };
    match args.to {
        Target::Eee if args.out() == Some(Path::new("-")) => {
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
        Format::Rich if args.quiet => {
            show::print_summary(account, args.out(), args.dry_run, printer);
        }
        Format::Rich => show::print(account, args.out(), args.dry_run, printer),
        Format::Json => json::print(account, printer),
    }
    let failures = account.failures();
    report_failures(failures.iter().map(String::as_str), printer);
    account.exit()
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
