//! The gamma function by Stirling's series.

/// From here on four terms of Stirling's series are right to the last digits of a double.
pub(super) const SERIES_FROM: f64 = 16.0;

/// Half the logarithm of two pi.
pub(super) const HALF_LN_TAU: f64 = 0.918_938_533_204_672_7;

/// The logarithm of the gamma function of a positive number.
pub(super) fn ln_gamma(x: f64) -> f64 {
    let mut product = 1.0;
    let mut x = x;
    while x < SERIES_FROM {
        product *= x;
        x += 1.0;
    }
    (x - 0.5) * x.ln() - x + HALF_LN_TAU + stirling_tail(x) - product.ln()
}

/// Returns the remainder of Stirling's formula, for numbers that are not small.
pub(super) fn stirling_tail(x: f64) -> f64 {
    let square = x * x;
    (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / (1680.0 * square)) / square) / square) / x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_of_gamma_agrees_with_scipy() {
        for (x, expected) in GAMMA {
            let found = ln_gamma(x);

            assert!(
                (found - expected).abs() <= 1e-13 * expected.abs().max(1.0),
                "ln gamma({x}) is {found}, not {expected}"
            );
        }
    }

    /// `scipy.special.gammaln`.
    const GAMMA: [(f64, f64); 6] = [
        (0.1, 2.252_712_651_734_206),
        (0.5, 0.572_364_942_924_7),
        (3.7, 1.428_072_326_665_388),
        (16.0, 27.899_271_383_840_89),
        (101.5, 366.045_698_195_276_7),
        (1e6, 12_815_504.569_147_611),
    ];
}
