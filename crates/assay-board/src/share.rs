//! Shares of samples: how far the true share may lie from the one that is seen.

use crate::estimate::{Z95, wilson_at};
use crate::special::{lower_beta_quantile, normal_cdf};

/// More samples than this are taken as this many, which is on the safe side.
const MOST_SAMPLES: f64 = 1e9;
/// The count of right and of wrong answers above which Wilson's interval with a correction for
/// continuity is within a thousandth of the exact one.
const MOST_EXACT: f64 = 1e6;
/// Two arms that differ by less than this part of both are taken to be equal, up to rounding.
const EQUAL_ARMS: f64 = 0.02;

/// The half width of a comparison in standard errors, and the probability that a normal variable
/// lies farther out on one side.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TailBound {
    errors: f64,
    ln_tail: f64,
}

impl TailBound {
    pub(crate) fn new(errors: f64) -> Self {
        Self {
            errors,
            ln_tail: normal_cdf(-errors).ln(),
        }
    }

    pub(crate) fn errors(&self) -> f64 {
        self.errors
    }
}

/// A number of samples, which need not be whole, with the value of a share of one in the metric's
/// unit.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(crate) struct Share {
    samples: f64,
    scale: f64,
}

impl Share {
    pub(crate) fn new(samples: f64, scale: f64) -> Option<Self> {
        let is_usable = samples > 0.0 && scale.is_finite() && scale > 0.0;
        is_usable.then_some(Self { samples, scale })
    }

    /// Returns the share that has these standard errors downwards and upwards; none where no share
    /// of one sample or more can have them.
    ///
    /// Equal errors are Wald's, √(p(1 − p)/n). Where the error towards the middle is the larger
    /// one, they come from an interval whose end e has the error √(e(1 − e)/n), as Wilson's has.
    pub(crate) fn from_errors(value: f64, errors: (f64, f64), scale: f64) -> Option<Self> {
        let share = value / scale;
        if !(0.0..=1.0).contains(&share) {
            return None;
        }
        let (down, up) = (errors.0 / scale, errors.1 / scale);
        // The error towards one half, and the other.
        let (inner, outer, end) = if share > 0.5 {
            (down, up, share - Z95 * down)
        } else {
            (up, down, share + Z95 * up)
        };
        let (place, error) = if inner - outer > EQUAL_ARMS * (inner + outer) {
            (end.clamp(0.0, 1.0), inner)
        } else {
            (share, outer.max(inner))
        };
        let samples = place * (1.0 - place) / (error * error);
        Self::new(samples, scale).filter(|share| share.samples >= 1.0)
    }

    /// Returns how far Wilson's 95 % interval reaches below and above a value.
    pub(crate) fn wilson_arms(&self, value: f64) -> (f64, f64) {
        let share = self.share_of(value);
        wilson_at(share, self.samples, Z95).map_or((0.0, 0.0), |interval| {
            let (down, up) = (share - interval.low, interval.high - share);
            (down * self.scale, up * self.scale)
        })
    }

    /// Returns how far the interval of Clopper and Pearson reaches below and above a value.
    ///
    /// It misses on either side with at most the probability of the tail, whatever the share: at
    /// the far tails that a comparison of many rows needs, Wilson's interval ends too early near 0
    /// and 1.
    pub(crate) fn clopper_pearson_arms(&self, value: f64, bound: &TailBound) -> (f64, f64) {
        let share = self.share_of(value);
        let samples = self.samples.min(MOST_SAMPLES);
        let (right, wrong) = (share * samples, (1.0 - share) * samples);
        let (down, up) = (arm(right, wrong, bound), arm(wrong, right, bound));
        (down * self.scale, up * self.scale)
    }

    fn share_of(&self, value: f64) -> f64 {
        (value / self.scale).clamp(0.0, 1.0)
    }
}

/// Returns how far the true share may lie below `count` of `count + rest`.
fn arm(count: f64, rest: f64, bound: &TailBound) -> f64 {
    if count <= 0.0 {
        return 0.0;
    }
    let samples = count + rest;
    let share = count / samples;
    let corrected = (share - 0.5 / samples).max(0.5 * share);
    let low = wilson_at(corrected, samples, bound.errors).map_or(0.0, |interval| interval.low);
    if count.min(rest) > MOST_EXACT || low <= 0.0 {
        return share - low;
    }
    share - lower_beta_quantile(bound.ln_tail, count, rest + 1.0, low).clamp(0.0, share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_tell_the_number_of_samples() {
        let samples = |value, errors| Share::from_errors(value, errors, 100.0);
        let is_near = |found: Option<Share>, n: f64| {
            let limits = [0.99 * n, 1.01 * n].map(|n| Share::new(n, 100.0).unwrap());
            found.is_some_and(|found| limits[0] < found && found < limits[1])
        };

        // Wald's error, and Wilson's intervals, of 98 and 100 % of fifty.
        assert!(is_near(samples(98.0, (1.98, 1.98)), 50.0));
        assert!(is_near(
            samples(98.0, ((98.0 - 89.505) / Z95, (99.646 - 98.0) / Z95)),
            50.0
        ));
        assert!(is_near(samples(100.0, ((100.0 - 92.865) / Z95, 0.0)), 50.0));
        assert!(is_near(
            samples(2.0, ((2.0 - 0.354) / Z95, (10.495 - 2.0) / Z95)),
            50.0
        ));
        assert_eq!(samples(120.0, (1.0, 1.0)), None);
        assert_eq!(samples(50.0, (60.0, 60.0)), None);
    }
}
