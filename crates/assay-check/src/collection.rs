//! Records held against each other: what none of them shows by itself.
//!
//! Each record leaves a [`RecordSummary`] of numbers and digests while it is validated. When all
//! have been read, the summaries are compared, and only records with a finding are read again, for
//! the place of it. Memory therefore grows with the number of results, not with the size of records
//! or samples.

mod boards;
mod composite;
mod copies;
mod datasets;
mod on_board;
mod summary;

use std::sync::Arc;

use assay_formats::Value;
use assay_model::Severity;

pub(crate) use self::on_board::check as check_on_boards;
pub use self::on_board::{BoardValue, Boards};
pub(crate) use self::summary::RecordSummary;
use crate::rules;
use crate::sink::Sink;

/// The fewest records of one evaluation that tell what is usual for it.
const ENOUGH_RECORDS: usize = 5;

/// A finding about a record that others show.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CollectionFinding {
    /// The evaluation id is of another benchmark than those of other records in the folder.
    OtherBenchmark { others: usize },
    /// The evaluation id does not name the model, as those of other records in the folder do.
    OtherModel { others: usize },
    /// The name of the model is not in its id, as it is in other records of the folder.
    OtherName { others: usize },
    /// An earlier record has the same evaluation id.
    RepeatedId { first: usize },
    /// An earlier record of another model has the same scores.
    CopiedScores { first: usize, scores: usize },
    /// An earlier record of the same run has other scores.
    OtherScores { first: usize, differing: usize },
    /// An earlier record of the same run has the same scores to fewer or more digits.
    RoundedCopy { first: usize },
    /// Most records of the evaluation declare another scale.
    OtherScale {
        result: usize,
        declared: Declared,
        same: usize,
        other: usize,
    },
    /// Most results of the evaluation are of another dataset.
    OtherDataset {
        result: usize,
        same: usize,
        other: usize,
    },
    /// The score fits the evaluation when it is multiplied.
    ScaleSlip {
        result: usize,
        factor: f64,
        usual: (f64, f64),
        others: usize,
        /// Nothing else explains it.
        is_sure: bool,
    },
    /// The score is far from what the other scores of the record predict.
    Unusual {
        result: usize,
        rank: usize,
        others: usize,
        expected: usize,
    },
    /// In other records the score is the mean of the others.
    NotTheMean {
        result: usize,
        mean: f64,
        records: usize,
    },
}

/// A property that the results of one evaluation have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Declared {
    Direction,
    Bounds,
    Unit,
    Samples,
}

/// Compares records; returns the findings about each, in its place.
pub(crate) fn compare(summaries: &[Option<RecordSummary>]) -> Vec<Vec<CollectionFinding>> {
    let mut findings = vec![Vec::new(); summaries.len()];
    if summaries.iter().flatten().count() > 1 {
        copies::find(summaries, &mut findings);
        composite::find(summaries, &mut findings);
        boards::find(summaries, &mut findings);
        datasets::find(summaries, &mut findings);
    }
    findings
}

/// Reports what was found about a record, in its text.
pub(crate) fn report(
    record: Value<'_>,
    findings: &[CollectionFinding],
    paths: &[Arc<str>],
    sink: &mut Sink<'_>,
) {
    let results: Vec<Value<'_>> = record
        .get("evaluation_results")
        .into_iter()
        .flat_map(Value::items)
        .collect();
    let result = |number: usize| results.get(number).copied();
    let score = |number: usize| result(number)?.get("score_details")?.get("score");
    for finding in findings {
        match finding {
            CollectionFinding::RepeatedId { first } => {
                if let Some(id) = record.get("evaluation_id") {
                    rules::repeated_evaluation_id::report(id, &paths[*first], sink);
                }
            }
            CollectionFinding::OtherBenchmark { others } => {
                if let Some(id) = record.get("evaluation_id") {
                    rules::other_benchmark::report(id, *others, sink);
                }
            }
            CollectionFinding::OtherModel { others } => {
                rules::other_model::report(record, *others, sink);
            }
            CollectionFinding::OtherName { others } => {
                rules::other_name::report(record, *others, sink);
            }
            CollectionFinding::CopiedScores { first, scores } => {
                rules::copied_scores::report(record, *scores, &paths[*first], sink);
            }
            CollectionFinding::OtherScores { first, differing } => {
                rules::run_again::report(*differing, results.len(), &paths[*first], sink);
            }
            CollectionFinding::RoundedCopy { first } => {
                rules::rounded_copy::report(&paths[*first], sink);
            }
            CollectionFinding::OtherScale {
                result: number,
                declared,
                same,
                other,
            } => {
                if let Some(result) = result(*number) {
                    rules::scale_differs::report(result, *declared, *same, *other, sink);
                }
            }
            CollectionFinding::OtherDataset {
                result: number,
                same,
                other,
            } => {
                if let Some(result) = result(*number) {
                    rules::other_dataset::report(result, *same, *other, sink);
                }
            }
            CollectionFinding::ScaleSlip {
                result: number,
                factor,
                usual,
                others,
                is_sure,
            } => {
                if let Some(score) = score(*number) {
                    let severity = if *is_sure {
                        Severity::Warning
                    } else {
                        Severity::Note
                    };
                    rules::scale_slip::report(severity, score, *factor, *usual, *others, sink);
                }
            }
            CollectionFinding::Unusual {
                result: number,
                rank,
                others,
                expected,
            } => {
                if let Some(score) = score(*number) {
                    rules::unusual_score::report(score, *rank, *others, *expected, sink);
                }
            }
            CollectionFinding::NotTheMean {
                result: number,
                mean,
                records,
            } => {
                if let Some(score) = score(*number) {
                    rules::not_the_mean::report(score, *mean, *records, sink);
                }
            }
        }
    }
}
