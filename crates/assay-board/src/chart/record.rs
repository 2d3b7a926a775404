use assay_model::{Direction, Timestamp};

/// Returns the points that set a record when they came, in the order of time. A point that only
/// equals a record sets none; of several at one moment, the best one does.
///
/// ```
/// # use assay_board::chart::records;
/// # use assay_model::{Direction, Timestamp};
/// let at = |day: i64, value| (Timestamp::from_seconds(day * 86_400), value);
/// let points = [at(3, 0.5), at(1, 0.4), at(2, 0.3), at(4, 0.5), at(5, 0.9)];
///
/// assert_eq!(records(&points, Direction::HigherIsBetter), [1, 0, 4]);
/// ```
pub fn records(points: &[(Timestamp, f64)], direction: Direction) -> Vec<usize> {
    let merit = |value: f64| match direction {
        Direction::HigherIsBetter => value,
        Direction::LowerIsBetter => -value,
    };
    let mut order: Vec<usize> = (0..points.len())
        .filter(|index| points[*index].1.is_finite())
        .collect();
    order.sort_by(|left, right| {
        let ((moment, value), (other_moment, other_value)) = (points[*left], points[*right]);
        moment
            .cmp(&other_moment)
            .then(merit(other_value).total_cmp(&merit(value)))
            .then(left.cmp(right))
    });
    let mut best = f64::NEG_INFINITY;
    order.retain(|index| {
        let merit = merit(points[*index].1);
        let is_record = merit > best;
        best = best.max(merit);
        is_record
    });
    order
}
