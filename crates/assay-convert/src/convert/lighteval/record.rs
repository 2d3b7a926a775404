use assay_formats::eee::record::{
    Details, Engine, EvaluationResult, GenerationArgs, GenerationConfig, Library, MetricConfig,
    ModelInfo, Record, ScoreDetails, SourceData, SourceMetadata, StandardError, Uncertainty,
};
use assay_formats::{Kind, Value};

use super::metric;
use super::results::{Results, Task, plain};
use crate::convert::{Identity, Log, Options};

/// The name of the harness.
pub(super) const HARNESS: &str = "lighteval";
/// How lighteval names the standard error of a metric.
const STDERR: &str = "_stderr";
/// What lighteval knows of a model and a record should keep. Everything else, such as keys and addresses, stays out.
const MODEL_DETAILS: [&str; 8] = [
    "model_sha",
    "model_dtype",
    "model_size",
    "revision",
    "dtype",
    "quantization",
    "provider",
    "max_length",
];

/// The scores of a task: those that are numbers, and the names of those that are not.
pub(super) struct Scored {
    numbers: Vec<Score>,
    not_numbers: Vec<String>,
}

struct Score {
    metric: String,
    value: f64,
    standard_error: Option<f64>,
}

impl Scored {
    pub(super) fn of(task: &Task<'_>) -> Self {
        let mut scored = Self {
            numbers: Vec::new(),
            not_numbers: Vec::new(),
        };
        for (key, value) in task.scores.entries() {
            let Some(metric) = key.text() else { continue };
            let of_another = metric
                .strip_suffix(STDERR)
                .is_some_and(|metric| task.scores.get(metric).is_some());
            // A key that comes twice would give two results one name.
            let again = scored.numbers.iter().any(|score| score.metric == metric);
            if of_another || again {
                continue;
            }
            match value.number() {
                Some(number) => scored.numbers.push(Score {
                    value: number,
                    standard_error: task
                        .scores
                        .number_of(&format!("{metric}{STDERR}"))
                        .filter(|error| *error >= 0.0),
                    metric: metric.into_owned(),
                }),
                None => scored.not_numbers.push(metric.into_owned()),
            }
        }
        scored
    }

    pub(super) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }
}

/// A record of one task in the making.
pub(super) struct RecordOf<'r, 'd> {
    options: &'r Options,
    results: &'r Results<'d>,
    task: &'r Task<'d>,
    scored: Scored,
    /// Names the run of the task.
    pub(super) evaluation_id: String,
    /// How many samples the scores rest on.
    pub(super) samples: Option<u64>,
}

impl<'r, 'd> RecordOf<'r, 'd> {
    pub(super) fn new(
        log: &Log<'r>,
        results: &'r Results<'d>,
        task: &'r Task<'d>,
        scored: Scored,
        identity: &Identity,
    ) -> Self {
        // Without a time, what tells this run from others is its content.
        let run = results
            .time
            .map_or_else(|| identity.uuid.clone(), |time| time.to_string());
        let documents = task
            .config
            .and_then(|config| config.get("effective_num_docs")?.integer());
        Self {
            options: log.options,
            results,
            task,
            scored,
            evaluation_id: format!("{}/{}/{run}", task.key, results.model_id),
            samples: documents
                .and_then(|count| u64::try_from(count).ok())
                .filter(|count| *count > 0),
        }
    }

    pub(super) fn not_numbers(&self) -> &[String] {
        &self.scored.not_numbers
    }

    pub(super) fn model_id(&self) -> &str {
        &self.results.model_id
    }

    pub(super) fn evaluation_name(&self) -> &str {
        &self.task.name
    }

    /// The metrics that have a result, by its name.
    pub(super) fn metrics(&self) -> impl Iterator<Item = (&str, MetricConfig)> {
        self.scored.numbers.iter().map(|score| {
            (
                score.metric.as_str(),
                metric::config(self.task, &score.metric, score.value),
            )
        })
    }

    pub(super) fn record(&self) -> Record {
        let time = self.results.time.map(|time| time.to_string());
        let retrieved = self.options.retrieved_timestamp.clone();
        let mut record = Record::new(
            self.evaluation_id.clone(),
            retrieved
                .or_else(|| time.clone())
                .unwrap_or_else(|| "0".to_owned()),
            self.source(),
            self.library(),
            self.model(),
        );
        record.evaluation_timestamp.clone_from(&time);
        record.evaluation_results = self
            .scored
            .numbers
            .iter()
            .map(|score| EvaluationResult {
                evaluation_result_id: score.metric.clone(),
                evaluation_name: self.task.name.clone(),
                source_data: self.data(),
                evaluation_timestamp: time.clone(),
                metric_config: metric::config(self.task, &score.metric, score.value),
                score_details: self.score(score),
                generation_config: self.generation(),
            })
            .collect();
        record
    }

    fn source(&self) -> SourceMetadata {
        let options = self.options;
        let mut details = Details::new();
        if let Some(date) = &self.results.date {
            details.insert("evaluation_local_time".to_owned(), date.clone());
        }
        SourceMetadata {
            source_name: Some(
                options
                    .source_name
                    .clone()
                    .unwrap_or_else(|| HARNESS.to_owned()),
            ),
            source_type: "evaluation_run",
            source_organization_name: options.organization.clone(),
            source_organization_url: options.organization_url.clone(),
            source_organization_logo_url: options.organization_logo_url.clone(),
            evaluator_relationship: options.relationship.as_str(),
            additional_details: details,
        }
    }

    fn library(&self) -> Library {
        let unknown = || "unknown".to_owned();
        let mut details = Details::new();
        keep(&mut details, self.results.general, &["lighteval_sha"]);
        details.retain(|_, sha| sha != "?");
        Library {
            name: self
                .options
                .library_name
                .clone()
                .unwrap_or_else(|| HARNESS.to_owned()),
            version: self.options.library_version.clone().unwrap_or_else(unknown),
            additional_details: details,
        }
    }

    fn model(&self) -> ModelInfo {
        let id = self.results.model_id.clone();
        let developer = id.split('/').next().filter(|name| *name != "unknown");
        let mut model = ModelInfo::new(id.clone(), id.clone());
        model.developer = developer.map(str::to_owned);
        let general = self.results.general;
        keep(&mut model.additional_details, general, &MODEL_DETAILS);
        if let Some(config) = general.get("model_config") {
            keep(&mut model.additional_details, config, &MODEL_DETAILS);
        }
        let (name, version) = (
            self.options.inference_engine.clone(),
            self.options.inference_engine_version.clone(),
        );
        if name.is_some() || version.is_some() {
            model.inference_engine = Some(Engine { name, version });
        }
        model
    }

    fn data(&self) -> SourceData {
        let dataset_name = self.task.name.clone();
        let mut details = Details::new();
        let mut tell = |key: &str, value: &Option<String>| {
            if let Some(value) = value {
                details.insert(key.to_owned(), value.clone());
            }
        };
        tell("suite", &self.task.suite);
        tell("task_version", &self.task.version);
        let Some(config) = self.task.config else {
            return SourceData::Other {
                dataset_name,
                additional_details: details,
            };
        };
        keep(&mut details, config, &["hf_subset", "hf_revision"]);
        let splits: Vec<String> = config
            .get("evaluation_splits")
            .into_iter()
            .flat_map(Value::items)
            .filter_map(|split| Some(split.text()?.into_owned()))
            .collect();
        let repository = config.text_of("hf_repo").filter(|name| is_repository(name));
        match repository {
            Some(repository) => SourceData::HfDataset {
                dataset_name,
                hf_repo: Some(repository.into_owned()),
                hf_split: (!splits.is_empty()).then(|| splits.join(",")),
                samples_number: self.samples,
                sample_ids: Vec::new(),
                additional_details: details,
            },
            None => SourceData::Other {
                dataset_name,
                additional_details: details,
            },
        }
    }

    fn score(&self, score: &Score) -> ScoreDetails {
        // A mean has an analytic standard error; lighteval resamples for everything else.
        let method = metric::described(self.task, &score.metric)
            .and_then(|said| said.text_of("corpus_level_fn"))
            .map(|function| match function.as_ref() {
                "mean" => "analytic",
                _ => "bootstrap",
            });
        let standard_error = score.standard_error.map(|value| StandardError {
            value,
            method: method.map(str::to_owned),
        });
        ScoreDetails {
            score: score.value,
            details: Details::new(),
            uncertainty: (standard_error.is_some() || self.samples.is_some()).then(|| {
                Uncertainty {
                    standard_error,
                    num_samples: self.samples,
                    ..Uncertainty::default()
                }
            }),
        }
    }

    fn generation(&self) -> Option<GenerationConfig> {
        const TAKEN: [&str; 4] = ["temperature", "top_p", "top_k", "max_new_tokens"];
        let mut details = Details::new();
        let model = self.results.general.get("model_config");
        let parameters = model.and_then(|model| model.present("generation_parameters"));
        for (key, value) in parameters.into_iter().flat_map(Value::entries) {
            let Some(key) = key.text() else { continue };
            if value.kind() != Kind::Null && !TAKEN.contains(&key.as_ref()) {
                details.insert(key.into_owned(), plain(value));
            }
        }
        if let Some(model) = model {
            keep(&mut details, model, &["system_prompt"]);
        }
        if let Some(shots) = &self.task.shots {
            details.insert("num_fewshot".to_owned(), shots.clone());
        }
        let number = |key: &str| parameters?.number_of(key);
        let positive = |value: Value<'_>| u64::try_from(value.integer()?).ok().filter(|n| *n > 0);
        if let Some(config) = self.task.config {
            keep(&mut details, config, &["stop_sequence"]);
        }
        let task_limit = || self.task.config?.get("generation_size");
        let arguments = GenerationArgs {
            temperature: number("temperature"),
            top_p: number("top_p"),
            top_k: number("top_k"),
            max_tokens: parameters
                .and_then(|map| map.present("max_new_tokens"))
                .or_else(task_limit)
                .and_then(positive),
            ..GenerationArgs::default()
        };
        let has_arguments = arguments != GenerationArgs::default();
        (has_arguments || !details.is_empty()).then(|| GenerationConfig {
            generation_args: has_arguments.then_some(arguments),
            additional_details: details,
        })
    }
}

/// Copies what is there as text.
fn keep(details: &mut Details, map: Value<'_>, keys: &[&str]) {
    for key in keys {
        if let Some(value) = map.present(key) {
            details.insert((*key).to_owned(), plain(value));
        }
    }
}

/// Whether a name is that of a dataset repository, not of a directory on some machine.
fn is_repository(name: &str) -> bool {
    let parts: Vec<&str> = name.split('/').collect();
    parts.len() <= 2
        && !name.starts_with(['.', '~'])
        && !name.contains('\\')
        && parts.iter().all(|part| !part.is_empty())
}
