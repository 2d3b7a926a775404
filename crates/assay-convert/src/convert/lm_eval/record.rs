use assay_formats::Value;
use assay_formats::eee::record::{
    Details, EvaluationResult, GenerationArgs, GenerationConfig, ModelInfo, Record, ScoreDetails,
    SourceData, StandardError, Uncertainty,
};
use assay_model::Setup;

use super::metric;
use super::model;
use super::results::{NO_FILTER, Results, Score, Task};
use super::row::PromptForm;
use super::text::{python_json, text_of};
use crate::convert::question::template_fields;
use crate::convert::run::{self, Run, RunProgress, insert_setup};
use crate::convert::{Harness, Identity, Options, SETUP_KEYS};

/// No date lies so far ahead, in seconds.
const MAX_SECONDS: f64 = 1e11;

/// The parts that all records of one results file share.
pub(super) struct LmEvalRun<'d> {
    /// The results file.
    pub(super) results: Results<'d>,
    /// The model.
    pub(super) model: ModelInfo,
    options: &'d Options,
    digest: Vec<u8>,
    started: Option<String>,
    ended: Option<String>,
}

/// The results of one task, and what a person should know of them.
pub(super) struct Outcome {
    /// The results.
    pub(super) results: Vec<EvaluationResult>,
    /// Warnings for a person.
    pub(super) warnings: Vec<String>,
}

impl<'d> LmEvalRun<'d> {
    /// Reads what all records share; `digest` is that of the whole results file.
    pub(super) fn new(results: Results<'d>, options: &'d Options, digest: Vec<u8>) -> Self {
        let started = results.get("date").and_then(Value::number);
        let elapsed = results
            .get("total_evaluation_time_seconds")
            .and_then(|elapsed| text_of(elapsed).parse::<f64>().ok())
            .filter(|elapsed| elapsed.is_finite() && *elapsed >= 0.0);
        Self {
            model: model::model(&results),
            results,
            options,
            digest,
            started: started.and_then(seconds),
            ended: started.and_then(|started| seconds(started + elapsed.unwrap_or(0.0))),
        }
    }

    /// Returns the identity of the record of a task.
    pub(super) fn identity(&self, task: &Task<'_>) -> Identity {
        Identity::new(&task.name, &self.model_id(), &[&self.digest])
    }

    /// Names the run of a task.
    pub(super) fn evaluation_id(&self, task: &Task<'_>, identity: &Identity) -> String {
        identity.evaluation_id(&task.name, &self.model_id(), self.started.as_deref())
    }

    fn model_id(&self) -> String {
        run::model_id(&self.model, self.options)
    }

    /// The record of a task. The harness writes results when a run is complete, and not before.
    pub(super) fn record(
        &self,
        task: &Task<'d>,
        evaluation_id: String,
        results: Vec<EvaluationResult>,
    ) -> Record {
        let samples = self.results.samples(task);
        let mut run = Run::new(Harness::LmEval, self.model.clone());
        run.version = self
            .results
            .get("lm_eval_version")
            .and_then(Value::text)
            .map(std::borrow::Cow::into_owned);
        run.started.clone_from(&self.started);
        run.ended.clone_from(&self.ended);
        run.progress = RunProgress {
            status: Some("success".to_owned()),
            planned: samples,
            completed: samples,
            ..RunProgress::default()
        };
        run.setup = self.setup(task);
        run.record(self.options, evaluation_id, results)
    }

    /// Returns the setup that tells a run from others of the same model and task.
    fn setup(&self, task: &Task<'d>) -> Setup {
        let mut setup = Setup::default();
        let mut add = |key: &str, value: Option<Value<'_>>| {
            if let Some(value) = value {
                insert_setup(&mut setup, key, &text_of(value));
            }
        };
        let shots = self.results.about("n-shot", &task.name);
        add(
            "shots",
            shots.or_else(|| task.config?.present("num_fewshot")),
        );
        let version = self.results.about("versions", &task.name);
        add("harness_task_version", version);
        for (key, name) in [
            ("limit", "limit"),
            ("git_revision", "git_hash"),
            ("generation_kwargs", "gen_kwargs"),
        ] {
            add(
                key,
                self.results.config(name).or_else(|| self.results.get(name)),
            );
        }
        let other_than = |value: Option<Value<'d>>, usual: i64| {
            value.filter(|value| value.integer() != Some(usual))
        };
        let repeats = task.config.and_then(|config| config.present("repeats"));
        add("repeats", other_than(repeats, 1));
        add("seed", other_than(self.results.config("random_seed"), 0));
        let fewshot_seed = self.results.config("fewshot_seed");
        add("fewshot_seed", other_than(fewshot_seed, 1234));
        add("chat_template", self.results.get("chat_template_sha"));
        let prompt = self.results.get("system_instruction_sha");
        add("system_instruction", prompt);
        let as_turns = self.results.get("fewshot_as_multiturn");
        add(
            "fewshot_as_multiturn",
            as_turns.filter(|value| value.truth() == Some(true)),
        );
        setup
    }

    /// Returns the form in which the documents of a task became prompts.
    pub(super) fn prompt_form<'r>(&'r self, task: &'r Task<'_>) -> PromptForm<'r> {
        let Some(config) = task.config else {
            return PromptForm::default();
        };
        let template = config.present("doc_to_text").and_then(Value::text);
        let fields = template.as_deref().map(template_fields).unwrap_or_default();
        let shots = self.results.about("n-shot", &task.name);
        PromptForm {
            fields: fields.into_iter().map(str::to_owned).collect(),
            delimiter: config
                .present("fewshot_delimiter")
                .and_then(Value::text)
                .unwrap_or_default(),
            shots: shots
                .and_then(Value::integer)
                .and_then(|shots| usize::try_from(shots).ok())
                .unwrap_or(0),
        }
    }

    /// The results of a task.
    pub(super) fn outcome(&self, task: &Task<'_>) -> Outcome {
        let mut outcome = Outcome {
            results: Vec::new(),
            warnings: Vec::new(),
        };
        if self.ended.is_none() && self.options.retrieved_timestamp.is_none() {
            outcome
                .warnings
                .push("the log does not say when it was made".to_owned());
        }
        for metric in &task.not_numbers {
            outcome.warnings.push(format!(
                "the score of `{metric}` is not a number, so it has no result"
            ));
        }
        for score in &task.scores {
            let result = self.result(task, score);
            let id = &result.evaluation_result_id;
            if outcome
                .results
                .iter()
                .any(|other| other.evaluation_result_id == *id)
            {
                outcome
                    .warnings
                    .push(format!("`{id}` stands twice; the first one is kept"));
                continue;
            }
            outcome.results.push(result);
        }
        outcome
    }

    fn result(&self, task: &Task<'_>, score: &Score<'_>) -> EvaluationResult {
        EvaluationResult {
            evaluation_result_id: result_id(task, score),
            evaluation_name: task.name.clone(),
            source_data: self.source_data(task),
            evaluation_timestamp: self.started.clone(),
            metric_config: metric::config(&self.results, task, score),
            score_details: ScoreDetails {
                score: score.value,
                details: Details::new(),
                uncertainty: self.uncertainty(task, score),
            },
            generation_config: self.generation(task, score),
        }
    }

    fn uncertainty(&self, task: &Task<'_>, score: &Score<'_>) -> Option<Uncertainty> {
        let num_samples = self.results.samples(task);
        let method = score
            .standard_error
            .and_then(|_| metric::method(&self.results, task, score));
        let uncertainty = Uncertainty {
            num_bootstrap_samples: method.as_ref().and_then(|method| method.rounds),
            standard_error: score.standard_error.map(|value| StandardError {
                value,
                method: method.map(|method| method.name.to_owned()),
            }),
            standard_deviation: None,
            num_samples,
        };
        (uncertainty != Uncertainty::default()).then_some(uncertainty)
    }

    fn source_data(&self, task: &Task<'_>) -> SourceData {
        let mut additional_details = Details::new();
        let mut detail = |key: &str, value: String| {
            additional_details.insert(key.to_owned(), value);
        };
        if let Some(version) = self.results.about("versions", &task.name) {
            detail("task_version", text_of(version).into_owned());
        }
        if task.is_group() {
            detail("level", "group".to_owned());
            if let Some(tasks) = self.results.about("group_subtasks", &task.name) {
                detail("subtasks", python_json(tasks));
            }
        }
        let subset = task
            .config
            .and_then(|config| config.present("dataset_name"));
        if let Some(subset) = subset {
            detail("dataset_config", text_of(subset).into_owned());
        }
        let dataset_name = task
            .config
            .and_then(|config| config.text_of("task"))
            .filter(|name| !name.trim().is_empty())
            .map_or_else(|| task.name.clone(), std::borrow::Cow::into_owned);
        match self.repository(task) {
            Some((repository, split)) => SourceData::HfDataset {
                dataset_name,
                hf_repo: Some(repository),
                hf_split: split,
                samples_number: None,
                sample_ids: Vec::new(),
                additional_details,
            },
            None => SourceData::Other {
                dataset_name,
                additional_details,
            },
        }
    }

    /// The dataset repository and split of a task; of a group, if its tasks share one.
    fn repository(&self, task: &Task<'_>) -> Option<(String, Option<String>)> {
        if !task.is_group() {
            return repository_of(task.config?);
        }
        let mut all = task
            .leaves
            .iter()
            .map(|leaf| repository_of(self.results.about("configs", leaf)?));
        let first = all.next()??;
        all.all(|other| other.as_ref() == Some(&first))
            .then_some(first)
    }

    fn generation(&self, task: &Task<'_>, score: &Score<'_>) -> Option<GenerationConfig> {
        let mut config = GenerationConfig::default();
        if score.filter != NO_FILTER {
            let details = &mut config.additional_details;
            details.insert("filter".to_owned(), score.filter.clone().into_owned());
            details.insert(SETUP_KEYS.to_owned(), "filter".to_owned());
        }
        let arguments = task
            .config
            .and_then(|config| config.present("generation_kwargs"));
        if let Some(arguments) = arguments {
            let mut args = GenerationArgs::default();
            for (key, value) in arguments.entries() {
                let Some(key) = key.text() else { continue };
                take_argument(&key, value, &mut args, &mut config.additional_details);
            }
            config.generation_args = (args != GenerationArgs::default()).then_some(args);
        }
        let mut detail = |key: &str, value: Option<Value<'_>>| {
            if let Some(value) = value {
                config
                    .additional_details
                    .insert(key.to_owned(), text_of(value).into_owned());
            }
        };
        let shots = self.results.about("n-shot", &task.name);
        detail(
            "num_fewshot",
            shots.or_else(|| task.config?.present("num_fewshot")),
        );
        for key in ["system_instruction", "chat_template_sha"] {
            detail(key, self.results.get(key));
        }
        let as_turns = self.results.get("fewshot_as_multiturn");
        detail(
            "fewshot_as_multiturn",
            as_turns.filter(|value| value.truth() == Some(true)),
        );
        (config != GenerationConfig::default()).then_some(config)
    }
}

/// Names a result: by its metric, and by its filter where there are several.
pub(super) fn result_id(task: &Task<'_>, score: &Score<'_>) -> String {
    if task.has_several_filters() {
        format!("{},{}", score.metric, score.filter)
    } else {
        score.metric.clone().into_owned()
    }
}

fn repository_of(config: Value<'_>) -> Option<(String, Option<String>)> {
    let path = config.text_of("dataset_path")?;
    let mut parts = path.split('/');
    let is_name = |part: Option<&str>| {
        part.is_some_and(|part| !part.is_empty() && !part.starts_with(['.', '~']))
    };
    let is_repository = is_name(parts.next()) && is_name(parts.next()) && parts.next().is_none();
    let split = config
        .present("test_split")
        .or_else(|| config.present("validation_split"))
        .and_then(Value::text);
    is_repository.then(|| (path.into_owned(), split.map(std::borrow::Cow::into_owned)))
}

/// Puts one argument of generation where it belongs: in its field, or else among the details.
fn take_argument(key: &str, value: Value<'_>, args: &mut GenerationArgs, details: &mut Details) {
    let taken = match key {
        "temperature" => set(&mut args.temperature, value.number()),
        "top_p" => set(&mut args.top_p, value.number()),
        "top_k" => set(&mut args.top_k, value.number()),
        "max_gen_toks" => {
            let tokens = value
                .integer()
                .and_then(|tokens| u64::try_from(tokens).ok());
            set(&mut args.max_tokens, tokens.filter(|tokens| *tokens >= 1))
        }
        _ => false,
    };
    if !taken {
        details.insert(key.to_owned(), text_of(value).into_owned());
    }
}

/// Sets a field, and returns whether there was a value.
fn set<T>(field: &mut Option<T>, value: Option<T>) -> bool {
    let is_there = value.is_some();
    *field = value;
    is_there
}

/// Whole seconds as text, for a time that can be one.
fn seconds(time: f64) -> Option<String> {
    (0.0..MAX_SECONDS)
        .contains(&time)
        .then(|| format!("{:.0}", time.floor()))
}
