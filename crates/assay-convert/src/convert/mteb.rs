//! MTEB: a result file for each task, in the directory of a model and its revision, with
//! `model_meta.json` beside it.
//!
//! All scores of the file that are numbers are kept: those of each split and subset, of which
//! `main_score` is the one that MTEB's leaderboard shows.

use std::borrow::Cow;

use assay_formats::Value;
use assay_formats::eee::record::{Details, EvaluationResult, ModelInfo};

use super::detect::Evidence;
use super::document::{Document, beside};
use super::metric::MetricFacts;
use super::model_name::repository_model;
use super::run::{Run, RunProgress};
use super::task_writer::{TaskWriter, named_data, scored_result};
use super::time::stamp;
use super::{Converted, Converter, Harness, HarnessInfo, Log, Refusal};

/// The score that counts for a task; more is better in every task of MTEB.
const MAIN_SCORE: &str = "main_score";
/// How MTEB writes the slash of a model's name in the name of a directory.
const SLASH: &str = "__";

/// The converter.
pub(super) struct Mteb;

impl Converter for Mteb {
    fn info(&self) -> &'static HarnessInfo {
        &HarnessInfo {
            word: "mteb",
            title: "MTEB",
            framework: "mteb",
            library: "mteb",
            source_name: "MTEB",
            log: "TASK.json with model_meta.json",
        }
    }

    fn detect(&self, evidence: &Evidence) -> bool {
        let keys = ["task_name", "mteb_version", "scores"];
        keys.iter().all(|key| evidence.has_key(key)) && evidence.has_map("scores")
    }

    fn convert(&self, log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
        convert(log).map(|converted| vec![converted])
    }
}

/// Converts the result of one task.
fn convert(log: &Log<'_>) -> Result<Converted, Refusal> {
    let document = Document::read(log, log.path)?;
    let root = document.root();
    let Some(task) = root.text_of("task_name") else {
        let message = format!("`{}` names no task, so it is no result of MTEB", log.path);
        return Err(Refusal::Nothing(message));
    };
    let meta = Document::read_if_there(log, &beside(log.path, "model_meta.json"))?;
    let model = model(log.path, meta.as_ref().map(Document::root));
    let mut scores = Scores::default();
    scores.read(root, &task);
    if scores.results.is_empty() {
        let message = format!("`{}` has no score that is a number", log.path);
        return Err(Refusal::Nothing(message));
    }
    let mut run = Run::new(Harness::Mteb, model);
    run.version = root.text_of("mteb_version").map(Into::into);
    run.started = root.number_of("date").map(stamp);
    run.progress = RunProgress {
        status: Some("success".to_owned()),
        ..RunProgress::default()
    };
    let facts = [
        ("evaluation_time", "evaluation_seconds"),
        ("kg_co2_emissions", "kg_co2_emissions"),
    ];
    for (key, name) in facts {
        if let Some(number) = root.number_of(key) {
            run.source_details
                .insert(name.to_owned(), number.to_string());
        }
    }
    let mut writer = TaskWriter::begin(log, run, &task, &[document.bytes()])?;
    if meta.is_none() {
        writer.warn_times(
            "there is no `model_meta.json` beside the result: the model is that of the directory",
            1,
        );
    }
    for (metric, count) in scores.not_numbers {
        writer.warn_times(format!("`{metric}` is not a number: left out"), count);
    }
    writer.finish(scores.results)
}

/// The model, by its own file or else by the directories that MTEB names after model and revision.
fn model(path: &str, meta: Option<Value<'_>>) -> ModelInfo {
    let mut directories = path.rsplit('/').skip(1);
    let revision = directories.next();
    let directory = directories.next().map(|own| own.replacen(SLASH, "/", 1));
    let own = |key: &str| meta.and_then(|meta| meta.text_of(key).map(Cow::into_owned));
    let name = own("name").or(directory).unwrap_or_default();
    let mut model = repository_model(&name);
    let details = &mut model.additional_details;
    let revision = own("revision").or_else(|| revision.map(str::to_owned));
    let revision = revision.filter(|own| !own.starts_with("no_revision"));
    details.extend(revision.map(|revision| ("revision".to_owned(), revision)));
    let count = meta.and_then(|meta| meta.present("n_parameters")?.integer());
    details.extend(count.map(|count| ("parameters".to_owned(), count.to_string())));
    model
}

/// The scores of a file.
#[derive(Default)]
struct Scores {
    results: Vec<EvaluationResult>,
    /// The number of values of metrics that are no finite numbers.
    not_numbers: std::collections::BTreeMap<String, u64>,
}

impl Scores {
    fn read(&mut self, root: Value<'_>, task: &str) {
        let splits = root.present("scores").into_iter().flat_map(Value::entries);
        for (split, subsets) in splits {
            let split = split.text().unwrap_or_default();
            for subset in subsets.items() {
                self.add(root, task, &split, subset);
            }
        }
    }

    fn add(&mut self, root: Value<'_>, task: &str, split: &str, scores: Value<'_>) {
        let subset = scores.text_of("hf_subset").unwrap_or("default".into());
        let mut details = Details::new();
        let languages = scores.present("languages").into_iter();
        let languages: Vec<_> = languages
            .flat_map(Value::items)
            .filter_map(Value::text)
            .collect();
        for (key, value) in [
            ("split", split.to_owned()),
            ("subset", subset.to_string()),
            ("languages", languages.join(",")),
            (
                "dataset_revision",
                root.text_of("dataset_revision")
                    .unwrap_or_default()
                    .into_owned(),
            ),
        ] {
            if !value.is_empty() {
                details.insert(key.to_owned(), value);
            }
        }
        for (key, value) in scores.entries() {
            let Some(name) = key.text() else { continue };
            let Some(score) = value.number() else {
                if value.is_non_finite() {
                    *self.not_numbers.entry(name.into_owned()).or_default() += 1;
                }
                continue;
            };
            let id = format!("{split}/{subset}:{name}");
            if self
                .results
                .iter()
                .any(|own| own.evaluation_result_id == id)
            {
                continue;
            }
            let facts = MetricFacts {
                library: "mteb",
                name: &name,
                base: None,
                score,
                higher_is_better: (name == MAIN_SCORE).then_some(true),
            };
            let data = named_data(task, details.clone());
            self.results
                .push(scored_result(id, task, data, facts.config(), score, None));
        }
    }
}
