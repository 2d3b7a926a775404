use std::collections::BTreeMap;

use assay_formats::eee::setup_of;
use assay_model::{Number, Revision, Setup};
use serde::Deserialize;
use serde_json::Value as Json;

use crate::convert::{Harness, RUN_STATUS};

/// The keys under which records have the commit of the model, by the harness that wrote the log.
const MODEL_COMMITS: [&str; 3] = ["sha", "model_sha", "revision"];
/// The prefix of the status of a run that did not finish, or not well.
const INCOMPLETE: &str = "incomplete: ";

/// One score that a log holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The log.
    pub log: String,
    /// The harness that wrote it.
    pub harness: Option<Harness>,
    /// The run.
    pub evaluation_id: String,
    /// The model, as `developer/model` and as the log names it.
    pub model: [String; 2],
    /// The name of the evaluation.
    pub evaluation_name: String,
    /// The data: its name, and its repository.
    pub dataset: [Option<String>; 2],
    /// The result.
    pub result_id: String,
    /// The metric, by its stable name and by its name for people.
    pub metric: [Option<String>; 2],
    /// The unit of the score.
    pub unit: Option<String>,
    /// The score.
    pub score: Number,
    /// The number of samples behind it.
    pub sample_size: Option<u64>,
    /// The harness, as the record names it.
    pub library_name: String,
    /// The version of the harness.
    pub library_version: String,
    /// The commit of the model, when the log tells it in full.
    pub model_revision: Option<Revision>,
    /// The time of the evaluation.
    pub timestamp: Option<String>,
    /// The missing part of the run, when something is missing.
    pub incomplete: Option<String>,
    /// The id that retries of one evaluation share.
    pub retried: Option<String>,
    /// The setup that tells the run from others.
    pub setup: Setup,
}

impl Candidate {
    /// Reads the scores of one record. `log` and `harness` say what the record was made of.
    pub fn read_all(
        log: &str,
        harness: Option<Harness>,
        record: &str,
    ) -> serde_json::Result<Vec<Self>> {
        let json: Json = serde_json::from_str(record)?;
        let record: Record = serde_json::from_str(record)?;
        let candidate = |(position, result): (usize, &EvaluationResult)| {
            let uncertainty = result.score_details.uncertainty.as_ref();
            Some(Self {
                log: log.to_owned(),
                harness,
                evaluation_id: record.evaluation_id.clone(),
                model: [record.model_info.id.clone(), record.model_info.name.clone()],
                evaluation_name: result.name.clone(),
                dataset: [
                    result.source_data.dataset_name.clone(),
                    result.source_data.hf_repo.clone(),
                ],
                result_id: result.id.clone(),
                metric: [
                    result.metric_config.id.clone(),
                    result.metric_config.name.clone(),
                ],
                unit: result.metric_config.unit.clone(),
                score: Number::new(result.score_details.score)?,
                sample_size: uncertainty
                    .and_then(|uncertainty| uncertainty.num_samples)
                    .or(result.source_data.samples_number),
                library_name: record.eval_library.name.clone(),
                library_version: record.eval_library.version.clone(),
                model_revision: record.model_info.revision(),
                timestamp: record.evaluation_timestamp.clone(),
                incomplete: record.source_metadata.incomplete(),
                retried: record
                    .source_metadata
                    .additional_details
                    .get("task_id")
                    .cloned(),
                setup: setup_of(&json, &json["evaluation_results"][position]),
            })
        };
        let results = record.evaluation_results.iter().enumerate();
        Ok(results.filter_map(candidate).collect())
    }

    /// Returns whether its metric or result goes by this name.
    pub fn is_called(&self, name: &str) -> bool {
        self.result_id == name || self.metric_names().any(|own| own == name)
    }

    /// The names of its metric.
    pub fn metric_names(&self) -> impl Iterator<Item = &str> {
        self.metric.iter().flatten().map(String::as_str)
    }

    /// The score in words, for those who must choose.
    pub fn words(&self) -> String {
        format!(
            "`{}` of `{}` in {} ({})",
            self.result_id, self.evaluation_name, self.log, self.score
        )
    }
}

#[derive(Deserialize)]
struct Record {
    #[serde(default)]
    source_metadata: SourceMetadata,
    evaluation_id: String,
    evaluation_timestamp: Option<String>,
    eval_library: Library,
    model_info: ModelInfo,
    evaluation_results: Vec<EvaluationResult>,
}

#[derive(Default, Deserialize)]
struct SourceMetadata {
    #[serde(default)]
    additional_details: BTreeMap<String, String>,
}

impl SourceMetadata {
    /// Says in words what is missing from a run.
    fn incomplete(&self) -> Option<String> {
        let details = &self.additional_details;
        let status = details.get(RUN_STATUS)?.strip_prefix(INCOMPLETE)?;
        let mut words = vec![status.to_owned()];
        let counts = ("samples_completed", "samples_planned");
        if let (Some(done), Some(all)) = (details.get(counts.0), details.get(counts.1)) {
            words.push(format!("{done} of {all} samples completed"));
        }
        if let Some(failed) = details.get("samples_failed").filter(|own| *own != "0") {
            words.push(format!("{failed} failed"));
        }
        Some(words.join(", "))
    }
}

#[derive(Deserialize)]
struct Library {
    name: String,
    version: String,
}

#[derive(Deserialize)]
struct ModelInfo {
    id: String,
    name: String,
    #[serde(default)]
    additional_details: BTreeMap<String, String>,
}

impl ModelInfo {
    /// The commit, when it is one and whole.
    fn revision(&self) -> Option<Revision> {
        MODEL_COMMITS
            .iter()
            .filter_map(|key| self.additional_details.get(*key)?.parse().ok())
            .find(Revision::is_full)
    }
}

#[derive(Deserialize)]
struct EvaluationResult {
    #[serde(rename = "evaluation_result_id")]
    id: String,
    #[serde(rename = "evaluation_name")]
    name: String,
    source_data: SourceData,
    metric_config: MetricConfig,
    score_details: ScoreDetails,
}

#[derive(Deserialize)]
struct SourceData {
    dataset_name: Option<String>,
    hf_repo: Option<String>,
    samples_number: Option<u64>,
}

#[derive(Deserialize)]
struct MetricConfig {
    #[serde(rename = "metric_id")]
    id: Option<String>,
    #[serde(rename = "metric_name")]
    name: Option<String>,
    #[serde(rename = "metric_unit")]
    unit: Option<String>,
}

#[derive(Deserialize)]
struct ScoreDetails {
    score: f64,
    uncertainty: Option<Uncertainty>,
}

#[derive(Deserialize)]
struct Uncertainty {
    num_samples: Option<u64>,
}
