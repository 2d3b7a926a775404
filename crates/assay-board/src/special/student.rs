//! Student's distribution, by way of the incomplete beta function.

use super::beta::incomplete_beta;
use super::{normal_quantile, root};

/// From so many degrees of freedom on Student's distribution is the normal one to six digits.
const NORMAL_FROM: f64 = 1e6;
/// No quantile that is asked for lies farther out.
const FARTHEST: f64 = 1e6;

/// Below which value a variable of Student's distribution lies with a probability, for one degree
/// of freedom or more.
pub(crate) fn student_quantile(probability: f64, freedom: f64) -> f64 {
    if freedom >= NORMAL_FROM {
        return normal_quantile(probability);
    }
    root(-FARTHEST, FARTHEST, |t| {
        student_cdf(t, freedom) - probability
    })
}

fn student_cdf(t: f64, freedom: f64) -> f64 {
    // Near the middle the complement has the digits, far out the tail itself.
    let square = t * t;
    let tail = if square < freedom {
        1.0 - incomplete_beta(0.5, freedom / 2.0, square / (freedom + square))
    } else {
        incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + square))
    };
    if t < 0.0 {
        tail / 2.0
    } else {
        1.0 - tail / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_agree_with_scipy() {
        for (probability, freedom, expected) in QUANTILES {
            let found = student_quantile(probability, freedom);

            assert!(
                (found / expected - 1.0).abs() < 1e-9,
                "t({probability}, {freedom}) is {found}, not {expected}"
            );
        }
    }

    /// `scipy.stats.t.ppf`.
    const QUANTILES: [(f64, f64, f64); 6] = [
        (0.975, 1.0, 12.706_204_736_174_698),
        (0.975, 2.0, 4.302_652_729_749_462),
        (0.975, 9.0, 2.262_157_162_798_205),
        (0.995, 30.0, 2.749_995_653_567_225_4),
        (0.975, 1000.0, 1.962_339_080_826_408_3),
        (0.05, 4.5, -2.065_575_888_878_525),
    ];
}
