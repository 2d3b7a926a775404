//! The arithmetic, on plain numbers.

/// How many times each question is commonly asked, when a score is the mean over repeated runs.
const REPEATS: &[u32] = &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 25, 32, 64];
/// How far a single-precision number may lie from the share it stands for, relative to it.
const SINGLE_PRECISION: f64 = 1.2e-7;
/// How far a double may lie from the share it stands for.
const DOUBLE_PRECISION: f64 = 1e-12;

/// Whether a share that was written with a last digit worth `unit` can be k correct out of n, each asked once or a
/// common number of times. Both rounding and cutting off count as honest ways to shorten a number.
pub(crate) fn reachable(share: f64, unit: f64, n: u64) -> bool {
    REPEATS
        .iter()
        .any(|&repeats| reachable_as(share, unit, as_float(n) * f64::from(repeats)))
}

/// Whether a share can be k correct out of n, each asked once.
pub(crate) fn reachable_once(share: f64, unit: f64, n: u64) -> bool {
    reachable_as(share, unit, as_float(n))
}

fn reachable_as(share: f64, unit: f64, total: f64) -> bool {
    let noise = SINGLE_PRECISION * share.abs() + DOUBLE_PRECISION;
    let least = ((share - unit / 2.0 - noise) * total).ceil().max(0.0);
    let most = ((share + unit + noise) * total).floor().min(total);
    least <= most
}

/// The shares of n next to a share, as k of n: one below, one above.
pub(crate) fn nearest_shares(share: f64, n: u64) -> [(u64, f64); 2] {
    let total = as_float(n);
    let below = (share * total).floor().clamp(0.0, total);
    let above = (below + 1.0).min(total);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "both lie between 0 and n"
    )]
    [below, above].map(|k| (k as u64, k / total))
}

/// The standard error of k correct out of n, on a scale from 0 to 1.
pub(crate) fn sampling_error(share: f64, n: u64) -> f64 {
    (share * (1.0 - share)).max(0.0).sqrt() / as_float(n.max(1)).sqrt()
}

/// The largest standard deviation that n values from 0 to 1 can have; about their mean, when that is known.
pub(crate) fn spread_limit(mean: Option<f64>, n: Option<u64>) -> f64 {
    let variance = mean.map_or(0.25, |mean| (mean * (1.0 - mean)).max(0.0));
    // Two values are the fewest that have a deviation, and stretch it the most.
    let n = as_float(n.unwrap_or(2).max(2));
    (variance * n / (n - 1.0)).sqrt()
}

/// By how many standard errors an interval of a level reaches to either side: the normal factor, and the larger one of
/// Student's distribution for n values.
pub(crate) fn interval_factor(level: f64, n: u64) -> (f64, f64) {
    let level = level.clamp(0.01, 0.9999);
    let z = normal_quantile(f64::midpoint(1.0, level));
    (z, student_quantile(level, z, as_float(n.max(2)) - 1.0))
}

/// The two-sided quantile of Student's distribution.
fn student_quantile(level: f64, z: f64, freedom: f64) -> f64 {
    if freedom < 1.5 {
        return (std::f64::consts::FRAC_PI_2 * level).tan();
    }
    if freedom < 2.5 {
        return level * (2.0 / (1.0 - level * level)).sqrt();
    }
    // The expansion of Cornish and Fisher is good to a few per cent from three degrees of freedom on.
    let (z3, z5, z7) = (z.powi(3), z.powi(5), z.powi(7));
    z + (z3 + z) / (4.0 * freedom)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * freedom.powi(2))
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * freedom.powi(3))
}

/// The quantile of the normal distribution for a probability above one half, to four digits (Abramowitz and Stegun
/// 26.2.23): more than a comparison within a factor of two needs.
fn normal_quantile(probability: f64) -> f64 {
    let t = (-2.0 * (1.0 - probability).ln()).sqrt();
    let above = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let below = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    t - above / below
}

/// Counts of samples are far below what a double holds exactly, and nothing here is exact beyond.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts are far below 2^53, and nothing here is exact beyond"
)]
pub(crate) fn as_float(n: u64) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, wanted: f64, tolerance: f64) {
        assert!(
            (found - wanted).abs() <= tolerance * wanted,
            "{found} is not {wanted}"
        );
    }

    #[test]
    fn quantiles_agree_with_the_tables() {
        for (level, n, z, t) in [
            (0.95, 1_000_000, 1.960, 1.960),
            (0.99, 1_000_000, 2.576, 2.576),
            (0.95, 2, 1.960, 12.706),
            (0.95, 3, 1.960, 4.303),
            (0.95, 5, 1.960, 2.776),
            (0.99, 4, 2.576, 5.841),
            (0.90, 11, 1.645, 1.812),
        ] {
            let (normal, student) = interval_factor(level, n);

            near(normal, z, 0.001);
            near(student, t, 0.04);
        }
    }

    #[test]
    fn shares_are_reached_by_whole_counts_only() {
        assert!(reachable(0.667, 1e-3, 3));
        assert!(reachable(0.666, 1e-3, 3), "cut off, not rounded");
        assert!(reachable(2.0 / 3.0, 1e-16, 3));
        assert!(reachable(f64::from(23.0_f32 / 30.0), 1e-16, 30));
        assert!(reachable(0.762_5, 1e-4, 30), "61 of 80, asked eight times");
        assert!(!reachable(0.734_1, 1e-4, 30));
        assert!(!reachable(0.123_456, 1e-6, 25));
    }

    #[test]
    fn the_nearest_shares_lie_on_both_sides() {
        assert_eq!(nearest_shares(0.73, 25), [(18, 0.72), (19, 0.76)]);
        assert_eq!(nearest_shares(1.0, 25), [(25, 1.0), (25, 1.0)]);
    }

    #[test]
    fn nothing_between_two_limits_spreads_more_than_the_limits() {
        near(spread_limit(None, Some(2)), 0.5_f64.sqrt(), 1e-9);
        near(spread_limit(Some(0.5), Some(1_000_000)), 0.5, 1e-5);
        assert!(spread_limit(Some(1.0), Some(10)).abs() < 1e-12);
    }

    #[test]
    fn hostile_numbers_do_no_harm() {
        for share in [f64::MIN, -1.0, 0.0, 1.0, 2.0, f64::MAX] {
            for n in [0, 1, u64::MAX] {
                let _ = reachable(share, 1e-300, n);
                let _ = nearest_shares(share, n);

                assert!(!sampling_error(share, n).is_nan());
                assert!(!spread_limit(Some(share), Some(n)).is_nan());
            }
        }
    }
}
