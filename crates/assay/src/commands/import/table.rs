//! `assay import table`: a leaderboard as CSV or JSON becomes records, as a mapping says.

use std::io::Read;
use std::path::{Path, PathBuf};

use assay_cli::{Exit, Printer};
use assay_convert::convert::table::{
    ConvertedRow, MAX_BYTES, Mapping, TableConverter, TableError, TableRow, read_rows,
};
use assay_model::{Date, Timestamp, chain};
use assay_render::visible;
use clap::Args;
use serde_json::{Value as Json, json};

use crate::args::ShowFormat;
use crate::commands::convert::{DiskStore, Fault, Settled};
use crate::plural::count;

/// Number of refused and skipped rows that are shown.
const SHOWN: usize = 10;
/// The next step after refused rows.
const REFUSED_HELP: &str = "\
help: correct the columns or scales of the mapping, leave the rows out with `only`, or replace other records with `--overwrite`";

/// Turn a leaderboard into Every Eval Ever records, by a mapping
#[derive(Debug, Args)]
#[command(
    long_about = "\
Turn a leaderboard into Every Eval Ever records, by a mapping: a TOML file that says which column is the model, which are scores, \
on which scale, what tells results of one model apart, and who published the table.

Tables are CSV or TSV with a header, or JSON: a list of maps, a map of maps, or lists beside a list of headers. Every row becomes a \
record, validated by the rules of `assay validate` before it appears. The same table, retrieved at the same time, always gives the same bytes under the same name. \
A cell without a number is no score. What is unknown stays unknown.",
    after_help = "\
Examples:
  assay import table examples/tables/bfcl.toml data_overall.csv --out datastore --retrieved-at 2026-11-18
  assay import table board.toml board.json --out datastore --retrieved-at 1768435200
  assay import table board.toml board.json --retrieved-at 2026-11-18 --dry-run --format json

Exit codes:
  0  every row is a record, or is left out by the mapping
  1  some rows or records were refused
  3  wrong usage, or a file could not be read or written"
)]
pub(crate) struct TableArgs {
    /// The mapping
    mapping: PathBuf,

    /// The table
    table: PathBuf,

    /// The directory to write into; records go to `data/` below it
    #[arg(long, value_name = "DIR", required_unless_present = "dry_run")]
    out: Option<PathBuf>,

    /// The date or time at which the table was retrieved, such as 2026-11-18, or Unix seconds
    #[arg(long, value_name = "TIME", value_parser = retrieval_time)]
    retrieved_at: String,

    /// Replace records that are there already and say something else
    #[arg(long)]
    overwrite: bool,

    /// Tell what would be made and write nothing
    #[arg(long)]
    dry_run: bool,

    /// The form of the report
    #[arg(long, value_enum, default_value_t = ShowFormat::Text)]
    format: ShowFormat,
}

/// The outcome of every row of a table.
#[derive(Debug, Default)]
struct Account {
    written: u64,
    unchanged: u64,
    /// Number of results of all records, also of the refused ones.
    results: u64,
    refused: Vec<RefusedRow>,
    skipped: Vec<SkippedRow>,
    left_out: u64,
    without_number: u64,
    warnings: u64,
    paths: Vec<String>,
}

/// A row without a record.
#[derive(Debug)]
struct SkippedRow {
    /// The number of the row, from 1.
    number: usize,
    reason: String,
}

/// A row whose record was made and may not be written.
#[derive(Debug)]
struct RefusedRow {
    /// The number of the row, from 1.
    number: usize,
    /// The path of the record, from the root of the datastore.
    record: String,
    fault: Fault,
}

/// Parses a date, a time or Unix seconds, and returns Unix seconds.
fn retrieval_time(text: &str) -> Result<String, String> {
    if let Ok(seconds) = text.parse::<u32>() {
        return Ok(seconds.to_string());
    }
    let date: Date = text.parse().map_err(|error| format!("{error}"))?;
    let stamp = Timestamp::of_date(&date).ok_or("it is in no calendar")?;
    Ok(stamp.seconds().to_string())
}

/// Imports the table that the arguments name.
pub(super) fn run(args: &TableArgs, hub: Option<&str>, printer: &mut Printer) -> Exit {
    if hub.is_some() {
        let hint = "`assay import table` writes records to `--out`; `assay import eee` brings them to a hub";
        printer.error(hint);
        return Exit::Failed;
    }
    match import(args) {
        Ok(account) => tell(args, &account, printer),
        Err(reason) => {
            let lines: Vec<String> = reason.lines().map(visible).collect();
            printer.error(&lines.join("\n"));
            Exit::Failed
        }
    }
}

fn import(args: &TableArgs) -> Result<Account, String> {
    let text = fs_err::read_to_string(&args.mapping).map_err(|error| chain(&error))?;
    let mapping =
        Mapping::parse(&text).map_err(|error| format!("`{}`: {error}", args.mapping.display()))?;
    let in_table = |error: TableError| format!("`{}`: {error}", args.table.display());
    let mut file = fs_err::File::open(&args.table).map_err(|error| chain(&error))?;
    let size = file.metadata().map_err(|error| chain(&error))?;
    if size.len() > MAX_BYTES as u64 {
        return Err(in_table(TableError::TooLarge));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)
        .map_err(|error| chain(&error))?;
    let rows = read_rows(&mapping, &bytes).map_err(in_table)?;
    let mut converter = TableConverter::new(&mapping, args.retrieved_at.clone());
    let mut account = Account::default();
    for (number, row) in (1..).zip(&rows) {
        import_row(args, &mut converter, number, row, &mut account)?;
    }
    Ok(account)
}

/// Converts a row, and puts its record in its place unless something is wrong with it.
fn import_row(
    args: &TableArgs,
    converter: &mut TableConverter<'_>,
    number: usize,
    row: &TableRow,
    account: &mut Account,
) -> Result<(), String> {
    let out = args.out.as_deref();
    let store = DiskStore::new(out.filter(|_| !args.dry_run), 1);
    let converted = converter
        .convert(row, &store)
        .map_err(|refusal| chain(&refusal))?;
    match converted {
        ConvertedRow::LeftOut => account.left_out += 1,
        ConvertedRow::Skipped(reason) => account.skipped.push(SkippedRow { number, reason }),
        ConvertedRow::Record {
            converted,
            without_number,
        } => {
            account.results += converted.results as u64;
            account.without_number += without_number;
        }
    }
    for made in store.into_made() {
        account.warnings += made.suspicions();
        let record = made.path();
        let there = out.unwrap_or(Path::new(""));
        let settled = match made.faults.first().cloned() {
            Some(fault) => Settled::Differs(fault),
            None if !args.overwrite && made.is_retrieved_again(there) => Settled::Unchanged,
            None => made
                .settle(there, !args.dry_run, args.overwrite)
                .map_err(|error| chain(&error))?,
        };
        match settled {
            Settled::Written | Settled::Replaced => account.written += 1,
            Settled::Unchanged => account.unchanged += 1,
            Settled::Differs(fault) => {
                account.refused.push(RefusedRow {
                    number,
                    record,
                    fault,
                });
                continue;
            }
        }
        account.paths.push(record);
    }
    Ok(())
}

fn tell(args: &TableArgs, account: &Account, printer: &mut Printer) -> Exit {
    match args.format {
        ShowFormat::Json => printer.json(&document(args, account)),
        ShowFormat::Text => printer.data(&in_words(args, account)),
    }
    let skipped = account.skipped.iter();
    let skipped = skipped.map(|row| format!("row {}: {}", row.number, row.reason));
    let refused = account.refused.iter().map(RefusedRow::in_words);
    let lines: Vec<String> = refused.chain(skipped).collect();
    for line in lines.iter().take(SHOWN) {
        printer.error(&visible(line));
    }
    if lines.len() > SHOWN {
        let more = lines.len() - SHOWN;
        printer.aside(&format!("{more} more; `--format json` lists all of them"));
    }
    if !account.refused.is_empty() {
        printer.aside(REFUSED_HELP);
    }
    if lines.is_empty() {
        Exit::Clean
    } else {
        Exit::Errors
    }
}

impl RefusedRow {
    fn in_words(&self) -> String {
        let Fault {
            reason,
            path,
            message,
            ..
        } = &self.fault;
        let place = if path.is_empty() {
            String::new()
        } else {
            format!(" `{path}`:")
        };
        format!("row {}:{place} [{reason}] {message}", self.number)
    }

    fn document(&self) -> Json {
        json!({
            "row": self.number,
            "record": self.record,
            "reason": self.fault.reason,
            "path": self.fault.path,
            "message": self.fault.message,
        })
    }
}

fn document(args: &TableArgs, account: &Account) -> Json {
    let skipped = account.skipped.iter();
    let skipped: Vec<Json> = skipped
        .map(|row| json!({ "row": row.number, "reason": row.reason }))
        .collect();
    json!({
        "version": 1,
        "dry_run": args.dry_run,
        "records": account.paths,
        "written": account.written,
        "unchanged": account.unchanged,
        "refused": account.refused.iter().map(RefusedRow::document).collect::<Vec<_>>(),
        "skipped": skipped,
        "left_out": account.left_out,
        "cells_without_number": account.without_number,
        "results": account.results,
        "warnings": account.warnings,
    })
}

fn in_words(args: &TableArgs, account: &Account) -> String {
    let verb = if args.dry_run {
        "would be written"
    } else {
        "written"
    };
    let mut text = format!(
        "{} {verb}, {} unchanged, with {}\n",
        count(account.written, "record", "records"),
        account.unchanged,
        count(account.results, "result", "results"),
    );
    let notes = [
        (
            account.left_out,
            "row is left out by the mapping",
            "rows are left out by the mapping",
        ),
        (
            account.without_number,
            "cell has no number",
            "cells have no number",
        ),
        (
            account.warnings,
            "warning of the validator",
            "warnings of the validator",
        ),
    ];
    for (number, one, many) in notes.iter().filter(|(number, _, _)| *number > 0) {
        text.push_str(&count(*number, one, many));
        text.push('\n');
    }
    text
}
