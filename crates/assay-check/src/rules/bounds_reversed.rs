use assay_formats::Value;

use crate::bounds::Bounds;
use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// The bounds of a metric are the wrong way round
    ///
    /// `min_score` is greater than `max_score`, or one of them is the infinity of the other side, so no score can be right.
    /// The bounds are about which scores are possible; which of them are good is said by `lower_is_better`.
    ///
    /// ## What to do
    ///
    /// Swap the bounds.
    BOUNDS_REVERSED = (415, "bounds-reversed", Error)
}

pub(crate) fn check(metric: Value<'_>, sink: &mut Sink<'_>) {
    let bounds = Bounds::of(metric);
    if !bounds.are_reversed() {
        return;
    }
    let wrong_min = bounds.min == Some(f64::INFINITY);
    let key = if wrong_min { "min_score" } else { "max_score" };
    let at = metric.get(key).unwrap_or(metric);
    sink.report(&BOUNDS_REVERSED, at, || {
        let raw = |key: &str| metric.get(key).map_or("not given", Value::raw);
        Draft::new(format!(
            "no score is between `min_score` {} and `max_score` {}",
            raw("min_score"),
            raw("max_score")
        ))
        .help("swap the bounds; `lower_is_better` says which end is good")
    });
}
