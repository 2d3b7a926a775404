//! What a benchmark defines, as columns.

use assay_model::{Benchmark, Direction, Metric, ValueType};

use crate::batch::{Batch, Cell};

/// Adds a row for each metric of a benchmark.
pub(crate) fn push_metrics(name: &str, id: &str, benchmark: &Benchmark, batch: &mut Batch) {
    for (position, metric) in benchmark.metrics.iter().enumerate() {
        push_metric(name, id, metric, position, batch);
    }
}

fn push_metric(name: &str, id: &str, metric: &Metric, position: usize, batch: &mut Batch) {
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
    ]);
}
