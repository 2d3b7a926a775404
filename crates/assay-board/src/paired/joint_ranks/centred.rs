use assay_model::Direction;

use super::turned;
use crate::paired::SharedScores;
use crate::special::as_float;

/// Scores less the mean of their model, turned so that more is better, in a unit in which the
/// largest is one.
pub(super) struct Centred {
    questions: usize,
    merits: Vec<f64>,
    /// The size of the unit.
    unit: f64,
    values: Vec<f32>,
}

impl Centred {
    pub(super) fn new(scores: &SharedScores, direction: Direction) -> Self {
        let count = as_float(scores.questions() as u64);
        let means: Vec<f64> = scores.rows().map(|row| mean(row, count)).collect();
        let largest = scores
            .rows()
            .zip(&means)
            .fold(0.0_f64, |most, (row, mean)| {
                row.iter().fold(most, |most, value| {
                    most.max((value / 2.0 - mean / 2.0).abs())
                })
            });
        let unit = if largest > 0.0 { largest } else { 1.0 };
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the values are from -1 to 1, and seven digits of them are enough"
        )]
        let centred = |value: f64, mean: f64| {
            turned(value / 2.0 / unit - mean / 2.0 / unit, direction) as f32
        };
        let values = scores
            .rows()
            .zip(&means)
            .flat_map(|(row, mean)| row.iter().map(move |value| centred(*value, *mean)))
            .collect();
        Self {
            questions: scores.questions(),
            merits: means.iter().map(|mean| turned(*mean, direction)).collect(),
            unit,
            values,
        }
    }

    pub(super) fn models(&self) -> usize {
        self.merits.len()
    }

    pub(super) fn questions(&self) -> usize {
        self.questions
    }

    /// The means, turned so that more is better.
    pub(super) fn merits(&self) -> &[f64] {
        &self.merits
    }

    pub(super) fn row(&self, model: usize) -> &[f32] {
        &self.values[model * self.questions..][..self.questions]
    }

    /// Returns by how much the merit of one is above that of another, in the unit of the values.
    pub(super) fn gap(&self, one: usize, other: usize) -> f64 {
        self.merits[one] / 2.0 / self.unit - self.merits[other] / 2.0 / self.unit
    }
}

/// Returns the mean of scores, which is exact where all are equal. They are divided first, so that
/// no sum of finite scores is without end.
fn mean(row: &[f64], count: f64) -> f64 {
    let first = row.first().copied().unwrap_or_default();
    let rest: f64 = row.iter().map(|value| value / count - first / count).sum();
    first + rest
}
