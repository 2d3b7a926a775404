//! `assay upgrade`: older records in, current ones out, and an account of every change.

mod json;
mod output;
mod show;
mod work;

use std::collections::BTreeSet;
use std::sync::Arc;

use assay_check::{FileKind, Files as _, Item};
use assay_cli::{Exit, Printer};
use assay_convert::upgrade::{Change, Origin, RowsSummary};
use assay_render::visible;

use self::work::Worker;
use crate::alike::report_failures;
use crate::args::{AccountFormat, Upgrade};
use crate::config::Config;
use crate::discover::{Wanted, discover};
use crate::disk::Disk;
use crate::progress::Progress;
use crate::replace::replace;

/// Upgrades what the arguments name.
pub(crate) fn run(command: &Upgrade, config: &Config, printer: &mut Printer) -> Exit {
    let account = upgrade(command, config);
    let wire = json::wire(&account);
    match command.format {
        AccountFormat::Rich => show::print(command, &account, printer),
        AccountFormat::Json => printer.json(&wire),
    }
    report_failures(account.failures(), printer);
    if let Some(path) = &command.report
        && let Err(error) = replace(path, |file| {
            serde_json::to_writer_pretty(&mut *file, &wire)?;
            writeln!(file)
        })
    {
        let path = path.display().to_string();
        printer.error(&visible(&format!(
            "the report `{path}` cannot be written: {error}"
        )));
        return Exit::Failed;
    }
    account.exit()
}

fn upgrade(command: &Upgrade, config: &Config) -> Account {
    let mut disk = Disk::default();
    let found = discover(&mut disk, &command.paths, Wanted::Records);
    let records = records(&disk, &found.items);
    let sizes = records
        .iter()
        .flat_map(|record| [Some(Arc::clone(record)), work::samples_of(&disk, record)])
        .flatten()
        .filter_map(|name| disk.size(&name));
    let progress = Progress::new(config.shows_progress(command.no_progress), sizes.sum());
    let worker = Worker {
        disk: &disk,
        out: &command.out,
        dry_run: command.dry_run,
        progress: &progress,
    };
    Account {
        outcomes: worker.upgrade_all(&records, config.jobs(command.jobs)),
        skipped: found.passed_over,
    }
}

/// The records that are meant, each once: a samples file stands for its record. What was named and
/// is something else stays as it is, to be refused or reported.
fn records(disk: &Disk, items: &[Item]) -> Vec<Arc<str>> {
    let mut seen = BTreeSet::new();
    items
        .iter()
        .map(|item| match item.kind {
            Some(FileKind::Samples) | None => {
                work::record_of(disk, &item.path).unwrap_or_else(|| Arc::clone(&item.path))
            }
            Some(FileKind::EvalYaml | FileKind::EvalResults | FileKind::Record) => {
                Arc::clone(&item.path)
            }
        })
        .filter(|record| seen.insert(Arc::clone(record)))
        .collect()
}

/// The outcome of one record.
#[derive(Debug)]
struct Outcome {
    /// The file it was read from.
    input: Arc<str>,
    /// The version it was written in, when it could be told.
    from: Option<Origin>,
    end: End,
}

/// The end of one record.
#[derive(Debug)]
enum End {
    /// It is current now.
    Upgraded(Box<Success>),
    /// It cannot be upgraded.
    Refused(Vec<Why>),
    /// It could not be read or written.
    Failed(String),
}

/// A record that is current now.
#[derive(Debug)]
struct Success {
    /// The path of the output, from the output directory on.
    output: String,
    changes: Vec<Change>,
    samples: Option<RowsSummary>,
}

/// The reason why a record was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Why {
    slug: String,
    path: String,
    line: Option<u64>,
    message: String,
}

/// Everything that came of a run.
#[derive(Debug)]
struct Account {
    outcomes: Vec<Outcome>,
    /// Number of files of the directories that are no records.
    skipped: u64,
}

impl Account {
    fn upgraded(&self) -> impl Iterator<Item = (&Outcome, &Success)> {
        self.outcomes
            .iter()
            .filter_map(|outcome| match &outcome.end {
                End::Upgraded(success) => Some((outcome, &**success)),
                End::Refused(_) | End::Failed(_) => None,
            })
    }

    fn refused(&self) -> impl Iterator<Item = (&Outcome, &[Why])> {
        self.outcomes
            .iter()
            .filter_map(|outcome| match &outcome.end {
                End::Refused(reasons) => Some((outcome, reasons.as_slice())),
                End::Upgraded(_) | End::Failed(_) => None,
            })
    }

    /// Returns what could not be read or written, in sentences.
    fn failures(&self) -> impl Iterator<Item = &str> {
        self.outcomes
            .iter()
            .filter_map(|outcome| match &outcome.end {
                End::Failed(message) => Some(message.as_str()),
                End::Upgraded(_) | End::Refused(_) => None,
            })
    }

    fn exit(&self) -> Exit {
        if self.failures().next().is_some() {
            Exit::Failed
        } else if self.refused().next().is_some() {
            Exit::Errors
        } else {
            Exit::Clean
        }
    }
}
