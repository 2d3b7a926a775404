//! `assay upgrade`: older records in, current ones out, and an account of every change.

mod discover;
mod json;
mod output;
mod show;
#[cfg(test)]
mod tests;
mod work;

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use assay_convert::upgrade::{Change, Origin, RowsSummary};

use self::discover::discover;
use self::work::Worker;
use crate::exit::Exit;
use crate::printer::Printer;

/// Rewrites Every Eval Ever records of 0.1 and 0.2 as 0.3.0.
#[derive(Debug, clap::Args)]
#[command(
    long_about = "\
Rewrite Every Eval Ever records of 0.1 and 0.2, and their samples, as 0.3.0.

What is certain is filled in, what is not known is recorded as unknown, and for every record it is told what was \
filled in, moved or lost. What cannot be upgraded without guessing is refused with the reason. The files that are read \
are never touched, and an existing file with other content is never overwritten.",
    after_help = "\
Examples:
  assay upgrade data/ --out ../current              a whole datastore
  assay upgrade data/ --out ../current --dry-run    only tell what would be done
  assay upgrade 'data/gsm8k/**/*.json' --out new --report upgrade.json

Exit codes:
  0  every record is current now
  1  some records were refused
  3  wrong usage, or something could not be read or written"
)]
pub(crate) struct UpgradeArgs {
    /// Records, directories to look for records in, or globs
    #[arg(required = true, value_name = "PATHS")]
    paths: Vec<PathBuf>,
    /// The directory to write `data/{benchmark}/{developer}/{model}/{uuid}.json` into
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Tell what would be done and write nothing
    #[arg(long)]
    dry_run: bool,
    /// How to tell it
    #[arg(long, value_enum, default_value_t = Format::Rich)]
    format: Format,
    /// How many records to work on at once; as many as there are processors, unless told otherwise
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Also write the account of every record to this file, as JSON
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

/// How the account is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people: equal changes of many records are told once.
    Rich,
    /// For programs: every change of every record.
    Json,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// 0: every record is current now.
    Upgraded,
    /// 1: some records were refused.
    Refused,
    /// 3: something could not be read or written.
    Failed,
}

/// What became of one record.
#[derive(Debug)]
struct Outcome {
    /// The file it was read from.
    input: String,
    /// The version it was written in, when it could be told.
    from: Option<Origin>,
    end: End,
}

/// How one record ended.
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
    /// Where it was written, from the output directory on.
    output: String,
    changes: Vec<Change>,
    samples: Option<RowsSummary>,
}

/// Why a record was refused.
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
    /// How many files of the directories are no records.
    skipped: usize,
    /// What was asked for and not found.
    missing: Vec<String>,
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

    /// What could not be read or written, in sentences.
    fn failures(&self) -> impl Iterator<Item = &str> {
        let failed = self
            .outcomes
            .iter()
            .filter_map(|outcome| match &outcome.end {
                End::Failed(message) => Some(message.as_str()),
                End::Upgraded(_) | End::Refused(_) => None,
            });
        self.missing.iter().map(String::as_str).chain(failed)
    }

    fn verdict(&self) -> Verdict {
        if self.failures().next().is_some() {
            Verdict::Failed
        } else if self.refused().next().is_some() {
            Verdict::Refused
        } else {
            Verdict::Upgraded
        }
    }
}

/// Upgrades what the arguments name.
pub(crate) fn run(args: &UpgradeArgs, printer: &mut Printer) -> Exit {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let verdict = upgrade(args, &mut out, &mut err);
    printer.data(&String::from_utf8_lossy(&out));
    if !err.is_empty() {
        printer.aside(String::from_utf8_lossy(&err).trim_end());
    }
    match verdict {
        Verdict::Upgraded => Exit::Clean,
        Verdict::Refused => Exit::Errors,
        Verdict::Failed => Exit::Failed,
    }
}

fn upgrade(args: &UpgradeArgs, out: &mut dyn Write, err: &mut dyn Write) -> Verdict {
    let found = discover(&args.paths);
    let worker = Worker {
        out: &args.out,
        dry_run: args.dry_run,
    };
    let account = Account {
        outcomes: worker.upgrade_all(&found.records, jobs(args)),
        skipped: found.skipped,
        missing: found.missing,
    };
    match tell(args, &account, out, err) {
        Ok(()) => account.verdict(),
        // Whoever closes the pipe early has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => account.verdict(),
        Err(error) => {
            let _ = writeln!(err, "error: {error}");
            Verdict::Failed
        }
    }
}

fn jobs(args: &UpgradeArgs) -> usize {
    args.jobs
        .or_else(|| std::thread::available_parallelism().ok())
        .map_or(1, NonZeroUsize::get)
}

fn tell(
    args: &UpgradeArgs,
    account: &Account,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<()> {
    if let Some(path) = &args.report {
        let mut file = io::BufWriter::new(fs_err::File::create(path)?);
        json::write(account, &mut file)?;
        file.flush()?;
    }
    match args.format {
        Format::Rich => show::write(args, account, out)?,
        Format::Json => json::write(account, out)?,
    }
    for failure in account.failures() {
        writeln!(err, "error: {failure}")?;
    }
    out.flush()
}
