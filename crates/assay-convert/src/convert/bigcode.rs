//! The BigCode evaluation harness: `evaluation_results.json`, the scores of each task beside the
//! configuration.

use assay_formats::eee::record::{Details, GenerationArgs, GenerationConfig};
use assay_formats::{Kind, Value};
use assay_model::Setup;

use super::detect::Evidence;
use super::document::Document;
use super::metric::MetricFacts;
use super::model_name::{published_path, repository_model};
use super::run::{Run, RunProgress, insert_setup};
use super::secrets::{Scope, is_secret_key};
use super::task_writer::{TaskWriter, named_data, scored_result};
use super::{Converted, Converter, Harness, HarnessInfo, Log, Refusal, Warning};

/// The key of the configuration; every other key is a task.
const CONFIG: &str = "config";
/// The keys of the configuration that tell runs apart, each with its key in a setup.
const SETUP: [(&str, &str); 9] = [
    ("temperature", "temperature"),
    ("top_p", "top_p"),
    ("top_k", "top_k"),
    ("do_sample", "do_sample"),
    ("n_samples", "attempts"),
    ("max_length_generation", "max_length"),
    ("precision", "precision"),
    ("prompt", "prompt"),
    ("limit", "limit"),
];

/// The converter.
pub(super) struct BigCode;

impl Converter for BigCode {
    fn info(&self) -> &'static HarnessInfo {
        &HarnessInfo {
            word: "bigcode",
            title: "BigCode harness",
            framework: "bigcode-evaluation-harness",
            library: "bigcode-evaluation-harness",
            source_name: "BigCode evaluation harness",
            log: "evaluation_results.json",
        }
    }

    /// The configuration stands last; it has what no other harness has.
    fn detect(&self, evidence: &Evidence) -> bool {
        evidence.has_map_with(CONFIG, &["model", "tasks", "n_samples"])
            || evidence.has_map_with(CONFIG, &["model", "temperature", "n_samples"])
    }

    fn convert(&self, log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
        convert(log)
    }
}

/// Converts one file: a record for each task.
fn convert(log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
    let document = Document::read(log, log.path)?;
    let root = document.root();
    let config = root.present(CONFIG);
    let mut converted: Vec<Converted> = Vec::new();
    let mut aside = Vec::new();
    for (task, scores) in root.entries() {
        let Some(task) = task.text().filter(|task| task != CONFIG) else {
            continue;
        };
        let scores: Vec<(String, f64)> = numbers(scores);
        if scores.is_empty() {
            let message = format!("`{task}` has no score that is a number: left out");
            aside.push(Warning { message, count: 1 });
            continue;
        }
        let content = [document.bytes(), task.as_bytes()];
        let writer = TaskWriter::begin(log, run(config), &task, &content)?;
        let results = scores.into_iter().map(|(name, score)| {
            let (base, k) = match name.split_once('@') {
                Some(("pass", k)) => (Some("pass@k"), k.parse::<u64>().ok()),
                _ => (None, None),
            };
            let facts = MetricFacts {
                library: "bigcode",
                name: &name,
                base,
                score,
                higher_is_better: None,
            };
            let mut metric = facts.config();
            metric
                .metric_parameters
                .extend(k.map(|k| ("k".to_owned(), k.into())));
            let data = named_data(&task, Details::new());
            let mut result = scored_result(name.clone(), &task, data, metric, score, None);
            result.generation_config = config.and_then(generation);
            result
        });
        converted.push(writer.finish(results.collect())?);
    }
    let Some(first) = converted.first_mut() else {
        let message = format!("`{}` has no task with a score that is a number", log.path);
        return Err(Refusal::Nothing(message));
    };
    first.warnings.append(&mut aside);
    Ok(converted)
}

fn numbers(scores: Value<'_>) -> Vec<(String, f64)> {
    let mut found: Vec<(String, f64)> = Vec::new();
    for (key, value) in scores.entries() {
        if let (Some(key), Some(number)) = (key.text(), value.number())
            && found.iter().all(|(own, _)| *own != key)
        {
            found.push((key.into_owned(), number));
        }
    }
    found
}

fn run(config: Option<Value<'_>>) -> Run {
    let text = |key: &str| config.and_then(|config| config.text_of(key));
    let name = text("model").unwrap_or_default();
    let adapter = text("peft_model").filter(|own| !own.is_empty());
    let mut model = repository_model(adapter.as_deref().unwrap_or(&name));
    if adapter.is_some() {
        let details = &mut model.additional_details;
        details.insert("base_model".to_owned(), published_path(&name));
    }
    if let Some(revision) = text("revision").filter(|own| !own.is_empty()) {
        let details = &mut model.additional_details;
        details.insert("revision".to_owned(), revision.into_owned());
    }
    let mut run = Run::new(Harness::BigCode, model);
    run.setup = config.map(setup).unwrap_or_default();
    run.progress = RunProgress {
        status: Some("success".to_owned()),
        ..RunProgress::default()
    };
    run
}

fn setup(config: Value<'_>) -> Setup {
    let mut setup = Setup::default();
    for (key, name) in SETUP {
        let value = config.present(key).map(plain);
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            insert_setup(&mut setup, name, &value);
        }
    }
    setup
}

fn plain(value: Value<'_>) -> String {
    match value.text() {
        Some(text) => text.into_owned(),
        None => value.raw().to_owned(),
    }
}

/// How answers were generated: what the setup has not, as it was given.
fn generation(config: Value<'_>) -> Option<GenerationConfig> {
    let mut details = Details::new();
    for (key, value) in config.entries() {
        let Some(key) = key.text() else { continue };
        let is_plain = matches!(value.kind(), Kind::String | Kind::Number | Kind::Bool);
        let is_setup = SETUP.iter().any(|(own, _)| *own == key);
        let is_path =
            key.ends_with("_path") || key.starts_with("save_") || key.starts_with("load_");
        if is_plain
            && !is_setup
            && !is_path
            && !is_secret_key(&key, Scope::Record)
            && key != "model"
        {
            let value = published_path(&plain(value));
            if !value.is_empty() {
                details.insert(key.into_owned(), value);
            }
        }
    }
    let arguments = GenerationArgs {
        temperature: config.number_of("temperature"),
        top_p: config.number_of("top_p"),
        top_k: config.number_of("top_k"),
        ..GenerationArgs::default()
    };
    let has_arguments = arguments != GenerationArgs::default();
    (has_arguments || !details.is_empty()).then(|| GenerationConfig {
        generation_args: has_arguments.then_some(arguments),
        additional_details: details,
    })
}
