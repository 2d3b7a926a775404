use crate::estimate::Z95;
use crate::special::{as_float, normal_quantile, root};

/// The probability of finding a difference that is there: above one half and below one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Power(f64);

impl Power {
    /// Four in five, as is usual.
    pub const USUAL: Self = Self(0.8);

    /// A power, when it is above one half and below one.
    pub fn new(power: f64) -> Option<Self> {
        (power > 0.5 && power < 1.0).then_some(Self(power))
    }

    /// The power as a number.
    pub fn get(self) -> f64 {
        self.0
    }

    fn quantile(self) -> f64 {
        normal_quantile(self.0)
    }
}

/// The smallest difference that a test on both sides at 5 % finds with this power, when the
/// standard error of the difference is known: of means, paired or not.
pub fn detectable_difference(stderr: f64, power: Power) -> Option<f64> {
    (stderr.is_finite() && stderr >= 0.0).then(|| (Z95 + power.quantile()) * stderr)
}

/// The smallest difference of two shares of the same samples that `McNemar`'s test finds, when the
/// models differ on this share of the samples (after Connor 1987); none when no difference is large
/// enough.
pub fn detectable_paired(discordant: f64, samples: u64, power: Power) -> Option<f64> {
    if samples == 0 || !(discordant > 0.0 && discordant <= 1.0) {
        return None;
    }
    let (root_n, z) = (as_float(samples).sqrt(), power.quantile());
    // Two shares cannot differ by more than the samples on which the models do.
    let excess = |difference: f64| {
        let spread = (discordant - difference * difference).max(0.0);
        difference * root_n - Z95 * discordant.sqrt() - z * spread.sqrt()
    };
    (excess(discordant) >= 0.0).then(|| root(0.0, discordant, excess))
}

/// The smallest difference of two shares that is found when each is of its own samples, and the
/// first is this large. The second is taken to lie towards one half, where shares are the least
/// certain; none when no difference is enough.
pub fn detectable_unpaired(
    share: f64,
    samples_a: u64,
    samples_b: u64,
    power: Power,
) -> Option<f64> {
    if samples_a == 0 || samples_b == 0 || !(0.0..=1.0).contains(&share) {
        return None;
    }
    let (n_a, n_b, z) = (as_float(samples_a), as_float(samples_b), power.quantile());
    // A share and its complement are equally uncertain.
    let share = share.min(1.0 - share);
    let excess = |difference: f64| {
        let other = share + difference;
        let pooled = (share * n_a + other * n_b) / (n_a + n_b);
        let under_null = pooled * (1.0 - pooled) * (1.0 / n_a + 1.0 / n_b);
        let under_difference = share * (1.0 - share) / n_a + other * (1.0 - other) / n_b;
        difference - Z95 * under_null.max(0.0).sqrt() - z * under_difference.max(0.0).sqrt()
    };
    let farthest = 1.0 - share;
    (excess(farthest) >= 0.0).then(|| root(0.0, farthest, excess))
}
