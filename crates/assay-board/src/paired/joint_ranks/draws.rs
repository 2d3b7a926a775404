use super::DRAWS;
use super::centred::Centred;
use super::pairs::{BLOCK, Pairs, TILE};
use super::parallel;
use crate::SplitMix64;
use crate::estimate::CONFIDENCE;
use crate::special::as_float;

/// Weights of so many questions are held at a time.
const WEIGHED: usize = 512;
/// So many questions are added at a time.
const TOGETHER: usize = 4;

/// The sums of the weighted scores of each model, draw by draw.
pub(super) struct Draws {
    sums: Vec<f32>,
}

impl Draws {
    pub(super) fn new(centred: &Centred, seed: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        let mut sums = vec![0.0; centred.models() * DRAWS];
        for first in (0..centred.questions()).step_by(WEIGHED) {
            let count = WEIGHED.min(centred.questions() - first);
            let weights: Vec<f32> = (0..count * DRAWS).map(|_| normal(&mut random)).collect();
            let blocks = sums.chunks_mut(BLOCK * DRAWS).enumerate();
            parallel::fold(
                blocks,
                || (),
                |(), (block, sums)| {
                    let rows = (block * BLOCK..).map(|model| &centred.row(model)[first..][..count]);
                    add_weighed(rows, sums, &weights);
                },
            );
        }
        Self { sums }
    }

    /// Returns the bound that the largest difference of all pairs keeps by chance in 95 of 100
    /// draws. A pair that differs by more than the critical value counts in the other direction
    /// alone.
    pub(super) fn bound_of_largest(&self, pairs: &Pairs, critical: f64) -> f64 {
        let blocks = (0..pairs.models()).step_by(BLOCK);
        let start = || vec![0.0_f32; DRAWS];
        let found = parallel::fold(blocks, start, |largest, first| {
            self.raise_block(largest, first, pairs, critical);
        });
        let mut largest = start();
        for other in found {
            raise(&mut largest, &other, &start(), 1.0);
        }
        largest.sort_unstable_by(f32::total_cmp);
        f64::from(largest[quantile_place()])
    }

    fn raise_block(&self, largest: &mut [f32], first: usize, pairs: &Pairs, critical: f64) {
        let models = pairs.models();
        for tile in (first..models).step_by(TILE) {
            for one in first..(first + BLOCK).min(models) {
                for other in (one + 1).max(tile)..(tile + TILE).min(models) {
                    let pair = pairs.pair(one, other);
                    let difference = f64::from(pair.difference);
                    let (one, other) = (self.row(one), self.row(other));
                    if difference > critical {
                        raise(largest, other, one, pair.inverse);
                    } else if difference < -critical {
                        raise(largest, one, other, pair.inverse);
                    } else {
                        raise_both(largest, one, other, pair.inverse);
                    }
                }
            }
        }
    }

    fn row(&self, model: usize) -> &[f32] {
        &self.sums[model * DRAWS..][..DRAWS]
    }
}

/// The place of the 95 % point among sorted draws: the scores themselves are one more draw.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a part of the number of draws"
)]
fn quantile_place() -> usize {
    let place = (as_float(DRAWS as u64 + 1) * CONFIDENCE).ceil() as usize;
    place.clamp(1, DRAWS) - 1
}

/// The number of heads of 64 coins less its mean, over its deviation: normal as far as sums of it
/// are concerned, and the same on every machine.
fn normal(random: &mut SplitMix64) -> f32 {
    const HALF: f32 = 32.0;
    const DEVIATION: f32 = 4.0;
    let heads = u16::try_from(random.next_u64().count_ones()).unwrap_or_default();
    (f32::from(heads) - HALF) / DEVIATION
}

fn add_weighed<'r>(rows: impl Iterator<Item = &'r [f32]>, sums: &mut [f32], weights: &[f32]) {
    let rows: Vec<(&[f32], &mut [f32])> = rows.zip(sums.chunks_exact_mut(DRAWS)).collect();
    let mut rows = rows;
    let mut first = 0;
    for weights in weights.chunks(TOGETHER * DRAWS) {
        for (row, sums) in &mut rows {
            add(sums, &row[first..], weights);
        }
        first += TOGETHER;
    }
}

/// Adds the scores of up to four questions, each with its weights.
fn add(sums: &mut [f32], scores: &[f32], weights: &[f32]) {
    let mut rows = weights.chunks_exact(DRAWS);
    if let (Some(a), Some(b), Some(c), Some(d)) =
        (rows.next(), rows.next(), rows.next(), rows.next())
        && let [by_a, by_b, by_c, by_d, ..] = *scores
    {
        let weights = a.iter().zip(b).zip(c.iter().zip(d));
        for (sum, ((a, b), (c, d))) in sums.iter_mut().zip(weights) {
            *sum += (a * by_a + b * by_b) + (c * by_c + d * by_d);
        }
        return;
    }
    for (score, weights) in scores.iter().zip(weights.chunks_exact(DRAWS)) {
        for (sum, weight) in sums.iter_mut().zip(weights) {
            *sum += score * weight;
        }
    }
}

/// Raises the largest to how far one is above the other, draw by draw.
fn raise(largest: &mut [f32], one: &[f32], other: &[f32], inverse: f32) {
    for (largest, (one, other)) in largest.iter_mut().zip(one.iter().zip(other)) {
        let value = (one - other) * inverse;
        *largest = if value > *largest { value } else { *largest };
    }
}

/// Raises the largest to how far one is above or below the other, draw by draw.
fn raise_both(largest: &mut [f32], one: &[f32], other: &[f32], inverse: f32) {
    for (largest, (one, other)) in largest.iter_mut().zip(one.iter().zip(other)) {
        let value = ((one - other) * inverse).abs();
        *largest = if value > *largest { value } else { *largest };
    }
}
