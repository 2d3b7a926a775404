//! OpenCompass: the directory of a run, with `results/MODEL/DATASET.json` for each model and
//! dataset.

use assay_formats::Value;
use assay_formats::eee::record::{Bound, Details, EvaluationResult, MetricConfig};
use assay_formats::eee::row::Row;

use super::detect::Evidence;
use super::document::{Document, file_name};
use super::metric::{Correctness, MetricFacts, forget_bounds, is_within};
use super::model_name::repository_model;
use super::run::{Run, RunProgress};
use super::task_writer::{
    TaskWriter, named_data, row_without_question, scored_result, unscored_row,
};
use super::time::{stamp, unix_seconds};
use super::{Converted, Converter, Harness, HarnessInfo, Log, Refusal, Warning};

/// Keys of a result that are no scores.
const NO_SCORES: [&str; 2] = ["details", "type"];
/// The metric that the verdicts of single answers are of.
const ACCURACY: &str = "accuracy";
/// How OpenCompass writes shares: of a hundred.
const HUNDRED: f64 = 100.0;

/// The converter.
pub(super) struct OpenCompass;

impl Converter for OpenCompass {
    fn info(&self) -> &'static HarnessInfo {
        &HarnessInfo {
            word: "opencompass",
            title: "OpenCompass",
            framework: "opencompass",
            library: "opencompass",
            source_name: "OpenCompass",
            log: "a run directory",
        }
    }

    fn detect(&self, evidence: &Evidence) -> bool {
        matches!(evidence, Evidence::Directory(_))
            && ["configs", "predictions", "results"]
                .iter()
                .all(|name| evidence.has_entry(name))
    }

    fn convert(&self, log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
        convert(log)
    }
}

/// Converts one run: a record for each model and dataset.
fn convert(log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
    let directory = format!("{}/results", log.path);
    let mut converted: Vec<Converted> = Vec::new();
    let mut aside = Vec::new();
    for model in list(log, &directory)? {
        let directory = format!("{directory}/{model}");
        // A file beside the directories of models is no model.
        for name in log.logs.list(&directory).unwrap_or_default() {
            let Some(dataset) = name.strip_suffix(".json") else {
                continue;
            };
            let path = format!("{directory}/{name}");
            let Some(document) = Document::read_if_there(log, &path)? else {
                continue;
            };
            match result_record(log, &document, &model, dataset)? {
                Some(own) => converted.push(own),
                None => aside.push(Warning {
                    message: format!("`{path}` has no score that is a number: left out"),
                    count: 1,
                }),
            }
        }
    }
    let Some(first) = converted.first_mut() else {
        let message = format!("`{directory}` has no result with a score that is a number");
        return Err(Refusal::Nothing(message));
    };
    first.warnings.append(&mut aside);
    Ok(converted)
}

fn list(log: &Log<'_>, directory: &str) -> Result<Vec<String>, Refusal> {
    log.logs.list(directory).map_err(|source| Refusal::Read {
        path: directory.to_owned(),
        source,
    })
}

fn result_record(
    log: &Log<'_>,
    document: &Document,
    model: &str,
    dataset: &str,
) -> Result<Option<Converted>, Refusal> {
    let root = document.root();
    let details: Vec<(String, Value<'_>)> = details(root);
    let results = results(root, dataset, details.len());
    if results.is_empty() {
        return Ok(None);
    }
    let mut run = Run::new(Harness::OpenCompass, repository_model(model));
    // The directory of a run is the local time of a machine without its zone: `20260101_120000`.
    run.started = file_name(log.path)
        .split_once('_')
        .and_then(|(date, time)| {
            let part =
                |text: &str, range: std::ops::Range<usize>| text.get(range).map(str::to_owned);
            let date = format!(
                "{}-{}-{}",
                part(date, 0..4)?,
                part(date, 4..6)?,
                part(date, 6..8)?
            );
            let time = format!(
                "{}:{}:{}",
                part(time, 0..2)?,
                part(time, 2..4)?,
                part(time, 4..6)?
            );
            Some(stamp(unix_seconds(&format!("{date}T{time}"))?))
        });
    run.progress = RunProgress {
        status: Some("success".to_owned()),
        ..RunProgress::default()
    };
    let content = [document.bytes(), log.path.as_bytes()];
    let mut writer = TaskWriter::begin(log, run, dataset, &content)?;
    let accuracy = results
        .iter()
        .find(|own| own.evaluation_result_id == ACCURACY);
    if let Some(result) = accuracy.filter(|_| writer.wants_rows()) {
        for (id, detail) in &details {
            let Some(is_right) = verdict(*detail) else {
                writer.warn_times("an answer without a verdict has no row", 1);
                continue;
            };
            let mut row = answer_row(id, *detail);
            let score = if is_right { HUNDRED } else { 0.0 };
            writer.row(&mut row, result, score, Correctness::from_grade(is_right))?;
        }
    }
    writer.finish(results).map(Some)
}

/// The answers of a result that has them, by their numbers.
fn details(root: Value<'_>) -> Vec<(String, Value<'_>)> {
    let Some(details) = root.present("details") else {
        return Vec::new();
    };
    let listed = details.items().enumerate();
    let listed = listed.map(|(index, own)| (index.to_string(), own));
    let named = details.entries();
    let named = named.filter_map(|(key, own)| Some((key.text()?.into_owned(), own)));
    listed.chain(named).collect()
}

fn verdict(detail: Value<'_>) -> Option<bool> {
    let own = detail.present("correct")?;
    // Some evaluators write a list of one.
    own.truth().or_else(|| own.items().next()?.truth())
}

fn answer_row<'d>(id: &'d str, detail: Value<'d>) -> Row<'d> {
    let text = |keys: &[&str]| keys.iter().find_map(|key| plain(detail.present(key)?));
    let question = text(&["origin_prompt", "prompt", "question"]);
    let reference = text(&["references", "answer", "answers", "gold"]);
    let is_unknown = question.is_none();
    let question = question.unwrap_or_else(|| id.to_owned());
    let reference = reference.into_iter().map(Into::into).collect();
    let mut row = unscored_row(id.into(), question.into(), reference);
    if is_unknown {
        row = row_without_question(id.into());
    }
    let answer = text(&["predictions", "pred", "prediction"]);
    if let (Some(answer), Some(output)) = (answer, &mut row.output) {
        output.raw.push(answer.into());
    }
    row
}

/// A text as it is; of a list the first one; of the turns of a prompt what stands in the last one.
fn plain(value: Value<'_>) -> Option<String> {
    if let Some(text) = value.text() {
        return Some(text.into_owned());
    }
    let last = value.items().last()?;
    let own = last.text_of("prompt").or_else(|| last.text());
    own.map(std::borrow::Cow::into_owned)
}

fn results(root: Value<'_>, dataset: &str, answers: usize) -> Vec<EvaluationResult> {
    let mut results: Vec<EvaluationResult> = Vec::new();
    for (key, value) in root.entries() {
        let (Some(name), Some(score)) = (key.text(), value.number()) else {
            continue;
        };
        let is_known = results.iter().any(|own| own.evaluation_result_id == name);
        if is_known || NO_SCORES.contains(&name.as_ref()) {
            continue;
        }
        let facts = MetricFacts {
            library: "opencompass",
            name: &name,
            base: None,
            score,
            higher_is_better: None,
        };
        let mut config = facts.config();
        if name == ACCURACY {
            of_a_hundred(&mut config, score);
        }
        let data = named_data(dataset, Details::new());
        let samples = (answers > 0).then_some(answers as u64);
        results.push(scored_result(
            name.to_string(),
            dataset,
            data,
            config,
            score,
            samples,
        ));
    }
    results
}

/// The accuracy of OpenCompass is a share of a hundred.
fn of_a_hundred(config: &mut MetricConfig, score: f64) {
    (config.min_score, config.max_score) = (Some(Bound::At(0.0)), Some(Bound::At(HUNDRED)));
    config.score_type = Some("continuous");
    config.metric_unit = Some("percentage".to_owned());
    config.additional_details.remove("bounds_status");
    if !is_within(config, score) {
        forget_bounds(config);
    }
}
