//! The facts that a list shows of a record.

use serde::{Deserialize, Serialize};

use crate::Value;

/// The number of scores of one record that are kept.
pub const MAX_FACT_RESULTS: usize = 256;
/// The longest text that is kept, in bytes: longer ones are cut.
pub const MAX_FACT_TEXT: usize = 512;

/// The facts that a list shows of a record, of any version. A fact that the record does not state,
/// or states in another shape, is absent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = RecordFacts))]
pub struct Facts {
    /// The version of the schema it was written by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema_version: Option<String>,
    /// Names the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluation_id: Option<String>,
    /// The time of the evaluation, as the record spells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluation_timestamp: Option<String>,
    /// The time at which the record was made, as it spells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retrieved_timestamp: Option<String>,
    /// The model, as `developer/model`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// The harness that ran the evaluation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub library: Option<String>,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub library_version: Option<String>,
    /// The organisation that reports the scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reported_by: Option<String>,
    /// The relation of the evaluators to the developer of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relationship: Option<String>,
    /// The first scores.
    pub results: Vec<ResultFacts>,
    /// The total number of scores.
    pub total_results: u64,
    /// The file of the samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<String>,
    /// The number of rows of the samples file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample_rows: Option<u64>,
}

/// One score of a record.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = RecordResult))]
pub struct ResultFacts {
    /// The name of the evaluation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// By which metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    /// True if lower values are better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower_is_better: Option<bool>,
    /// The score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

impl Facts {
    /// Reads the facts of a record without validating it.
    pub fn read(record: Value<'_>) -> Self {
        let results = record.get("evaluation_results");
        let all = || results.into_iter().flat_map(Value::items);
        let at = |map: &str, key: &str| text(record.get(map)?.get(key)?);
        let samples = record.get("detailed_evaluation_results");
        Self {
            schema_version: record.get("schema_version").and_then(text),
            evaluation_id: record.get("evaluation_id").and_then(text),
            evaluation_timestamp: record.get("evaluation_timestamp").and_then(text),
            retrieved_timestamp: record.get("retrieved_timestamp").and_then(text),
            model_id: at("model_info", "id"),
            library: at("eval_library", "name"),
            library_version: at("eval_library", "version"),
            reported_by: at("source_metadata", "source_organization_name"),
            relationship: at("source_metadata", "evaluator_relationship"),
            results: all()
                .take(MAX_FACT_RESULTS)
                .map(ResultFacts::read)
                .collect(),
            total_results: all().count() as u64,
            samples: samples.and_then(|samples| text(samples.get("file_path")?)),
            sample_rows: samples.and_then(|samples| {
                let rows = samples.get("total_rows")?.integer()?;
                u64::try_from(rows).ok()
            }),
        }
    }
}

impl ResultFacts {
    fn read(result: Value<'_>) -> Self {
        let config = |key: &str| result.get("metric_config")?.get(key);
        let metric = config("metric_id").and_then(text);
        Self {
            name: result.get("evaluation_name").and_then(text),
            metric: metric.or_else(|| config("metric_name").and_then(text)),
            lower_is_better: config("lower_is_better").and_then(Value::truth),
            score: result
                .get("score_details")
                .and_then(|details| details.get("score"))
                .and_then(Value::number)
                .filter(|score| score.is_finite()),
        }
    }
}

/// The beginning of a text that says something; in old records a moment may be a number.
fn text(value: Value<'_>) -> Option<String> {
    let whole = match value.number() {
        Some(_) => value.raw().to_owned(),
        None => value.text()?.into_owned(),
    };
    let cut = whole.floor_char_boundary(MAX_FACT_TEXT);
    (!whole.trim().is_empty()).then(|| whole[..cut].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tape, json};

    fn read(text: &str) -> Facts {
        let mut tape = Tape::new();
        json::parse(text, &mut tape);
        Facts::read(tape.root(text).unwrap())
    }

    #[test]
    fn a_record_tells_its_model_its_scores_and_its_samples() {
        let facts = read(
            r#"{"schema_version": "0.3.0", "evaluation_id": "sums/a/1", "retrieved_timestamp": "1700000000",
                "model_info": {"id": "acme/tiny", "name": "tiny"}, "eval_library": {"name": "lm_eval", "version": "0.4"},
                "source_metadata": {"source_organization_name": "Acme", "evaluator_relationship": "first_party"},
                "evaluation_results": [{"evaluation_name": "sums", "score_details": {"score": 0.5},
                    "metric_config": {"metric_name": "accuracy", "lower_is_better": false}}],
                "detailed_evaluation_results": {"file_path": "x_samples.jsonl", "total_rows": 7}}"#,
        );

        assert_eq!(facts.model_id.as_deref(), Some("acme/tiny"));
        assert_eq!(facts.reported_by.as_deref(), Some("Acme"));
        assert_eq!((facts.sample_rows, facts.total_results), (Some(7), 1));
        assert_eq!(
            facts.results,
            [ResultFacts {
                name: Some("sums".to_owned()),
                metric: Some("accuracy".to_owned()),
                lower_is_better: Some(false),
                score: Some(0.5),
            }]
        );
    }

    #[test]
    fn what_has_another_shape_is_absent_and_what_is_long_is_cut() {
        let many = vec!["{}"; MAX_FACT_RESULTS + 1].join(",");
        let long = "ä".repeat(MAX_FACT_TEXT);
        let text = format!(
            r#"{{"evaluation_id": "{long}", "model_info": [], "retrieved_timestamp": 17.5, "evaluation_results": [{many}]}}"#
        );

        let facts = read(&text);

        assert_eq!(facts.evaluation_id.unwrap().len(), MAX_FACT_TEXT);
        assert_eq!(facts.retrieved_timestamp.as_deref(), Some("17.5"));
        assert_eq!(facts.model_id, None);
        assert_eq!(facts.results.len(), MAX_FACT_RESULTS);
        assert_eq!(facts.total_results, MAX_FACT_RESULTS as u64 + 1);
        assert_eq!(read("[]"), Facts::default());
    }
}
