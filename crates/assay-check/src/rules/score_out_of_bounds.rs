use assay_formats::Value;

use crate::bounds::is_unknown_level;
use crate::parts::MetricParts;
use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A score is outside the bounds of its metric
    ///
    /// The metric says which scores are possible, and this is none of them. Usually a percentage
    /// was written where the metric says proportion, or a number such as -1 stands for "no score".
    /// A bound on one side only is enough.
    ///
    /// ## Example
    ///
    /// ```json
    /// "metric_config": {"lower_is_better": false, "min_score": 0, "max_score": 1},
    /// "score_details": {"score": 87.5}
    /// ```
    ///
    /// ## What to do
    ///
    /// Write the score on the scale of the metric, or correct the bounds. Leave a result out when
    /// there is no score: every reader takes a number for a score.
    SCORE_OUT_OF_BOUNDS = (416, "score-out-of-bounds", Error)
}

pub(crate) fn check(metric: &MetricParts<'_>, value: Value<'_>, sink: &mut Sink<'_>) {
    let (Some(score), bounds) = (value.number(), metric.bounds.usable()) else {
        return;
    };
    // Levels have a score of their own for "unknown", which lies below all of them.
    let is_unknown = is_unknown_level(score) && metric.has_unknown_level();
    if bounds.outside(score).is_some() && !is_unknown {
        sink.report(&SCORE_OUT_OF_BOUNDS, value, || {
            Draft::new(format!(
                "the score {} is outside the bounds of its metric, {}",
                value.raw(),
                bounds.words()
            ))
            .help(bounds.advice(score))
        });
    }
}
