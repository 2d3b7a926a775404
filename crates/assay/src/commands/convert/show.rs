//! The account for people.

use std::collections::BTreeMap;
use std::path::Path;

use assay_cli::Printer;
use assay_convert::convert::Harness;
use assay_render::visible;

use super::report::{Account, End, Fault, Outcome, RecordOutcome, Status, Suspicion};
use crate::plural::{count, grouped};

/// The number of converted logs that are listed one by one.
const MAX_CONVERTED: usize = 20;
/// The number of refused logs that are listed one by one.
const MAX_REFUSED: usize = 50;
/// Number of records of one log that are told.
const MAX_RECORDS: usize = 10;
/// The number of listed files that are no logs.
const MAX_PASSED_OVER: usize = 10;
/// Number of faults of one record that are told.
const MAX_FAULTS: usize = 5;

/// Prints the account.
pub(super) fn print(account: &Account, out: Option<&Path>, dry_run: bool, printer: &mut Printer) {
    let (converted, refused): (Vec<_>, Vec<_>) = account
        .outcomes
        .iter()
        .partition(|outcome| outcome.is_converted());
    for outcome in converted.iter().take(MAX_CONVERTED) {
        print_log(outcome, printer);
    }
    print_rest(
        converted.len(),
        MAX_CONVERTED,
        "logs were converted",
        printer,
    );
    for outcome in refused.iter().take(MAX_REFUSED) {
        print_log(outcome, printer);
    }
    print_rest(refused.len(), MAX_REFUSED, "logs were refused", printer);
    print_findings(account, printer);
    for path in account.passed_over.iter().take(MAX_PASSED_OVER) {
        printer.line(&format!("passed over: {}", visible(path)));
    }
    print_rest(
        account.passed_over.len(),
        MAX_PASSED_OVER,
        "files were passed over",
        printer,
    );
    print_summary(account, out, dry_run, printer);
}

/// Prints how many logs came to what.
pub(super) fn print_summary(
    account: &Account,
    out: Option<&Path>,
    dry_run: bool,
    printer: &mut Printer,
) {
    printer.line(&summary(account, out, dry_run));
}

fn print_log(outcome: &Outcome, printer: &mut Printer) {
    let harness = outcome.harness.map_or("unknown", Harness::as_str);
    let path = visible(&outcome.path);
    match &outcome.end {
        End::Made(records) => {
            let rows = records.iter().map(|record| record.rows).sum();
            printer.line(&format!(
                "{harness} {path}: {}, {}",
                count(records.len() as u64, "record", "records"),
                count(rows, "row", "rows"),
            ));
            for record in records.iter().take(MAX_RECORDS) {
                print_record(record, printer);
            }
            print_rest(records.len(), MAX_RECORDS, "records", printer);
        }
        End::Refused(fault) => printer.line(&format!(
            "{harness} {path}: refused: {}",
            visible(&fault.message)
        )),
        End::Failed(fault) => printer.line(&format!(
            "{harness} {path}: failed: {}",
            visible(&fault.message)
        )),
    }
}

fn print_record(record: &RecordOutcome, printer: &mut Printer) {
    let path = visible(&record.path);
    match &record.status {
        Status::Written => printer.line(&format!("  {path}")),
        Status::Replaced => printer.line(&format!("  {path} (replaced)")),
        Status::Unchanged => printer.line(&format!("  {path} (unchanged)")),
        Status::Failed(message) => {
            printer.line(&format!("  {path} failed: {}", visible(message)));
        }
        Status::Refused(faults) => {
            printer.line(&format!("  {path} refused:"));
            for fault in faults.iter().take(MAX_FAULTS) {
                printer.line(&format!("    {}", told(fault)));
            }
            print_rest(faults.len(), MAX_FAULTS, "faults", printer);
        }
    }
    for warning in &record.warnings {
        let times = if warning.count > 1 {
            format!(" ({} times)", grouped(warning.count))
        } else {
            String::new()
        };
        printer.line(&format!(
            "    warning: {}{times}",
            visible(&warning.message)
        ));
    }
}

fn told(fault: &Fault) -> String {
    let line = fault
        .line
        .map(|line| format!("samples line {line}: "))
        .unwrap_or_default();
    let place = if fault.path.is_empty() {
        String::new()
    } else {
        format!("{}: ", visible(&fault.path))
    };
    format!(
        "{line}{place}{} [{}]",
        visible(&fault.message),
        fault.reason
    )
}

/// Warnings of validation in words, once for each code: a thousand logs of one harness share them.
fn print_findings(account: &Account, printer: &mut Printer) {
    let mut by_code: BTreeMap<&str, (&Suspicion, u64, u64)> = BTreeMap::new();
    for record in account.outcomes.iter().flat_map(Outcome::records) {
        for (code, finding) in &record.findings {
            let sum = by_code.entry(code).or_insert((finding, 0, 0));
            sum.1 += finding.count;
            sum.2 += 1;
        }
    }
    for (code, (first, times, records)) in by_code {
        printer.line(&format!("warning[{code}]: {}", visible(&first.message)));
        printer.line(&format!(
            "  {} in {}; `assay explain {code}` tells more",
            count(times, "time", "times"),
            count(records, "record", "records"),
        ));
        if let Some(help) = &first.help {
            printer.line(&format!("  help: {}", visible(help)));
        }
    }
}

fn print_rest(all: usize, told: usize, what: &str, printer: &mut Printer) {
    if all > told {
        let rest = grouped((all - told) as u64);
        printer.line(&format!(
            "  and {rest} more {what}; `--format json` has them all"
        ));
    }
}

/// The last line: the ledger in words.
fn summary(account: &Account, out: Option<&Path>, dry_run: bool) -> String {
    let ledger = account.ledger();
    let mut parts = vec![format!(
        "converted {} of {}: {} ({} unchanged), {}",
        grouped(ledger.converted),
        count(ledger.logs, "log", "logs"),
        count(
            ledger.written + ledger.replaced + ledger.unchanged,
            "record",
            "records"
        ),
        grouped(ledger.unchanged),
        count(ledger.rows, "row", "rows"),
    )];
    if ledger.refused > 0 {
        parts.push(format!("{} refused", grouped(ledger.refused)));
    }
    if ledger.warnings > 0 {
        parts.push(count(ledger.warnings, "warning", "warnings"));
    }
    if ledger.passed_over > 0 {
        let others = count(ledger.passed_over, "other file", "other files");
        parts.push(format!("{others} passed over"));
    }
    match out {
        _ if dry_run => parts.push("nothing was written (dry run)".to_owned()),
        Some(out) => parts.push(format!("below `{}`", visible(&out.to_string_lossy()))),
        None => {}
    }
    parts.join("; ")
}
