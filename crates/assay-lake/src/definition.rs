//! What a benchmark defines, as columns.

use assay_model::{Benchmark, Direction, Metric, Number, ValueType};

use crate::batch::{Batch, Cell};

/// Adds a row for each metric of a benchmark.
pub(crate) fn push_metrics(name: &str, id: &str, benchmark: &Benchmark, batch: &mut Batch) {
    let comparable_by = (!benchmark.comparable_by.is_empty())
        .then(|| serde_json::to_string(&benchmark.comparable_by).ok())
        .flatten();
    for (position, metric) in benchmark.metrics.iter().enumerate() {
        push_metric(
            name,
            id,
            (metric, comparable_by.as_deref()),
            position,
            batch,
        );
    }
}

fn push_metric(
    name: &str,
    id: &str,
    (metric, comparable_by): (&Metric, Option<&str>),
    position: usize,
    batch: &mut Batch,
) {
    let lower_is_better = metric.direction == Direction::LowerIsBetter;
    batch.push(&[
        Cell::Text(Some(name)),
        Cell::Text(Some(metric.id.as_str())),
        Cell::Text(Some(&metric.display_name)),
        Cell::Truth(Some(lower_is_better)),
        Cell::Truth(Some(metric.primary)),
        Cell::Text(metric.unit.as_deref()),
        Cell::Text(metric.aggregation.as_deref()),
        Cell::Text(metric.slice.as_deref()),
        Cell::Text(metric.value_type.map(ValueType::as_str)),
        Cell::Text(Some(id)),
        Cell::Integer(i64::try_from(position).ok()),
        Cell::Number(metric.min.map(Number::get)),
        Cell::Number(metric.max.map(Number::get)),
        Cell::Text(comparable_by),
    ]);
}
