//! A supplement: a file in which a person adds what a log does not say. Its form is that of the
//! reference's supplemental file for Inspect; here it serves every harness.

use std::collections::BTreeMap;

use assay_formats::eee::record::{Bound, Details, EvaluationResult, ModelInfo, SourceData};
use serde::Deserialize;
use serde_json::Value as Json;

/// Details as a person writes them; what is no text becomes its JSON.
type FreeDetails = BTreeMap<String, Json>;

/// A supplement as it stands in its file.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Supplement {
    model_info: MoreDetails,
    source_data: MoreDetails,
    generation_config: MoreDetails,
    agentic_eval_config: MoreDetails,
    evaluation_results: Vec<MoreOfResult>,
}

#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct MoreDetails {
    additional_details: FreeDetails,
}

#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct MoreOfResult {
    evaluation_result_id: Option<String>,
    evaluation_name: Option<String>,
    metric_config: MoreOfMetric,
    score_details: MoreOfScore,
}

#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct MoreOfMetric {
    evaluation_description: Option<String>,
    lower_is_better: Option<bool>,
    min_score: Option<f64>,
    max_score: Option<f64>,
    metric_id: Option<String>,
    metric_kind: Option<String>,
    metric_unit: Option<String>,
    metric_parameters: BTreeMap<String, Json>,
    additional_details: FreeDetails,
}

#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct MoreOfScore {
    details: FreeDetails,
}

/// The reason why a file is no supplement.
#[derive(Debug, thiserror::Error)]
pub enum SupplementError {
    /// It is no JSON, or has a field that a supplement has not.
    #[error("it is not a supplement")]
    Syntax(#[source] serde_json::Error),
    /// An entry names a result in two ways, which would be two results.
    #[error(
        "`evaluation_results[{0}]` has `evaluation_result_id` and `evaluation_name`; keep one of them"
    )]
    TwoNames(usize),
    /// Two entries name one result.
    #[error("two entries of `evaluation_results` are for `{0}`; join them")]
    Twice(String),
}

impl std::str::FromStr for Supplement {
    type Err = SupplementError;

    fn from_str(text: &str) -> Result<Self, SupplementError> {
        let own: Self = serde_json::from_str(text).map_err(SupplementError::Syntax)?;
        let mut names = std::collections::BTreeSet::new();
        for (position, entry) in own.evaluation_results.iter().enumerate() {
            if entry.evaluation_result_id.is_some() && entry.evaluation_name.is_some() {
                return Err(SupplementError::TwoNames(position));
            }
            if let Some(name) = entry.name()
                && !names.insert(name)
            {
                return Err(SupplementError::Twice(name.to_owned()));
            }
        }
        Ok(own)
    }
}

impl Supplement {
    /// The ids and names by which it selects results.
    pub fn selectors(&self) -> impl Iterator<Item = &str> {
        self.evaluation_results
            .iter()
            .filter_map(MoreOfResult::name)
    }

    /// Adds to a model and its results. Details that the log has stay as they are; what is said of
    /// a metric wins.
    pub(super) fn apply(&self, model: &mut ModelInfo, results: &mut [EvaluationResult]) {
        extend(
            &mut model.additional_details,
            &self.model_info.additional_details,
        );
        let unnamed = self
            .evaluation_results
            .iter()
            .filter(|own| own.name().is_none());
        let mut unnamed = unnamed.into_iter();
        for result in results {
            extend(
                details_of(&mut result.source_data),
                &self.source_data.additional_details,
            );
            let generation = [&self.generation_config, &self.agentic_eval_config];
            for more in generation.map(|own| &own.additional_details) {
                if !more.is_empty() {
                    let own = result.generation_config.get_or_insert_default();
                    extend(&mut own.additional_details, more);
                }
            }
            if let Some(more) = self.of_result(result).or_else(|| unnamed.next()) {
                more.apply(result);
            }
        }
    }

    fn of_result(&self, result: &EvaluationResult) -> Option<&MoreOfResult> {
        let by = |name: fn(&MoreOfResult) -> &Option<String>, wanted: &str| {
            let mut entries = self.evaluation_results.iter();
            entries.find(|own| name(own).as_deref() == Some(wanted))
        };
        // An id selects one result, a name all results of an evaluation, so the id comes first.
        by(
            |own| &own.evaluation_result_id,
            &result.evaluation_result_id,
        )
        .or_else(|| by(|own| &own.evaluation_name, &result.evaluation_name))
    }
}

impl MoreOfResult {
    fn name(&self) -> Option<&str> {
        self.evaluation_result_id
            .as_deref()
            .or(self.evaluation_name.as_deref())
    }

    fn apply(&self, result: &mut EvaluationResult) {
        extend(
            &mut result.score_details.details,
            &self.score_details.details,
        );
        let (own, more) = (&mut result.metric_config, &self.metric_config);
        let texts = [
            (
                &mut own.evaluation_description,
                &more.evaluation_description,
            ),
            (&mut own.metric_id, &more.metric_id),
            (&mut own.metric_kind, &more.metric_kind),
            (&mut own.metric_unit, &more.metric_unit),
        ];
        for (own, said) in texts {
            if said.is_some() {
                own.clone_from(said);
            }
        }
        own.lower_is_better = more.lower_is_better.unwrap_or(own.lower_is_better);
        own.min_score = more.min_score.map(Bound::At).or(own.min_score);
        own.max_score = more.max_score.map(Bound::At).or(own.max_score);
        let parameters = more.metric_parameters.clone();
        own.metric_parameters.extend(parameters);
        extend(&mut own.additional_details, &more.additional_details);
    }
}

fn details_of(source: &mut SourceData) -> &mut Details {
    match source {
        SourceData::Url {
            additional_details, ..
        }
        | SourceData::HfDataset {
            additional_details, ..
        }
        | SourceData::Other {
            additional_details, ..
        } => additional_details,
    }
}

fn extend(details: &mut Details, more: &FreeDetails) {
    for (key, value) in more {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        details.entry(key.clone()).or_insert(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_that_select_in_two_ways_or_twice_and_unknown_fields_are_refused() {
        for (text, expected) in [
            (
                r#"{"evaluation_results": [{"evaluation_name": "a", "evaluation_result_id": "b"}]}"#,
                "keep one of them",
            ),
            (
                r#"{"evaluation_results": [{"evaluation_name": "a"}, {"evaluation_name": "a"}]}"#,
                "for `a`",
            ),
            (r#"{"models": {}}"#, "not a supplement"),
        ] {
            let error = text.parse::<Supplement>().unwrap_err().to_string();

            assert!(error.contains(expected), "{error}");
        }
    }
}
