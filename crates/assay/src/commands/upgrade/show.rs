//! The account for people: equal changes of many records are told once.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use assay_convert::upgrade::{ChangeKind, Origin};

use super::{Account, Success, UpgradeArgs, Why};

/// From this many keys of one map on, equal changes of the keys are told as one.
const MANY_KEYS: usize = 4;
/// How many different sets of changes are told.
const MAX_SETS: usize = 20;
/// How many changes of one set are told.
const MAX_LINES: usize = 24;
/// How many records that were refused for one reason are named.
const MAX_NAMED: usize = 10;

/// One line of an account.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Line {
    kind: ChangeKind,
    place: String,
    detail: String,
}

/// Writes the account.
pub(super) fn write(args: &UpgradeArgs, account: &Account, out: &mut dyn Write) -> io::Result<()> {
    write_sets(account, out)?;
    write_refusals(account, out)?;
    let (upgraded, refused) = (account.upgraded().count(), account.refused().count());
    write!(
        out,
        "{}: {upgraded} upgraded, {refused} refused",
        records(account.outcomes.len())
    )?;
    if account.skipped > 0 {
        write!(
            out,
            "; {} passed over, not being records",
            files(account.skipped)
        )?;
    }
    if args.dry_run {
        writeln!(out, "; nothing was written (dry run)")
    } else {
        writeln!(out, "; written below `{}`", args.out.display())
    }
}

fn write_sets(account: &Account, out: &mut dyn Write) -> io::Result<()> {
    let mut sets: BTreeMap<(Option<Origin>, Vec<Line>), Vec<&Success>> = BTreeMap::new();
    for (outcome, success) in account.upgraded() {
        sets.entry((outcome.from, lines(success)))
            .or_default()
            .push(success);
    }
    let mut sets: Vec<_> = sets.into_iter().collect();
    // The largest first; equal ones stay in the order of their changes, so that two runs print the same.
    sets.sort_by_key(|(_, members)| std::cmp::Reverse(members.len()));
    for ((from, lines), members) in sets.iter().take(MAX_SETS) {
        let from = from.map_or("an unknown version", Origin::as_str);
        let example = members
            .first()
            .map_or("", |success| success.output.as_str());
        write!(out, "upgraded {} from {from}", records(members.len()))?;
        writeln!(
            out,
            "{} `{example}`",
            if members.len() == 1 { ":" } else { ", such as" }
        )?;
        if lines.is_empty() {
            writeln!(out, "  nothing had to be changed")?;
        }
        for line in lines.iter().take(MAX_LINES) {
            writeln!(out, "  {:<9} {}: {}", line.kind, line.place, line.detail)?;
        }
        write_rest(lines.len(), MAX_LINES, "changes", out)?;
        writeln!(out)?;
    }
    if sets.len() > MAX_SETS {
        let untold: usize = sets[MAX_SETS..]
            .iter()
            .map(|(_, members)| members.len())
            .sum();
        writeln!(
            out,
            "upgraded {} more, each group with other changes; `--report FILE` has them all\n",
            records(untold)
        )?;
    }
    Ok(())
}

fn write_refusals(account: &Account, out: &mut dyn Write) -> io::Result<()> {
    let mut by_reason: BTreeMap<&str, Vec<(&str, &Why)>> = BTreeMap::new();
    for (outcome, reasons) in account.refused() {
        if let Some(why) = reasons.first() {
            let named = by_reason.entry(&why.slug).or_default();
            named.push((&outcome.input, why));
        }
    }
    for (slug, refused) in &by_reason {
        writeln!(out, "refused {}: {slug}", records(refused.len()))?;
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
            writeln!(out, "  {input}{line}: {place}{}", why.message)?;
        }
        write_rest(refused.len(), MAX_NAMED, "records", out)?;
        writeln!(out)?;
    }
    Ok(())
}

fn write_rest(all: usize, told: usize, noun: &str, out: &mut dyn Write) -> io::Result<()> {
    if all > told {
        writeln!(
            out,
            "  and {} more {noun}; `--report FILE` has them all",
            all - told
        )?;
    }
    Ok(())
}

/// The changes of a record without the positions in lists, each once, with equal changes of many keys as one.
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

fn records(count: usize) -> String {
    format!("{count} record{}", if count == 1 { "" } else { "s" })
}

fn files(count: usize) -> String {
    format!("{count} file{}", if count == 1 { "" } else { "s" })
}
