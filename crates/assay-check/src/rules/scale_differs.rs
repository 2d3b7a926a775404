use assay_formats::Value;

use crate::collection::Declared;
use crate::rule::rule;
use crate::rules::other_samples;
use crate::sink::{Draft, Sink};

rule! {
    /// A result declares another scale than most results of its evaluation
    ///
    /// Results of one evaluation are compared on one board, so they need one direction, one pair of
    /// bounds and one unit. The rule looks at evaluations with five results or more, of which four
    /// in five agree, and reports those that do not.
    ///
    /// ## What to do
    ///
    /// Correct `lower_is_better`, `min_score` and `max_score`, or `metric_unit`, and the score with
    /// them. If the result is of another metric, give it another `metric_id` or `evaluation_name`.
    SCALE_DIFFERS = (611, "scale-differs", Warning)
}

pub(crate) fn report(
    result: Value<'_>,
    declared: Declared,
    same: usize,
    other: usize,
    sink: &mut Sink<'_>,
) {
    let Some(metric) = result.get("metric_config") else {
        return;
    };
    let (key, words) = match declared {
        Declared::Direction => ("lower_is_better", "another direction"),
        Declared::Bounds => ("max_score", "other bounds"),
        Declared::Unit => ("metric_unit", "another unit"),
        Declared::Samples => return other_samples::report(result, same, other, sink),
    };
    let at = metric.get(key).unwrap_or(metric);
    sink.report(&SCALE_DIFFERS, at, || {
        Draft::new(format!(
            "this result declares {words} than {same} of {} results of its evaluation",
            same + other
        ))
        .help(format!(
            "correct `{key}` and the score, or name another metric"
        ))
    });
}
