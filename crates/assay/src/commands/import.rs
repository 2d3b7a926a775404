//! `assay import eee`: a datastore of records becomes benchmarks, models and results on a hub.

mod args;
mod definition;
mod names;
mod plan;
mod send;

use std::collections::BTreeSet;
use std::sync::Arc;

use assay_check::{Context, FileKind, FileReport, Options, validate};
use assay_cli::{Exit, Printer};
use serde_json::json;

pub(crate) use self::args::ImportArgs;
use self::args::Source;
use self::plan::{Plan, SAMPLES_ENDING};
use self::send::{Report, Sender};
use crate::args::ShowFormat;
use crate::commands::hub::{HubCommandError, connect};
use crate::config::Config;
use crate::discover::{Wanted, discover};
use crate::disk::Disk;
use crate::plural::{count, grouped};
use crate::progress::Progress;
use assay_render::visible;

/// How many requests are under way at once, for each core of this machine: a hub on the same machine is kept busy while
/// the next request is being put together.
const REQUESTS_PER_CORE: usize = 4;

/// Imports what the arguments name.
pub(crate) fn run(command: &ImportArgs, config: &Config, printer: &mut Printer) -> Exit {
    let Source::Eee(source) = &command.source;
    let mut disk = Disk::default();
    let found = discover(&mut disk, &source.paths, Wanted::Records);
    let reports = validate(
        &disk,
        &found.items,
        &Context::default(),
        &Options {
            jobs: config.jobs(source.jobs),
            ..Options::default()
        },
    );
    let records = match sorted(&reports) {
        Ok(records) => records,
        Err(faults) => {
            for fault in &faults {
                printer.error(&visible(fault));
            }
            return Exit::Failed;
        }
    };
    let mut plan = Plan::new(&source.namespace);
    let mut refused = Vec::new();
    for (path, is_sound) in records {
        if !is_sound {
            refused.push(format!("`{path}` has faults; `assay validate` shows them"));
        } else if let Err(reason) = plan.add(&disk, path) {
            refused.push(format!("`{path}` {reason}"));
        }
    }
    let outcome = if source.dry_run {
        Ok(Report::planned(&plan))
    } else {
        send(command, config, &plan)
    };
    tell(command, &plan, &refused, outcome, printer)
}

/// The records, each with whether it and its samples are sound. What was named and is no record, or is not there at all, is
/// nothing to import the rest without.
fn sorted(reports: &[FileReport]) -> Result<Vec<(&Arc<str>, bool)>, Vec<String>> {
    let mut faulty_samples = BTreeSet::new();
    let (mut records, mut faults) = (Vec::new(), Vec::new());
    for report in reports {
        match report.kind {
            Some(FileKind::Record) => records.push(report),
            Some(FileKind::Samples) if report.findings.has_errors() => {
                faulty_samples.extend(report.path.strip_suffix(SAMPLES_ENDING));
            }
            Some(FileKind::Samples) => {}
            Some(FileKind::EvalYaml | FileKind::EvalResults) | None => {
                faults.push(not_a_record(report));
            }
        }
    }
    if records.is_empty() && faults.is_empty() {
        faults.push("there are no Every Eval Ever records here; nothing was imported".to_owned());
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let records = records.into_iter().map(|report| {
        let stem = report.path.strip_suffix(".json").unwrap_or_default();
        let is_sound = !report.findings.has_errors() && !faulty_samples.contains(stem);
        (&report.path, is_sound)
    });
    Ok(records.collect())
}

/// Why something that was named cannot be imported.
fn not_a_record(report: &FileReport) -> String {
    let found = report.findings.diagnostics().first();
    match found.filter(|_| report.kind.is_none()) {
        Some(found) => format!("`{}`: {}", report.path, found.message),
        None => format!("`{}` is no Every Eval Ever record", report.path),
    }
}

fn send(command: &ImportArgs, config: &Config, plan: &Plan) -> Result<Report, HubCommandError> {
    let Source::Eee(source) = &command.source;
    let client = connect(command.hub.as_deref(), config)?;
    let shown = config.shows_progress(source.no_progress);
    let progress = Progress::counting(shown, plan.steps(), "repositories");
    let sender = Sender {
        client: &client,
        progress: &progress,
        jobs: config.jobs(source.jobs) * REQUESTS_PER_CORE,
    };
    sender.send(plan)
}

fn tell(
    command: &ImportArgs,
    plan: &Plan,
    refused: &[String],
    outcome: Result<Report, HubCommandError>,
    printer: &mut Printer,
) -> Exit {
    let Source::Eee(source) = &command.source;
    let report = match outcome {
        Ok(report) => report,
        Err(error) => {
            printer.error(&visible(&error.to_string()));
            return Exit::Failed;
        }
    };
    match source.format {
        ShowFormat::Json => printer.json(&json!({
            "version": 1,
            "dry_run": source.dry_run,
            "records": plan.records(),
            "refused": refused,
            "report": report,
        })),
        ShowFormat::Text => printer.data(&in_words(source.dry_run, &report)),
    }
    for line in refused.iter().chain(&report.failures) {
        printer.error(&visible(line));
    }
    if refused.is_empty() && report.failures.is_empty() {
        Exit::Clean
    } else {
        Exit::Errors
    }
}

fn in_words(dry_run: bool, report: &Report) -> String {
    let verb = if dry_run { "would become" } else { "became" };
    let made = format!(
        "{} {verb} {}, {} and {}\n",
        count(report.records, "record", "records"),
        count(report.benchmarks, "benchmark", "benchmarks"),
        count(report.models, "model", "models"),
        count(report.entries, "result", "results"),
    );
    if dry_run {
        return made;
    }
    let changed = count(report.changed, "repository", "repositories");
    format!(
        "{made}{changed} new or changed, {} as they were\n",
        grouped(report.unchanged)
    )
}
