use assay_model::Direction;

/// Returns the points that no other beats: none is at most as dear and at least as good, and better
/// in one of the two. They come from the cheapest to the dearest.
///
/// ```
/// # use assay_board::chart::frontier;
/// # use assay_model::Direction;
/// let points = [(1.0, 60.0), (5.0, 90.0), (4.0, 50.0), (9.0, 90.0)];
///
/// assert_eq!(frontier(&points, Direction::HigherIsBetter), [0, 1]);
/// ```
pub fn frontier(points: &[(f64, f64)], direction: Direction) -> Vec<usize> {
    let merit = |value: f64| match direction {
        Direction::HigherIsBetter => value,
        Direction::LowerIsBetter => -value,
    };
    let mut order: Vec<usize> = (0..points.len())
        .filter(|index| points[*index].0.is_finite() && points[*index].1.is_finite())
        .collect();
    order.sort_by(|left, right| {
        let ((cost, value), (other_cost, other_value)) = (points[*left], points[*right]);
        cost.total_cmp(&other_cost)
            .then(merit(other_value).total_cmp(&merit(value)))
            .then(left.cmp(right))
    });
    let mut best = f64::NEG_INFINITY;
    order.retain(|index| {
        let merit = merit(points[*index].1);
        let is_unbeaten = merit > best;
        best = best.max(merit);
        is_unbeaten
    });
    order
}
