//! A result of an Every Eval Ever record as a claim.

use assay_formats::Value;
use assay_model::Direction;

use super::claim::{Claim, Count, Interval, Range, Unit};
use super::figure::Figure;
use super::names::Names;

/// Reads a result; nothing when it has no score.
pub(super) fn claim(result: Value<'_>) -> Option<Claim<'_>> {
    let details = result.get("score_details")?;
    let score = Figure::of(details.get("score")?)?;
    let metric = result.get("metric_config")?;
    let names = Names {
        own: ["metric_id", "metric_name"]
            .iter()
            .filter_map(|key| metric.text_of(key))
            .collect(),
        kind: metric.text_of("metric_kind"),
        description: metric.text_of("evaluation_description"),
        evaluation: result.text_of("evaluation_name"),
    };
    let uncertainty = details.present("uncertainty");
    let of = |key: &str| uncertainty.and_then(|value| value.present(key));
    let error = of("standard_error");
    Some(Claim {
        known: names.known(),
        names,
        direction: metric.get("lower_is_better").and_then(|at| {
            let direction = Direction::from_higher_is_better(!at.truth()?);
            Some((direction, at))
        }),
        unit: metric
            .get("metric_unit")
            .and_then(|at| Some((Unit::named(&at.text()?)?, Some(at)))),
        bounds: bounds(metric),
        score,
        n: of("num_samples").and_then(Count::of),
        standard_error: error
            .and_then(|error| error.get("value"))
            .and_then(Figure::of),
        interval: of("confidence_interval").and_then(interval),
        standard_deviation: of("standard_deviation").and_then(Figure::of),
        compound: is_clustered(error) || is_judged_by_average(metric) || has_levels(metric),
    })
}

fn bounds(metric: Value<'_>) -> Option<Range> {
    let (min, max) = (
        metric.number_of("min_score")?,
        metric.number_of("max_score")?,
    );
    (min < max).then_some(Range { min, max })
}

fn interval(at: Value<'_>) -> Option<Interval<'_>> {
    let lower = Figure::of(at.get("lower")?)?;
    let upper = Figure::of(at.get("upper")?)?;
    Some(Interval {
        lower: lower.value,
        upper: upper.value,
        unit: lower.unit.max(upper.unit),
        level: at
            .number_of("confidence_level")
            .filter(|level| *level > 0.0 && *level < 1.0),
        at,
    })
}

/// Whether the method of a standard error says that samples hang together.
fn is_clustered(error: Option<Value<'_>>) -> bool {
    error
        .and_then(|error| error.text_of("method"))
        .is_some_and(|method| method.to_ascii_lowercase().contains("cluster"))
}

/// Whether judges give marks that are averaged, so that a sample can be half right.
fn is_judged_by_average(metric: Value<'_>) -> bool {
    metric
        .get("llm_scoring")
        .and_then(|scoring| scoring.text_of("aggregation_method"))
        .is_some_and(|method| method != "majority_vote")
}

fn has_levels(metric: Value<'_>) -> bool {
    metric
        .get("score_type")
        .is_some_and(|kind| kind.is_text("levels"))
}
