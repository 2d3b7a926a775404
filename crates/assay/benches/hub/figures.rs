//! Numbers that stand for many.

/// The one in the middle.
pub(crate) fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// The one that so many of a hundred are not above.
pub(crate) fn percentile(mut numbers: Vec<f64>, hundredths: usize) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[(numbers.len() * hundredths / 100).min(numbers.len() - 1)]
}

/// The smallest.
pub(crate) fn least(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(f64::INFINITY, f64::min)
}
