//! Fair coins: the binomial distribution with a probability of one half.

use super::gamma::{HALF_LN_TAU, SERIES_FROM, stirling_tail};
use super::{as_float, normal_cdf};

/// Up to so many coins the tail is summed. Beyond, the sum has millions of terms, and the normal
/// distribution with a correction for continuity is right to more digits than anybody reads.
pub(crate) const MOST_SUMMED: u64 = 1 << 40;

/// The probability that at most `heads` of so many fair coins fall on heads, for fewer than half of
/// them.
pub(crate) fn lower_tail_of_fair_coins(heads: u64, coins: u64) -> f64 {
    let (n, k) = (as_float(coins), as_float(heads));
    if coins > MOST_SUMMED {
        return normal_cdf((2.0 * k + 1.0 - n) / n.sqrt());
    }
    // The terms are added from the largest to where they no longer count; each follows from the one
    // before.
    let (mut term, mut sum) = (1.0, 1.0);
    let mut left = k;
    while left > 0.0 && term > f64::EPSILON * sum / 8.0 {
        term *= left / (n - left + 1.0);
        sum += term;
        left -= 1.0;
    }
    density(heads, coins) * sum
}

/// The probability of exactly so many heads, without the digits that a difference of large
/// logarithms loses (after Loader's saddle-point expansion).
fn density(heads: u64, coins: u64) -> f64 {
    let (n, k) = (as_float(coins), as_float(heads));
    let tails = n - k;
    if heads == 0 || tails <= 0.0 {
        return (-n).exp2();
    }
    let lean = (tails - k) / n;
    let distance = n / 2.0 * ((1.0 - lean) * (-lean).ln_1p() + (1.0 + lean) * lean.ln_1p());
    let remainder = stirling_error(n) - stirling_error(k) - stirling_error(tails);
    let width = 0.5 * (n / k / tails).ln() - HALF_LN_TAU;
    (remainder + width - distance).exp()
}

/// The logarithm of a factorial without Stirling's formula for it.
fn stirling_error(n: f64) -> f64 {
    if n >= SERIES_FROM {
        return stirling_tail(n);
    }
    let mut factorial = 1.0;
    let mut factor = 2.0;
    while factor <= n {
        factorial *= factor;
        factor += 1.0;
    }
    f64::ln(factorial) - (n + 0.5) * n.ln() + n - HALF_LN_TAU
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_and_the_normal_limit_meet_where_one_takes_over() {
        let coins = MOST_SUMMED;
        let deviation = 1_u64 << 20;
        for heads in [coins / 2 - deviation / 2, coins / 2 - 2 * deviation] {
            let summed = lower_tail_of_fair_coins(heads, coins);
            let limit = lower_tail_of_fair_coins(heads, coins + 1);

            // One more coin shifts the tail by about a millionth.
            assert!((summed / limit - 1.0).abs() < 1e-5, "{summed} and {limit}");
        }
    }

    #[test]
    fn the_largest_counts_have_a_tail() {
        let found = lower_tail_of_fair_coins(u64::MAX / 2 - (1 << 32), u64::MAX);

        assert!((found - normal_cdf(-2.0)).abs() < 1e-6);
    }
}
