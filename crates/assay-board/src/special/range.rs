//! The range of normal variables: how far the largest of them lies above the smallest.

use std::sync::LazyLock;

use super::{normal_cdf, normal_density};

/// The grid has so many points for each standard deviation.
const FINENESS: usize = 64;
/// The distance between two points.
const STEP: f64 = 1.0 / 64.0;
/// The reach of the grid to each side, in standard deviations. What lies beyond has no weight.
const REACH: usize = 9;
/// Number of points that the grid has.
const POINTS: usize = 2 * REACH * FINENESS + 1;

/// A point of the grid.
struct Point {
    density: f64,
    below: f64,
}

static GRID: LazyLock<Vec<Point>> = LazyLock::new(|| {
    let mut x = -9.0;
    let points = (0..POINTS).map(|_| {
        let point = Point {
            density: normal_density(x),
            below: normal_cdf(x),
        };
        x += STEP;
        point
    });
    points.collect()
});

/// Returns the quantile of the range of so many independent normal variables, rounded up to a
/// sixty-fourth: the studentized range for a known error. Fewer than two have none.
pub(crate) fn range_quantile(variables: f64, probability: f64) -> f64 {
    if variables < 2.0 {
        return 0.0;
    }
    let (mut low, mut high) = (0, POINTS - 1);
    while low + 1 < high {
        let middle = usize::midpoint(low, high);
        if range_cdf(variables, middle) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    super::as_float(high as u64) * STEP
}

/// The probability that the range is at most so many steps of the grid: one variable is the
/// largest, and the others lie no farther below it.
fn range_cdf(variables: f64, steps: usize) -> f64 {
    let largest = GRID.iter().enumerate();
    let sum: f64 = largest
        .map(|(place, point)| {
            let floor = place
                .checked_sub(steps)
                .map_or(0.0, |lowest| GRID[lowest].below);
            let within = point.below - floor;
            point.density * ((variables - 1.0) * within.ln()).exp()
        })
        .sum();
    variables * STEP * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_agrees_with_scipy_to_a_step() {
        // `scipy.stats.studentized_range.ppf(0.95, k, inf)`.
        for (variables, expected) in [
            (2.0, 2.771_807_648_699_355),
            (3.0, 3.314_493_155_398_122),
            (10.0, 4.474_124_221_725_907),
            (20.0, 5.011_688_794_118_442_5),
            (100.0, 6.084_637_537_173_171),
            (1_000.0, 7.369_627_485_138_476),
            (5_000.0, 8.157_226_964_923_513),
        ] {
            let found = range_quantile(variables, 0.95);

            assert!(
                found >= expected && found - expected <= STEP,
                "of {variables}: {found} is not {expected}"
            );
        }
    }

    #[test]
    fn very_many_variables_have_a_range() {
        let found = range_quantile(1e9, 0.95);

        assert!(found > 11.0 && found < 14.0, "{found}");
    }
}
