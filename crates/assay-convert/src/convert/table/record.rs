use assay_formats::eee::record::{
    Bound, Details, EvaluationResult, GenerationConfig, Library, MetricConfig, ModelInfo, Record,
    ScoreDetails, SourceData, SourceMetadata, StandardError, Uncertainty,
};
use assay_model::{Date, Relationship, Timestamp};

use super::mapping::{Mapping, MetricMapping, fill};
use super::{RowRecord, TableRow};
use crate::convert::Identity;
use crate::convert::run::{SETUP_KEYS, UNKNOWN};

/// Number of digits behind a comma that parts thousands.
const THOUSANDS: usize = 3;

/// Makes the record of a row, or says why there is none.
pub(super) fn record_of(
    mapping: &Mapping,
    row: &TableRow,
    retrieved: &str,
) -> Result<RowRecord, String> {
    let (model, parenthesis) = model_of(mapping, row)?;
    let setup = setup_of(mapping, row, parenthesis);
    let evaluated = evaluated(mapping, row)?;
    let mut results = Vec::new();
    let mut without_number = 0;
    for metric in &mapping.metrics {
        for column in &metric.columns {
            match result(mapping, metric, column, row)? {
                Some(result) => results.push(result),
                None => without_number += 1,
            }
        }
    }
    if results.is_empty() {
        return Err("it has no score that is a number".to_owned());
    }
    for result in &mut results {
        result.evaluation_timestamp.clone_from(&evaluated);
        if !setup.is_empty() {
            result.generation_config = Some(GenerationConfig {
                additional_details: setup.clone(),
                ..GenerationConfig::default()
            });
        }
    }
    let content: Vec<&[u8]> = row
        .iter()
        .flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()])
        .collect();
    let identity = Identity::new(&mapping.benchmark, &model.id, &content);
    let id = identity.evaluation_id(&mapping.benchmark, &model.id, evaluated.as_deref());
    let (source, library) = (source_of(mapping), library_of(mapping));
    let mut record = Record::new(id, retrieved.to_owned(), source, library, model);
    record.evaluation_timestamp = evaluated;
    record.evaluation_results = results;
    Ok(RowRecord {
        identity,
        record,
        without_number,
    })
}

/// The model, and what stands in parentheses behind its name.
fn model_of(mapping: &Mapping, row: &TableRow) -> Result<(ModelInfo, Option<String>), String> {
    let own = &mapping.model;
    let shown = fill(&own.name, row).ok_or("it names no model")?;
    let id = own
        .id
        .as_ref()
        .map_or(Some(shown.clone()), |id| fill(id, row));
    let id = id.ok_or_else(|| format!("`{shown}` has no model id"))?;
    let (id, parenthesis) = match &own.parenthesis {
        Some(_) => without_parenthesis(&id),
        None => (id.as_str(), None),
    };
    let (maker, name) = match id.split_once('/') {
        Some((maker, name)) => (maker.trim().to_owned(), name),
        None => (developer_of(mapping, id).to_owned(), id),
    };
    let joined = |text: &str| {
        text.replace('/', "_")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join("-")
    };
    let mut model = ModelInfo::new(
        shown.clone(),
        format!("{}/{}", joined(&maker), joined(name)),
    );
    model.developer = (maker != UNKNOWN).then_some(maker);
    Ok((model, parenthesis))
}

/// The developer whose names begin so; the longest beginning wins. Case does not count.
fn developer_of<'m>(mapping: &'m Mapping, name: &str) -> &'m str {
    let name = name.to_lowercase();
    let developers = mapping.model.developers.iter();
    developers
        .filter(|(beginning, _)| name.starts_with(&beginning.to_lowercase()))
        .max_by_key(|(beginning, _)| beginning.len())
        .map_or(UNKNOWN, |(_, developer)| developer.as_str())
}

fn without_parenthesis(name: &str) -> (&str, Option<String>) {
    let inner = name.trim_end().strip_suffix(')');
    match inner.and_then(|text| text.rsplit_once('(')) {
        Some((before, inside)) if !before.trim().is_empty() => {
            (before.trim_end(), Some(inside.trim().to_owned()))
        }
        Some(_) | None => (name, None),
    }
}

/// Returns the setup that tells this result from others of the model, as details of the generation.
fn setup_of(mapping: &Mapping, row: &TableRow, parenthesis: Option<String>) -> Details {
    let filled = mapping.setup.iter();
    let mut setup: Details = filled
        .filter_map(|(name, text)| Some((name.clone(), fill(text, row)?)))
        .collect();
    if let (Some(name), Some(inside)) = (&mapping.model.parenthesis, parenthesis) {
        setup.insert(name.clone(), inside);
    }
    if !setup.is_empty() {
        let keys: Vec<&str> = setup.keys().map(String::as_str).collect();
        let keys = keys.join(",");
        setup.insert(SETUP_KEYS.to_owned(), keys);
    }
    setup
}

/// Returns the time of the evaluation, as Unix seconds.
fn evaluated(mapping: &Mapping, row: &TableRow) -> Result<Option<String>, String> {
    let Some(text) = mapping
        .evaluated
        .as_ref()
        .and_then(|column| row.get(column))
    else {
        return Ok(None);
    };
    let date: Date = text
        .parse()
        .map_err(|error| format!("`{text}` is no date: {error}"))?;
    let stamp = Timestamp::of_date(&date).ok_or_else(|| format!("no calendar has `{text}`"))?;
    Ok(Some(stamp.seconds().to_string()))
}

fn result(
    mapping: &Mapping,
    metric: &MetricMapping,
    column: &str,
    row: &TableRow,
) -> Result<Option<EvaluationResult>, String> {
    let Some(score) = row.get(column).and_then(|text| number(text)) else {
        return Ok(None);
    };
    let named = metric.evaluation.replace("{column}", column);
    let evaluation =
        fill(&named, row).ok_or_else(|| format!("a column that `{named}` names is empty"))?;
    let samples = metric.samples.as_ref().and_then(|text| fill(text, row));
    let num_samples = samples.and_then(|text| text.parse().ok());
    let error = metric
        .standard_error
        .as_ref()
        .and_then(|column| row.get(column));
    let standard_error = error
        .and_then(|text| number(text))
        .map(|value| StandardError {
            value,
            method: None,
        });
    let is_known = num_samples.is_some() || standard_error.is_some();
    Ok(Some(EvaluationResult {
        evaluation_result_id: format!("{evaluation}::{}", metric.id),
        evaluation_name: evaluation,
        source_data: data_of(mapping),
        evaluation_timestamp: None,
        metric_config: config_of(metric),
        score_details: ScoreDetails {
            score,
            details: Details::from([("column".to_owned(), column.to_owned())]),
            uncertainty: is_known.then(|| Uncertainty {
                standard_error,
                num_samples,
                ..Uncertainty::default()
            }),
        },
        generation_config: None,
    }))
}

/// A number as tables write it: `1,234.5`, or `56.3%` for 56.3. `56,3` is none: the comma may be
/// that of decimals.
fn number(text: &str) -> Option<f64> {
    let text = text.trim().trim_end_matches('%').trim_end();
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let mut groups = whole.split(',').skip(1);
    if decimals.contains(',') || !groups.all(|group| group.len() == THOUSANDS) {
        return None;
    }
    let number: f64 = text.replace(',', "").parse().ok()?;
    number.is_finite().then_some(number)
}

fn config_of(metric: &MetricMapping) -> MetricConfig {
    let (low, high) = metric.scale();
    MetricConfig {
        metric_id: Some(metric.id.clone()),
        metric_name: Some(metric.name.clone().unwrap_or_else(|| metric.id.clone())),
        metric_unit: metric.unit.clone(),
        lower_is_better: metric.lower_is_better,
        score_type: Some("continuous"),
        min_score: low.map(Bound::from),
        max_score: high.map(Bound::from),
        ..MetricConfig::default()
    }
}

fn data_of(mapping: &Mapping) -> SourceData {
    let source = &mapping.source;
    match &source.dataset {
        Some(dataset) => SourceData::HfDataset {
            dataset_name: mapping.benchmark.clone(),
            hf_repo: Some(dataset.clone()),
            hf_split: None,
            samples_number: None,
            sample_ids: Vec::new(),
            additional_details: Details::from([("table".to_owned(), source.url.clone())]),
        },
        None => SourceData::Url {
            dataset_name: mapping.benchmark.clone(),
            url: vec![source.url.clone()],
            additional_details: Details::new(),
        },
    }
}

fn source_of(mapping: &Mapping) -> SourceMetadata {
    let source = &mapping.source;
    let relationship = source.relationship.unwrap_or(Relationship::ThirdParty);
    SourceMetadata {
        source_name: Some(source.name.clone()),
        source_type: "documentation",
        source_organization_name: source.organization.clone(),
        source_organization_url: source.organization_url.clone(),
        source_organization_logo_url: None,
        evaluator_relationship: relationship.as_str(),
        additional_details: Details::new(),
    }
}

fn library_of(mapping: &Mapping) -> Library {
    let said = |text: &Option<String>| text.clone().unwrap_or_else(|| UNKNOWN.to_owned());
    Library {
        name: said(&mapping.source.library),
        version: said(&mapping.source.library_version),
        additional_details: Details::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_tables_write_them() {
        for (text, expected) in [
            ("56.3%", Some(56.3)),
            ("1,234.5", Some(1234.5)),
            ("-2", Some(-2.0)),
            ("1,234,567", Some(1_234_567.0)),
            ("56,3", None),
            ("1.5,000", None),
            ("N/A", None),
            ("inf", None),
            ("", None),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
    }

    #[test]
    fn a_parenthesis_behind_a_name_is_told_apart() {
        assert_eq!(
            without_parenthesis("Model X (FC)"),
            ("Model X", Some("FC".to_owned()))
        );
        assert_eq!(without_parenthesis("(FC)"), ("(FC)", None));
        assert_eq!(without_parenthesis("Model X"), ("Model X", None));
    }
}
