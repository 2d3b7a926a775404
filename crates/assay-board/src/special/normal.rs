//! The normal distribution.

use super::root;

/// From here on the continued fraction converges in few steps, and the series loses digits.
const FRACTION_FROM: f64 = 3.0;
/// The depth of the continued fraction: enough for sixteen digits from `FRACTION_FROM` on.
const DEPTH: u32 = 200;
/// Beyond so many standard deviations a double holds no probability but 0 and 1.
const FARTHEST: f64 = 40.0;

/// The density of the normal distribution.
pub(super) fn normal_density(x: f64) -> f64 {
    const PEAK: f64 = 0.398_942_280_401_432_7;
    PEAK * (-0.5 * x * x).exp()
}

/// The probability that a normal variable is at most x. Small probabilities keep their digits.
pub(crate) fn normal_cdf(x: f64) -> f64 {
    if x.abs() < FRACTION_FROM {
        return 0.5 + normal_density(x) * series(x);
    }
    let beyond = normal_density(x) / fraction(x.abs());
    if x < 0.0 { beyond } else { 1.0 - beyond }
}

/// Below which value a normal variable lies with a probability.
pub(crate) fn normal_quantile(probability: f64) -> f64 {
    root(-FARTHEST, FARTHEST, |x| normal_cdf(x) - probability)
}

/// The distance from the middle, over the density: x + x³/3 + x⁵/(3·5) + …
fn series(x: f64) -> f64 {
    let mut term = x;
    let mut sum = x;
    let mut odd = 1.0;
    while term.abs() > f64::EPSILON * sum.abs() / 4.0 {
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    sum
}

/// The density over what lies beyond x: x + 1/(x + 2/(x + 3/(x + …))).
fn fraction(x: f64) -> f64 {
    (1..=DEPTH)
        .rev()
        .fold(x, |inner, step| x + f64::from(step) / inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_agree_with_scipy() {
        for (x, expected) in CDF {
            let found = normal_cdf(x);

            assert!(
                (found / expected - 1.0).abs() < 2e-13,
                "cdf({x}) is {found}, not {expected}"
            );
        }
    }

    #[test]
    fn quantiles_agree_with_scipy() {
        for (probability, expected) in QUANTILES {
            let found = normal_quantile(probability);

            assert!(
                (found - expected).abs() < 1e-12 * expected.abs().max(1.0),
                "quantile({probability}) is {found}, not {expected}"
            );
        }
    }

    /// `scipy.stats.norm.cdf`.
    const CDF: [(f64, f64); 8] = [
        (-30.0, 4.906_713_927_147_908e-198),
        (-8.0, 6.220_960_574_271_74e-16),
        (-3.0, 0.001_349_898_031_630_093_3),
        (-2.999, 0.001_354_336_533_727_105_7),
        (-1.0, 0.158_655_253_931_457_05),
        (0.0, 0.5),
        (1.96, 0.975_002_104_851_779_5),
        (4.5, 0.999_996_602_326_875_3),
    ];

    /// `scipy.stats.norm.ppf`.
    const QUANTILES: [(f64, f64); 4] = [
        (1e-20, -9.262_340_089_798_409),
        (0.025, -1.959_963_984_540_054),
        (0.8, 0.841_621_233_572_914_3),
        (0.975, 1.959_963_984_540_054),
    ];
}
