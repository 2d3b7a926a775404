//! The expected win rate: the chance of a model to score above another one on a benchmark drawn at
//! random.
//!
//! Every column gets a difficulty and a slope and every row an ability, fitted by alternating least
//! squares to the cells that exist. A missing cell is left out: it is neither zero nor filled in.

use std::sync::LazyLock;

use assay_model::Direction;

use crate::aggregate::Aggregate;
use crate::special::{as_float, normal_cdf};
use crate::{Interval, SplitMix64};

/// The number of draws of columns with replacement for the intervals.
const DRAWS: usize = 1000;
/// The fewest draws for a matrix of many cells.
const LEAST_DRAWS: usize = 200;
/// The most cells that are visited over all draws before there are fewer of them.
const MAX_VISITS: usize = 60_000_000;
/// The rounds of the fit.
const ROUNDS: usize = 30;
/// The seed of the draws: the interval of a matrix is the same on every day and machine.
const SEED: u64 = 0x6d61_7472_6978;
/// The number of abilities that stand for all others in a win rate, and of the points it is
/// computed at.
const GRID: usize = 65;
/// The share of the draws beyond which a row that is ahead of the first one is tied with it.
const TIED: f64 = 0.025;
/// The least slope of a column: a benchmark on which better models score worse tells them apart by
/// nothing.
const LEAST_SLOPE: f64 = 0.05;

/// The rule by which the values of a column are read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnScale {
    /// The direction in which the metric improves.
    pub direction: Direction,
    /// The least and the most that a value can be. Values between two bounds are compared by their
    /// logits.
    pub bounds: Option<(f64, f64)>,
}

/// A cell that exists: its column and its value, standardised within the column.
#[derive(Debug, Clone, Copy)]
struct Cell {
    column: usize,
    value: f64,
}

/// Difficulty and slope of every column, ability of every row, and the noise of a single cell in
/// units of ability.
#[derive(Debug)]
struct Fit {
    difficulty: Vec<f64>,
    slope: Vec<f64>,
    ability: Vec<f64>,
    noise: f64,
}

/// Returns the expected win rate in percent of every row with at least `least` cells, with its 95 %
/// interval over draws of the columns. None are returned when fewer than two rows or columns can be
/// compared.
pub fn expected_win_rates(
    rows: &[Vec<Option<f64>>],
    columns: &[ColumnScale],
    least: usize,
) -> Vec<Option<Aggregate>> {
    let mut found = vec![None; rows.len()];
    let standard: Vec<Vec<Option<f64>>> = columns
        .iter()
        .enumerate()
        .map(|(at, scale)| standardised(rows.iter().map(|row| row[at]), *scale))
        .collect();
    let cells: Vec<Vec<Cell>> = (0..rows.len())
        .map(|row| {
            let own = standard.iter().enumerate();
            own.filter_map(|(column, values)| values[row].map(|value| Cell { column, value }))
                .collect()
        })
        .collect();
    let ranked: Vec<usize> = (0..rows.len())
        .filter(|row| cells[*row].len() >= least.max(1))
        .collect();
    let cells: Vec<&[Cell]> = ranked.iter().map(|row| cells[*row].as_slice()).collect();
    if ranked.len() < 2 || columns.len() < 2 {
        return found;
    }
    let Some(fit) = fit(&cells, columns.len()) else {
        return found;
    };
    let values = win_rates(&fit.ability, fit.noise);
    let draws = draw(&cells, &fit, columns.len());
    let first = (0..values.len()).max_by(|one, other| {
        let (left, right) = (values[*one], values[*other]);
        // Of equal ones the first in the order of the rows is the first.
        left.total_cmp(&right).then(other.cmp(one))
    });
    for (at, row) in ranked.iter().enumerate() {
        let tied = first.is_some_and(|first| first == at || is_tied(&draws[at], &draws[first]));
        found[*row] = Some(Aggregate {
            value: values[at],
            interval: interval(&draws[at]),
            is_tied: tied,
        });
    }
    found
}

/// Values of a column with mean 0 and standard deviation 1, the better the higher; none for a
/// column without spread.
fn standardised(column: impl Iterator<Item = Option<f64>>, scale: ColumnScale) -> Vec<Option<f64>> {
    let sign = match scale.direction {
        Direction::HigherIsBetter => 1.0,
        Direction::LowerIsBetter => -1.0,
    };
    let bounds = scale.bounds.filter(|(low, high)| high > low);
    let read = |value: f64| match bounds {
        Some((low, high)) => {
            let share = ((value - low) / (high - low)).clamp(0.005, 0.995);
            sign * (share / (1.0 - share)).ln()
        }
        None => sign * value,
    };
    let values: Vec<Option<f64>> = column.map(|value| value.map(read)).collect();
    let known: Vec<f64> = values.iter().flatten().copied().collect();
    let count = float(known.len());
    let mean = known.iter().sum::<f64>() / count;
    let spread = (known.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / count).sqrt();
    let is_spread = spread > 1e-12 && spread.is_finite();
    let standard = |value: f64| (value - mean) / spread;
    values
        .into_iter()
        .map(|value| value.filter(|_| is_spread).map(standard))
        .collect()
}

fn fit(rows: &[&[Cell]], columns: usize) -> Option<Fit> {
    let mut fit = Fit {
        difficulty: vec![0.0; columns],
        slope: vec![1.0; columns],
        ability: vec![0.0; rows.len()],
        noise: 0.6,
    };
    for _ in 0..ROUNDS {
        let ridge = fit.noise.powi(2);
        for (row, ability) in rows.iter().zip(&mut fit.ability) {
            *ability = ability_of(row, &fit.difficulty, &fit.slope, ridge, |_| 1.0).unwrap_or(0.0);
        }
        standardise(&mut fit.ability)?;
        fit_columns(rows, &mut fit);
        fit.noise = noise(rows, &fit);
    }
    fit.ability.iter().all(|one| one.is_finite()).then_some(fit)
}

/// The ability of a row, when each column counts so often; none when none of its columns counts.
fn ability_of(
    row: &[Cell],
    difficulty: &[f64],
    slope: &[f64],
    ridge: f64,
    weight: impl Fn(usize) -> f64,
) -> Option<f64> {
    let (mut above, mut below) = (0.0, 0.0);
    for cell in row {
        let (weight, slope) = (weight(cell.column), slope[cell.column]);
        above += weight * slope * (cell.value - difficulty[cell.column]);
        below += weight * slope * slope;
    }
    (below > 0.0).then(|| above / (below + ridge))
}

fn standardise(abilities: &mut [f64]) -> Option<()> {
    let count = float(abilities.len());
    let mean = abilities.iter().sum::<f64>() / count;
    let spread = (abilities
        .iter()
        .map(|one| (one - mean).powi(2))
        .sum::<f64>()
        / count)
        .sqrt();
    if spread <= 1e-12 || !spread.is_finite() {
        return None;
    }
    for one in abilities {
        *one = (*one - mean) / spread;
    }
    Some(())
}

/// Fits difficulty and slope of each column to the abilities, with a prior of one cell for the
/// slope 1.
fn fit_columns(rows: &[&[Cell]], fit: &mut Fit) {
    let columns = fit.slope.len();
    let mut sums = vec![[0.0; 5]; columns];
    for (row, ability) in rows.iter().zip(&fit.ability) {
        for cell in *row {
            let sum = &mut sums[cell.column];
            sum[0] += 1.0;
            sum[1] += ability;
            sum[2] += cell.value;
            sum[3] += ability * ability;
            sum[4] += ability * cell.value;
        }
    }
    for (at, [count, x, y, xx, xy]) in sums.into_iter().enumerate() {
        if count < 1.0 {
            continue;
        }
        let (mean_x, mean_y) = (x / count, y / count);
        let spread = xx - count * mean_x * mean_x;
        let common = xy - count * mean_x * mean_y;
        fit.slope[at] = ((common + 1.0) / (spread + 1.0)).max(LEAST_SLOPE);
        fit.difficulty[at] = mean_y - fit.slope[at] * mean_x;
    }
}

/// The noise of a cell in units of ability, from the residuals.
fn noise(rows: &[&[Cell]], fit: &Fit) -> f64 {
    let (mut squares, mut slopes, mut count) = (0.0, 0.0, 0.0);
    for (row, ability) in rows.iter().zip(&fit.ability) {
        for cell in *row {
            let slope = fit.slope[cell.column];
            let residual = cell.value - fit.difficulty[cell.column] - slope * ability;
            squares += residual * residual;
            slopes += slope * slope;
            count += 1.0;
        }
    }
    let parameters = float(rows.len()) + 2.0 * float(fit.slope.len());
    let freedom = (count - parameters).max(count / 4.0).max(1.0);
    (squares / freedom / (slopes / count.max(1.0)))
        .sqrt()
        .clamp(0.1, 2.0)
}

/// The win rates in percent of abilities against each other.
fn win_rates(abilities: &[f64], noise: f64) -> Vec<f64> {
    let mut sorted = abilities.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let last = sorted.len() - 1;
    // A row is not its own opponent. For many rows a part of them, evenly by their ability, stands
    // for all.
    let rivals: Vec<f64> = if sorted.len() <= GRID {
        sorted.clone()
    } else {
        (0..GRID).map(|at| sorted[at * last / (GRID - 1)]).collect()
    };
    let is_all = rivals.len() == sorted.len();
    let against = |ability: f64| {
        let sum: f64 = rivals
            .iter()
            .map(|rival| win_chance((ability - rival) / (noise * std::f64::consts::SQRT_2)))
            .sum();
        if is_all {
            // Leaves out the half that a row wins against itself.
            (sum - 0.5) / float(rivals.len() - 1)
        } else {
            sum / float(rivals.len())
        }
    };
    if is_all {
        return abilities.iter().map(|one| 100.0 * against(*one)).collect();
    }
    let (low, high) = (sorted[0], sorted[last]);
    let step = ((high - low) / float(GRID - 1)).max(1e-12);
    let grid: Vec<f64> = (0..GRID)
        .map(|at| 100.0 * against(low + step * float(at)))
        .collect();
    abilities
        .iter()
        .map(|one| between(&grid, (one - low) / step))
        .collect()
}

/// The normal distribution function, from a table: it is asked for millions of times.
fn win_chance(x: f64) -> f64 {
    const STEPS: usize = 2048;
    const EDGE: f64 = 6.0;
    static TABLE: LazyLock<Vec<f64>> = LazyLock::new(|| {
        let place = |at: usize| float(at) / float(STEPS) * 2.0 * EDGE - EDGE;
        (0..=STEPS).map(|at| normal_cdf(place(at))).collect()
    });
    between(&TABLE, (x + EDGE) / (2.0 * EDGE) * float(STEPS))
}

/// The value of a table at a place between its points; that of its nearer end outside.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the place is clamped to the table before"
)]
fn between(table: &[f64], place: f64) -> f64 {
    let place = place.clamp(0.0, float(table.len() - 1));
    let at = (place as usize).min(table.len() - 2);
    table[at] + (table[at + 1] - table[at]) * (place - float(at))
}

/// The win rates of every row over draws of the columns; a draw without a column of the row gives
/// it none.
fn draw(rows: &[&[Cell]], fit: &Fit, columns: usize) -> Vec<Vec<f64>> {
    let cells: usize = rows.iter().map(|row| row.len()).sum();
    let draws = (MAX_VISITS / cells.max(1)).clamp(LEAST_DRAWS, DRAWS);
    let mut random = SplitMix64::new(SEED);
    let mut found = vec![Vec::with_capacity(draws); rows.len()];
    let ridge = fit.noise.powi(2);
    for _ in 0..draws {
        let mut weights = vec![0.0; columns];
        for _ in 0..columns {
            weights[random.below(columns)] += 1.0;
        }
        let drawn: Vec<Option<f64>> = rows
            .iter()
            .map(|row| ability_of(row, &fit.difficulty, &fit.slope, ridge, |at| weights[at]))
            .collect();
        let known: Vec<f64> = drawn.iter().flatten().copied().collect();
        if known.len() < 2 {
            continue;
        }
        let mut rates = win_rates(&known, fit.noise).into_iter();
        for (row, ability) in drawn.iter().enumerate() {
            let rate = ability.and_then(|_| rates.next());
            found[row].push(rate.unwrap_or(f64::NAN));
        }
    }
    found
}

fn interval(draws: &[f64]) -> Option<Interval> {
    let mut known: Vec<f64> = draws.iter().copied().filter(|one| !one.is_nan()).collect();
    if known.len() < LEAST_DRAWS / 2 {
        return None;
    }
    known.sort_unstable_by(f64::total_cmp);
    let last = known.len() - 1;
    let edge = last / 40;
    Some(Interval {
        low: known[edge],
        high: known[last - edge],
        confidence: 0.95,
    })
}

fn is_tied(own: &[f64], first: &[f64]) -> bool {
    let both = own.iter().zip(first);
    let both = both.filter(|(own, first)| !own.is_nan() && !first.is_nan());
    let (mut ahead, mut all) = (0.0, 0.0);
    for (own, first) in both {
        all += 1.0;
        if own >= first {
            ahead += 1.0;
        }
    }
    ahead > TIED * all
}

fn float(number: usize) -> f64 {
    as_float(u64::try_from(number).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARE: ColumnScale = ColumnScale {
        direction: Direction::HigherIsBetter,
        bounds: Some((0.0, 100.0)),
    };
    const COST: ColumnScale = ColumnScale {
        direction: Direction::LowerIsBetter,
        bounds: None,
    };

    /// Eight models by six columns; the better the earlier, with a little noise that is always the
    /// same.
    fn rows() -> Vec<Vec<Option<f64>>> {
        let mut random = SplitMix64::new(7);
        let row = |row: i32, random: &mut SplitMix64| {
            let mut cells: Vec<Option<f64>> = (0..5)
                .map(|_| Some(90.0 - f64::from(row) * 9.0 + random.unit() * 4.0))
                .collect();
            cells.push(Some(10.0 + f64::from(row)));
            cells
        };
        (0..8).map(|at| row(at, &mut random)).collect()
    }

    fn scales() -> [ColumnScale; 6] {
        [SHARE, SHARE, SHARE, SHARE, SHARE, COST]
    }

    #[test]
    fn better_models_win_more_often_and_the_numbers_are_the_same_every_time() {
        let found = expected_win_rates(&rows(), &scales(), 3);
        let again = expected_win_rates(&rows(), &scales(), 3);

        assert_eq!(found, again);
        let values: Vec<f64> = found.iter().map(|one| one.unwrap().value).collect();
        assert!(values.is_sorted_by(|one, other| one > other), "{values:?}");
        assert!(values[0] > 90.0 && values[7] < 10.0, "{values:?}");
        let mean = values.iter().sum::<f64>() / 8.0;
        assert!(
            (mean - 50.0).abs() < 1e-6,
            "one wins what another loses: {mean}"
        );
        for one in found.iter().flatten() {
            let interval = one.interval.unwrap();
            assert!(interval.low <= interval.high);
            assert!(interval.low >= 0.0 && interval.high <= 100.0);
        }
        assert!(found[0].unwrap().is_tied, "the first is tied with itself");
        assert!(!found[7].unwrap().is_tied);
    }

    #[test]
    fn a_missing_cell_is_not_a_zero() {
        let mut rows = rows();
        rows[0][..3].fill(None);
        rows[3] = vec![None, None, None, None, None, Some(11.0)];

        let found = expected_win_rates(&rows, &scales(), 3);

        let first = found[0].unwrap().value;
        assert!(
            first > found[2].unwrap().value,
            "half its cells are enough to lead"
        );
        assert_eq!(found[3], None, "one cell is too few");
    }

    #[test]
    fn models_that_are_alike_are_tied_with_the_first() {
        let mut rows = rows();
        rows[1] = rows[0].clone();
        rows[1][0] = rows[0][0].map(|value| value + 2.0);
        rows[1][1] = rows[0][1].map(|value| value - 2.0);

        let found = expected_win_rates(&rows, &scales(), 3);

        assert!(found[0].unwrap().is_tied && found[1].unwrap().is_tied);
        assert!(!found[5].unwrap().is_tied);
    }

    #[test]
    fn nothing_is_ranked_where_nothing_can_be_compared() {
        let alone = [vec![Some(1.0), Some(2.0)]];
        let alike = vec![vec![Some(50.0), Some(50.0)]; 3];

        assert_eq!(expected_win_rates(&alone, &[SHARE, SHARE], 1), [None]);
        assert_eq!(expected_win_rates(&alike, &[SHARE, SHARE], 1), [None; 3]);
    }

    #[test]
    fn many_rows_are_compared_by_a_part_of_them() {
        let rows: Vec<Vec<Option<f64>>> = (0..400)
            .map(|at| {
                (0..4)
                    .map(|column| Some(10.0 + f64::from(at) / 5.0 + f64::from(column)))
                    .collect()
            })
            .collect();

        let found = expected_win_rates(&rows, &[SHARE; 4], 2);

        let values: Vec<f64> = found.iter().map(|one| one.unwrap().value).collect();
        assert!(values.is_sorted(), "{values:?}");
        let mean = values.iter().sum::<f64>() / 400.0;
        assert!((mean - 50.0).abs() < 2.0, "{mean}");
    }
}
