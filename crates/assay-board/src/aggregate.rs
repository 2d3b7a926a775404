//! One number for a row of a matrix: models by tasks or benchmarks.

use assay_model::Direction;

use crate::Interval;
use crate::clustered::mean_of;
use crate::expected_win_rate::{ColumnScale, expected_win_rates};
use crate::special::as_float;

/// The rule by which the cells of a row become one number. A cell that is missing counts as
/// nothing, not as zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum AggregateRule {
    /// The chance to score above another ranked model on a column drawn at random, in percent.
    ExpectedWinRate,
    /// The mean share of the other models of a column that the row is ahead of, in percent; a tie
    /// is half.
    #[default]
    WinRate,
    /// The mean of how many standard deviations a value is better than the mean of its column.
    ZScore,
    /// The plain mean. Only rows with every cell have one: a mean over easier columns alone would
    /// flatter.
    Mean,
}

/// The aggregate of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aggregate {
    /// The number.
    pub value: f64,
    /// Its 95 % interval (Student's, over the columns as a sample of such columns); none of fewer
    /// than two columns.
    pub interval: Option<Interval>,
    /// True if it cannot be told apart from the first row. Only the expected win rate tells.
    pub is_tied: bool,
}

impl AggregateRule {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::ExpectedWinRate,
        Self::WinRate,
        Self::ZScore,
        Self::Mean,
    ];

    /// The name for machines.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ExpectedWinRate => "expected-win-rate",
            Self::WinRate => "win-rate",
            Self::ZScore => "z-score",
            Self::Mean => "mean",
        }
    }

    /// The name for people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::ExpectedWinRate => "expected win rate",
            Self::WinRate => "win rate",
            Self::ZScore => "mean z-score",
            Self::Mean => "mean",
        }
    }
}

/// Returns the aggregate of every row, in their order. `rows` have a cell for each of `scales`; one
/// with fewer than `least` values has no aggregate.
pub fn aggregate_rows(
    rows: &[Vec<Option<f64>>],
    scales: &[ColumnScale],
    rule: AggregateRule,
    least: usize,
) -> Vec<Option<Aggregate>> {
    if rule == AggregateRule::ExpectedWinRate {
        return expected_win_rates(rows, scales, least);
    }
    let columns: Vec<Vec<Option<f64>>> = scales
        .iter()
        .enumerate()
        .map(|(at, ColumnScale { direction, .. })| {
            let column: Vec<Option<f64>> = rows.iter().map(|row| row[at]).collect();
            match rule {
                AggregateRule::WinRate => {
                    let shares = win_shares(&column, *direction).into_iter();
                    shares
                        .map(|share| share.map(|share| share * 100.0))
                        .collect()
                }
                AggregateRule::ZScore => z_scores(&column, *direction),
                AggregateRule::Mean | AggregateRule::ExpectedWinRate => column,
            }
        })
        .collect();
    let least = match rule {
        AggregateRule::ExpectedWinRate | AggregateRule::WinRate | AggregateRule::ZScore => {
            least.max(1)
        }
        AggregateRule::Mean => scales.len(),
    };
    (0..rows.len())
        .map(|row| {
            let values: Vec<f64> = columns.iter().filter_map(|column| column[row]).collect();
            (values.len() >= least)
                .then(|| aggregate(&values, rule))
                .flatten()
        })
        .collect()
}

fn aggregate(values: &[f64], rule: AggregateRule) -> Option<Aggregate> {
    if let [value] = values {
        return Some(Aggregate {
            value: *value,
            interval: None,
            is_tied: false,
        });
    }
    let found = mean_of(values)?;
    let mut interval = found.interval;
    if rule == AggregateRule::WinRate {
        interval.low = interval.low.max(0.0);
        interval.high = interval.high.min(100.0);
    }
    Some(Aggregate {
        value: found.value,
        interval: Some(interval),
        is_tied: false,
    })
}

/// Returns for each value of a column the share of the others that it is better than, a tie
/// counting half; none for a cell without a value, and for the only value of a column.
pub fn win_shares(column: &[Option<f64>], direction: Direction) -> Vec<Option<f64>> {
    let merit = |value: f64| match direction {
        Direction::HigherIsBetter => value,
        Direction::LowerIsBetter => -value,
    };
    let mut known: Vec<f64> = column.iter().flatten().map(|value| merit(*value)).collect();
    known.sort_unstable_by(f64::total_cmp);
    let count = |number: usize| as_float(u64::try_from(number).unwrap_or(u64::MAX));
    let others = known.len().saturating_sub(1);
    column
        .iter()
        .map(|value| {
            let own = merit((*value)?);
            if others == 0 {
                return None;
            }
            let worse = known.partition_point(|other| *other < own);
            let not_better = known.partition_point(|other| *other <= own);
            let tied = not_better - worse - 1;
            Some((count(worse) + count(tied) / 2.0) / count(others))
        })
        .collect()
}

/// Returns for each value of a column in which fifth of the values it lies, from 1 (the worst) to
/// 5.
pub fn quintiles(column: &[Option<f64>], direction: Direction) -> Vec<Option<u8>> {
    let fifth = |share: f64| match share {
        _ if share < 0.2 => 1,
        _ if share < 0.4 => 2,
        _ if share < 0.6 => 3,
        _ if share < 0.8 => 4,
        _ => 5,
    };
    let shares = win_shares(column, direction).into_iter();
    shares.map(|share| share.map(fifth)).collect()
}

fn z_scores(column: &[Option<f64>], direction: Direction) -> Vec<Option<f64>> {
    let known: Vec<f64> = column.iter().flatten().copied().collect();
    let count = as_float(u64::try_from(known.len()).unwrap_or(u64::MAX));
    let mean = known.iter().sum::<f64>() / count;
    let variance = known
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>()
        / count;
    let spread = variance.sqrt();
    let is_spread = spread > 0.0 && spread.is_finite();
    let score = |value: f64| {
        let score = (value - mean) / spread;
        match direction {
            Direction::HigherIsBetter => score,
            Direction::LowerIsBetter => -score,
        }
    };
    // A column in which all are alike tells none of them apart.
    column
        .iter()
        .map(|value| value.filter(|_| is_spread).map(score))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const UP: Direction = Direction::HigherIsBetter;
    const DOWN: Direction = Direction::LowerIsBetter;

    fn rows() -> Vec<Vec<Option<f64>>> {
        vec![
            vec![Some(90.0), Some(1.0), Some(50.0)],
            vec![Some(80.0), Some(2.0), None],
            vec![Some(70.0), Some(3.0), Some(50.0)],
            vec![None, None, Some(10.0)],
        ]
    }

    fn scales() -> [ColumnScale; 3] {
        [UP, DOWN, UP].map(|direction| ColumnScale {
            direction,
            bounds: None,
        })
    }

    fn values(rule: AggregateRule, least: usize) -> Vec<Option<f64>> {
        let found = aggregate_rows(&rows(), &scales(), rule, least);
        found.iter().map(|one| one.map(|one| one.value)).collect()
    }

    #[test]
    fn a_win_rate_counts_who_is_beaten_and_a_missing_cell_counts_nothing() {
        let found = values(AggregateRule::WinRate, 2);

        // The first beats everyone, and ties with one of two in the last column.
        assert!((found[0].unwrap() - (100.0 + 100.0 + 75.0) / 3.0).abs() < 1e-9);
        assert_eq!(found[1], Some(50.0));
        assert!((found[2].unwrap() - 25.0).abs() < 1e-9);
        assert_eq!(found[3], None, "one cell is too few");
    }

    #[test]
    fn a_plain_mean_is_of_rows_with_every_cell() {
        let found = values(AggregateRule::Mean, 1);

        assert_eq!(found, [Some(47.0), None, Some(41.0), None]);
    }

    #[test]
    fn z_scores_turn_round_where_lower_is_better() {
        let found = values(AggregateRule::ZScore, 2);

        assert!(found[0].unwrap() > found[1].unwrap());
        assert!(found[1].unwrap() > found[2].unwrap());
        assert_eq!(found[1], Some(0.0));
    }

    #[test]
    fn the_interval_of_an_aggregate_comes_from_its_columns_and_stays_in_bounds() {
        let found = aggregate_rows(&rows(), &scales(), AggregateRule::WinRate, 2);

        let first = found[0].unwrap().interval.unwrap();
        assert!(first.low < 90.0 && first.low > 0.0);
        assert!((first.high - 100.0).abs() < 1e-9);
    }

    #[test]
    fn heat_is_by_the_place_among_the_values_of_the_column() {
        let column: Vec<Option<f64>> = (0..11)
            .map(|value| Some(f64::from(value)))
            .chain([None])
            .collect();

        let up = quintiles(&column, UP);
        let down = quintiles(&column, DOWN);

        assert_eq!(up[0], Some(1));
        assert_eq!(up[5], Some(3));
        assert_eq!(up[10], Some(5));
        assert_eq!(down[0], Some(5));
        assert_eq!(up[11], None);
        assert_eq!(
            quintiles(&[Some(1.0)], UP),
            [None],
            "nothing to compare with"
        );
    }
}
