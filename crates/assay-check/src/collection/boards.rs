//! Results held against all results of the same evaluation.

use super::summary::ResultSummary;
use super::{CollectionFinding, Declared, ENOUGH_RECORDS, RecordSummary};

/// The share of records, in per cent, that has to declare a scale before another one is doubted.
const MOST: usize = 80;
/// The fewest rows of a board that a score is placed on.
const ENOUGH_ROWS: usize = 20;
/// The fewest scores above 0 that a slip is held against.
pub(super) const ENOUGH_SCORES: usize = 10;
/// The fewest other scores of a record that predict one.
const ENOUGH_PREDICTORS: usize = 3;
/// The distance of a score from its prediction that counts as far, in robust standard deviations of
/// all predictions.
const FAR: f64 = 6.0;
/// The least distance that counts as far, in standard deviations of scores.
const FAR_AT_LEAST: f64 = 2.5;
/// The factors by which a slip multiplies a score.
pub(super) const FACTORS: [f64; 4] = [100.0, 10.0, 0.1, 0.01];
/// The largest ratio of a slip to the predicted score that still counts as near.
pub(super) const NEAR: f64 = 1.6;

/// A result on its board.
#[derive(Debug, Clone, Copy)]
struct Row {
    evaluation: u64,
    record: usize,
    /// Position among the results of the record that have a score.
    position: usize,
    score: f64,
}

pub(super) fn find(summaries: &[Option<RecordSummary>], findings: &mut [Vec<CollectionFinding>]) {
    let mut rows: Vec<Row> = summaries
        .iter()
        .enumerate()
        .filter_map(|(record, summary)| Some((record, summary.as_ref()?)))
        .flat_map(|(record, summary)| {
            summary
                .results
                .iter()
                .enumerate()
                .map(move |(position, result)| Row {
                    evaluation: result.evaluation,
                    record,
                    position,
                    score: result.score,
                })
        })
        .collect();
    rows.sort_by(|one, other| {
        one.evaluation
            .cmp(&other.evaluation)
            .then(one.score.total_cmp(&other.score))
            .then(one.record.cmp(&other.record))
            .then(one.position.cmp(&other.position))
    });
    let result = |row: &Row| {
        let summary = summaries[row.record].as_ref().expect("rows are of records");
        summary.results[row.position]
    };
    let boards: Vec<&[Row]> = rows
        .chunk_by(|one, other| one.evaluation == other.evaluation)
        .collect();
    for board in &boards {
        if board.len() >= ENOUGH_RECORDS {
            scales(board, &result, findings);
        }
    }
    let places = places(&boards, summaries);
    for board in boards {
        if board.len() >= ENOUGH_ROWS {
            outliers(board, &places, &result, findings);
        } else {
            slips(board, &|_| None, &result, findings);
        }
    }
}

/// Reports results that declare another direction, other bounds, another unit or number of samples
/// than most.
fn scales(
    board: &[Row],
    result: &impl Fn(&Row) -> ResultSummary,
    findings: &mut [Vec<CollectionFinding>],
) {
    type Read = fn(&ResultSummary) -> Option<u64>;
    let parts: [(Declared, Read); 4] = [
        (Declared::Direction, |result| {
            result.lower_is_better.map(u64::from)
        }),
        (Declared::Bounds, |result| result.bounds),
        (Declared::Unit, |result| result.unit.map(u64::from)),
        (Declared::Samples, |result| result.samples),
    ];
    for (declared, read) in parts {
        let mut values: Vec<u64> = board.iter().filter_map(|row| read(&result(row))).collect();
        values.sort_unstable();
        let Some(usual) = values
            .chunk_by(|one, other| one == other)
            .max_by_key(|run| run.len())
        else {
            continue;
        };
        let same = usual.len();
        if same < ENOUGH_RECORDS || same == values.len() || same * 100 < values.len() * MOST {
            continue;
        }
        for row in board {
            let own = read(&result(row));
            if own.is_some_and(|own| differs(declared, own, usual[0])) {
                findings[row.record].push(CollectionFinding::OtherScale {
                    result: result(row).number,
                    declared,
                    same,
                    other: values.len() - same,
                });
            }
        }
    }
}

/// Returns whether a value is another one than is usual. Several times as many samples may be
/// answers to the same questions.
fn differs(declared: Declared, own: u64, usual: u64) -> bool {
    match declared {
        Declared::Direction | Declared::Bounds | Declared::Unit => own != usual,
        Declared::Samples => !own.is_multiple_of(usual) && !usual.is_multiple_of(own),
    }
}

/// For each result of each record: where it stands on its board, as a normal score; nothing on a
/// short board.
fn places(boards: &[&[Row]], summaries: &[Option<RecordSummary>]) -> Vec<Vec<Option<f64>>> {
    let mut places: Vec<Vec<Option<f64>>> = summaries
        .iter()
        .map(|summary| vec![None; summary.as_ref().map_or(0, |summary| summary.results.len())])
        .collect();
    for board in boards.iter().filter(|board| board.len() >= ENOUGH_ROWS) {
        let mut at = 0;
        for tied in board.chunk_by(|one, other| one.score.to_bits() == other.score.to_bits()) {
            let share = (float(at) + float(tied.len()) / 2.0) / float(board.len());
            for row in tied {
                places[row.record][row.position] = Some(normal_quantile(share));
            }
            at += tied.len();
        }
    }
    places
}

/// Reports scores that are far from what the other scores of their record predict.
fn outliers(
    board: &[Row],
    places: &[Vec<Option<f64>>],
    result: &impl Fn(&Row) -> ResultSummary,
    findings: &mut [Vec<CollectionFinding>],
) {
    let predicted = |row: &Row| {
        let own = &places[row.record];
        let others: Vec<f64> = own
            .iter()
            .enumerate()
            .filter(|(position, _)| *position != row.position)
            .filter_map(|(_, place)| *place)
            .collect();
        (others.len() >= ENOUGH_PREDICTORS)
            .then(|| others.iter().sum::<f64>() / float(others.len()))
    };
    let residual = |row: &Row| Some(places[row.record][row.position]? - predicted(row)?);
    let mut distances: Vec<f64> = board
        .iter()
        .filter_map(|row| residual(row).map(f64::abs))
        .collect();
    if distances.len() < ENOUGH_ROWS {
        slips(board, &|_| None, result, findings);
        return;
    }
    distances.sort_by(f64::total_cmp);
    let spread = 1.4826 * distances[distances.len() / 2];
    slips(board, &predicted, result, findings);
    for (place, row) in board.iter().enumerate() {
        let Some(distance) = residual(row) else {
            continue;
        };
        let limit = (FAR * spread).max(FAR_AT_LEAST);
        let is_slip = findings[row.record].iter().any(|finding| {
            matches!(finding, CollectionFinding::ScaleSlip { result: number, .. } if *number == result(row).number)
        });
        if distance.abs() <= limit || is_slip {
            continue;
        }
        let share = normal_share(predicted(row).unwrap_or_default());
        let lower = result(row).lower_is_better == Some(true);
        let from_top = |from_bottom: usize| {
            if lower {
                from_bottom + 1
            } else {
                board.len() - from_bottom
            }
        };
        findings[row.record].push(CollectionFinding::Unusual {
            result: result(row).number,
            rank: from_top(place),
            others: board.len(),
            expected: from_top(position_of(share, board.len())),
        });
    }
}

/// Reports scores that fit their board when they are multiplied by 10 or 100.
///
/// Weak models have scores near 0 on most boards, so a small score among others as small is at most
/// a note, and only when the other scores of the model speak for a hundred times as much.
fn slips(
    board: &[Row],
    predicted: &dyn Fn(&Row) -> Option<f64>,
    result: &impl Fn(&Row) -> ResultSummary,
    findings: &mut [Vec<CollectionFinding>],
) {
    // Runs that failed altogether say nothing of the scale.
    let above = &board[board.partition_point(|row| row.score <= 0.0)..];
    if above.len() < ENOUGH_SCORES {
        return;
    }
    let quantile = |share: f64| above[position_of(share, above.len())].score;
    let (low, high) = (quantile(0.05), quantile(0.95));
    for (place, row) in board.iter().enumerate() {
        if row.score <= 0.0 || (low / 2.0..=high * 2.0).contains(&row.score) {
            continue;
        }
        let other = |(at, _): &(usize, &Row)| *at != place;
        let mut others = board.iter().enumerate().filter(other);
        let least = others.find(|(_, row)| row.score > 0.0);
        let most = board.iter().enumerate().rev().find(other);
        let is_outside = least.is_none_or(|(_, least)| row.score * 2.0 < least.score)
            || most.is_none_or(|(_, most)| row.score > most.score * 2.0);
        let prediction = predicted(row);
        let meant = quantile(prediction.map_or(0.5, normal_share));
        let is_near = |factor: f64| (1.0 / NEAR..=NEAR).contains(&(row.score * factor / meant));
        let is_told = |factor: f64| is_outside || (factor >= 100.0 && prediction.is_some());
        let fitting = FACTORS
            .into_iter()
            .filter(|factor| (low..=high).contains(&(row.score * factor)));
        let slip = fitting
            .clone()
            .find(|factor| is_near(*factor) && is_told(*factor));
        // Nothing but a factor of 100 stands out where nothing is predicted.
        let hundred = || {
            fitting
                .clone()
                .find(|factor| is_outside && prediction.is_none() && is_hundred(*factor))
        };
        if let Some(factor) = slip.or_else(hundred) {
            findings[row.record].push(CollectionFinding::ScaleSlip {
                result: result(row).number,
                factor,
                usual: (low, high),
                others: board.len() - 1,
                is_sure: is_outside && is_hundred(factor) && slip.is_some(),
            });
        }
    }
}

/// Returns whether a factor is 100 or a hundredth. A tenth happens to honest models on a bad day.
pub(super) fn is_hundred(factor: f64) -> bool {
    !(0.02..=50.0).contains(&factor)
}

/// Returns the position of a share of a board, from the smallest score.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a length is a position"
)]
pub(super) fn position_of(share: f64, length: usize) -> usize {
    ((share.clamp(0.0, 1.0) * float(length)) as usize).min(length.saturating_sub(1))
}

#[expect(clippy::cast_precision_loss, reason = "boards have far fewer rows")]
fn float(number: usize) -> f64 {
    number as f64
}

/// Returns the normal score of a share, by the approximation of Tukey's lambda.
fn normal_quantile(share: f64) -> f64 {
    let share = share.clamp(1e-6, 1.0 - 1e-6);
    4.91 * (share.powf(0.14) - (1.0 - share).powf(0.14))
}

/// Returns the share below a normal score, by the logistic approximation.
fn normal_share(score: f64) -> f64 {
    1.0 / (1.0 + (-(1.5976 * score + 0.070_56 * score.powi(3))).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_scores_and_shares_are_each_others_inverse() {
        for share in [0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99] {
            let back = normal_share(normal_quantile(share));
            assert!((back - share).abs() < 0.005, "{share} {back}");
        }
    }
}
