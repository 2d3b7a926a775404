//! `assay import`: a datastore of records becomes benchmarks, models and results on a hub; a
//! leaderboard becomes records.

mod args;
mod definition;
mod flat;
mod plan;
mod prepare;
mod reported;
mod scales;
mod send;
mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use assay_check::{FileKind, Files as _, Item};
use assay_cli::{Exit, Printer};
use assay_hub_api::client::Client;
use assay_model::Diagnostic;
use serde_json::json;

pub(crate) use self::args::ImportArgs;
use self::args::{Eee, Source};
use self::flat::FlatRecords;
use self::plan::Plan;
use self::prepare::{Preparation, prepare};
pub(crate) use self::send::Report;
use self::send::Sender;
use crate::alike::report_failures;
use crate::args::ShowFormat;
use crate::commands::hub::{HubCommandError, connect};
use crate::config::Config;
use crate::discover::{Wanted, discover};
use crate::disk::Disk;
use crate::plural::{count, grouped};
use crate::progress::Progress;
use assay_render::visible;

/// Number of requests that are under way at once, for each core of this machine: a hub on the same
/// machine is kept busy while the next request is being put together.
const REQUESTS_PER_CORE: usize = 4;

/// The number of left out values that are shown.
const SHOWN: usize = 10;

/// Imports what the arguments name.
pub(crate) fn run(command: &ImportArgs, config: &Config, printer: &mut Printer) -> Exit {
    match &command.source {
        Source::Eee(source) => import_records(source, command.hub.as_deref(), config, printer),
        Source::Table(args) => table::run(args, command.hub.as_deref(), printer),
    }
}

/// Imports Every Eval Ever records.
fn import_records(source: &Eee, hub: Option<&str>, config: &Config, printer: &mut Printer) -> Exit {
    let mut disk = Disk::default();
    let mut flat = FlatRecords::default();
    let paths = source.paths.iter();
    let others: Vec<PathBuf> = paths
        .filter(|path| !flat.add(&mut disk, path))
        .cloned()
        .collect();
    let mut items = discover(&mut disk, &others, Wanted::Records).items;
    items.append(&mut flat.items);
    if let Err(faults) = only_records(&items, &disk) {
        for fault in &faults {
            printer.error(&visible(fault));
        }
        for reason in &flat.refused {
            printer.error(&visible(reason));
        }
        return Exit::Failed;
    }
    let mut preparation = prepare(&disk, &items, config.jobs(source.jobs));
    preparation.refused.append(&mut flat.refused);
    let plan = plan(&mut preparation, &source.namespace);
    let outcome = if source.dry_run {
        Ok(Report::planned(&plan))
    } else {
        send(source, hub, config, &plan)
    };
    tell(source, &plan, &preparation, outcome, printer)
}

/// Imports a directory of records without a word, for the demonstration of a hub.
#[cfg_attr(
    not(feature = "hub"),
    expect(dead_code, reason = "only a hub has a demonstration")
)]
pub(crate) fn import_directory(
    client: &Client,
    directory: &Path,
    namespace: &str,
    jobs: usize,
) -> Result<Report, HubCommandError> {
    let mut disk = Disk::default();
    let items = discover(&mut disk, &[directory.to_owned()], Wanted::Records).items;
    let mut preparation = prepare(&disk, &items, jobs);
    let plan = plan(&mut preparation, namespace);
    let progress = Progress::counting(false, plan.steps(), "repositories");
    let sender = Sender {
        client,
        progress: &progress,
        jobs: jobs * REQUESTS_PER_CORE,
    };
    let mut report = sender.send(&plan)?;
    report.failures.append(&mut preparation.refused);
    Ok(report)
}

/// Plans the benchmarks, models and results of prepared records. Reports what is refused or left
/// out on the way.
fn plan(preparation: &mut Preparation, namespace: &str) -> Plan {
    let mut plan = Plan::new(namespace);
    for record in std::mem::take(&mut preparation.records) {
        if let Err(reason) = plan.add(&record) {
            preparation
                .refused
                .push(format!("`{}` {reason}", record.path));
        }
    }
    preparation.left_out.extend(plan.finish());
    plan
}

/// Returns whether all items are records: a file that was named and is no record, or is missing, is
/// no reason to import the rest without it.
fn only_records(items: &[Item], disk: &Disk) -> Result<(), Vec<String>> {
    let is_record = |item: &&Item| item.kind == Some(FileKind::Record);
    let others = items.iter().filter(|item| match item.kind {
        Some(FileKind::Record | FileKind::Samples) => false,
        Some(FileKind::EvalYaml | FileKind::EvalResults) | None => true,
    });
    let mut faults: Vec<String> = others.map(|item| not_a_record(item, disk)).collect();
    if faults.is_empty() && !items.iter().any(|item| is_record(&item)) {
        faults.push("there are no Every Eval Ever records here; nothing was imported".to_owned());
    }
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults)
    }
}

/// Returns the reason why a named file cannot be imported.
fn not_a_record(item: &Item, disk: &Disk) -> String {
    match disk.open(&item.path) {
        Err(error) if item.kind.is_none() => format!("`{}`: {error}", item.path),
        Err(_) | Ok(_) => format!("`{}` is no Every Eval Ever record", item.path),
    }
}

fn send(
    source: &Eee,
    hub: Option<&str>,
    config: &Config,
    plan: &Plan,
) -> Result<Report, HubCommandError> {
    let client = connect(hub, config)?;
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
    source: &Eee,
    plan: &Plan,
    preparation: &Preparation,
    outcome: Result<Report, HubCommandError>,
    printer: &mut Printer,
) -> Exit {
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
            "refused": preparation.refused,
            "left_out": preparation.left_out,
            "warnings": preparation.warnings,
            "report": report,
        })),
        ShowFormat::Text => printer.data(&in_words(source.dry_run, &report)),
    }
    let shown = if source.quiet { 0 } else { SHOWN };
    for line in preparation.left_out.iter().take(shown) {
        printer.aside(&visible(line));
    }
    if preparation.left_out.len() > SHOWN && !source.quiet {
        let more = grouped((preparation.left_out.len() - SHOWN) as u64);
        printer.aside(&format!("{more} more; `--format json` lists all of them"));
    }
    if let Some(line) = warned(&preparation.warnings).filter(|_| !source.quiet) {
        printer.aside(&visible(&line));
    }
    let refused = &preparation.refused;
    let failures = refused.iter().chain(&report.failures);
    report_failures(failures.map(String::as_str), printer);
    if refused.is_empty() && report.failures.is_empty() {
        Exit::Clean
    } else {
        Exit::Errors
    }
}

/// Returns the warnings of validation, in a sentence; none when there are none.
fn warned(warnings: &[Diagnostic]) -> Option<String> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for warning in warnings {
        *counts.entry(warning.code.to_string()).or_default() += 1;
    }
    let codes: Vec<String> = counts
        .iter()
        .map(|(code, count)| format!("{count} times {code}"))
        .collect();
    (!codes.is_empty()).then(|| {
        let all = count(warnings.len() as u64, "warning", "warnings");
        let codes = codes.join(", ");
        format!("{all}: {codes}; `assay validate` shows them, and `--format json` lists them")
    })
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
