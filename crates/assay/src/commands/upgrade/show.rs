//! The account for people: equal changes of many records are told once.

use std::collections::{BTreeMap, BTreeSet};

use assay_cli::Printer;
use assay_convert::upgrade::{ChangeKind, Origin};
use assay_render::visible;

use super::{Account, Success, Why};
use crate::args::Upgrade;
use crate::plural::{count, grouped};

/// From this many keys of one map on, equal changes of the keys are told as one.
const MANY_KEYS: usize = 4;
/// Number of different sets of changes that are told.
const MAX_SETS: usize = 20;
/// Number of changes of one set that are told.
const MAX_LINES: usize = 24;
/// The number of records refused for one reason that are named.
const MAX_NAMED: usize = 10;

/// One line of an account.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Line {
    kind: ChangeKind,
    place: String,
    detail: String,
}

/// Prints the account.
pub(super) fn print(command: &Upgrade, account: &Account, printer: &mut Printer) {
    if !command.quiet {
        print_sets(account, printer);
        print_refusals(account, printer);
    }
    printer.line(&visible(&summary(command, account)));
}

fn summary(command: &Upgrade, account: &Account) -> String {
    let mut ends = vec![
        format!("{} upgraded", grouped(account.upgraded().count() as u64)),
        format!("{} refused", grouped(account.refused().count() as u64)),
    ];
    let failed = account.failures().count() as u64;
    if failed > 0 {
        ends.push(format!("{} not read or written", grouped(failed)));
    }
    let all = records(account.outcomes.len());
    let mut clauses = vec![format!("{all}: {}", ends.join(", "))];
    if account.skipped > 0 {
        let files = count(account.skipped, "file", "files");
        clauses.push(format!("{files} passed over, not being records"));
    }
    clauses.push(if command.dry_run {
        "nothing was written (dry run)".to_owned()
    } else {
        format!("written below `{}`", command.out.display())
    });
    clauses.join("; ")
}

fn print_sets(account: &Account, printer: &mut Printer) {
    let mut sets: BTreeMap<(Option<Origin>, Vec<Line>), Vec<&Success>> = BTreeMap::new();
    for (outcome, success) in account.upgraded() {
        sets.entry((outcome.from, lines(success)))
            .or_default()
            .push(success);
    }
    let mut sets: Vec<_> = sets.into_iter().collect();
    // The largest first; equal ones stay in the order of their changes, so that two runs print the
    // same.
    sets.sort_by_key(|(_, members)| std::cmp::Reverse(members.len()));
    for ((from, lines), members) in sets.iter().take(MAX_SETS) {
        print_set(*from, lines, members, printer);
    }
    if sets.len() > MAX_SETS {
        let untold: usize = sets[MAX_SETS..]
            .iter()
            .map(|(_, members)| members.len())
            .sum();
        let records = records(untold);
        printer.line(&format!(
            "upgraded {records} more, each group with other changes; `--report FILE` has them all\n"
        ));
    }
}

/// Prints the changes that some records have in common.
fn print_set(from: Option<Origin>, lines: &[Line], members: &[&Success], printer: &mut Printer) {
    let from = from.map_or("an unknown version", Origin::as_str);
    let example = members
        .first()
        .map_or("", |success| success.output.as_str());
    let such_as = if members.len() == 1 { ":" } else { ", such as" };
    printer.line(&visible(&format!(
        "upgraded {} from {from}{such_as} `{example}`",
        records(members.len())
    )));
    if lines.is_empty() {
        printer.line("  nothing had to be changed");
    }
    for line in lines.iter().take(MAX_LINES) {
        let told = format!("  {:<9} {}: {}", line.kind, line.place, line.detail);
        printer.line(&visible(&told));
    }
    print_rest(lines.len(), MAX_LINES, "changes", printer);
    printer.line("");
}

fn print_refusals(account: &Account, printer: &mut Printer) {
    let mut by_reason: BTreeMap<&str, Vec<(&str, &Why)>> = BTreeMap::new();
    for (outcome, reasons) in account.refused() {
        if let Some(why) = reasons.first() {
            let named = by_reason.entry(&why.slug).or_default();
            named.push((&outcome.input, why));
        }
    }
    for (slug, refused) in &by_reason {
        printer.line(&format!("refused {}: {slug}", records(refused.len())));
        for (input, why) in refused.iter().take(MAX_NAMED) {
            let line = why
                .line
                .map(|line| format!(", samples line {line}"))
                .unwrap_or_default();
            let place = if why.path.is_empty() {
                String::new()
            } else {
                format!("{}: ", why.path)
            };
            let told = format!("  {input}{line}: {place}{}", why.message);
            printer.line(&visible(&told));
        }
        print_rest(refused.len(), MAX_NAMED, "records", printer);
        printer.line("");
    }
}

fn print_rest(all: usize, told: usize, noun: &str, printer: &mut Printer) {
    if all > told {
        printer.line(&format!(
            "  and {} more {noun}; `--report FILE` has them all",
            grouped((all - told) as u64)
        ));
    }
}

/// The changes of a record without the positions in lists, each once, with equal changes of many
/// keys as one.
fn lines(success: &Success) -> Vec<Line> {
    let of_record = success.changes.iter().map(|change| Line {
        kind: change.kind,
        place: change.pattern(),
        detail: change.detail.clone(),
    });
    let of_samples = success
        .samples
        .iter()
        .flat_map(|samples| &samples.tallies)
        .map(|tally| Line {
            kind: tally.kind,
            place: format!("samples: {}", tally.path),
            detail: tally.detail.clone(),
        });
    let mut groups: BTreeMap<Line, BTreeSet<Line>> = BTreeMap::new();
    for line in of_record.chain(of_samples) {
        let parent = line.place.rsplit_once('.').map_or("", |(parent, _)| parent);
        let group = Line {
            place: format!("{parent}.*"),
            ..line.clone()
        };
        groups.entry(group).or_default().insert(line);
    }
    let mut lines: Vec<Line> = groups
        .into_iter()
        .flat_map(|(group, members)| {
            if members.len() >= MANY_KEYS {
                BTreeSet::from([group])
            } else {
                members
            }
        })
        .collect();
    lines.sort();
    lines
}

fn records(number: usize) -> String {
    count(number as u64, "record", "records")
}
