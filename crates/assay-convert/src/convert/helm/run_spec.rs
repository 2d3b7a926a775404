use std::collections::BTreeMap;

use assay_formats::eee::record::Details;
use assay_formats::{Kind, Value};
use assay_model::Setup;

use super::super::judging;
use super::super::reader::Reader;
use super::super::run::insert_setup;
use super::super::{Log, Refusal};
use super::files::{RunFiles, read_whole};
use super::jury::{Jury, juries};
use super::text::one_line;

/// The description of the run: `run_spec.json` and `scenario.json`.
#[derive(Debug, Default)]
pub(super) struct RunSpec {
    pub(super) dataset: String,
    /// `developer/model` as HELM names it.
    pub(super) model: Option<String>,
    /// The deployment: `platform/model`.
    pub(super) deployment: Option<String>,
    /// The method by which instances became requests.
    pub(super) method: String,
    pub(super) train_trials: i64,
    pub(super) generation: Generation,
    pub(super) scenario: Details,
    /// The setup that tells this run from others of the same model and data.
    pub(super) setup: Setup,
    /// The judges, by the name of the metric.
    pub(super) juries: BTreeMap<String, Jury>,
    /// The bytes of the run.
    pub(super) bytes: Vec<u8>,
}

/// The settings of generation, where the requests do not have them.
#[derive(Debug, Default, Clone)]
pub(super) struct Generation {
    pub(super) temperature: Option<f64>,
    pub(super) top_p: Option<f64>,
    pub(super) top_k: Option<f64>,
    pub(super) max_tokens: Option<u64>,
    pub(super) details: Details,
}

impl Generation {
    /// Reads a request, or the adapter that makes requests: they use the same words.
    pub(super) fn read(value: Value<'_>) -> Self {
        let mut details = Details::new();
        if let Some(stop) = value.present("stop_sequences") {
            details.insert("stop_sequences".to_owned(), one_line(stop.raw()));
        }
        for key in ["presence_penalty", "frequency_penalty", "num_completions"] {
            if let Some(number) = value
                .get(key)
                .filter(|number| number.kind() == Kind::Number)
            {
                details.insert(key.to_owned(), number.raw().to_owned());
            }
        }
        Self {
            temperature: value.number_of("temperature"),
            top_p: value.number_of("top_p"),
            top_k: value.number_of("top_k_per_token"),
            max_tokens: value
                .get("max_tokens")
                .and_then(Value::integer)
                .and_then(|tokens| u64::try_from(tokens).ok())
                // 0 asks for the probability of the prompt, not for an answer.
                .filter(|tokens| *tokens > 0),
            details,
        }
    }

    /// Fills in what is absent.
    pub(super) fn or(mut self, other: &Self) -> Self {
        self.temperature = self.temperature.or(other.temperature);
        self.top_p = self.top_p.or(other.top_p);
        self.top_k = self.top_k.or(other.top_k);
        for (key, value) in &other.details {
            self.details
                .entry(key.clone())
                .or_insert_with(|| value.clone());
        }
        self
    }
}

impl RunSpec {
    /// Reads what the run says of itself.
    pub(super) fn read(log: &Log<'_>, files: &RunFiles) -> Result<Self, Refusal> {
        let bytes = read_whole(log, &files.run_spec)?;
        let mut reader = Reader::new();
        let mut spec = reader
            .read(&bytes)
            .filter(|value| value.kind() == Kind::Map)
            .map(Self::of)
            .ok_or_else(|| Refusal::damaged(&files.run_spec, "it is no JSON mapping"))?;
        spec.bytes = bytes;
        if let Some(path) = &files.scenario {
            // A scenario only lends its name, which can also be had from the run.
            let scenario = read_whole(log, path)?;
            let name = reader
                .read(&scenario)
                .and_then(|scenario| scenario.text_of("name"))
                .filter(|name| !name.trim().is_empty());
            if let Some(name) = name {
                spec.dataset = name.into_owned();
            }
        }
        Ok(spec)
    }

    fn of(value: Value<'_>) -> Self {
        let name = value.text_of("name").unwrap_or_default();
        // Runs from before 2023 say `scenario`.
        let scenario_spec = value
            .present("scenario_spec")
            .or_else(|| value.present("scenario"));
        let mut spec = Self {
            dataset: dataset_of(&name).to_owned(),
            train_trials: 1,
            scenario: scenario_spec.map(scenario_details).unwrap_or_default(),
            ..Self::default()
        };
        spec.setup = setup_of(value, &name, &spec.scenario);
        if let Some(adapter) = value.present("adapter_spec") {
            let text = |key: &str| {
                adapter
                    .text_of(key)
                    .filter(|text| !text.trim().is_empty())
                    .map(Into::into)
            };
            spec.model = text("model");
            spec.deployment = text("model_deployment");
            spec.method = text("method").unwrap_or_default();
            spec.generation = Generation::read(adapter);
            spec.train_trials = adapter
                .get("num_train_trials")
                .and_then(Value::integer)
                .unwrap_or(1);
        }
        spec.juries = juries(value, spec.model.as_deref());
        let judges = judging::names(spec.juries.values().map(|jury| &jury.scoring));
        if !judges.is_empty() {
            insert_setup(&mut spec.setup, "judge", &judges.join(", "));
        }
        spec
    }
}

/// Returns the setup of a run: its name without the model, the method of requests, and the
/// perturbations.
fn setup_of(value: Value<'_>, name: &str, scenario: &Details) -> Setup {
    let mut setup = Setup::default();
    let (scenario_name, arguments) = name.split_once(':').unwrap_or((name, ""));
    let is_model = |argument: &&str| !argument.starts_with("model") || !argument.contains('=');
    let arguments: Vec<&str> = arguments.split(',').filter(is_model).collect();
    let run_name = match arguments.join(",") {
        rest if rest.is_empty() => scenario_name.to_owned(),
        rest => format!("{scenario_name}:{rest}"),
    };
    insert_setup(&mut setup, "run_name", &run_name);
    if let Some(arguments) = scenario.get("scenario_args") {
        insert_setup(&mut setup, "task_args", arguments);
    }
    let mut add = |key: &str, value: Option<Value<'_>>| {
        if let Some(value) = value {
            let text = value
                .text()
                .map_or_else(|| one_line(value.raw()), Into::into);
            insert_setup(&mut setup, key, &text);
        }
    };
    if let Some(adapter) = value.present("adapter_spec") {
        let filled = |key: &str| adapter.present(key).filter(|own| !own.is_text(""));
        add("adapter", filled("method"));
        add("shots", filled("max_train_instances"));
        add("instructions", filled("instructions"));
        add("limit", filled("max_eval_instances"));
        let trials = filled("num_train_trials").filter(|own| own.integer() != Some(1));
        add("train_trials", trials);
    }
    let augmented = value.present("data_augmenter_spec");
    let changes = augmented.and_then(|own| own.present("perturbation_specs"));
    add(
        "augmentation",
        changes.filter(|own| own.items().next().is_some()),
    );
    setup
}

/// The data, out of a name such as `commonsense:dataset=hellaswag,method=joint`.
fn dataset_of(name: &str) -> &str {
    let (scenario, arguments) = name.split_once(':').unwrap_or((name, ""));
    let named = arguments
        .split(',')
        .filter_map(|argument| argument.split_once('='))
        .find_map(|(key, value)| key.contains("dataset").then_some(value));
    match named.unwrap_or(scenario) {
        "" => "unknown",
        dataset => dataset,
    }
}

fn scenario_details(spec: Value<'_>) -> Details {
    let mut details = Details::new();
    if let Some(class) = spec.text_of("class_name") {
        details.insert("scenario_name".to_owned(), class.into_owned());
    }
    if let Some(arguments) = spec
        .present("args")
        .filter(|arguments| !arguments.is_empty())
    {
        details.insert("scenario_args".to_owned(), one_line(arguments.raw()));
    }
    details
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_is_named_by_the_run_when_the_scenario_is_not_there() {
        for (name, dataset) in [
            ("commonsense:dataset=hellaswag,method=joint", "hellaswag"),
            ("mmlu:subject=law,model=openai_gpt2", "mmlu"),
            ("gsm", "gsm"),
            ("", "unknown"),
        ] {
            assert_eq!(dataset_of(name), dataset);
        }
    }
}
