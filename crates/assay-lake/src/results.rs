//! Entries of result files as columns.

use assay_check::{Context, ResultFile};
use assay_model::{Date, Entry, Finding, Number, Score, Setup};

use crate::batch::{Batch, Cell};
use crate::error::{Error, Result};
use crate::moment::microseconds;

/// Which rows of `results` come from a result file.
const ORIGIN: &str = "entry";

/// One score of an entry, and where it stands.
struct ScorePlace<'e> {
    entry: &'e Entry,
    score: &'e Score,
    /// The entry of the file, from 0.
    ordinal: usize,
    /// The score of the file, from 0.
    position: u64,
}

/// Returns the warnings about each entry of a result file that follow from the file alone; none
/// when it has other entries by now.
pub(crate) fn findings_of(path: &str, entries: usize) -> Result<Vec<Vec<Finding>>> {
    let bytes = fs_err::read(path).map_err(Error::io("read", path))?;
    let file = ResultFile::read(bytes, Context::DEFAULT_LIMIT);
    let found: Vec<Vec<Finding>> = file
        .entries()
        .into_iter()
        .flatten()
        .map(|entry| entry.findings().to_vec())
        .collect();
    Ok(if found.len() == entries {
        found
    } else {
        Vec::new()
    })
}

/// Adds a row for each score of a result file, and returns how many there are.
pub(crate) fn push_entries(
    (model, id): (&str, &str),
    entries: &[Entry],
    findings: &[Vec<Finding>],
    batch: &mut Batch,
) -> u64 {
    let mut position = 0;
    for (ordinal, entry) in entries.iter().enumerate() {
        let own = findings.get(ordinal).filter(|own| !own.is_empty());
        let findings = own.and_then(|own| serde_json::to_string(own).ok());
        for score in &entry.scores {
            let place = ScorePlace {
                entry,
                score,
                ordinal,
                position,
            };
            push_score(model, id, &place, findings.as_deref(), batch);
            position += 1;
        }
    }
    position
}

fn push_score(
    model: &str,
    id: &str,
    place: &ScorePlace<'_>,
    findings: Option<&str>,
    batch: &mut Batch,
) {
    let ScorePlace { entry, score, .. } = place;
    let moment = |date: &Option<Date>| date.as_ref().and_then(|date| microseconds(date.as_str()));
    let whole = |number: Option<u64>| Cell::Integer(number.and_then(|own| i64::try_from(own).ok()));
    let number = |number: Option<Number>| Cell::Number(number.map(Number::get));
    let benchmark = entry.dataset.to_string();
    let dataset_revision = entry.dataset_revision.as_ref().map(ToString::to_string);
    let model_revision = entry.model_revision.as_ref().map(ToString::to_string);
    let framework = entry.framework.as_ref();
    let source = entry.source.as_ref();
    let credited = source.and_then(|source| source.org.as_deref().or(source.user.as_deref()));
    let evaluator = entry.provenance.evaluator.as_ref();
    let reported_by = evaluator.and_then(|evaluator| evaluator.name.as_deref());
    let relationship = evaluator.map(|evaluator| evaluator.relationship.as_str());
    let uncertainty = &score.uncertainty;
    let interval = uncertainty.interval.as_ref();
    let setup = entry.full_setup();
    let temperature = setup.get("temperature").and_then(|text| text.parse().ok());
    let cost = &entry.provenance.cost;
    batch.push(&[
        Cell::Text(Some(&benchmark)),
        Cell::Text(Some(entry.task.as_str())),
        Cell::Text(Some(model)),
        Cell::Text(score.metric.as_ref().map(assay_model::MetricId::as_str)),
        Cell::Number(Some(score.value.get())),
        // Only the benchmark knows which way its metrics improve: the table `metrics` has that.
        Cell::Truth(None),
        Cell::Text(score.value_type.map(assay_model::ValueType::as_str)),
        Cell::Text(None),
        Cell::Number(None),
        Cell::Number(None),
        number(uncertainty.standard_error),
        number(interval.map(|interval| interval.low)),
        number(interval.map(|interval| interval.high)),
        number(interval.and_then(|interval| interval.level)),
        Cell::Number(None),
        whole(score.sample_size.or(entry.sample_size)),
        Cell::Text(score.slice.as_deref()),
        Cell::Text(Some(&benchmark)),
        Cell::Text(dataset_revision.as_deref()),
        Cell::Text(model_revision.as_deref()),
        Cell::Text(framework.and_then(|own| own.name.as_deref())),
        Cell::Text(reported_by.or(credited)),
        Cell::Text(relationship),
        Cell::Moment(moment(&entry.date)),
        Cell::Number(temperature),
        Cell::Text(Some(ORIGIN)),
        Cell::Text(Some(id)),
        Cell::Text(None),
        whole(Some(place.position)),
        Cell::Integer(i64::try_from(place.ordinal).ok()),
        Cell::Text(entry.subset.as_deref()),
        Cell::Text(setup_text(&setup).as_deref()),
        Cell::Text(findings),
        Cell::Text(entry.notes.as_deref()),
        Cell::Text(uncertainty.method.as_deref()),
        Cell::Text(framework.and_then(|own| own.version.as_deref())),
        Cell::Text(source.and_then(|source| source.name.as_deref())),
        Cell::Text(source.map(|source| source.url.as_str())),
        Cell::Moment(moment(&entry.provenance.published)),
        Cell::Moment(moment(&entry.provenance.retrieved)),
        number(cost.usd),
        whole(cost.tokens),
        number(cost.seconds),
        Cell::Text(cost.hardware.as_deref()),
    ]);
}

/// Returns a setup as JSON text; none when nothing of it was reported.
pub(crate) fn setup_text(setup: &Setup) -> Option<String> {
    let is_known = !setup.is_empty();
    is_known
        .then(|| serde_json::to_string(setup).ok())
        .flatten()
}
