use super::centred::Centred;
use super::parallel;
use crate::special::as_float;

/// So many models are compared with others at a time; their scores stay in the cache.
pub(super) const BLOCK: usize = 16;
/// With so many others.
pub(super) const TILE: usize = 32;
/// Sums of so many squares have all digits that are needed.
const SUMMED: usize = 1 << 10;
/// The lanes in which sums run beside one another.
const LANES: usize = 8;
/// Differences whose squares are a smaller part than this of those of the scores are rounding.
const ROUNDING: f64 = 1e-12;

/// All pairs of models.
pub(super) struct Pairs {
    rows: Vec<Row>,
}

/// The pairs of one model with all after it.
#[derive(Default)]
struct Row {
    pairs: Vec<Pair>,
}

/// The differences of two models over all questions.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    /// One over the root of the sum of their squares about their mean; zero where all are equal.
    pub(super) inverse: f32,
    /// Their mean over its error.
    pub(super) difference: f32,
}

impl Pairs {
    pub(super) fn new(centred: &Centred) -> Self {
        let squares: Vec<f64> = (0..centred.models())
            .map(|model| {
                centred
                    .row(model)
                    .iter()
                    .map(|value| f64::from(*value).powi(2))
                    .sum()
            })
            .collect();
        let mut rows: Vec<Row> = Vec::new();
        rows.resize_with(centred.models(), Row::default);
        let blocks = rows.chunks_mut(BLOCK).enumerate();
        parallel::fold(
            blocks,
            || (),
            |(), (block, rows)| {
                fill(centred, &squares, block * BLOCK, rows);
            },
        );
        Self { rows }
    }

    pub(super) fn models(&self) -> usize {
        self.rows.len()
    }

    /// The pair of one model with a later one.
    pub(super) fn pair(&self, one: usize, later: usize) -> Pair {
        self.rows[one].pairs[later - one - 1]
    }

    /// Returns by how many errors one model is above another.
    pub(super) fn difference(&self, one: usize, other: usize) -> f64 {
        match one.cmp(&other) {
            std::cmp::Ordering::Less => f64::from(self.pair(one, other).difference),
            std::cmp::Ordering::Equal => 0.0,
            std::cmp::Ordering::Greater => -f64::from(self.pair(other, one).difference),
        }
    }

    /// Returns how many pairs have the same difference on all questions, and it is not zero.
    pub(super) fn constant(&self) -> usize {
        let is_constant = |pair: &&Pair| pair.inverse == 0.0 && pair.difference != 0.0;
        self.all().filter(is_constant).count()
    }

    /// Returns how many pairs differ by more than so many errors.
    pub(super) fn count_beyond(&self, critical: f64) -> usize {
        let is_beyond = |pair: &&Pair| f64::from(pair.difference).abs() > critical;
        self.all().filter(is_beyond).count()
    }

    /// Returns how many models are above and how many are below each by more than so many errors.
    pub(super) fn counts_beyond(&self, critical: f64) -> (Vec<usize>, Vec<usize>) {
        let (mut above, mut below) = (vec![0; self.models()], vec![0; self.models()]);
        for (one, row) in self.rows.iter().enumerate() {
            for (other, pair) in (one + 1..).zip(&row.pairs) {
                let difference = f64::from(pair.difference);
                if difference > critical {
                    below[one] += 1;
                    above[other] += 1;
                } else if difference < -critical {
                    above[one] += 1;
                    below[other] += 1;
                }
            }
        }
        (above, below)
    }

    fn all(&self) -> impl Iterator<Item = &Pair> {
        self.rows.iter().flat_map(|row| &row.pairs)
    }
}

fn fill(centred: &Centred, squares: &[f64], first: usize, rows: &mut [Row]) {
    let models = centred.models();
    for (one, row) in (first..).zip(rows.iter_mut()) {
        row.pairs.reserve_exact(models - one - 1);
    }
    for tile in (first..models).step_by(TILE) {
        for (one, row) in (first..).zip(rows.iter_mut()) {
            let others = (one + 1).max(tile)..(tile + TILE).min(models);
            row.pairs.extend(others.map(|other| {
                let rounding = ROUNDING * (squares[one] + squares[other]);
                let apart = differences(centred.row(one), centred.row(other));
                pair(
                    &apart,
                    centred.gap(one, other),
                    rounding,
                    centred.questions(),
                )
            }));
        }
    }
}

/// Differences less their mean.
struct Differences {
    squares: f64,
    largest: f64,
}

fn differences(one: &[f32], other: &[f32]) -> Differences {
    let mut found = Differences {
        squares: 0.0,
        largest: 0.0,
    };
    for (one, other) in one.chunks(SUMMED).zip(other.chunks(SUMMED)) {
        let (mut squares, mut largest) = ([0.0_f32; LANES], [0.0_f32; LANES]);
        let (ones, others) = (one.chunks_exact(LANES), other.chunks_exact(LANES));
        let (last, last_other) = (ones.remainder(), others.remainder());
        for (one, other) in ones.zip(others) {
            for lane in 0..LANES {
                step(
                    &mut squares[lane],
                    &mut largest[lane],
                    one[lane] - other[lane],
                );
            }
        }
        for (lane, (one, other)) in last.iter().zip(last_other).enumerate() {
            step(&mut squares[lane], &mut largest[lane], one - other);
        }
        found.squares += squares.iter().map(|sum| f64::from(*sum)).sum::<f64>();
        found.largest = largest
            .iter()
            .fold(found.largest, |most, value| most.max(f64::from(*value)));
    }
    found
}

/// A comparison in place of `f32::max`, which costs more for the sake of what is not a number.
fn step(squares: &mut f32, largest: &mut f32, difference: f32) {
    *squares += difference * difference;
    let size = difference.abs();
    *largest = if size > *largest { size } else { *largest };
}

/// Sets the mean of differences, with two imaginary ones more that are as large as any, against its
/// error.
#[expect(
    clippy::cast_possible_truncation,
    reason = "seven digits of a test statistic are enough"
)]
fn pair(apart: &Differences, gap: f64, rounding: f64, questions: usize) -> Pair {
    let n = as_float(questions as u64);
    let largest = apart.largest + gap.abs();
    let squares = if apart.squares > rounding {
        apart.squares
    } else {
        0.0
    };
    let mean = n * gap / (n + 2.0);
    // About the new mean; the sum of all is n times the gap, as before.
    let spread = squares + 2.0 * largest * largest + n * (gap - mean) * gap;
    let error = (spread / (n + 1.0) / (n + 2.0)).sqrt();
    Pair {
        inverse: if squares > 0.0 {
            squares.sqrt().recip() as f32
        } else {
            0.0
        },
        difference: if error > 0.0 {
            (mean / error) as f32
        } else {
            0.0
        },
    }
}
