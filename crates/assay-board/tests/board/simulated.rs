//! Samples with a known truth, from fixed seeds.

use assay_board::SplitMix64;

/// A value of the normal distribution (Box and Muller).
pub(crate) fn normal(random: &mut SplitMix64) -> f64 {
    let radius = (-2.0 * (1.0 - random.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.unit()).cos()
}

/// Returns the number of tosses that come up, each with a probability.
pub(crate) fn tosses(random: &mut SplitMix64, count: u32, probability: f64) -> u32 {
    (0..count)
        .map(|_| u32::from(random.unit() < probability))
        .sum()
}

/// In how many of so many trials something is so.
pub(crate) fn share_of(trials: u32, mut holds: impl FnMut() -> bool) -> f64 {
    let held: u32 = (0..trials).map(|_| u32::from(holds())).sum();
    f64::from(held) / f64::from(trials)
}
