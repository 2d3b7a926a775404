use assay_formats::eee::record::{
    Details, EvaluationResult, GenerationArgs, GenerationConfig, MetricConfig, ModelInfo, Record,
    ScoreDetails, SourceData, StandardError, Uncertainty,
};
use assay_formats::{Kind, Value};
use assay_model::Setup;

use super::metric;
use super::results::{Results, Task, plain};
use crate::convert::run::{self, Run, RunProgress, insert_setup};
use crate::convert::{Harness, Identity, Log, Options, judging};

/// The suffix of the standard error of a metric in lighteval.
const STDERR: &str = "_stderr";
/// The keys of lighteval about a model that a record should keep. Everything else, such as keys and
/// addresses, stays out.
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
    /// The model as `developer/model`.
    model_id: String,
    /// The number of samples behind the scores.
    pub(super) samples: Option<u64>,
}

/// The model as `developer/model`, as a person or the log names it.
pub(super) fn model_id(results: &Results<'_>, options: &Options) -> String {
    let info = ModelInfo::new(results.model_name.clone(), results.model_id.clone());
    run::model_id(&info, options)
}

impl<'r, 'd> RecordOf<'r, 'd> {
    pub(super) fn new(
        log: &Log<'r>,
        results: &'r Results<'d>,
        task: &'r Task<'d>,
        scored: Scored,
        identity: &Identity,
    ) -> Self {
        let time = results.time.map(|time| time.to_string());
        let model_id = model_id(results, log.options);
        let documents = task
            .config
            .and_then(|config| config.get("effective_num_docs")?.integer());
        Self {
            options: log.options,
            results,
            task,
            scored,
            evaluation_id: identity.evaluation_id(&task.key, &model_id, time.as_deref()),
            model_id,
            samples: documents
                .and_then(|count| u64::try_from(count).ok())
                .filter(|count| *count > 0),
        }
    }

    pub(super) fn not_numbers(&self) -> &[String] {
        &self.scored.not_numbers
    }

    pub(super) fn model_id(&self) -> &str {
        &self.model_id
    }

    pub(super) fn evaluation_name(&self) -> &str {
        &self.task.name
    }

    /// The metrics that have a result, by its name.
    pub(super) fn metrics(&self) -> impl Iterator<Item = (&str, MetricConfig)> {
        self.scored.numbers.iter().map(|score| {
            (
                score.metric.as_str(),
                metric::config(
                    self.task,
                    &self.results.model_id,
                    &score.metric,
                    score.value,
                ),
            )
        })
    }

    /// The record. lighteval writes results when a run is complete, and not before.
    pub(super) fn record(&self) -> Record {
        let time = self.results.time.map(|time| time.to_string());
        let mut run = Run::new(Harness::Lighteval, self.model());
        run.started.clone_from(&time);
        run.ended.clone_from(&time);
        if let Some(date) = &self.results.date {
            let details = &mut run.source_details;
            details.insert("evaluation_local_time".to_owned(), date.clone());
        }
        keep(
            &mut run.library_details,
            self.results.general,
            &["lighteval_sha"],
        );
        run.library_details.retain(|_, sha| sha != "?");
        run.progress = RunProgress {
            status: Some("success".to_owned()),
            planned: self.samples,
            completed: self.samples,
            ..RunProgress::default()
        };
        run.setup = self.setup();
        let results = self.scored.numbers.iter();
        let results = results
            .map(|score| EvaluationResult {
                evaluation_result_id: score.metric.clone(),
                evaluation_name: self.task.name.clone(),
                source_data: self.data(),
                evaluation_timestamp: time.clone(),
                metric_config: metric::config(
                    self.task,
                    &self.results.model_id,
                    &score.metric,
                    score.value,
                ),
                score_details: self.score(score),
                generation_config: self.generation(),
            })
            .collect();
        run.record(self.options, self.evaluation_id.clone(), results)
    }

    /// Returns the setup that tells a run from others of the same model and task.
    fn setup(&self) -> Setup {
        let mut setup = Setup::default();
        let mut add = |key: &str, value: Option<String>| {
            if let Some(value) = value {
                insert_setup(&mut setup, key, &value);
            }
        };
        add("shots", self.task.shots.clone());
        add("harness_task_version", self.task.version.clone());
        let general = |key: &str| {
            let value = self.results.general.present(key).map(plain);
            value.filter(|value| !value.is_empty() && value != "?")
        };
        add("limit", general("max_samples"));
        add(
            "seeds",
            general("num_fewshot_seeds").filter(|own| own != "1"),
        );
        add("git_revision", general("lighteval_sha"));
        let model = self.results.general.get("model_config");
        let prompt = model.and_then(|model| model.present("system_prompt"));
        add("system_prompt", prompt.map(plain));
        let configs: Vec<MetricConfig> = self.metrics().map(|(_, config)| config).collect();
        let judges = judging::names(configs.iter().filter_map(|own| own.llm_scoring.as_ref()));
        add("judge", (!judges.is_empty()).then(|| judges.join(", ")));
        setup
    }

    fn model(&self) -> ModelInfo {
        let id = self.results.model_id.clone();
        let developer = id.split('/').next().filter(|name| *name != "unknown");
        let mut model = ModelInfo::new(id.clone(), id.clone());
        if let Some(digest) = &self.results.path_digest {
            let details = &mut model.additional_details;
            details.insert("model_path_digest".to_owned(), digest.clone());
        }
        model.developer = developer.map(str::to_owned);
        let general = self.results.general;
        keep(&mut model.additional_details, general, &MODEL_DETAILS);
        if let Some(config) = general.get("model_config") {
            keep(&mut model.additional_details, config, &MODEL_DETAILS);
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

/// Returns whether a name is that of a dataset repository, not of a directory on some machine.
fn is_repository(name: &str) -> bool {
    let parts: Vec<&str> = name.split('/').collect();
    parts.len() <= 2
        && !name.starts_with(['.', '~'])
        && !name.contains('\\')
        && parts.iter().all(|part| !part.is_empty())
}
