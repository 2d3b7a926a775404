//! Results that are well-formed and probably wrong: what a number says, held against what it must
//! obey.
//!
//! Every reading starts as a [`Claim`]: one score with all that is said about it, whichever format
//! it stands in. The rules know claims only. All but the one about impossible scores are warnings
//! or notes, so they keep silent wherever an honest reading is left; the arithmetic behind each one
//! goes into its notes.

use std::collections::BTreeSet;

use assay_formats::Value;
use assay_model::{Benchmark, Direction};

use crate::rules;
use crate::rules::implausible_scale::Company;
use crate::sink::Sink;

mod claim;
mod entry;
mod figure;
mod known;
mod names;
mod result;
mod statistics;
mod tables;
mod words;

pub(crate) use claim::{Claim, Interval, Origin, Range, Unit};
pub(crate) use entry::unit as declared_unit;
pub(crate) use figure::{Figure, plain};
pub(crate) use known::{Family, Known};
pub(crate) use names::Names;
pub(crate) use statistics::{
    Reach, Tolerance, as_float, interval_factor, nearest_shares, reach, reachable_once,
    sampling_error, spread_limit,
};

/// Validates the scores of one entry of a result file, with what its benchmark says of the metrics.
/// Returns where the values begin that no metric of their kind can have.
pub(crate) fn entry(
    entry: Value<'_>,
    benchmark: Option<&Benchmark>,
    sink: &mut Sink<'_>,
) -> BTreeSet<usize> {
    check_all(&entry::claims(entry, benchmark), sink)
}

/// Validates only the scales of the scores of one entry.
pub(crate) fn scale(entry: Value<'_>, benchmark: &Benchmark, sink: &mut Sink<'_>) {
    let claims = entry::claims(entry, Some(benchmark));
    let company = Company::of(&claims);
    for claim in &claims {
        let _ = rules::impossible_score::check(claim, sink)
            || rules::implausible_scale::check(claim, company, sink);
    }
}

/// Returns the direction that a metric's names imply, when it is not the declared one; for the
/// metrics of a benchmark.
pub(crate) fn direction(names: &Names<'_>, declared: Direction) -> Option<Known> {
    names
        .known()
        .filter(|known| known.direction != declared && !names.may_be_turned(known.direction))
}

/// Validates claims that were made together, and so probably in one scale. Returns where the scores
/// begin that cannot be.
pub(crate) fn check_all(claims: &[Claim<'_>], sink: &mut Sink<'_>) -> BTreeSet<usize> {
    let company = Company::of(claims);
    let mut impossible = BTreeSet::new();
    for claim in claims {
        if rules::impossible_score::check(claim, sink) {
            impossible.insert(claim.score.at.range().start);
        } else if !rules::implausible_scale::check(claim, company, sink) {
            // Numbers in the wrong scale contradict everything else too; one finding says it all.
            check_uncertainty(claim, sink);
        }
        rules::contradicted_direction::check(claim, sink);
    }
    impossible
}

fn check_uncertainty(claim: &Claim<'_>, sink: &mut Sink<'_>) {
    if !claim.is_in_range() {
        return;
    }
    rules::zero_standard_error::check(claim, sink);
    rules::contradicted_standard_error::check(claim, sink);
    rules::implied_samples::check(claim, sink);
    if !rules::interval_excludes_score::check(claim, sink) {
        rules::contradicted_interval::check(claim, sink);
    }
    rules::unreachable_score::check(claim, sink);
    rules::impossible_deviation::check(claim, sink);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_of_a_benchmark_is_held_against_its_names() {
        let names = |own: &[&'static str]| Names {
            own: own.iter().map(|&name| name.into()).collect(),
            ..Names::default()
        };
        let wer = names(&["wer", "Word error rate (%)"]);
        let unknown = names(&["ci95_half_width", "95% CI (+/-)"]);

        assert_eq!(
            direction(&wer, Direction::HigherIsBetter).map(|known| known.name),
            Some("wer")
        );
        assert_eq!(direction(&wer, Direction::LowerIsBetter), None);
        assert_eq!(direction(&unknown, Direction::LowerIsBetter), None);
        assert_eq!(direction(&unknown, Direction::HigherIsBetter), None);
    }
}
