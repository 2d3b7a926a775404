//! Records that repeat others.

use std::collections::HashMap;

use super::{CollectionFinding, RecordSummary};
use crate::digest;

/// The fewest distinct scores that two models do not share by chance.
const ENOUGH_SCORES: usize = 3;
/// The fewest significant digits of such a score.
const ENOUGH_STEPS: f64 = 100.0;

pub(super) fn find(summaries: &[Option<RecordSummary>], findings: &mut [Vec<CollectionFinding>]) {
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
