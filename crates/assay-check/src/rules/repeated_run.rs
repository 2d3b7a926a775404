use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;

use assay_formats::Value;
use assay_model::Number;

use super::line_of;
use crate::digest;
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// Two entries of one run contradict each other
    ///
    /// Both entries name the same benchmark, task, revisions, framework, setup, date and source,
    /// and give one metric two values. They are either two runs that should say how they differ, or
    /// one of them is wrong. A value that is the other one rounded, such as 0.0423 beside 0.04225,
    /// contradicts nothing.
    ///
    /// ## What to do
    ///
    /// Remove the wrong one, or say in `notes`, `date` or `run` how the runs differ.
    CONTRADICTING_ENTRIES = (308, "contradicting-entries", Warning)
}

rule! {
    /// Two entries say the same
    ///
    /// Both entries name the same run and give its metrics the same values. Boards count them once.
    ///
    /// ## What to do
    ///
    /// Remove one of the two.
    DUPLICATE_ENTRY = (309, "duplicate-entry", Warning)
}

/// The keys that tell one run from another. Scores, tokens and artifacts are what a run has, not
/// what it is.
const RUN_KEYS: [&str; 11] = [
    "dataset",
    "model_revision",
    "framework",
    "source",
    "date",
    "notes",
    "benchmark_subset",
    "run",
    "runtime_context",
    "normalization",
    "setup",
];

/// A score that a run has already been given: which run, metric and slice.
type Claim<'d> = (Vec<u64>, Option<Cow<'d, str>>, Option<Cow<'d, str>>);

/// A comparison of a score with those of the entries before.
enum Echo {
    New,
    Same(usize),
    Rounded,
    Other(usize),
}

pub(crate) fn check(entries: &[Value<'_>], sink: &mut Sink<'_>) {
    let mut claims: HashMap<Claim<'_>, (Number, &str, usize)> = HashMap::new();
    for (position, &entry) in entries.iter().enumerate() {
        let run = run(entry);
        let mut echoes: Vec<(Value<'_>, Echo)> = Vec::new();
        for (metric, slice, value) in scores(entry) {
            let Ok(number) = value.raw().parse::<Number>() else {
                continue;
            };
            let echo = match claims.entry((run.clone(), metric, slice)) {
                Slot::Vacant(slot) => {
                    slot.insert((number, value.raw(), position));
                    Echo::New
                }
                // A metric that stands twice in one entry is another rule's finding.
                Slot::Occupied(slot) if slot.get().2 == position => continue,
                Slot::Occupied(slot) if slot.get().0 == number => Echo::Same(slot.get().2),
                Slot::Occupied(slot) if is_rounded(slot.get().1, value.raw()) => Echo::Rounded,
                Slot::Occupied(slot) => Echo::Other(slot.get().2),
            };
            echoes.push((value, echo));
        }
        report(entry, entries, &echoes, sink);
    }
}

fn report(
    entry: Value<'_>,
    entries: &[Value<'_>],
    echoes: &[(Value<'_>, Echo)],
    sink: &mut Sink<'_>,
) {
    for (value, echo) in echoes {
        let Echo::Other(first) = echo else { continue };
        sink.report(&CONTRADICTING_ENTRIES, *value, || {
            Draft::new(format!(
                "an entry above is the same run, and its value is not {}",
                quote(value.raw())
            ))
            .note(format!(
                "it is the one on line {}",
                line_of(entries[*first])
            ))
            .help("remove the wrong one, or say in `notes` how the runs differ")
        });
    }
    let same = |(_, echo): &(Value<'_>, Echo)| match echo {
        Echo::Same(first) => Some(*first),
        Echo::New | Echo::Rounded | Echo::Other(_) => None,
    };
    let firsts: Option<Vec<usize>> = echoes.iter().map(same).collect();
    if let Some(&first) = firsts.as_deref().and_then(<[usize]>::first) {
        sink.report(&DUPLICATE_ENTRY, entry.head(), || {
            let line = line_of(entries[first]);
            Draft::new("an entry above says the same")
                .note(format!("it is the one on line {line}"))
                .help("remove one of the two")
                .path_of(entry)
        });
    }
}

/// Returns whether one literal is the other with fewer decimals. Whole numbers are taken as they
/// are.
fn is_rounded(left: &str, right: &str) -> bool {
    let decimals = |literal: &str| {
        literal
            .split_once('.')
            .map_or(0, |(_, digits)| digits.len())
    };
    let (fewer, more) = if decimals(left) < decimals(right) {
        (left, right)
    } else {
        (right, left)
    };
    let (Ok(rounded), Ok(exact)) = (fewer.parse::<f64>(), more.parse::<f64>()) else {
        return false;
    };
    let kept = decimals(fewer);
    kept > 0 && kept < decimals(more) && format!("{exact:.kept$}").parse() == Ok(rounded)
}

fn run(entry: Value<'_>) -> Vec<u64> {
    RUN_KEYS
        .iter()
        .map(|key| entry.present(key).map_or(0, digest::content))
        .collect()
}

/// The scores of an entry: metric, slice and value.
fn scores(
    entry: Value<'_>,
) -> impl Iterator<Item = (Option<Cow<'_, str>>, Option<Cow<'_, str>>, Value<'_>)> {
    let listed = entry.present("metrics");
    let items = listed
        .into_iter()
        .flat_map(Value::items)
        .filter_map(|item| {
            let id = item.text_of("metric_id")?;
            Some((Some(id), item.text_of("slice"), item.get("value")?))
        });
    let single = entry
        .present("value")
        .filter(|_| listed.is_none())
        .map(|value| (None, None, value));
    items.chain(single)
}
