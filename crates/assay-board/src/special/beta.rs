//! The beta distribution: its distribution function and the quantiles of its lower tail.

use super::gamma::ln_gamma;

/// The most steps of the continued fraction; it needs about the square root of its parameters.
const STEPS: u32 = 10_000;
/// Keeps a divisor from being zero.
const TINY: f64 = 1e-300;
/// Newton's method converges in fewer steps than this from any start.
const NEWTON_STEPS: u32 = 100;
/// The last step of Newton's method, as a part of the distance from the mean. The error of the
/// result is about its square.
const LAST_STEP: f64 = 1e-6;

/// Returns the regularised incomplete beta function, by its continued fraction on the side where
/// that converges fast.
pub(super) fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = (a * x.ln() + b * (-x).ln_1p() - ln_beta(a, b)).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(a, b, x) / a
    } else {
        1.0 - front * beta_fraction(b, a, 1.0 - x) / b
    }
}

/// Returns the value below which a beta variable lies with a small probability, given by its
/// logarithm. The start must lie above 0 and below the mean.
///
/// The logarithm of the probability is a concave function of the logarithm of the value. Newton's
/// method on these two never oscillates, and is exact at once where the probability is a power.
pub(crate) fn lower_beta_quantile(ln_tail: f64, a: f64, b: f64, start: f64) -> f64 {
    let ln_norm = ln_beta(a, b);
    let ln_mean = (a / (a + b)).ln();
    let mut u = start.ln();
    for _ in 0..NEWTON_STEPS {
        let (x, rest) = (u.exp(), -u.exp_m1());
        let fraction = beta_fraction(a, b, x);
        let ln_probability = a * u + b * rest.ln() - ln_norm + (fraction / a).ln();
        let step = (ln_tail - ln_probability) * rest * fraction / a;
        u += step;
        if step.abs() <= LAST_STEP * (ln_mean - u).abs() {
            break;
        }
    }
    u.exp()
}

fn ln_beta(a: f64, b: f64) -> f64 {
    ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b)
}

/// The continued fraction of the incomplete beta function, by Lentz's method.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    let mut above = 1.0;
    let mut below = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut value = below;
    for step in 1..=STEPS {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for coefficient in [even, odd] {
            below = 1.0 / away_from_zero(1.0 + coefficient * below);
            above = away_from_zero(1.0 + coefficient / above);
            change = below * above;
            value *= change;
        }
        if (change - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    value
}

fn away_from_zero(x: f64) -> f64 {
    if x.abs() < TINY { TINY } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_the_lower_tail_agree_with_scipy() {
        for (tail, a, b, expected) in QUANTILES {
            let found = lower_beta_quantile(f64::ln(tail), a, b, 0.9 * a / (a + b));

            assert!(
                (found / expected - 1.0).abs() < 1e-9,
                "quantile({tail}, {a}, {b}) is {found}, not {expected}"
            );
        }
    }

    /// `scipy.stats.beta.ppf`.
    const QUANTILES: [(f64, f64, f64, f64); 9] = [
        (0.025, 1.0, 50.0, 0.000_506_227_983_040_829),
        (1e-5, 49.0, 2.0, 0.749_991_864_003_594_3),
        (3e-5, 0.3, 20.7, 2.874_314_452_188_917e-17),
        (1e-4, 45.0, 6.0, 0.661_692_236_054_845_3),
        (1e-7, 500.0, 501.0, 0.417_873_049_341_313_86),
        (1e-8, 9_900.0, 101.0, 0.983_266_202_860_690_7),
        (2e-5, 1.0, 1e6, 2.000_020_000_246_670_5e-11),
        (2e-5, 1e6, 4.0, 0.999_982_154_627_605_8),
        (1e-4, 1e5, 2e5, 0.330_137_298_990_009_2),
    ];
}
