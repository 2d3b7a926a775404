use assay_model::Direction;

use crate::bounds::{Bounds, Side, plain};
use crate::forensics::{Claim, Origin, Range, Unit};
use crate::rule::{Rule, rule};
use crate::sink::{Draft, Sink};

rule! {
    /// A value is not one that its metric can have
    ///
    /// The benchmark says what the values of its metric can be, with `min` and `max` or with the
    /// unit: a `proportion` (also `fraction`, `share`, `probability`) runs from 0 to 1, a
    /// `percentage` (also `percent`, `%`) from 0 to 100. `value_type: percentage` says the same.
    /// This value lies outside. On a board it would rank before or after every honest one.
    ///
    /// A declared `min` or `max` goes before the unit on its side. Without one, the unit is not
    /// held against metrics that can honestly leave the scale: error rates and other metrics for
    /// which lower is better may exceed it (a transcript can have more wrong words than the truth
    /// has words), and gains, differences, correlations and normalised scores may lie on either
    /// side. `ratio` and `percentage points` are no limits.
    ///
    /// ## Example
    ///
    /// ```yaml
    /// # eval.yaml: {id: accuracy, display_name: Accuracy, higher_is_better: true, unit: proportion}
    /// - dataset: {id: acme/sums, task_id: main}
    ///   metrics: [{metric_id: accuracy, value: 61.0}]
    /// ```
    ///
    /// ## What to do
    ///
    /// Write the value in the unit of the metric, here 0.61. Leave the value out when there is
    /// none: `-1` is read as a score. If the metric can have such values, its benchmark declares
    /// `min` and `max`.
    IMPOSSIBLE_VALUE = (328, "impossible-value", Error)
}

rule! {
    /// A score is not one that its unit allows
    ///
    /// `metric_unit` says that scores are proportions, which run from 0 to 1, or per cent, which
    /// run from 0 to 100. This one lies outside, and the metric declares no bound on that side. (A
    /// score outside a declared bound is AY416.)
    ///
    /// The unit is not held against metrics that can honestly leave the scale: error rates and
    /// other metrics for which lower is better may exceed it, and gains, differences, correlations
    /// and normalised scores may lie on either side. `ratio` and `percentage points` are no limits.
    ///
    /// ## Example
    ///
    /// ```json
    /// { "metric_config": { "metric_name": "accuracy", "metric_unit": "proportion", "lower_is_better": false },
    ///   "score_details": { "score": 61.0 } }
    /// ```
    ///
    /// ## What to do
    ///
    /// Write the score in its unit, here 0.61, or correct `metric_unit`. If the metric can have
    /// such scores, declare `min_score` and `max_score`.
    IMPOSSIBLE_SCORE = (436, "impossible-score", Error)
}

/// Validates a score against what its metric can be; returns whether it was refused.
pub(crate) fn check(claim: &Claim<'_>, sink: &mut Sink<'_>) -> bool {
    match claim.origin {
        // The bounds of a record have a rule of their own.
        Origin::Record => outside_unit(claim, &IMPOSSIBLE_SCORE, sink),
        Origin::Entry => {
            outside_bounds(claim, sink) || outside_unit(claim, &IMPOSSIBLE_VALUE, sink)
        }
    }
}

fn outside_bounds(claim: &Claim<'_>, sink: &mut Sink<'_>) -> bool {
    let (bounds, score) = (claim.declared, claim.score);
    if bounds.outside(score.value).is_none() {
        return false;
    }
    sink.report(&IMPOSSIBLE_VALUE, score.at, || {
        Draft::new(format!(
            "the value {} is outside the bounds of its metric, {}",
            score.text(),
            bounds.words()
        ))
        .note("the benchmark declares them with `min` and `max`")
        .help(bounds.advice(score.value))
    });
    true
}

fn outside_unit(claim: &Claim<'_>, rule: &'static Rule, sink: &mut Sink<'_>) -> bool {
    let Some((unit, _)) = claim.unit else {
        return false;
    };
    let (name, range) = match unit {
        Unit::Percent => ("a percentage", Range::PERCENT),
        Unit::Proportion => ("a proportion", Range::PROPORTION),
        Unit::PercentagePoints => return false,
    };
    // A declared bound goes before the unit on its side.
    let open = Bounds {
        min: claim.declared.min.is_none().then_some(range.min),
        max: (claim.declared.max.is_none() && !can_exceed(claim)).then_some(range.max),
    };
    let Some(side) = open.outside(claim.score.value) else {
        return false;
    };
    if claim.names.can_leave_scale() {
        return false;
    }
    sink.report(rule, claim.score.at, || {
        let amount = match side {
            Side::Below => "less",
            Side::Above => "more",
        };
        Draft::new(format!(
            "{} is {amount} than {name} can be",
            claim.score.text()
        ))
        .note(format!("{name} runs from {}", range.words()))
        .help(advice(claim, unit, side))
    });
    true
}

/// Returns whether the score may be more than the whole: a metric that is better when low counts
/// faults, of which there can be more than there are things to get right.
fn can_exceed(claim: &Claim<'_>) -> bool {
    claim.improves() == Some(Direction::LowerIsBetter)
}

/// The next step for a score outside its unit.
fn advice(claim: &Claim<'_>, unit: Unit, side: Side) -> String {
    let [min, max] = match claim.origin {
        Origin::Record => ["min_score", "max_score"],
        Origin::Entry => ["min", "max"],
    };
    let score = claim.score.value;
    match side {
        Side::Above if unit == Unit::Proportion && score <= 100.0 => format!(
            "write {} if per cent are meant, or correct the unit of the metric",
            plain(score / 100.0)
        ),
        Side::Above => {
            format!("correct the score, or declare `{max}` if the metric can exceed the unit")
        }
        Side::Below => format!(
            "leave the score out when there is none, or declare `{min}` if the metric can be negative"
        ),
    }
}
