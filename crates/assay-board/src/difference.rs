use crate::estimate::CONFIDENCE;
use crate::{Estimate, Interval, Method};

/// The verdict on a difference: more than chance, or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The second value is clearly above the first.
    Above,
    /// The second value is clearly below the first.
    Below,
    /// The interval of the difference has zero in it.
    Unclear,
}

/// Returns how much the second value is above the first, with the 95 % interval of the difference.
///
/// The intervals of the two values are joined by squaring and adding their arms (Newcombe 1998, Zou
/// and Donner 2008), which keeps their skewness near the ends of a scale. The values are taken to
/// be independent. Models that answered the same questions err alike, so for them the interval is
/// wider than it need be.
///
/// ```
/// # use assay_board::{Estimate, Interval, Method, difference};
/// let of = |value: f64| Estimate {
///     value,
///     interval: Interval { low: value - 3.0, high: value + 3.0, confidence: 0.95 },
///     method: Method::Stated,
/// };
/// let found = difference(&of(70.0), &of(75.0));
/// assert_eq!(found.value, 5.0);
/// assert!((found.interval.low - 0.757).abs() < 1e-3);
/// ```
pub fn difference(first: &Estimate, second: &Estimate) -> Estimate {
    let value = second.value - first.value;
    let arms = |estimate: &Estimate| {
        let Interval { low, high, .. } = estimate.interval;
        (
            (estimate.value - low).max(0.0),
            (high - estimate.value).max(0.0),
        )
    };
    let ((first_down, first_up), (second_down, second_up)) = (arms(first), arms(second));
    Estimate {
        value,
        interval: Interval {
            low: value - second_down.hypot(first_up),
            high: value + second_up.hypot(first_down),
            confidence: CONFIDENCE,
        },
        method: Method::SquareAndAdd,
    }
}

impl Verdict {
    /// Returns the verdict of the interval of a difference.
    pub fn of_difference(difference: &Estimate) -> Self {
        let Interval { low, high, .. } = difference.interval;
        if low > 0.0 {
            Self::Above
        } else if high < 0.0 {
            Self::Below
        } else {
            Self::Unclear
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wilson;

    fn share(right: f64, samples: u64) -> Estimate {
        let found = wilson(right, samples).unwrap();
        Estimate {
            value: right * 100.0,
            interval: Interval {
                low: found.low * 100.0,
                high: found.high * 100.0,
                ..found
            },
            method: Method::Wilson,
        }
    }

    #[test]
    fn a_difference_is_turned_round_with_its_values() {
        let (few, many) = (share(0.5, 200), share(0.7, 200));

        let (up, down) = (difference(&few, &many), difference(&many, &few));

        assert!((up.interval.low + down.interval.high).abs() < 1e-12);
        assert!((up.interval.high + down.interval.low).abs() < 1e-12);
        assert_eq!(Verdict::of_difference(&up), Verdict::Above);
        assert_eq!(Verdict::of_difference(&down), Verdict::Below);
    }

    #[test]
    fn newcombes_example_has_his_interval() {
        // Newcombe (1998), method 10: 56 of 70 against 48 of 80 gives 0.0524 to 0.3339.
        let (second, first) = (share(56.0 / 70.0, 70), share(48.0 / 80.0, 80));

        let found = difference(&first, &second);

        assert!((found.interval.low - 5.24).abs() < 0.01, "{found:?}");
        assert!((found.interval.high - 33.39).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn what_may_be_chance_is_unclear() {
        let found = difference(&share(0.75, 200), &share(0.80, 200));

        assert_eq!(Verdict::of_difference(&found), Verdict::Unclear);
    }
}
