//! Entries of result files as columns.

use assay_model::{Entry, Score};

use crate::batch::{Batch, Cell};
use crate::moment::microseconds;

/// Which rows of `results` come from a result file.
const ORIGIN: &str = "entry";

/// Adds a row for each score of a result file, and returns how many there are.
pub(crate) fn push_entries(model: &str, id: &str, entries: &[Entry], batch: &mut Batch) -> u64 {
    let scores = entries
        .iter()
        .flat_map(|entry| entry.scores.iter().map(move |score| (entry, score)));
    let mut count = 0;
    for (entry, score) in scores {
        push_score(model, id, (entry, score), count, batch);
        count += 1;
    }
    count
}

fn push_score(
    model: &str,
    id: &str,
    (entry, score): (&Entry, &Score),
    position: u64,
    batch: &mut Batch,
) {
    let benchmark = entry.dataset.to_string();
    let dataset_revision = entry.dataset_revision.as_ref().map(ToString::to_string);
    let model_revision = entry.model_revision.as_ref().map(ToString::to_string);
    let library = entry.framework.as_ref().and_then(|own| own.name.as_deref());
    let source = entry.source.as_ref();
    let reported_by = source.and_then(|source| source.org.as_deref().or(source.user.as_deref()));
    let evaluated_at = entry
        .date
        .as_ref()
        .and_then(|date| microseconds(date.as_str()));
    let samples = score.sample_size.or(entry.sample_size);
    let slice = score.slice.as_deref().or(entry.subset.as_deref());
    batch.push(&[
        Cell::Text(Some(&benchmark)),
        Cell::Text(Some(entry.task.as_str())),
        Cell::Text(Some(model)),
        Cell::Text(score.metric.as_ref().map(assay_model::MetricId::as_str)),
        Cell::Number(Some(score.value.get())),
        // Only the benchmark knows which way its metrics improve: the table `metrics` has that.
        Cell::Truth(None),
        Cell::Text(None),
        Cell::Text(None),
        Cell::Number(None),
        Cell::Number(None),
        Cell::Number(None),
        Cell::Number(None),
        Cell::Number(None),
        Cell::Number(None),
        Cell::Number(None),
        Cell::Integer(samples.and_then(|number| i64::try_from(number).ok())),
        Cell::Text(slice),
        Cell::Text(Some(&benchmark)),
        Cell::Text(dataset_revision.as_deref()),
        Cell::Text(model_revision.as_deref()),
        Cell::Text(library),
        Cell::Text(reported_by),
        Cell::Text(None),
        Cell::Moment(evaluated_at),
        Cell::Number(None),
        Cell::Text(Some(ORIGIN)),
        Cell::Text(Some(id)),
        Cell::Text(None),
        Cell::Integer(i64::try_from(position).ok()),
    ]);
}
