//! The functions that statistics stand on, each to about as many digits as a double has room for.

mod beta;
mod binomial;
mod gamma;
mod normal;
mod range;
mod student;

pub(crate) use self::beta::lower_beta_quantile;
pub(crate) use self::binomial::{MOST_SUMMED, lower_tail_of_fair_coins};
use self::normal::normal_density;
pub(crate) use self::normal::{normal_cdf, normal_quantile};
pub(crate) use self::range::range_quantile;
pub(crate) use self::student::student_quantile;

/// The number of times an interval of doubles can be halved before its ends are neighbours, with
/// room to spare.
const HALVINGS: usize = 200;

/// Returns the point between two ends at which a growing function reaches zero. When it does not,
/// the end that is nearer to it.
pub(crate) fn root(mut low: f64, mut high: f64, growing: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if growing(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// A count as a number.
#[expect(
    clippy::cast_precision_loss,
    reason = "nobody evaluates more samples than a float has whole numbers"
)]
pub(crate) fn as_float(count: u64) -> f64 {
    count as f64
}
