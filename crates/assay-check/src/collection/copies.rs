//! Records that repeat others.

use std::collections::HashMap;

use super::{CollectionFinding, RecordSummary};
use crate::digest;

/// The fewest distinct scores that two models do not share by chance.
pub(super) const ENOUGH_SCORES: usize = 3;
/// The fewest significant digits of such a score.
pub(super) const ENOUGH_STEPS: f64 = 100.0;
/// The fewest records of a folder that name their model alike before another name is doubted.
const ENOUGH_NAMES: usize = 10;
/// The share of the records of the folder that has to do so, in per cent.
const MOST_NAMES: usize = 95;

pub(super) fn find(summaries: &[Option<RecordSummary>], findings: &mut [Vec<CollectionFinding>]) {
    find_other_names(
        summaries,
        findings,
        |summary| summary.names_model,
        |others| CollectionFinding::OtherModel { others },
    );
    find_other_names(
        summaries,
        findings,
        |summary| summary.name_fits,
        |others| CollectionFinding::OtherName { others },
    );
    let mut ids: HashMap<u64, usize> = HashMap::new();
    let mut scores: HashMap<u64, usize> = HashMap::new();
    let mut runs: HashMap<u64, usize> = HashMap::new();
    let mut folders: HashMap<u64, usize> = HashMap::new();
    for (folder, names_it) in summaries
        .iter()
        .flatten()
        .filter_map(|summary| summary.folder)
    {
        *folders.entry(folder).or_default() += usize::from(names_it);
    }
    for (at, summary) in summaries.iter().enumerate() {
        let Some(summary) = summary else { continue };
        if let Some((folder, false)) = summary.folder {
            let others = folders.get(&folder).copied().unwrap_or_default();
            if others > 0 {
                findings[at].push(CollectionFinding::OtherBenchmark { others });
            }
        }
        if let Some(id) = summary.id {
            let first = *ids.entry(id).or_insert(at);
            if first != at {
                findings[at].push(CollectionFinding::RepeatedId { first });
            }
        }
        let distinct = distinct_scores(summary);
        if distinct >= ENOUGH_SCORES {
            let all = summary
                .results
                .iter()
                .fold(summary.template(), |sum, result| {
                    digest::mix(sum, (result.score + 0.0).to_bits())
                });
            let first = *scores.entry(all).or_insert(at);
            if let Some(original) = summaries[first].as_ref()
                && original.model != summary.model
            {
                findings[at].push(CollectionFinding::CopiedScores {
                    first,
                    scores: distinct,
                });
            }
        }
        let first = *runs.entry(summary.run).or_insert(at);
        if let Some(original) = summaries[first].as_ref().filter(|_| first != at) {
            findings[at].extend(compare_run(original, summary, first));
        }
    }
}

/// Reports what names another model than the id, in folders where it names the same one nearly
/// always.
fn find_other_names(
    summaries: &[Option<RecordSummary>],
    findings: &mut [Vec<CollectionFinding>],
    agrees: fn(&RecordSummary) -> Option<bool>,
    finding: fn(usize) -> CollectionFinding,
) {
    let own = |summary: &Option<RecordSummary>| {
        let summary = summary.as_ref()?;
        Some((summary.place, agrees(summary)?))
    };
    let mut folders: HashMap<u64, (usize, usize)> = HashMap::new();
    for (folder, is_same) in summaries.iter().filter_map(own) {
        let (same, all) = folders.entry(folder).or_default();
        *same += usize::from(is_same);
        *all += 1;
    }
    for (summary, findings) in summaries.iter().zip(findings) {
        let Some((folder, false)) = own(summary) else {
            continue;
        };
        let (others, all) = folders[&folder];
        if others >= ENOUGH_NAMES && others * 100 >= all * MOST_NAMES {
            findings.push(finding(others));
        }
    }
}

/// Counts scores that differ and say enough to be told from round numbers.
fn distinct_scores(summary: &RecordSummary) -> usize {
    let mut scores: Vec<u64> = summary
        .results
        .iter()
        .filter(|result| result.score.abs() >= ENOUGH_STEPS * result.step)
        .map(|result| (result.score + 0.0).to_bits())
        .collect();
    scores.sort_unstable();
    scores.dedup();
    scores.len()
}

/// Compares two records of one run. Equal ones are another rule's finding.
fn compare_run(
    original: &RecordSummary,
    summary: &RecordSummary,
    first: usize,
) -> Option<CollectionFinding> {
    let pairs = || original.results.iter().zip(&summary.results);
    let same = |one: f64, other: f64| one.to_bits() == other.to_bits();
    let differing = pairs()
        .filter(|(one, other)| !same(one.score, other.score))
        .count();
    if differing == 0 {
        return None;
    }
    let is_rounded = pairs().all(|(one, other)| {
        let coarse = one.step.max(other.step);
        (one.score - other.score).abs() <= coarse * 0.500_001
    });
    Some(if is_rounded {
        CollectionFinding::RoundedCopy { first }
    } else {
        CollectionFinding::OtherScores { first, differing }
    })
}
