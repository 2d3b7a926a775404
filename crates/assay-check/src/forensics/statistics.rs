//! The arithmetic, on plain numbers.

/// The usual numbers of repeats of each question; a score that needs one of these is not doubted.
const COMMON_REPEATS: [u64; 15] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 25, 32, 64];
/// The most times that each question may have been asked where nothing says how often.
const MOST_REPEATS: u64 = 256;
/// The fewest questions that are believed to make a benchmark, when it is not known how many of the
/// answers are repeats.
const FEWEST_QUESTIONS: f64 = 5.0;
/// The factor by which a stated error may be too large in any case: dependent samples carry less
/// information than their number.
const TOO_LARGE: f64 = 3.0;
/// The factor by which it may be too small in any case: answers that are partly right spread less.
const TOO_SMALL: f64 = 5.0;
/// The relative distance of a single-precision number from the share it stands for.
const SINGLE_PRECISION: f64 = 1.2e-7;
/// The distance of a double from the share it stands for.
const DOUBLE_PRECISION: f64 = 1e-12;

/// A way in which a share can come about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// As k correct out of n, each asked once, as often as is said or, where nothing is said, a
    /// common number of times.
    Reached,
    /// Only when each was asked this many times, which is uncommon and which nothing says.
    Repeated(u64),
    /// Not at all.
    Never,
}

/// Returns the way in which a share whose last digit is worth `unit` can be k correct out of n,
/// each asked `repeats` times. Both rounding and cutting off count as honest ways to shorten a
/// number. Where the number of repeats is declared, n may be the number of samples or that of all
/// answers.
pub(crate) fn reach(share: f64, unit: f64, n: u64, repeats: Option<u64>) -> Reach {
    let asked = |repeats: u64| reachable_as(share, unit, as_float(n) * as_float(repeats));
    if asked(1) || repeats.is_some_and(asked) {
        return Reach::Reached;
    }
    if repeats.is_some() {
        return Reach::Never;
    }
    if COMMON_REPEATS.into_iter().any(asked) {
        return Reach::Reached;
    }
    (2..=MOST_REPEATS)
        .find(|&repeats| asked(repeats))
        .map_or(Reach::Never, Reach::Repeated)
}

/// By which factors a stated error may differ from that of n independent answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Tolerance {
    /// The factor by which it may be larger.
    pub(crate) large: f64,
    /// The factor by which it may be smaller.
    pub(crate) small: f64,
}

impl Tolerance {
    /// Returns the usual range for answers that were asked as often as stated, or once.
    pub(crate) fn usual(n: u64, repeats: Option<u64>) -> Self {
        Self::new(n, repeats.unwrap_or(1))
    }

    /// The most that any honest run gives; the same as the usual when it is said how often each
    /// sample was asked.
    pub(crate) fn widest(n: u64, repeats: Option<u64>) -> Self {
        Self::new(n, repeats.unwrap_or(MOST_REPEATS))
    }

    /// The largest error is that of answers which are all alike for each of m = n / repeats
    /// questions: by the bound of Bhatia and Davis it is √(p(1-p)/(m-1)). The smallest is that of
    /// independent answers when n counts questions.
    fn new(n: u64, repeats: u64) -> Self {
        let (n, repeats) = (as_float(n.max(2)), as_float(repeats.max(1)));
        let questions = (n / repeats).max(n.min(FEWEST_QUESTIONS));
        Self {
            large: ((n - 1.0) / (questions - 1.0)).sqrt().max(TOO_LARGE),
            small: repeats.sqrt().max(TOO_SMALL),
        }
    }
}

/// Returns whether a share can be k correct out of n, each asked once.
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

/// The largest standard deviation that n values from 0 to 1 can have; about their mean, when that
/// is known.
pub(crate) fn spread_limit(mean: Option<f64>, n: Option<u64>) -> f64 {
    let variance = mean.map_or(0.25, |mean| (mean * (1.0 - mean)).max(0.0));
    // Two values are the fewest that have a deviation, and stretch it the most.
    let n = as_float(n.unwrap_or(2).max(2));
    (variance * n / (n - 1.0)).sqrt()
}

/// By how many standard errors an interval of a level reaches to either side: the normal factor,
/// and the larger one of Student's distribution for n values.
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
    // The expansion of Cornish and Fisher is good to a few per cent from three degrees of freedom
    // on.
    let (z3, z5, z7) = (z.powi(3), z.powi(5), z.powi(7));
    z + (z3 + z) / (4.0 * freedom)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * freedom.powi(2))
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * freedom.powi(3))
}

/// The quantile of the normal distribution for a probability above one half, to four digits
/// (Abramowitz and Stegun 26.2.23): more than a comparison within a factor of two needs.
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
        let once = |share, unit, n| reach(share, unit, n, Some(1)) == Reach::Reached;

        assert!(once(0.667, 1e-3, 3));
        assert!(once(0.666, 1e-3, 3), "cut off, not rounded");
        assert!(once(2.0 / 3.0, 1e-16, 3));
        assert!(once(f64::from(23.0_f32 / 30.0), 1e-16, 30));
        assert!(!once(0.734_1, 1e-4, 30));
        assert!(!once(0.123_456, 1e-6, 25));
    }

    #[test]
    fn repeats_are_believed_when_they_are_said_and_guessed_when_they_are_not() {
        let eighths = |repeats| reach(0.762_5, 1e-4, 30, repeats);

        assert_eq!(eighths(Some(8)), Reach::Reached);
        assert_eq!(eighths(Some(1)), Reach::Never);
        assert_eq!(eighths(None), Reach::Reached);
        assert_eq!(reach(0.734_1, 1e-4, 30, None), Reach::Repeated(39));
        assert_eq!(reach(0.716_587_320_1, 1e-10, 3, None), Reach::Never);
    }

    #[test]
    fn errors_of_repeated_answers_may_be_larger_and_smaller() {
        let once = Tolerance::usual(500, None);
        let declared = Tolerance::usual(12_672, Some(64));
        let unknown = Tolerance::widest(12_672, None);

        assert_eq!((once.large, once.small), (TOO_LARGE, TOO_SMALL));
        near(declared.large, (12_671.0_f64 / 197.0).sqrt(), 1e-9);
        near(declared.small, 8.0, 1e-9);
        assert_eq!(declared, Tolerance::widest(12_672, Some(64)));
        assert!(unknown.large > 16.0 && unknown.large < 16.3, "{unknown:?}");
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
                let _ = reach(share, 1e-300, n, None);
                let _ = reach(share, 1e-300, n, Some(u64::MAX));
                let widest = Tolerance::widest(n, Some(u64::MAX));
                assert!(widest.large.is_finite() && widest.small.is_finite());
                let _ = nearest_shares(share, n);

                assert!(!sampling_error(share, n).is_nan());
                assert!(!spread_limit(Some(share), Some(n)).is_nan());
            }
        }
    }
}
