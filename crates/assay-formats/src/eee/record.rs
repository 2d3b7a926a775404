//! A record of the current version as a value that can be written.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Version;

/// Text details; every value is a string.
pub type Details = BTreeMap<String, String>;

/// An aggregate record of the current version. Fields come out in this order; what is absent is
/// left out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Record {
    schema_version: &'static str,
    /// Names the run: `benchmark/model/time`.
    pub evaluation_id: String,
    /// The time of the evaluation, as Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluation_timestamp: Option<String>,
    /// The time at which the record was made, as Unix seconds.
    pub retrieved_timestamp: String,
    /// The source of the record.
    pub source_metadata: SourceMetadata,
    /// The program that ran the evaluation.
    pub eval_library: Library,
    /// The model.
    pub model_info: ModelInfo,
    /// The scores.
    pub evaluation_results: Vec<EvaluationResult>,
    /// The samples file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detailed_evaluation_results: Option<Companion>,
}

impl Record {
    /// A record without results.
    pub fn new(
        evaluation_id: String,
        retrieved_timestamp: String,
        source_metadata: SourceMetadata,
        eval_library: Library,
        model_info: ModelInfo,
    ) -> Self {
        Self {
            schema_version: Version::CURRENT.as_str(),
            evaluation_id,
            evaluation_timestamp: None,
            retrieved_timestamp,
            source_metadata,
            eval_library,
            model_info,
            evaluation_results: Vec::new(),
            detailed_evaluation_results: None,
        }
    }

    /// The record as a file: indented by two spaces, with a line feed at the end.
    pub fn to_json(&self) -> String {
        let mut text =
            serde_json::to_string_pretty(self).expect("a record holds nothing that JSON cannot");
        text.push('\n');
        text
    }
}

/// The source of a record.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SourceMetadata {
    /// The name of the source of the scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_name: Option<String>,
    /// `evaluation_run` or `documentation`.
    pub source_type: &'static str,
    /// The organisation that reports the scores.
    pub source_organization_name: String,
    /// Its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_organization_url: Option<String>,
    /// Its logo.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_organization_logo_url: Option<String>,
    /// The relation of the evaluators to the developer of the model.
    pub evaluator_relationship: &'static str,
    /// Anything else.
    #[serde(skip_serializing_if = "Details::is_empty")]
    pub additional_details: Details,
}

/// The program that ran an evaluation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Library {
    /// The harness.
    pub name: String,
    /// Its version, or `unknown`.
    pub version: String,
    /// Anything else.
    #[serde(skip_serializing_if = "Details::is_empty")]
    pub additional_details: Details,
}

/// A model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelInfo {
    /// The model as the source names it.
    pub name: String,
    /// The model as `developer/model`.
    pub id: String,
    /// The developer of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub developer: Option<String>,
    /// The service that answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inference_platform: Option<String>,
    /// The software that ran the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inference_engine: Option<Engine>,
    /// Details of how the model was run, which must be given, and anything else.
    pub additional_details: Details,
}

impl ModelInfo {
    /// A model of which only the name is known: how it was run is recorded as unknown.
    pub fn new(name: String, id: String) -> Self {
        let unknown = ["deployment_type", "model_availability"]
            .map(|key| (key.to_owned(), "unknown".to_owned()));
        Self {
            name,
            id,
            developer: None,
            inference_platform: None,
            inference_engine: None,
            additional_details: unknown.into(),
        }
    }
}

/// The software that ran a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Engine {
    /// Such as `vllm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// One score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvaluationResult {
    /// Names the result; rows join on it.
    pub evaluation_result_id: String,
    /// The name of the evaluation.
    pub evaluation_name: String,
    /// The data.
    pub source_data: SourceData,
    /// The time at which this result was produced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluation_timestamp: Option<String>,
    /// The metric.
    pub metric_config: MetricConfig,
    /// The score and how sure it is.
    pub score_details: ScoreDetails,
    /// The settings of generation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation_config: Option<GenerationConfig>,
}

/// The data that was evaluated on.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "source_type", rename_all = "snake_case")]
pub enum SourceData {
    /// A published address.
    Url {
        /// The data.
        dataset_name: String,
        /// The addresses; at least one.
        url: Vec<String>,
        /// Anything else.
        #[serde(skip_serializing_if = "Details::is_empty")]
        additional_details: Details,
    },
    /// A dataset repository.
    HfDataset {
        /// The data.
        dataset_name: String,
        /// The repository.
        #[serde(skip_serializing_if = "Option::is_none")]
        hf_repo: Option<String>,
        /// The split.
        #[serde(skip_serializing_if = "Option::is_none")]
        hf_split: Option<String>,
        /// Number of samples that were used.
        #[serde(skip_serializing_if = "Option::is_none")]
        samples_number: Option<u64>,
        /// The ids of the samples that were used.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        sample_ids: Vec<String>,
        /// Anything else.
        #[serde(skip_serializing_if = "Details::is_empty")]
        additional_details: Details,
    },
    /// Anything else.
    Other {
        /// The data.
        dataset_name: String,
        /// Anything else.
        #[serde(skip_serializing_if = "Details::is_empty")]
        additional_details: Details,
    },
}

/// A metric.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct MetricConfig {
    /// The metric in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluation_description: Option<String>,
    /// Its stable name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric_id: Option<String>,
    /// Its name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric_name: Option<String>,
    /// Its family.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric_kind: Option<String>,
    /// Its unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric_unit: Option<String>,
    /// Its parameters.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub metric_parameters: BTreeMap<String, serde_json::Value>,
    /// True if lower values are better.
    pub lower_is_better: bool,
    /// `binary`, `continuous` or `levels`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_type: Option<&'static str>,
    /// The lowest possible score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_score: Option<Bound>,
    /// The highest possible score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_score: Option<Bound>,
    /// The judges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llm_scoring: Option<LlmScoring>,
    /// Anything else.
    #[serde(skip_serializing_if = "Details::is_empty")]
    pub additional_details: Details,
}

/// A bound of a metric; one that does not exist is written as a string.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// A number.
    At(f64),
    /// No upper bound.
    Infinity,
    /// No lower bound.
    NegativeInfinity,
}

impl From<f64> for Bound {
    fn from(number: f64) -> Self {
        if number.is_finite() {
            Self::At(number)
        } else if number > 0.0 {
            Self::Infinity
        } else {
            Self::NegativeInfinity
        }
    }
}

impl Serialize for Bound {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::At(number) => serializer.serialize_f64(*number),
            Self::Infinity => serializer.serialize_str("Infinity"),
            Self::NegativeInfinity => serializer.serialize_str("-Infinity"),
        }
    }
}

/// Models that judge.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LlmScoring {
    /// The judges; at least one.
    pub judges: Vec<Judge>,
    /// The prompt they get.
    pub input_prompt: String,
    /// The way several judgements become one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregation_method: Option<AggregationMethod>,
    /// Anything else.
    #[serde(skip_serializing_if = "Details::is_empty")]
    pub additional_details: Details,
}

/// The way several judgements become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AggregationMethod {
    /// The judgement that most judges made.
    MajorityVote,
    /// Their mean.
    Average,
    /// Their middle one.
    Median,
}

/// A model that judges.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judge {
    /// The model.
    pub model_info: ModelInfo,
    /// Its temperature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
}

/// A score and how sure it is. The score must be finite.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreDetails {
    /// The score.
    pub score: f64,
    /// Anything else.
    #[serde(skip_serializing_if = "Details::is_empty")]
    pub details: Details,
    /// The uncertainty of the score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncertainty: Option<Uncertainty>,
}

/// The uncertainty of a score.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Uncertainty {
    /// The standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard_error: Option<StandardError>,
    /// The spread over samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard_deviation: Option<f64>,
    /// The number of samples behind the score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_samples: Option<u64>,
    /// The number of bootstrap rounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_bootstrap_samples: Option<u64>,
}

/// A standard error.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StandardError {
    /// The standard error.
    pub value: f64,
    /// The method of computation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
}

/// The settings of generation.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct GenerationConfig {
    /// The arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation_args: Option<GenerationArgs>,
    /// Anything else.
    #[serde(skip_serializing_if = "Details::is_empty")]
    pub additional_details: Details,
}

/// The arguments of generation.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct GenerationArgs {
    /// Sampling temperature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Nucleus sampling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Top-k sampling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_k: Option<f64>,
    /// The longest answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// The command that ran it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_command: Option<String>,
    /// True if the model was asked to reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<bool>,
    /// The prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_template: Option<String>,
    /// The tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agentic_eval_config: Option<AgenticConfig>,
    /// The solvers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eval_plan: Option<Plan>,
    /// Time at which a sample was cut off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eval_limits: Option<EvalLimits>,
    /// The sandbox in which tools ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<Sandbox>,
    /// The number of times the model could submit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u64>,
}

/// The tools that a model had.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct AgenticConfig {
    /// The tools.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub available_tools: Vec<Tool>,
    /// Anything else.
    #[serde(skip_serializing_if = "Details::is_empty")]
    pub additional_details: Details,
}

/// A tool.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Tool {
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A description of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The parameters of the tool.
    #[serde(skip_serializing_if = "Details::is_empty")]
    pub parameters: Details,
}

/// The solvers of an evaluation.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Plan {
    /// The plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its steps, each as JSON text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<String>,
    /// Its configuration.
    #[serde(skip_serializing_if = "Details::is_empty")]
    pub config: Details,
}

/// The limits at which a sample was cut off.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct EvalLimits {
    /// Seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<u64>,
    /// Messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_limit: Option<u64>,
    /// Tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_limit: Option<u64>,
}

/// A sandbox in which tools ran.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Sandbox {
    /// Such as `docker`.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its configuration file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
}

/// The fields of a record about its samples file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Companion {
    format: &'static str,
    /// The path from the root of the datastore.
    pub file_path: String,
    hash_algorithm: &'static str,
    /// The SHA-256 digest.
    pub checksum: String,
    /// The number of rows.
    pub total_rows: u64,
}

impl Companion {
    /// A samples file.
    pub fn new(file_path: String, checksum: String, total_rows: u64) -> Self {
        Self {
            format: "jsonl",
            file_path,
            hash_algorithm: "sha256",
            checksum,
            total_rows,
        }
    }
}
