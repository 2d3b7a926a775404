use assay_formats::Value;

use crate::parts::MetricParts;
use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// The bounds of a metric are the wrong way round
    ///
    /// `min_score` is greater than `max_score`, or one of them is the infinity of the other side,
    /// so no score can be right. The bounds are about which scores are possible; which of them are
    /// good is said by `lower_is_better`.
    ///
    /// ## What to do
    ///
    /// Swap the bounds.
    BOUNDS_REVERSED = (415, "bounds-reversed", Error)
}

rule! {
    /// The bounds of a benchmark's metric exclude every value
    ///
    /// `min` is not below `max`, so no value of the metric can be right and every result would be
    /// refused. The bounds are about which values are possible; which of them are good is said by
    /// `higher_is_better`.
    ///
    /// ## Example
    ///
    /// ```yaml
    /// metrics:
    ///   - {id: gain, display_name: Gain, higher_is_better: true, unit: percentage, min: -100, max: 100}
    /// ```
    ///
    /// ## What to do
    ///
    /// Swap `min` and `max`, or leave the one out that is not known.
    METRIC_BOUNDS_REVERSED = (213, "metric-bounds-reversed", Error)
}

/// Validates the bounds of a benchmark's metric.
pub(crate) fn benchmark(metric: Value<'_>, sink: &mut Sink<'_>) {
    let (Some(min), Some(max)) = (metric.get("min"), metric.get("max")) else {
        return;
    };
    let (Some(least), Some(most)) = (min.number(), max.number()) else {
        return;
    };
    if least < most {
        return;
    }
    sink.report(&METRIC_BOUNDS_REVERSED, max, || {
        Draft::new(format!(
            "`max` is {}, which is not more than `min`, {}",
            max.raw(),
            min.raw()
        ))
        .help("swap the bounds; `higher_is_better` says which end is good")
    });
}

pub(crate) fn check(metric: &MetricParts<'_>, sink: &mut Sink<'_>) {
    if !metric.bounds.are_reversed() {
        return;
    }
    let wrong = if metric.bounds.min == Some(f64::INFINITY) {
        metric.min_score
    } else {
        metric.max_score
    };
    sink.report(&BOUNDS_REVERSED, wrong.unwrap_or(metric.root), || {
        let raw = |bound: Option<_>| bound.map_or("not given", Value::raw);
        Draft::new(format!(
            "no score is between `min_score` {} and `max_score` {}",
            raw(metric.min_score),
            raw(metric.max_score)
        ))
        .help("swap the bounds; `lower_is_better` says which end is good")
    });
}
