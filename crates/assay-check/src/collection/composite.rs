//! Scores that are the mean of the others, learned from the records that share their evaluations.

use super::summary::ResultSummary;
use super::{CollectionFinding, RecordSummary};

/// The fewest records that teach what a score is made of.
const ENOUGH_RECORDS: usize = 10;
/// The share of records in which it has to hold, in per cent.
const MOST: usize = 90;
/// The fewest parts of a mean.
const ENOUGH_PARTS: usize = 3;
/// The tolerance of a mean of rounded parts, in steps of the last digit.
const SLACK: f64 = 1.5;

pub(super) fn find(summaries: &[Option<RecordSummary>], findings: &mut [Vec<CollectionFinding>]) {
    let mut order: Vec<(u64, usize)> = summaries
        .iter()
        .enumerate()
        .filter_map(|(at, summary)| Some((summary.as_ref()?.template(), at)))
        .collect();
    order.sort_unstable();
    for records in order.chunk_by(|one, other| one.0 == other.0) {
        let members = || {
            records
                .iter()
                .filter_map(|(_, at)| Some((*at, summaries[*at].as_ref()?)))
        };
        let Some((_, first)) = members().next() else {
            continue;
        };
        if records.len() < ENOUGH_RECORDS || first.results.len() <= ENOUGH_PARTS {
            continue;
        }
        for position in 0..first.results.len() {
            let holding = members()
                .filter(|(_, summary)| holds(&summary.results, position))
                .count();
            if holding * 100 < records.len() * MOST || holding == records.len() {
                continue;
            }
            for (at, summary) in members() {
                if !holds(&summary.results, position) {
                    findings[at].push(CollectionFinding::NotTheMean {
                        result: summary.results[position].number,
                        mean: mean(&summary.results, position),
                        records: holding,
                    });
                }
            }
        }
    }
}

fn holds(results: &[ResultSummary], position: usize) -> bool {
    // A score that ends in zeros is often written with fewer digits, so the finest one tells how
    // all are rounded.
    let finest = results
        .iter()
        .map(|result| result.step)
        .fold(f64::INFINITY, f64::min);
    let noise = 1e-9 * results[position].score.abs();
    (results[position].score - mean(results, position)).abs() <= (SLACK * finest).max(noise)
}

/// Returns the mean of all scores but one.
#[expect(clippy::cast_precision_loss, reason = "records have a few results")]
fn mean(results: &[ResultSummary], position: usize) -> f64 {
    let sum: f64 = results
        .iter()
        .enumerate()
        .filter(|(at, _)| *at != position)
        .map(|(_, result)| result.score)
        .sum();
    sum / (results.len() - 1) as f64
}
