//! A result of an Every Eval Ever record as a claim.

use assay_formats::Value;
use assay_model::Direction;

use super::claim::{Claim, Count, Interval, Origin, Range, Unit, repeats};
use super::figure::Figure;
use super::names::Names;
use crate::bounds::Bounds;
use crate::parts::{MetricParts, ResultParts};

impl<'d> Claim<'d> {
    /// Reads a result; nothing when it has no score.
    pub(crate) fn of(result: &ResultParts<'d>) -> Option<Self> {
        let score = Figure::of(result.score?)?;
        let metric = result.metric.as_ref()?;
        let names = Names {
            own: [metric.id, metric.name]
                .into_iter()
                .filter_map(|name| name?.text())
                .collect(),
            kind: metric.kind.and_then(Value::text),
            description: metric.description.and_then(Value::text),
            evaluation: result.name.and_then(Value::text),
        };
        let uncertainty = &result.uncertainty;
        let error = uncertainty.standard_error;
        Some(Self {
            known: names.known(),
            names,
            origin: Origin::Record,
            direction: metric.lower_is_better.and_then(|at| {
                let direction = Direction::from_higher_is_better(!at.truth()?);
                Some((direction, Some(at)))
            }),
            unit: metric
                .unit
                .and_then(|at| Some((Unit::named(&at.text()?)?, Some(at)))),
            bounds: bounds(metric.bounds),
            declared: metric.bounds,
            score,
            n: uncertainty.samples.and_then(Count::of),
            repeats: uncertainty
                .samples
                .and_then(|_| stated_repeats(result, metric)),
            standard_error: error
                .and_then(|error| error.get("value"))
                .and_then(Figure::of),
            interval: uncertainty.interval.and_then(interval),
            standard_deviation: uncertainty.standard_deviation.and_then(Figure::of),
            compound: is_clustered(error)
                || metric.llm_scoring.is_some_and(is_judged_by_average)
                || metric.is_reduced()
                || metric.is_scored_as("levels"),
        })
    }
}

/// Returns the number of times each sample was asked, wherever the record states it.
fn stated_repeats(result: &ResultParts<'_>, metric: &MetricParts<'_>) -> Option<u64> {
    let generation = result.generation;
    repeats([
        result.details,
        metric.root.get("metric_parameters"),
        metric.root.get("additional_details"),
        generation,
        generation.and_then(|generation| generation.get("additional_details")),
    ])
}

/// The bounds, when both are numbers and not the wrong way round.
pub(super) fn bounds(bounds: Bounds) -> Option<Range> {
    let finite = |bound: Option<f64>| bound.filter(|bound| bound.is_finite());
    let (min, max) = (finite(bounds.min)?, finite(bounds.max)?);
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

/// Returns whether the method of a standard error says that samples hang together.
fn is_clustered(error: Option<Value<'_>>) -> bool {
    error
        .and_then(|error| error.text_of("method"))
        .is_some_and(|method| method.to_ascii_lowercase().contains("cluster"))
}

/// Returns whether judges give marks that are averaged, so that a sample can be half right.
fn is_judged_by_average(scoring: Value<'_>) -> bool {
    scoring
        .text_of("aggregation_method")
        .is_some_and(|method| method != "majority_vote")
}
